/** Requests, good and bad, drawn from the served OpenAPI document: every reply is as documented, and the server stays well. */
import { expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { run } from './campaign.ts'
import { problemsOf } from './report.ts'
import { startSubject } from './subject.ts'

// Every endpoint with every kind of request about once; fuzz.long.test.ts goes on for longer.
test('2,800 requests with seed 4', { timeout: 300_000 }, async () => {
  const subject = await startSubject(await databaseEnvironment())
  const { url, apiKey, heldBytes, stoodMs, ended } = subject
  const report = await run({ url, apiKey, requests: 2_800, seed: 4, heldBytes, stoodMs, signal: ended })
  expect(problemsOf(report, await subject.stop()).join('\n\n')).toBe('')
})
