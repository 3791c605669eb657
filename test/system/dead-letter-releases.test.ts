/** Dead letters that are released: a run has the items of its batch, a message counts once. */
import type { AutomationStep } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { onDatabaseOf } from '../support/installation.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const HOUR = 3_600_000

withApp((open) => {
  let app: App
  let peer: Recorder
  let env: Record<string, string>

  beforeAll(async () => {
    env = await databaseEnvironment()
    peer = await startRecorder()
    app = await open({ env })
  })
  afterAll(() => peer.close())

  /** As if each start of the row had ended the process. */
  const poison = (table: 'runs' | 'messages', id: string, due = Date.now()) =>
    onDatabaseOf(env, (engine) =>
      engine.run({ text: `update ${table} set claims = 100, due_at = $2 where id = $1`, values: [id, due] }),
    )
  const letterOf = (subject: string) =>
    until(
      async () =>
        (await app.client.deadLetters.list({ state: 'open' })).results.find((row) => row.subject_id === subject),
      (row) => row !== undefined,
    )

  test('a run that is released goes on with the items of its batch, and another batch has opened meanwhile', async () => {
    const { client } = app
    const steps: AutomationStep[] = [
      { action: 'add-to-batch', batch_id: 'likes', wait_period: 'PT1H' },
      { action: 'send', template: 'liked', recipient: 'owner', profile: { email: 'owner@example.com' } },
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
    await add('b', 'PROCESSED')
    await poison('runs', opener)
    const letter = await letterOf(opener)
    expect((await client.automations.run(opener)).status).toBe('ERROR')
    // Its key is free.
    await add('c', 'WAITING')
    await client.deadLetters.release(letter?.id ?? '')
    const run = await until(
      () => client.automations.run(opener),
      ({ status }) => status === 'PROCESSED',
    )
    expect(run.status).toBe('PROCESSED')
    const { steps: done } = await client.automations.steps(opener)
    expect(done[0]).toMatchObject({ status: 'PROCESSED', result: { count: 2, items: 2 } })
    const { results } = await client.messages.list({ runId: opener })
    const { results: events } = await client.messages.history(results[0]?.id ?? '', { type: 'ENQUEUED' })
    expect(events).toMatchObject([{ data: { batch: { count: 2, items: [{ who: 'a' }, { who: 'b' }] } } }])
  })

  test('a message that is released counts as finished once, with its last status and deliveries', async () => {
    const { client } = app
    await integrate(client, { provider: 'webhook' })
    await publish(client, 'hooked', { channels: ['webhook'] })
    const figures = async () => {
      const { statuses, reasons, channels, finished, waiting } = await client.metrics.summary()
      return {
        finished,
        waiting,
        statuses: Object.fromEntries(statuses.map(({ status, count }) => [status, count])),
        failed: reasons.find(({ reason }) => reason === 'FAILED')?.count ?? 0,
        channels,
      }
    }
    const before = await figures()
    const profile = { webhook: { url: `${peer.url}/taken` } }
    const { messageId } = await client.send({ event: 'hooked', recipient: 'ada', profile, delay: { duration: HOUR } })
    await poison('messages', messageId)
    const letter = await letterOf(messageId)
    expect(await figures()).toMatchObject({
      finished: before.finished + 1,
      waiting: before.waiting,
      statuses: { ...before.statuses, UNDELIVERABLE: (before.statuses.UNDELIVERABLE ?? 0) + 1 },
      failed: before.failed + 1,
    })
    await client.deadLetters.release(letter?.id ?? '')
    expect((await settled(client, messageId)).status).toBe('DELIVERED')
    const after = await figures()
    expect(after).toMatchObject({ finished: before.finished + 1, waiting: before.waiting })
    expect(after.statuses).toEqual({ ...before.statuses, DELIVERED: (before.statuses.DELIVERED ?? 0) + 1 })
    expect(after.failed).toBe(before.failed)
    expect(after.channels).toContainEqual(expect.objectContaining({ channel: 'webhook', delivered: 1, failed: 0 }))
    // Counters cannot be taken back: the release is counted beside them.
    const text = (await app.call('GET', '/metrics')).text
    expect(text).toMatch(/^postrider_messages_finished_total\{status="UNDELIVERABLE"\} 1$/m)
    expect(text).toMatch(/^postrider_messages_finished_total\{status="DELIVERED"\} 1$/m)
    expect(text).toMatch(/^postrider_messages_released_total 1$/m)
  })

  test('a delivery that failed before a message was given up counts once, too', async () => {
    const { client } = app
    const figures = async () => (await client.metrics.summary()).channels.find(({ channel }) => channel === 'webhook')
    const before = await figures()
    const profile = { webhook: { url: `${peer.url}/taken` } }
    const { messageId } = await client.send({ event: 'hooked', recipient: 'bea', profile, delay: { duration: HOUR } })
    const failed = [
      { n: 0, channel: 'webhook', provider: 'webhook', integration: 'gone', state: 'failed', attempts: 1, log: [] },
    ]
    await onDatabaseOf(env, (engine) =>
      engine.run({
        text: 'update messages set deliveries = $2, claims = 100, due_at = $3 where id = $1',
        values: [messageId, JSON.stringify(failed), Date.now()],
      }),
    )
    const letter = await letterOf(messageId)
    expect(await figures()).toEqual({ ...before, failed: (before?.failed ?? 0) + 1 })
    await client.deadLetters.release(letter?.id ?? '')
    await settled(client, messageId)
    expect((await figures())?.failed).toBe((before?.failed ?? 0) + 1)
  })
})
