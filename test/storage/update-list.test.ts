/** update-list: subscribes or unsubscribes once, through crashes of the process, and a simulation shows the consequences. */
import { executeRun } from '@postrider/server/internal/automations/runs/worker'
import { answering, simulateRuns } from '@postrider/server/internal/automations/simulation/simulate-runs.harness'
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import { runSteps } from '@postrider/server/internal/database/tables/automations/runs'
import { listSubscriptions } from '@postrider/server/internal/database/tables/lists/lists'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import type { RecordingApp } from '../support/recording-app.ts'
import { durableStoreAt } from './durable-store.ts'
import { now, rowsOn, SECOND } from './run-rows.ts'

const subscribe = { action: 'update-list', list: 'team', operation: 'subscribe' }
const unsubscribe = { action: 'update-list', list: 'team', operation: 'unsubscribe' }
const toEach = {
  ...{ action: 'send-list', list: 'team', template: 'news' },
  data_source: { webhook: { url: 'https://shop.example/' } },
}
const context = { recipient: 'ada' }

withEngine((open) => {
  let api: RecordingApp
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    api = await openApp({ pipeline: 'recording', engine })
  })
  afterAll(() => api.stop())
  beforeEach(async () => {
    await rowsOn(engine).forgetAll()
    await engine.batch([{ text: 'delete from list_subscriptions' }, { text: 'delete from lists' }])
  })

  const subscribers = async (list = 'team') =>
    (await listSubscriptions(engine, 1, list, undefined, 100)).rows.map(({ recipient }) => recipient)

  /** Starts a run of the steps and executes it until it ends; the process crashes once in the commit of the first step. */
  async function execute(steps: readonly object[], crash?: 'before' | 'after') {
    const rows = rowsOn(engine)
    const start = JSON.stringify({ context })
    const [run] = await rows.start(1, { automation: JSON.stringify({ steps }), start })
    for (const attempt of [0, 1, 2]) {
      const at = now + attempt * SECOND
      const [row] = await rows.claim(1, 'L', at, SECOND)
      if (!row) break
      const store = durableStoreAt(engine, at)
      const commit: typeof store.commit = async (...change) => {
        if (attempt === 0 && crash === 'before') throw new Error('The process is gone')
        const verdict = await store.commit(...change)
        if (attempt === 0 && crash === 'after') throw new Error('The process is gone')
        return verdict
      }
      const options = { engine, log: createLog('silent'), now: () => at, mayContinue: () => true }
      await executeRun(row, { ...options, store: { ...store, commit } })
    }
    return runSteps(engine, 1, run!.id)
  }

  describe.each([undefined, 'before', 'after'] as const)('when the process crash %s the commit', (crash) => {
    test('subscribes the recipient of the run, and creates the list', async () => {
      const steps = await execute([subscribe], crash)
      const result = JSON.stringify({ list: 'team', operation: 'subscribe', recipient_id: 'ada' })
      expect(steps).toMatchObject([{ status: 'PROCESSED', result }])
      expect(await subscribers()).toEqual(['ada'])
      expect((await api.call('GET', '/lists/team')).json).toMatchObject({ id: 'team', name: 'team' })
    })

    test('unsubscribes the one it names', async () => {
      await api.call('PUT', '/lists/team/subscriptions/ada')
      await api.call('PUT', '/lists/team/subscriptions/7')
      expect(await execute([{ ...unsubscribe, recipient_id: 7 }], crash)).toMatchObject([{ status: 'PROCESSED' }])
      expect(await subscribers()).toEqual(['ada'])
    })
  })

  test('an existing subscription keeps its preferences, and the list its name', async () => {
    const preferences = { notifications: { digest: { status: 'OPTED_OUT' } } }
    await api.call('PUT', '/lists/team', { body: { name: 'The team' } })
    await api.call('PUT', '/lists/team/subscriptions/ada', { body: { preferences } })
    await execute([subscribe])
    const { items } = (await api.call('GET', '/lists/team/subscriptions')).json
    expect(items).toMatchObject([{ recipientId: 'ada', preferences }])
    expect((await api.call('GET', '/lists/team')).json.name).toBe('The team')
  })

  test('unsubscribing from a list that does not exist creates none', async () => {
    expect(await execute([unsubscribe])).toMatchObject([{ status: 'PROCESSED' }])
    expect((await api.call('GET', '/lists/team')).status).toBe(404)
  })

  test('in a deleted list the recipient is the only subscriber', async () => {
    await api.call('PUT', '/lists/team/subscriptions/bob')
    await api.call('DELETE', '/lists/team')
    await execute([subscribe])
    expect(await subscribers()).toEqual(['ada'])
  })

  describe('in a simulation', () => {
    test('a run for each subscriber starts after the change', async () => {
      const options = { subscribers: async (_list: string, after: string) => (after === '' ? ['bob'] : []) }
      const sendRequest = answering({})
      const { sent } = await simulateRuns([subscribe, toEach], [{ context }], { ...options, sendRequest })
      expect(sent().map(({ to }) => to)).toEqual(['ada', 'bob'])
      const left = await simulateRuns([{ ...unsubscribe, recipient_id: 'bob' }, toEach], [{ context }], {
        ...options,
        sendRequest,
      })
      expect(left.sent()).toEqual([])
    })
  })

  test.each([
    [{ ...subscribe, list: 'a b' }, 'automation.steps.0: A list id has 1 to 4 parts'],
    [{ ...subscribe, list: 'team.*' }, 'automation.steps.0: A list id has 1 to 4 parts'],
    [{ ...subscribe, operation: 'join' }, 'automation.steps.0.operation must be one of `subscribe`, `unsubscribe`'],
    [{ action: 'update-list', list: 'team' }, 'automation.steps.0.operation is required'],
  ])('%j is refused', async (step, sentence) => {
    const { status, json } = await api.call('POST', '/automations/invoke', { body: { automation: { steps: [step] } } })
    expect([status, json.message]).toEqual([400, expect.stringContaining(sentence)])
  })

  test('without a recipient the run ends with an error', async () => {
    const simulated = await simulateRuns([subscribe])
    expect(simulated.run(0)).toMatchObject({ status: 'ERROR', error: expect.stringContaining('has a recipient') })
  })
})
