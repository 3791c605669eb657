/** An erasure reads runs in bounded slices, and once more before it ends. */
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { runsInsert } from '@postrider/server/internal/database/tables/automations/live-runs'
import { findErasure, startErasure } from '@postrider/server/internal/database/tables/erasure/erasures'
import { sweptUpTo } from '@postrider/server/internal/database/tables/erasure/traces'
import { createEraser, FIRST_STEP } from '@postrider/server/internal/erasure/erase'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { now, rowsOn, started } from './run-rows.ts'

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
  })
  beforeEach(() => rowsOn(engine).forgetAll())

  test('a run that is tryCommit after runs were looked through is found before the end', async () => {
    const erasure = { id: 'e', workspaceId: 1, person: 'late', pseudonym: 'erased-1', actor: 'key/test', now }
    await engine.batch(startErasure(erasure, FIRST_STEP))
    const log = createLog('silent')
    const step = createEraser({
      engine,
      secretKey: secretKey(Buffer.alloc(32, 7)),
      log,
      leaseMs: 1_000,
      now: () => now,
    })
    const erasureRow = async () => (await engine.run({ text: 'select step, status from erasures', values: [] })).rows[0]
    while ((await erasureRow())?.step !== 'audit') await step()
    const context = { recipient: 'late' }
    await engine.run(runsInsert([started({ start: JSON.stringify({ context }), due_at: now + 1e9 })]))
    while ((await erasureRow())?.status === 'PROCESSING') await step()
    expect(await findErasure(engine, 1, 'e')).toMatchObject({ status: 'COMPLETED', removed: { automationRuns: 1 } })
    expect(await rowsOn(engine).count(`select count(*) from runs where start like '%late%'`)).toBe(0)
  })

  test('runs with large texts are read in smaller pages', async () => {
    const start = JSON.stringify({ context: { data: { text: 'x'.repeat(9_000_000) } } })
    const runs = [1, 2, 3].map(() => started({ start }))
    for (const run of runs) await engine.run(runsInsert([run]))
    const erasure = { id: 'e', workspace_id: 1, person: 'p', pseudonym: 'q', lease: 'L', claims: 1, step: 'runs' }
    expect(await sweptUpTo(engine, 'runs', { ...erasure, place: null }, 100)).toBe(runs[1]?.id)
    expect(await sweptUpTo(engine, 'runs', { ...erasure, place: runs[1]?.id ?? '' }, 100)).toBeUndefined()
  })
})
