/** Deaths of nodes that share a database server: the others take over, and nothing is lost. */
import { expect, test } from 'vitest'
import { newDatabase } from '../support/databases.ts'
import { problemsOf, run } from './campaign.ts'

// postgres.long.test.ts has more of them, and the real lease.
test('6 kills of two nodes: nothing lost, late, doubled or needlessly repeated', async () => {
  const place = { engine: 'postgres', url: await newDatabase() } as const
  const report = await run({ place, kills: 6, seed: 10, leaseSeconds: 3 })
  expect(problemsOf(report)).toEqual({})
  expect(report.kills).toBe(6)
  expect(report.verdict.accepted).toBeGreaterThan(150)
}, 200_000)
