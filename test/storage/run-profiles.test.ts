/** Runs that come due together load their profiles together, and a run that needs no profile loads none. */
import { executeRun } from '@postrider/server/internal/automations/runs/worker'
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import { profileSave } from '@postrider/server/internal/database/tables/users/users'
import { expect, test } from 'vitest'
import { durableStoreAt } from './durable-store.ts'
import { now, withRunRows } from './run-rows.ts'

const RUNS = 50

withRunRows((rows, engine) => {
  /** How many queries looked for profiles, and how the runs' steps ended. */
  async function simulated(step: object) {
    await engine.run({ text: 'delete from profiles', values: [] })
    const plans = Array.from({ length: RUNS }, (_, n) => (n % 2 ? 'pro' : 'free'))
    await engine.batch(plans.map((plan, n) => profileSave(engine.tokens, 1, `user-${n}`, { plan }, undefined, now)))
    for (const n of plans.keys())
      await rows.start(1, {
        automation: JSON.stringify({ steps: [step] }),
        start: JSON.stringify({ context: { recipient: `user-${n}` } }),
      })
    let queries = 0
    const counted: Engine = {
      ...{ node: engine.node, kind: engine.kind, address: engine.address, tokens: engine.tokens, batch: engine.batch },
      ...{ listen: engine.listen, notify: engine.notify, holdLock: engine.holdLock, close: engine.close },
      connections: engine.connections,
      run: (statement) => {
        if (statement.text.includes('profiles')) queries += 1
        return engine.run(statement)
      },
    }
    const store = durableStoreAt(counted, now)
    const claimed = await rows.claim(RUNS)
    const options = { engine: counted, log: createLog('silent'), store, now: () => now, mayContinue: () => true }
    await Promise.all(claimed.map((row) => executeRun(row, options)))
    const count = (status: string) => rows.count(`select count(*) from run_steps where status = '${status}'`)
    return { queries, done: await count('PROCESSED'), skipped: await count('SKIPPED') }
  }

  const past = '2020-01-01T00:00:00Z'

  test('each with the profile of its own recipient, in one query', async () => {
    const step = { action: 'delay', until: past, if: "profile.plan === 'pro'" }
    expect(await simulated(step)).toEqual({ queries: 1, done: RUNS / 2, skipped: RUNS / 2 })
  })

  test.each([
    ['until an instant', 0, { until: past }],
    ['until an instant in the compact spelling', 0, { until: '20200101T000000+0100' }],
    ['until a time of day in a zone', 0, { until: '2020-01-01T00:00:00', timezone: 'Europe/Vienna' }],
    ['for a while', 0, { duration: 'PT0S' }],
    ['until a time of day', 1, { until: '2020-01-01T00:00:00' }],
    ['until a day', 1, { until: '2020-01-01' }],
  ])('a delay %s makes %i queries', async (_what, queries, fields) => {
    expect(await simulated({ action: 'delay', ...fields })).toEqual({ queries, done: RUNS, skipped: 0 })
  })
})
