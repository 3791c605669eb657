/**
 * Forty crashes of the service and of each process of its local PostgreSQL server, at every failpoint, lose nothing.
 * @module-tag safety
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { inTime } from '../support/in-time.ts'
import { delaysOf, problemsOf, run } from './campaign.ts'

test('40 kills on the local database: nothing lost, late, doubled or needlessly repeated', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-crash-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const report = await run({ place: { engine: 'local', folder }, kills: 40, seed: 30, leaseSeconds: 10 })
  expect(problemsOf(report)).toEqual({})
  inTime(() => expect(delaysOf(report)).toEqual({}))
}, 1_200_000)
