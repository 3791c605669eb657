/** Runs that get into each other's way: a busy profile puts a run off, and a batch that fails frees its key. */

import type { RunStore } from '@postrider/server/internal/automations/run-store'
import { executeRun } from '@postrider/server/internal/automations/runs/worker'
import { createLog } from '@postrider/server/internal/base/log'
import { runQueue } from '@postrider/server/internal/database/tables/automations/live-runs'
import { expect, test } from 'vitest'
import { now, rowsOn, SECOND } from '../storage/run-rows.ts'
import { withApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import { until } from '../support/until.ts'

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
    await executeRun(row!, { engine, log: createLog('error'), store, now: () => now, goesOn: () => true })
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
      const work = executeRun(row!, { engine, log: createLog('silent'), store, now: () => now, goesOn: () => true })
      if (claim === 5) await work
    }
    expect(inputs).toBe(5)
    expect(await rows.count(`select count(*) from runs where status = 'ERROR' and due_at is null`)).toBe(1)
  })
})

withApp((open) => {
  test('a run that ends with an error deletes its batch in the same commit: the next run opens another', async () => {
    const app = await open()
    const writes = (key: string) => app.call('POST', '/profiles/ada', { body: { profile: { key } } })
    const collect = { action: 'add-to-batch', batch_id: 'b', wait_period: 'PT2S', category_key: '${profile.key}' }
    const invoke = async () => {
      const body = { automation: { steps: [collect] }, recipient: 'ada' }
      return (await app.call('POST', '/automations/invoke', { body })).json.runId as string
    }
    const reaches = (id: string, expected: string) =>
      until(
        async () => (await app.call('GET', `/automations/runs/${id}`)).json,
        ({ status }) => status === expected,
      )
    await writes('good')
    const opener = await invoke()
    await reaches(opener, 'WAITING')
    await writes('__proto__')
    expect(await reaches(opener, 'ERROR')).toMatchObject({ status: 'ERROR' })
    await writes('good')
    const next = await invoke()
    await reaches(next, 'WAITING')
    await reaches(next, 'PROCESSED')
  })
})
