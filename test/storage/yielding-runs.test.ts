/** A run that always conflicts is tried again a second later; one that never reaches an outcome is dead-lettered. */
import type { RunStore } from '@postrider/server/internal/automations/run-store'
import { executeRun } from '@postrider/server/internal/automations/runs/worker'
import { createLog } from '@postrider/server/internal/base/log'
import { runQueue } from '@postrider/server/internal/database/tables/automations/live-runs'
import { expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { now, rowsOn, SECOND } from './run-rows.ts'

withEngine((open) => {
  test('a run that always yields to others is released for a second, and not dead-lettered', async () => {
    const engine = await open()
    const rows = rowsOn(engine)
    await rows.start(1, { automation: '{"steps":[{"action":"update-profile","recipient_id":"a","profile":{}}]}' })
    const [row] = await rows.claim(1)
    let tries = 0
    const store = {
      secret: Buffer.alloc(32),
      now: () => now,
      profile: async () => ({ profile: {}, version: 1 }),
      commit: async () => {
        tries += 1
        return 'again'
      },
    } as unknown as RunStore
    await executeRun(row!, { engine, log: createLog('error'), store, now: () => now, mayContinue: () => true })
    expect(tries).toBeGreaterThan(10)
    expect(await runQueue.nextDue(engine, now)).toBe(now + SECOND)
    expect(await rows.claim(1, 'N', now + SECOND)).toMatchObject([{ id: row!.id, claims: 1 }])
  })

  test('a run that was started five times without an outcome is dead-lettered, and not started a sixth time', async () => {
    const engine = await open()
    const rows = rowsOn(engine)
    await rows.start(1, { automation: '{"steps":[{"action":"update-profile","recipient_id":"a","profile":{}}]}' })
    let inputs = 0
    const store = {
      now: () => now,
      profile: () => {
        inputs += 1
        // As in a process that is gone.
        return new Promise(() => undefined)
      },
    } as unknown as RunStore
    for (let claim = 0; claim < 6; claim += 1) {
      const [row] = await rows.claim(1, 'L', now + claim * SECOND, SECOND)
      const work = executeRun(row!, {
        engine,
        log: createLog('silent'),
        store,
        now: () => now,
        mayContinue: () => true,
      })
      if (claim === 5) await work
    }
    expect(inputs).toBe(5)
    expect(await rows.count(`select count(*) from runs where status = 'ERROR' and due_at is null`)).toBe(1)
  })
})
