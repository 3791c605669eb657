/**
 * Ten messages that block the process, ended by a kill from outside and by the watchdog itself.
 * @module-tag safety
 */
import { expect, test } from 'vitest'
import { runStalls } from './stalls.ts'

test('ten of them end after two stalls each, all others are delivered', { timeout: 600_000 }, async () => {
  // The first one once the watchdog has logged that it does not respond; the third ends itself.
  const { messages, ends, logs } = await runStalls(10, (start, log) =>
    start === 1 ? log.includes('"event":"process.stalled"') : start !== 3,
  )
  const by = (prefix: string) => messages.filter(({ recipient }) => recipient.startsWith(prefix))
  expect(by('good').map(({ status }) => status)).toEqual(Array(30).fill('DELIVERED'))
  expect(by('poison').map(({ status }) => status)).toEqual(Array(10).fill('UNDELIVERABLE'))
  for (const { error, stalls } of by('poison'))
    expect([error, stalls]).toEqual([
      'Dead-lettered: it blocked the process for seconds, 2 times, the last time while deciding',
      2,
    ])
  for (const { recipient, stalls } of by('good')) expect([recipient, stalls]).toEqual([recipient, null])
  expect(logs.join('')).toMatch(/"event":"message.stalled","message":"[\w-]+","activity":"deciding","stalls":1/)
  expect(logs[0]).toMatch(/"event":"process.stalled","seconds":\d+,"message":"[\w-]+","activity":"deciding"/)
  expect(ends[2]).toBe('SIGKILL')
  expect(logs[2]).toMatch(/"event":"process.ended"/)
})
