/**
 * Ten messages that block the process, ended by a kill from outside and by the watchdog itself.
 * @module-tag safety
 */
import { createLog } from '@postrider/server/internal/base/log'
import { startWatchdog } from '@postrider/server/internal/watchdog/watchdog'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
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

/** The watchdog takes a second to start, and reports after five. */
const STALL_MS = 12_000

test('a process that did not respond for five seconds counts it when it responds again', async () => {
  const log = createLog('silent')
  const engine = { address: { connectionString: 'postgres://127.0.0.1:1/none' }, kind: 'server' } as never
  let stalls = 0
  const watchdog = startWatchdog({
    ...{ engine, log, logLevel: 'silent', stalled: () => undefined },
    processStalled: () => stalls++,
  })
  try {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, STALL_MS)
    await until(
      async () => stalls,
      (count) => count === 1,
    )
  } finally {
    await watchdog.stop()
  }
})
