/** An outage drill says which way recent messages would go without an integration; then it goes down, and they go that way. */
import type { Integration, OutageMessage, Postrider, ProviderOutage } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, settled, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { onDatabaseOf } from '../support/installation.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const MESSAGES = 50
/** Less than the pause before the first retry, and more than the wait for a free connection. */
const CHANNEL_MS = 3_000

withApp((open) => {
  let app: App
  let env: Record<string, string>
  let client: Postrider
  let sinks: [SmtpSink, SmtpSink]
  let peer: Recorder
  let first: Integration
  let second: Integration
  let texts: Integration
  let drill: ProviderOutage

  beforeAll(async () => {
    env = await databaseEnvironment()
    app = await open({ env })
    client = app.client
    sinks = await Promise.all([startSmtpSink(), startSmtpSink()])
    peer = await startRecorder()
    peer.answer(() => true, { status: 201, body: { sid: 'SM1' } })
    const smtp = (title: string, { port }: SmtpSink) => {
      const settings = { host: '127.0.0.1', port, security: 'opportunistic', fromAddress: 'news@example.com' }
      return integrate(client, { provider: 'smtp', title, weight: 50, settings })
    }
    first = await smtp('First', sinks[0])
    second = await smtp('Second', sinks[1])
    const settings = { accountSid: 'AC1', authToken: 'token', from: '+12025550100', baseUrl: peer.url }
    texts = await integrate(client, { provider: 'twilio', title: 'Texts', settings })
    const routing = { method: 'single' as const, channels: ['email' as const, 'sms' as const] }
    const strategy = await client.routingStrategies.create({ name: 'Mail, then text', routing })
    await publish(client, 'news', { routing: { strategy_id: strategy.id } })
  })
  afterAll(async () => {
    await Promise.all(sinks.map((sink) => sink.close()))
    await peer.close()
  })

  /** Each tenth recipient is of the same kind: with both addresses or one, and for some only the first integration. */
  const recipients = Array.from({ length: MESSAGES }, (_, n) => ({ id: `user-${n}`, kind: n % 10 }))
  const isBound = (kind: number) => kind >= 6 && kind <= 8
  const hasNumber = (kind: number) => kind <= 3 || kind === 6 || kind === 7
  const addressOf = (id: string) => `${id}@example.com`
  const send = async ({ id, kind }: { id: string; kind: number }) => {
    const to = { user_id: id, email: addressOf(id), ...(hasNumber(kind) && { phone_number: '+12025550143' }) }
    const bound = isBound(kind) && { channels: { email: { providers: [first.id] } } }
    const message = { to, template: 'news', timeout: { channel: { email: CHANNEL_MS } }, ...bound }
    return (await client.send({ message })).requestId
  }
  const sentBy = async (id: string) => {
    const { deliveries } = await client.messages.explain(id)
    return deliveries.filter(({ status }) => status === 'SENT').map(({ integration }) => integration)
  }
  const integrationsOf = ({ during }: OutageMessage) => during.map(({ integration }) => integration)
  const resultsOf = (kind: number) =>
    new Set(
      drill.results.filter(({ recipient }) => Number(recipient.slice(5)) % 10 === kind).map((each) => each.result),
    )

  test('the drill counts the latest messages by the route that is left to them', async () => {
    await client.send({ message: { to: { phone_number: '+12025550143' }, template: 'news' } })
    const sent = new Map<string, string>()
    for (const recipient of recipients) sent.set(await send(recipient), recipient.id)
    for (const id of sent.keys()) expect((await settled(client, id)).status).toBe('SENT')
    for (const { id, kind } of recipients)
      if (kind === 9) await client.suppressions.add({ suppressions: [{ kind: 'email', address: addressOf(id) }] })

    drill = await client.providers.outage(first.id)
    const { counts, compared, complete, results, integration } = drill
    expect({ compared, complete, integration }).toMatchObject({
      ...{ compared: MESSAGES, complete: true, integration: { id: first.id, title: 'First' } },
    })
    expect(results.map(({ message_id: id }) => id)).toEqual([...sent.keys()].toReversed())
    const routesBefore = await Promise.all(results.map(({ message_id: id }) => sentBy(id)))
    expect(results.map(({ before }) => before.map(({ integration }) => integration))).toEqual(routesBefore)
    expect(counts).toMatchObject({ other_channel: 10, waits: 5, not_delivered: 5 })
    const free = recipients.filter(({ kind }) => !isBound(kind) && kind !== 9).map(({ id }) => id)
    const bySecond = results.filter(
      ({ recipient, before }) => free.includes(recipient) && before[0]?.integration === second.id,
    )
    expect([counts.same, counts.other_integration]).toEqual([bySecond.length, free.length - bySecond.length])
    expect(Math.min(counts.same, counts.other_integration)).toBeGreaterThan(0)
    expect([6, 7, 8, 9].map((kind) => [...resultsOf(kind)])).toEqual([
      ...[['other_channel'], ['other_channel'], ['waits'], ['not_delivered']],
    ])
    expect(results.find(({ result }) => result === 'other_channel')).toMatchObject({
      during: [{ channel: 'sms', provider: 'twilio', integration: texts.id, title: 'Texts' }],
      failover_ms: CHANNEL_MS,
    })
    expect(results.find(({ result }) => result === 'not_delivered')?.reason).toBe('SUPPRESSED')
  })

  test('fewer messages, further outages and the alias of an integration', async () => {
    expect(await client.providers.outage(first.id, { limit: 3 })).toMatchObject({ compared: 3, complete: true })
    const { counts } = await client.providers.outage(first.id, { unavailable: [second.id, 'twilio'] })
    expect(counts).toMatchObject({ same: 0, other_integration: 0, other_channel: 0, waits: 45, not_delivered: 5 })
    const { json, status } = await app.call('GET', `/providers/${first.id}/outage?unavailable=twillio`)
    expect([status, json.param]).toEqual([400, 'unavailable.0'])
    expect((await app.call('GET', `/providers/${first.id}/outage?limit=201`)).json.param).toBe('limit')
    expect((await app.call('GET', '/providers/unknown/outage')).status).toBe(404)
  })

  test('messages of mock keys are left out', async () => {
    const mock = await app.key('mock')
    const { requestId } = await mock.client.send({ message: { to: { email: 'mock@example.com' }, template: 'news' } })
    expect((await settled(mock.client, requestId)).status).toBe('SIMULATED')
    expect((await client.providers.outage(first.id)).results).toEqual(drill.results)
  })

  test('a viewer sees the counts and no recipient', async () => {
    const { key } = await client.keys.create({ name: 'viewer', role: 'viewer' })
    const { json, text } = await app.call('GET', `/providers/${first.id}/outage?limit=200`, { apiKey: key })
    expect(json.counts).toEqual(drill.counts)
    expect(json.results[0]).toMatchObject({ recipient: '•••', summary: '•••', during: drill.results[0]?.during })
    expect(text).not.toContain('user-')
  })

  test('each of the same messages goes that way when the integration is down', async () => {
    await sinks[0].close()
    const again = new Map<string, string>()
    for (const recipient of recipients) again.set(recipient.id, await send(recipient))
    for (const result of drill.results) {
      const id = again.get(result.recipient) as string
      const { status, retry, reason } = await until(
        () => client.messages.get(id),
        ({ status, retry }) =>
          result.result === 'waits' ? retry !== undefined : !['ENQUEUED', 'ROUTED'].includes(status),
      )
      const expected = { waits: 'ROUTED', not_delivered: 'UNDELIVERABLE' }[result.result as string] ?? 'SENT'
      expect([result.recipient, status]).toEqual([result.recipient, expected])
      expect([result.recipient, await sentBy(id)]).toEqual([result.recipient, integrationsOf(result)])
      if (result.result === 'waits') expect(retry?.integration).toBe(first.id)
      if (result.result === 'not_delivered') expect(reason).toBe(result.reason)
    }
  })

  test('a message that failed over was sent by the one that took over, and goes that way again', async () => {
    // Nothing was a candidate for the suppressed addresses.
    const { counts, results } = await client.providers.outage(first.id, { limit: 45 })
    expect(counts).toMatchObject({ same: 40, other_integration: 0, other_channel: 0, waits: 5, not_delivered: 0 })
    for (const { result, before, during } of results) if (result === 'same') expect(before).toEqual(during)
    const waiting = results.find(({ result }) => result === 'waits')
    expect(waiting).toMatchObject({ before: [{ integration: first.id, title: 'First' }], during: [] })
  })

  test('with its breaker open, another drill finds the next integration missing, too', async () => {
    await until(
      () => client.providers.get(first.id),
      ({ circuit_breaker: breaker }) => breaker?.state !== 'closed',
    )
    const { results } = await client.providers.outage(second.id, { limit: 200 })
    const emailOnly = results.filter(({ recipient }) => [4, 5].includes(Number(recipient.slice(5)) % 10))
    expect(new Set(emailOnly.map(({ result }) => result))).toEqual(new Set(['waits']))
  })

  test('an integration whose probe is due is missing, too', async () => {
    // So that nothing probes it meanwhile.
    await client.service.pause()
    const due = 'update integration_breakers set probe_at = 0, probing = false where integration_id = $1'
    await onDatabaseOf(env, (engine) => engine.run({ text: due, values: [first.id] }))
    const { results } = await client.providers.outage(second.id, { limit: 200 })
    const emailOnly = results.filter(({ recipient }) => [4, 5].includes(Number(recipient.slice(5)) % 10))
    expect(new Set(emailOnly.map(({ result }) => result))).toEqual(new Set(['waits']))
    await client.service.resume()
  })

  test('the test of an integration is not among its messages', async () => {
    const { message } = await client.providers.test(second.id, { to: 'test@example.com' })
    expect(message?.outcome).toBe('sent')
    const { results } = await client.providers.outage(second.id, { limit: 1 })
    expect(results[0]?.message_id).not.toBe(message?.id)
  })

  test('a message that was sent by all channels loses one of them', async () => {
    const to = { user_id: 'both', email: 'both@example.com', phone_number: '+12025550143' }
    const bound = { channels: { email: { providers: [second.id] } } }
    const routing = { method: 'all' as const, channels: ['email' as const, 'sms' as const] }
    const { requestId } = await client.send({ message: { to, template: 'news', routing, ...bound } })
    expect((await settled(client, requestId)).status).toBe('SENT')
    const { counts, results } = await client.providers.outage(second.id, { limit: 1 })
    expect(counts).toMatchObject({ fewer_channels: 1, other_channel: 0 })
    expect(results).toMatchObject([
      { recipient: 'both', before: [{ channel: 'email' }, { channel: 'sms' }], during: [{ integration: texts.id }] },
    ])
  })
})
