/**
 * A run that kills its process is dead-lettered and delays no other, and the batch of a canceled run is sent once.
 * @module-tag safety
 */
import { type AutomationStep, Postrider } from '@postrider/client'
import { expect, test } from 'vitest'
import { until, untilTime } from '../support/until.ts'
import { openCrashTest } from './crash-test.ts'
import { serverPlace } from './places.ts'

const OTHERS = 6
/** Three runs are added within this time. */
const WAIT_SECONDS = 20
/** Twice among others, and three times alone. */
const ATTEMPTS = 5

test('a run whose step kills its process is dead-lettered after five crashes, and the others complete', async () => {
  const { fleet, client, provider, arrivals, atRest, close } = await openCrashTest(await serverPlace())
  try {
    let crashes = 0
    provider.answer('/poison', () => {
      crashes += 1
      void fleet.kill(0)
      return { instead: 'hang' }
    })
    // They are within a step whenever the process crashes.
    provider.answer('/slow', { delayMs: 400 })
    const begin = async (path: string, recipient: string) => {
      const steps: AutomationStep[] = [
        { action: 'delay', duration: '1 second' },
        { action: 'fetch-data', webhook: { url: provider.url + path } },
        { action: 'send', template: 'crash' },
      ]
      return (await client.automations.invoke({ automation: { steps }, recipient })).runId
    }
    const recipients = Array.from({ length: OTHERS }, (_, n) => `other-${n}`)
    const [poison = '', ...others] = await Promise.all([
      begin('/poison', 'unknown'),
      ...recipients.map((recipient) => begin('/slow', recipient)),
    ])
    const once = new Postrider({ baseUrl: fleet.urls[0] ?? '', apiKey: fleet.apiKey, retries: 0 })
    const look = async () => {
      if (!fleet.isUp(0)) await fleet.start(0)
      return once.automations.run(poison).catch(() => undefined)
    }
    const put = await until(look, (run) => run?.status === 'ERROR')
    expect([put?.error, crashes]).toEqual([expect.stringContaining(`after ${ATTEMPTS} attempts`), ATTEMPTS])
    const { steps } = await client.automations.steps(poison)
    expect(steps.map(({ status }) => status)).toEqual(['PROCESSED', 'ERROR', 'NOT PROCESSED'])
    for (const id of others)
      await until(
        () => client.automations.run(id),
        ({ status }) => status === 'PROCESSED',
      )
    await atRest()
    expect(recipients.map((recipient) => arrivals.get(recipient)?.size)).toEqual(recipients.map(() => 1))
    expect(fleet.faults).toEqual([])
  } finally {
    await close()
  }
})

test('a batch whose run was canceled is sent once, by the first run that had added, though that run crashes twice at it', async () => {
  const { fleet, client, arrivals, crashAt, atRest, close } = await openCrashTest(await serverPlace())
  try {
    const steps: AutomationStep[] = [
      { action: 'add-to-batch', batch_id: 'left', wait_period: `PT${WAIT_SECONDS}S` },
      { action: 'send', template: 'crash', recipient: 'owner' },
    ]
    const add = async (who: string, stands: string) => {
      const { runId } = await client.automations.invoke({ automation: { steps }, data: { who } })
      await until(
        () => client.automations.run(runId),
        ({ status }) => status === stands,
      )
      return runId
    }
    const opener = await add('a', 'WAITING')
    const heir = await add('b', 'PROCESSED')
    await add('c', 'PROCESSED')
    const added = Date.now()
    await client.automations.cancelRun(opener)
    await fleet.kill(0)
    await untilTime(added + WAIT_SECONDS * 1_000)
    const places = ['before-run-step-commit:1', 'after-run-step-commit:1']
    expect(await crashAt(places)).toEqual(places)
    await until(
      async () => arrivals.size,
      (size) => size > 0,
    )
    await atRest()
    const { results } = await client.messages.list({})
    expect(results.map(({ runId, recipient }) => [runId, recipient])).toEqual([[heir, 'owner']])
    const { results: events } = await client.messages.history(results[0]?.id ?? '', { type: 'ENQUEUED' })
    expect(events).toMatchObject([{ data: { batch: { count: 2, items: [{ who: 'b' }, { who: 'c' }] } } }])
    expect(fleet.faults).toEqual([])
  } finally {
    await close()
  }
})
