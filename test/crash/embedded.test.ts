/** Thirty deaths of the only process, its first start and migration among them, lose nothing. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { problemsOf, run } from './campaign.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-crash-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('30 kills on the embedded database: nothing lost, late, doubled or needlessly repeated', async () => {
  const report = await run({ place: { engine: 'embedded', folder }, kills: 30, seed: 30, leaseSeconds: 3 })
  expect(problemsOf(report)).toEqual({})
  expect(report.kills).toBe(30)
  // A campaign in which hardly anything was accepted has shown nothing.
  expect(report.verdict.accepted).toBeGreaterThan(300)
  expect(report.missed.length).toBeLessThan(5)
}, 280_000)
