/** Ten thousand requests, good and bad, drawn from the served OpenAPI document: every reply is as documented, and the server stays well. */
import { expect, test } from 'vitest'
import { hasPostgres } from '../support/databases.ts'
import { environments } from '../system/house.ts'
import { run } from './campaign.ts'
import { problemsOf } from './report.ts'
import { startSubject } from './subject.ts'

// PostgreSQL has the same doors; a share of the requests is enough to see its own faults.
test.each([
  ['embedded', 10_000, 1],
  ['postgres', 2_000, 2],
] as const)('%s: %i requests with seed %i', { timeout: 300_000 }, async (engine, requests, seed) => {
  if (engine === 'postgres' && !hasPostgres) return
  const subject = await startSubject(await environments[engine]())
  const { url, apiKey, heldBytes, stoodMs, ended } = subject
  const report = await run({ url, apiKey, requests, seed, heldBytes, stoodMs, signal: ended })
  expect(problemsOf(report, await subject.stop()).join('\n\n')).toBe('')
})
