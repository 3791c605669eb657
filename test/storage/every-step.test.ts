/** Every step does the same in production and in a simulation: its example leaves the same record in both stores. */
import { automationActions, automationSteps } from '@postrider/contract'
import { executeRun } from '@postrider/server/internal/automations/runs/worker'
import { answering, simulateRuns } from '@postrider/server/internal/automations/simulation/simulate-runs.harness'
import { createLog } from '@postrider/server/internal/base/log'
import { runSteps } from '@postrider/server/internal/database/tables/automations/runs'
import { beforeEach, expect, test } from 'vitest'
import { durableStoreAt } from './durable-store.ts'
import { now, withRunRows } from './run-rows.ts'

const context = { recipient: 'user-7', data: { order: 7 } }
/** Resources that the examples name and no test stores. */
const storedReader = {
  template: async () => ({ id: 'onboarding', automation: { steps: [{ action: 'delay' }] } }),
  digestProblem: async () => undefined,
  digestOptOut: async () => undefined,
  sendRequest: answering({ status: 'paid' }),
}

withRunRows((rows, engine) => {
  beforeEach(() => engine.batch([{ text: 'delete from profiles' }]))

  test.each(automationActions)('%s', async (action) => {
    const steps = [{ action, ...automationSteps[action].example }]
    const [run] = await rows.start(1, {
      automation: JSON.stringify({ steps }),
      start: JSON.stringify({ context }),
      cancelation_token: 'order-7',
    })
    const simulated = await simulateRuns(steps, [{ context }], storedReader)
    const waits = simulated.run(0).steps.get(0)?.ended !== simulated.run(0).steps.get(0)?.started

    const [row] = await rows.claim(1, 'L', now)
    const options = { engine, log: createLog('silent'), now: () => now, mayContinue: () => true }
    await executeRun(row!, { ...options, store: { ...durableStoreAt(engine, now), ...storedReader } })
    const [record] = await runSteps(engine, 1, run!.id)
    if (waits) return expect(record).toMatchObject({ action, status: 'WAITING' })

    const { status, result } = simulated.run(0).steps.get(0)!
    expect(record).toMatchObject({ action, status })
    // Ids differ by run.
    const withoutIds = (text: string | null | undefined) => (text ?? 'null').replaceAll(/\d-[\w-]{24,}/g, '<id>')
    expect(JSON.parse(withoutIds(record?.result))).toEqual(JSON.parse(withoutIds(JSON.stringify(result ?? null))))
  })
})
