/** Failures: retried by the table, failed over to the next integration or channel, ended once each, never guessed. */
import type { Integration, MessageDetail, Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sendAndSettle, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { isText, type PeerScript, peerScript } from './peer-script.ts'
import { inForce, integrate, publish } from './templates.ts'

/** A failed attempt that is followed by another, in the history. */
interface Failure {
  ts: number
  error: string
  next_attempt_at: number
}

/** 5 s ± 20 %. */
function expectAfterFiveSeconds({ ts, next_attempt_at }: Failure): void {
  expect(next_attempt_at - ts).toBeGreaterThanOrEqual(4_000)
  expect(next_attempt_at - ts).toBeLessThanOrEqual(6_000)
}

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  let script: PeerScript
  let first: Integration
  let second: Integration

  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open(), startRecorder()])
    client = app.client
    script = peerScript(peer)
    const baseUrl = peer.url
    const hook = (priority: number) =>
      integrate(client, { provider: 'webhook', priority, settings: { url: `${peer.url}/own-${priority}` } })
    first = await hook(1)
    second = await hook(2)
    const settings = { accountSid: 'AC1', authToken: 'twilio-token', from: '+12025550100', baseUrl }
    await integrate(client, { provider: 'twilio', settings })
    await publish(client, 'hooked', { channels: ['webhook'] })
    await publish(client, 'hooked-else-text', { channels: ['webhook', 'sms'] })
    await publish(client, 'text', { channels: ['sms'] })
    await publish(client, 'all', { routing: { method: 'all', channels: ['webhook', 'sms'] } })
    await publish(client, 'code', { channels: ['webhook'], settings: { delivery_policy: 'at_most_once' } })
    peer.answer(isText, { status: 201, body: { sid: 'SM1' } })
  })
  afterAll(() => peer.close())

  const profileOf = (path: string, phone_number?: string) => ({
    webhook: { url: `${peer.url}/${path}` },
    ...(phone_number && { phone_number }),
  })
  const send = (event: string, path: string, number?: string) =>
    client.send({ event, recipient: path, profile: profileOf(path, number) })
  const sent = async (...how: Parameters<typeof send>) => settled(client, (await send(...how)).messageId)
  const statusesByProvider = ({ providers }: MessageDetail) =>
    providers.map(({ provider, status }) => [provider, status])
  const history = async (id: string) => (await client.messages.history(id)).results
  const failing = (id: string) =>
    until(
      () => client.messages.history(id, { type: 'DELIVERING' }),
      ({ results }) => results.length > 0,
    ).then(({ results: [event] }) => event as Failure)

  describe('after the first gap of the table', () => {
    const ids: Record<string, string> = {}

    // They share the one wait of five seconds.
    beforeAll(async () => {
      const settings = { apiKey: 'sendgrid-key', fromAddress: 'a@b.example', baseUrl: peer.url }
      const sendgrid = await integrate(client, { provider: 'sendgrid', settings })
      const token = { accessToken: 'slack-token', baseUrl: peer.url }
      const slack = await integrate(client, { provider: 'slack', settings: token })
      await publish(client, 'mail', { channels: ['sendgrid'] })
      await publish(client, 'chat-else-text', { channels: ['slack', 'sms'] })
      await publish(client, 'mail-and-hook', { routing: { method: 'all', channels: ['sendgrid', 'webhook'] } })
      peer.answer('/v3/mail/send', { status: 500 })
      peer.answer('/chat.postMessage', { status: 500 })
      script.text('+12025550001', { status: 500 }, 1)
      script.hook('passed-over', 0, { status: 500 }, 1)
      script.hook('passed-over', 1, { status: 400 })
      const mail = { email: 'ada@example.com' }
      const chat = { slack: { channel: 'C1' }, phone_number: '+12025550002' }
      const sends = {
        again: send('text', 'again', '+12025550001'),
        'passed-over': send('hooked', 'passed-over'),
        deleted: client.send({ event: 'mail', recipient: 'deleted', profile: mail }),
        half: client.send({ event: 'mail-and-hook', recipient: 'half', profile: { ...mail, ...profileOf('half') } }),
        disabled: client.send({ event: 'chat-else-text', recipient: 'disabled', profile: chat }),
      }
      for (const [name, reply] of Object.entries(sends)) ids[name] = (await reply).messageId
      await Promise.all(Object.values(ids).map(failing))
      await client.providers.delete(sendgrid.id)
      await client.providers.update(slack.id, { provider: 'slack', enabled: false })
      await inForce(client, sendgrid, false)
    })

    test('a 500 is retried after five seconds, as the same delivery', async () => {
      const message = await settled(client, ids.again!)
      expect(message).toMatchObject({ status: 'SENT', providers: [{ provider: 'twilio', status: 'SENT' }] })
      const [before, after] = script.textsTo('+12025550001')
      expect(after!.body).toBe(before!.body)
      const events = (await history(ids.again!)).slice(3)
      expect(events).toMatchObject([
        { type: 'RENDERED' },
        { type: 'DELIVERING', attempt: 1, error: '500 Internal Server Error' },
        { type: 'SENT' },
      ])
      const failed = events.find((event) => event.type === 'DELIVERING')
      expectAfterFiveSeconds(failed as Failure)
      expect(after!.at).toBeGreaterThanOrEqual((failed as Failure).next_attempt_at)
      const { deliveries } = await client.messages.explain(ids.again!)
      expect(deliveries).toMatchObject([{ attempts_total: 2, attempts: [{ outcome: 'retry' }, { outcome: 'sent' }] }])
    })

    test('an integration that was failed over is tried again when the others have failed', async () => {
      const message = await settled(client, ids['passed-over']!)
      expect(message.providers.map(({ status }) => status)).toEqual(['DELIVERED', 'UNDELIVERABLE'])
      expect(message.status).toBe('DELIVERED')
      const order = script.callsOf('passed-over').map((call) => call.headers['webhook-id']!.at(-1))
      expect(order).toEqual(['0', '1', '0'])
    })

    test('an integration deleted in between ends its delivery', async () => {
      const message = await settled(client, ids.deleted!)
      expect(message).toMatchObject({ status: 'UNDELIVERABLE', providers: [{ status: 'UNDELIVERABLE' }] })
      const types = (await history(ids.deleted!)).slice(3).map(({ type }) => type)
      expect(types).toEqual(['RENDERED', 'DELIVERING', 'UNDELIVERABLE'])
    })

    test('and takes nothing back from the deliveries that were accepted', async () => {
      const message = await until(
        () => client.messages.get(ids.half!),
        ({ providers }) => providers.length === 2,
      )
      expect(message.status).toBe('DELIVERED')
      expect(message.providers.map(({ status }) => status).sort()).toEqual(['DELIVERED', 'UNDELIVERABLE'])
      expect(message.providers.map(({ error }) => error)).toContain('The integration has been deleted')
    })

    test('an integration switched off in between hands over to the next channel', async () => {
      const message = await settled(client, ids.disabled!)
      expect(message.status).toBe('SENT')
      expect(statusesByProvider(message)).toEqual([
        ['slack', 'UNDELIVERABLE'],
        ['twilio', 'SENT'],
      ])
      expect(message.providers[0]?.error).toMatch(/^The integration is switched off/)
      expect(peer.all.filter(({ path }) => path === '/chat.postMessage')).toHaveLength(1)
    })
  })

  test('until the next attempt the message is on its way', async () => {
    script.text('+12025550010', { status: 500 })
    const { messageId } = await send('text', 'waiting', '+12025550010')
    const event = await failing(messageId)
    expectAfterFiveSeconds(event)
    expect(await client.messages.get(messageId)).toMatchObject({ status: 'ROUTED', providers: [] })
  })

  test("the provider's own wish to wait is respected", async () => {
    script.text('+12025550011', { status: 503, headers: { 'retry-after': '30' } })
    const { messageId } = await send('text', 'wish', '+12025550011')
    const event = await failing(messageId)
    expect(event.next_attempt_at - event.ts).toBeGreaterThanOrEqual(29_000)
    expect(event.next_attempt_at - event.ts).toBeLessThan(40_000)
  })

  test('a 429 uses up no attempt', async () => {
    script.text('+12025550012', { status: 429, headers: { 'retry-after': '20' } })
    const { messageId } = await send('text', 'limited', '+12025550012')
    const event = await failing(messageId)
    expect(event.error).toMatch(/^429/)
    expect(event.next_attempt_at - event.ts).toBeGreaterThanOrEqual(19_000)
    const [delivery] = (await client.messages.explain(messageId)).deliveries
    expect(delivery).toMatchObject({ attempts_total: 0, attempts: [], next_attempt_at: event.next_attempt_at })
  })

  test.each([
    ['a fault of the provider', 500],
    ['credentials that are refused', 401],
  ])('%s hands over to the next integration at once', async (_what, status) => {
    const before = script.callsOf('own-1').length
    peer.answer('/own-1', { status }, 1)
    const message = await sendAndSettle(client, { event: 'hooked', recipient: `failover-${status}` })
    expect(message.status).toBe('DELIVERED')
    expect(message.providers.map((provider) => provider.status)).toEqual(['UNDELIVERABLE', 'DELIVERED'])
    // A second attempt of the first would have succeeded: the other did not wait for it.
    for (const path of ['own-1', 'own-2']) expect(script.callsOf(path)).toHaveLength(before + 1)
    const events = await history(message.id)
    expect(events.filter(({ type }) => type === 'SENT')).toMatchObject([{ integration: { id: second.id } }])
    expect(events.filter(({ type }) => type === 'UNDELIVERABLE')).toMatchObject([{ integration: { id: first.id } }])
  })

  test('an address that is refused hands over to the next channel, not to the next integration', async () => {
    peer.answer('/gone', { status: 410 })
    const message = await sent('hooked-else-text', 'gone', '+12025550020')
    expect(message.status).toBe('SENT')
    expect(statusesByProvider(message)).toEqual([
      ['webhook', 'UNDELIVERABLE'],
      ['twilio', 'SENT'],
    ])
    expect(script.callsOf('gone')).toHaveLength(1)
    expect(script.textsTo('+12025550020')).toHaveLength(1)
  })

  test('when every candidate has ended, the message has ended, with one UNDELIVERABLE for each', async () => {
    peer.answer('/ended', { status: 400, body: { message: 'never' } })
    script.text('+12025550021', { status: 400, body: { code: 21211, message: 'Invalid number' } })
    const message = await sent('hooked-else-text', 'ended', '+12025550021')
    expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR' })
    expect(message.error).toMatch(/Invalid number/)
    const ended = (await history(message.id)).filter(({ type }) => type === 'UNDELIVERABLE')
    expect(ended).toHaveLength(message.providers.length)
    expect(new Set(ended.map((event) => JSON.stringify('integration' in event && event.integration))).size).toBe(3)
  })

  test('several channels at once are each called, and a failure of one does not undo the other', async () => {
    script.text('+12025550022', { status: 400, body: { code: 21211, message: 'Invalid number' } })
    const { messageId } = await send('all', 'both', '+12025550022')
    const { status, providers } = await until(
      () => client.messages.get(messageId),
      (seen) => seen.providers.length === 2,
    )
    expect(script.callsOf('both')).toHaveLength(1)
    expect(status).toBe('DELIVERED')
    const ofParts = providers.map((provider) => [provider.branch, provider.attempts, provider.status]).sort()
    expect(ofParts).toEqual([
      [0, 1, 'DELIVERED'],
      [1, 1, 'UNDELIVERABLE'],
    ])
  })

  test('an attempt in doubt is retried by default, and no second copy goes to another candidate', async () => {
    script.hook('doubt', 0, { instead: 'reset' })
    const { messageId } = await send('hooked', 'doubt')
    await failing(messageId)
    expect((await client.messages.explain(messageId)).deliveries).toMatchObject([
      { attempts: [{ outcome: 'in_doubt' }] },
    ])
    expect(script.callsOf('doubt')).toHaveLength(1)
  })

  test('at most once: it is neither retried nor sent to another candidate', async () => {
    script.hook('code', 0, { instead: 'reset' })
    const message = await sent('code', 'code')
    expect(message).toMatchObject({ status: 'UNDELIVERABLE', reason: 'IN_DOUBT' })
    expect(script.callsOf('code')).toHaveLength(1)
    const types = (await history(message.id)).slice(3).map(({ type }) => type)
    expect(types).toEqual(['RENDERED', 'UNDELIVERABLE'])
  })

  test('at most once: a definite rejection still fails over', async () => {
    script.hook('code-refused', 0, { status: 500 })
    const message = await sent('code', 'code-refused')
    expect(message.status).toBe('DELIVERED')
    expect(script.callsOf('code-refused')).toHaveLength(2)
  })
})
