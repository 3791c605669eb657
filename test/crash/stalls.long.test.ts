/** Ten messages that block the process, ended by a kill from outside and by the watchdog itself. */
import { expect, test } from 'vitest'
import { runStalls, startsMax, UNCOUNTED_MAX } from './stalls.ts'

test('ten of them end after two stalls each, all others are delivered', { timeout: 600_000 }, async () => {
  // As an impatient probe would, but for the first process, until the watchdog has logged, and the third, which ends itself.
  const patience = new Map([
    [1, 8_000],
    [3, 90_000],
  ])
  const { messages, starts, ends, logs } = await runStalls(10, (start) => patience.get(start) ?? 2_500)
  const by = (prefix: string) => messages.filter(({ recipient }) => recipient.startsWith(prefix))
  expect(by('good').map(({ status }) => status)).toEqual(Array(30).fill('DELIVERED'))
  expect(by('poison').map(({ status }) => status)).toEqual(Array(10).fill('UNDELIVERABLE'))
  const counted = by('poison').filter(({ stalls }) => stalls === 2)
  for (const { error } of counted)
    expect(error).toBe('Dead-lettered: it blocked the process for seconds, 2 times, the last time while deciding')
  // Those whose stalls were not written in time end by their attempts.
  const uncounted = by('poison').filter(({ stalls }) => stalls !== 2)
  expect(uncounted.length).toBeLessThanOrEqual(UNCOUNTED_MAX)
  for (const { error } of uncounted)
    expect(error).toBe('Dead-lettered after 9 attempts to process it without an outcome')
  expect(starts).toBeLessThanOrEqual(startsMax(10))
  for (const { recipient, stalls } of by('good')) expect([recipient, stalls]).toEqual([recipient, null])
  expect(logs.join('')).toMatch(/"event":"message.stalled","message":"[\w-]+","activity":"deciding","stalls":1/)
  expect(logs[0]).toMatch(/"event":"process.stalled","seconds":5,"message":"[\w-]+","activity":"deciding"/)
  expect(ends[2]).toBe('SIGKILL')
  expect(logs[2]).toMatch(/"event":"process.ended"/)
})
