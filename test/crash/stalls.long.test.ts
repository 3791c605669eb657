/** Ten messages that block the process, by a killer and by the watchdog itself. */
import { expect, test } from 'vitest'
import { runStalls, startsMax } from './stalls.ts'

test('ten of them end after two stalls each, all others are delivered', { timeout: 600_000 }, async () => {
  // The third process is not killed: it ends itself after a minute.
  const { messages, starts, ends, logs } = await runStalls(10, (start) => (start === 3 ? 90_000 : 2_500))
  const by = (prefix: string) => messages.filter(({ recipient }) => recipient.startsWith(prefix))
  expect(by('good').map(({ status }) => status)).toEqual(Array(30).fill('DELIVERED'))
  expect(by('poison').map(({ status }) => status)).toEqual(Array(10).fill('UNDELIVERABLE'))
  for (const { error } of by('poison'))
    expect(error).toMatch(/^Dead-lettered: it blocked the process for seconds, 2 times/)
  expect(starts).toBeLessThanOrEqual(startsMax(10))
  expect(ends[2]).toBe('SIGKILL')
  expect(logs[2]).toMatch(/"event":"process.ended"/)
})
