/** Messages that block the process: named, counted although the process is killed before it can count, dead-lettered. */
import { expect, test } from 'vitest'
import { runStalls, startsMax } from './stalls.ts'

test('two that stand still end after two stalls each, all others are delivered', { timeout: 180_000 }, async () => {
  // The first process is watched until the watchdog has spoken; the others are killed as an impatient probe would.
  const report = await runStalls(2, (start) => (start === 1 ? 8_000 : 2_500))
  for (const { recipient, status, error, stalls } of report.messages)
    if (recipient.startsWith('good')) expect([recipient, status, stalls]).toEqual([recipient, 'DELIVERED', null])
    else
      expect([recipient, status, error]).toEqual([
        recipient,
        'UNDELIVERABLE',
        'Dead-lettered: it blocked the process for seconds, 2 times, the last time while deciding',
      ])
  expect(report.messages).toHaveLength(32)
  expect(report.starts).toBeLessThanOrEqual(startsMax(2))
  expect(report.logs[0]).toMatch(/"event":"message.stalled","message":"[\w-]+","activity":"deciding","stalls":1/)
  expect(report.logs[0]).toMatch(/"event":"process.stalled","seconds":5,"message":"[\w-]+","activity":"deciding"/)
})
