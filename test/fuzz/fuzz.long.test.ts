/**
 * Ten thousand requests, good and bad, to a service with a local database: replies as documented, no growth, no fault
 * in the log.
 * @module-tag safety
 */
import { expect, test } from 'vitest'
import { newDataFolder } from '../support/databases.ts'
import { inTime } from '../support/in-time.ts'
import { run } from './campaign.ts'
import { PING_MS_MAX, problemsOf } from './report.ts'
import { startTestedServer } from './tested-server.ts'

test('10,000 requests with seed 1', { timeout: 600_000 }, async () => {
  const subject = await startTestedServer({ POSTRIDER_DATA_DIR: await newDataFolder() })
  const { url, apiKey, heldBytes, runQueueMs: stoodMs, ended } = subject
  const report = await run({ url, apiKey, requests: 10_000, seed: 1, heldBytes, runQueueMs: stoodMs, signal: ended })
  expect(problemsOf(report, await subject.stop()).join('\n\n')).toBe('')
  inTime(() => expect(report.slowestPingMs).toBeLessThanOrEqual(PING_MS_MAX))
})
