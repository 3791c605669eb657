/** A batch whose run was canceled is taken over by the first run that had added: no item is lost, and it is sent once. */
import type { AutomationStep } from '@postrider/client'
import { expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { until } from '../support/until.ts'

const HOUR = 3_600_000

withApp((open) => {
  test('without further items it closes in its time, on any process that runs then', async () => {
    const clock = settableClock()
    const env = await databaseEnvironment()
    const first = await open({ env, clock })
    const steps: AutomationStep[] = [
      { action: 'add-to-batch', batch_id: 'likes', wait_period: 'PT10M' },
      { action: 'send', template: 'liked', recipient: 'owner', profile: { email: 'owner@example.com' } },
    ]
    const add = async (who: string, stands: string) => {
      const { runId } = await first.client.automations.invoke({ automation: { steps }, data: { who } })
      await until(
        () => first.client.automations.run(runId),
        ({ status }) => status === stands,
      )
      return runId
    }
    const opener = await add('a', 'WAITING')
    const [heir, last] = [await add('b', 'PROCESSED'), await add('c', 'PROCESSED')]
    await first.client.automations.cancelRun(opener)
    await first.stop()

    clock.set(clock.now() + HOUR)
    const { client } = await open({ env, clock })
    const { steps: done } = await until(
      () => client.automations.steps(heir),
      (run) => run.steps.every(({ status }) => status === 'PROCESSED'),
    )
    expect(done[0]?.result).toEqual({ count: 2, items: 2 })
    const statuses = [opener, heir, last].map(async (id) => (await client.automations.run(id)).status)
    expect(await Promise.all(statuses)).toEqual(['CANCELED', 'PROCESSED', 'PROCESSED'])
    const { results } = await client.messages.list({ recipient: 'owner' })
    expect(results.map(({ runId }) => runId)).toEqual([heir])
    const { results: events } = await client.messages.history(results[0]?.id ?? '', { type: 'ENQUEUED' })
    expect(events).toMatchObject([{ data: { who: 'b', batch: { count: 2, items: [{ who: 'b' }, { who: 'c' }] } } }])
  }, 90_000)
})
