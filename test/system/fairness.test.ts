/** One provider that hangs does not hold up the others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

/** More than one integration has slots, and places to wait for one. */
const HANGING = 1_400
const HEALTHY = 100

withApp((open) => {
  let app: App
  let hanging: Recorder
  let healthy: Recorder

  beforeAll(async () => {
    ;[app, hanging, healthy] = await Promise.all([open(), startRecorder(), startRecorder()])
    const { client } = app
    const from = { from: '+12025550100', accountSid: 'AC1', authToken: 'twilio-token' }
    await integrate(client, { provider: 'twilio', settings: { ...from, baseUrl: hanging.url } })
    await integrate(client, { provider: 'webhook', settings: { url: `${healthy.url}/hook` } })
    await publish(client, 'stuck', { channels: ['sms'] })
    await publish(client, 'quick', { channels: ['webhook'] })
    hanging.answer(() => true, { instead: 'hang' })
  })
  // The calls that hang end with their peer, so that stopping does not wait for them.
  afterAll(async () => {
    await Promise.all([hanging.close(), healthy.close()])
  })

  test('while hundreds of calls hang, the others do not wait for them', async () => {
    const { client } = app
    const profile = { phone_number: '+12025550143' }
    await Promise.all(
      Array.from({ length: HANGING }, (_, n) => client.send({ event: 'stuck', recipient: `s${n}`, profile })),
    )
    // Messages that got neither a slot nor a place to wait for one: every slot that their integration may have is taken.
    await until(
      () => client.messages.list({ event: 'stuck', status: ['ROUTED'] }),
      ({ results }) => results.length > 0,
    )

    for (let n = 0; n < HEALTHY; n += 10)
      await Promise.all(Array.from({ length: 10 }, (_, i) => client.send({ event: 'quick', recipient: `q${n + i}` })))
    await until(
      () => client.messages.list({ event: 'quick', status: ['ENQUEUED', 'ROUTED', 'SENT'] }),
      ({ results }) => results.length === 0,
    )
    expect(healthy.all).toHaveLength(HEALTHY)
    // Each of the calls that hang still does: it is given up after 30 s.
    expect(hanging.abandoned()).toBe(0)
    expect((await client.messages.list({ event: 'stuck', status: ['UNDELIVERABLE', 'SENT'] })).results).toEqual([])
  })

  test('time in the queue does not count against a short timeout of a provider', async () => {
    const { client } = app
    const to = { user_id: 'hurried', phone_number: '+12025550144' }
    const content = { title: 'Now', body: 'or never' }
    const send = async (message: object) => (await client.send({ message: { to, content, ...message } })).requestId
    const routing = { method: 'single', channels: ['sms', 'webhook'] }
    const [passed, expired] = await Promise.all([
      send({ routing, timeout: { provider: 1_500 } }),
      send({ routing: { method: 'single', channels: ['sms'] }, timeout: { message: 2_000 } }),
    ])
    const ended = (id: string, status: string) =>
      until(
        () => client.messages.get(id),
        (message) => message.status === status,
      )
    const message = await ended(passed, 'DELIVERED')
    expect(message.providers).toMatchObject([{ provider: 'twilio', status: 'UNDELIVERABLE' }, { provider: 'webhook' }])
    expect((await ended(expired, 'UNDELIVERABLE')).reason).toBe('EXPIRED')
    // With a turn before their time was over, they would have been called about.
    expect(hanging.all.filter(({ body }) => body.includes('5550144'))).toEqual([])
    const { results } = await client.messages.history(passed, { type: 'RENDERED' })
    expect(results).toHaveLength(1)
  })
})
