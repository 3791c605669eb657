/** Deaths of the service and of its local PostgreSQL server lose nothing: the first start, a migration and a backup among them. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { problemsOf, run } from './campaign.ts'

// The beginnings, one death of each kind, and the ends; local.long.test.ts has every place and every target.
test('9 kills on the local database: nothing lost, late, doubled or needlessly repeated', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-crash-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const report = await run({ place: { engine: 'local', folder }, kills: 9, seed: 9, leaseSeconds: 3 })
  expect(problemsOf(report)).toEqual({})
  expect(report.kills).toBe(9)
  // A campaign in which hardly anything was accepted has shown nothing.
  expect(report.verdict.accepted).toBeGreaterThan(50)
}, 200_000)
