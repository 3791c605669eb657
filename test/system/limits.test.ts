/** An integration that must not be called now is passed by: by its circuit breaker, by a limit; a message without another one waits, and says why. */
import type { Integration, Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sendAndSettle, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { figureOf } from './figures.ts'
import { integrate, publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  let sms: Integration

  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open(), startRecorder()])
    client = app.client
    const settings = { accountSid: 'AC1', authToken: 'twilio-token', from: '+12025550100', baseUrl: peer.url }
    sms = await integrate(client, { provider: 'twilio', settings })
    await publish(client, 'text', { channels: ['sms'] })
    await publish(client, 'hook', { channels: ['webhook'] })
    await publish(client, 'mail', { channels: ['email'] })
  })
  afterAll(() => peer.close())

  const text = { event: 'text', recipient: 'ada', profile: { phone_number: '+12025550143' } }
  const stateOf = async (id: string) => (await client.providers.get(id)).circuit_breaker
  const events = async (id: string) =>
    (await client.messages.history(id, { type: 'DELIVERING' })).results as {
      error: string
      held_back?: string
      next_attempt_at: number
    }[]

  test('rejected credentials open the breaker: the next message waits without an attempt, until they are replaced', async () => {
    peer.answer(({ path }) => path.endsWith('/Messages.json'), { status: 401, body: { message: 'Authenticate' } })
    expect((await sendAndSettle(client, text)).status).toBe('UNDELIVERABLE')
    const { next_probe = 0, ...breaker } = (await until(
      () => stateOf(sms.id),
      (breaker) => breaker?.state === 'open',
    ))!
    expect(breaker).toMatchObject({ reason: 'authentication', error: '401 Unauthorized: Authenticate' })
    const calls = peer.all.length
    const { messageId } = await client.send(text)
    const [event] = await until(
      () => events(messageId),
      (attempts) => attempts.length > 0,
    )
    expect(event!.error).toContain('Circuit breaker open: 401 Unauthorized')
    expect(event!.held_back).toBe('circuit_breaker')
    expect(event!.next_attempt_at).toBeGreaterThanOrEqual(next_probe)
    const retry = { provider: 'twilio', integration: sms.id, attempts: 0, error: event!.error }
    expect(await client.messages.get(messageId)).toMatchObject({ status: 'ROUTED', retry })
    const { results } = await client.messages.list({ retrying: true, include: 'providers' })
    expect(results).toMatchObject([{ id: messageId, retry }])
    const { deliveries } = await client.messages.explain(messageId)
    expect(deliveries).toMatchObject([{ attempts_total: 0, attempts: [] }])
    expect(peer.all).toHaveLength(calls)
    const labels = { provider: 'twilio', integration: sms.title }
    expect(await figureOf(app.url, 'postrider_circuit_breaker_state', labels)).toBe(2)
    expect(await figureOf(app.url, 'postrider_calls_limited_total', { ...labels, limit: 'breaker' })).toBe(1)

    peer.answer(({ path }) => path.endsWith('/Messages.json'), { status: 201, body: { sid: 'SM1' } })
    const change = { provider: 'twilio', settings: { authToken: 'twilio-new' } } as const
    expect((await client.providers.update(sms.id, change)).circuit_breaker).toEqual({ state: 'closed' })
    expect((await sendAndSettle(client, text)).status).toBe('SENT')
    // The one that waited does not wait for the probe.
    const { sent = 0 } = await until(
      () => client.messages.get(messageId),
      ({ status }) => status === 'SENT',
    )
    expect(sent).toBeLessThan(next_probe)
    expect((await client.messages.history(messageId, { type: 'RELEASED' })).results).toMatchObject([
      { cause: 'repair', integration_id: sms.id },
    ])
  })

  test('while the first integration is down, messages go by the second one at once', async () => {
    const hook = (path: string, priority: number) =>
      integrate(client, { provider: 'webhook', priority, settings: { url: `${peer.url}/${path}` } })
    const first = await hook('first', 1)
    await hook('second', 2)
    peer.answer('/first', { status: 503 })
    const ids: string[] = []
    for (let n = 0; n < 40; n += 1) ids.push((await client.send({ event: 'hook', recipient: `r${n}` })).messageId)
    await until(
      async () => peer.all.filter(({ path }) => path === '/second').length,
      (count) => count === ids.length,
    )
    expect(peer.all.filter(({ path }) => path === '/first').length).toBeLessThanOrEqual(20)
    expect(await stateOf(first.id)).toMatchObject({ state: 'open', reason: 'failures' })
    expect((await settled(client, ids.at(-1)!)).status).toBe('DELIVERED')
    // Those that the breaker prevented count as failed deliveries of the provider, too.
    const { providers } = await until(
      () => client.metrics.summary(),
      ({ providers }) => providers.some(({ provider, sent }) => provider === 'webhook' && sent === ids.length),
    )
    expect(providers.find(({ provider }) => provider === 'webhook')).toMatchObject({ failed: ids.length })
  })

  test('calls beyond those of a day go by the next integration; weights choose the first one, and explain says so', async () => {
    const mail = (title: string, rest: object) =>
      integrate(client, {
        provider: 'sendgrid',
        title,
        settings: { apiKey: `SG.${title}`, fromAddress: 'a@b.example', baseUrl: `${peer.url}/${title}` },
        ...rest,
      })
    const first = await mail('one', { priority: 1, limits: { per_day: 1 } })
    const two = await mail('two', { priority: 2 })
    const profile = { email: 'ada@example.com' }
    const send = () => sendAndSettle(client, { event: 'mail', recipient: 'ada', profile })
    expect((await send()).providers).toMatchObject([{ status: 'SENT' }])
    const message = { to: { email: 'ada@example.com' }, template: 'mail' }
    const before = await client.explain({ message })
    const midnight = Math.ceil(Date.now() / 86_400_000) * 86_400_000
    expect(before.rendered).toMatchObject([
      { title: 'one', fallback: true, held_back: 'limit', next_attempt_at: midnight },
      { title: 'two', fallback: false },
    ])
    expect(before.rendered[1]).not.toHaveProperty('held_back')
    // Without the other one it would wait, and with little time not be sent at all.
    const alone = { unavailable: [two.id] }
    expect((await client.explain({ message }, alone)).decision).toEqual({ status: 'ROUTED' })
    const hasty = { message: { ...message, timeout: { message: 1 } } }
    expect((await client.explain(hasty, alone)).decision).toMatchObject({ status: 'UNDELIVERABLE', reason: 'EXPIRED' })
    const second = await send()
    expect(second.status).toBe('SENT')
    expect((await events(second.id)).map(({ error }) => error)).toEqual([
      "The integration's limit of 1 per day is reached",
    ])
    const mails = (title: string) => peer.all.filter(({ path }) => path.startsWith(`/${title}/`)).length
    expect([mails('one'), mails('two')]).toEqual([1, 1])
    expect(await client.providers.get(first.id)).toMatchObject({ limits: { per_day: 1 }, used_today: 1 })

    await client.providers.update(first.id, { provider: 'sendgrid', weight: 1 })
    await client.providers.update(two.id, { provider: 'sendgrid', weight: 9_999 })
    const { steps, candidates } = await until(
      () => client.explain({ event: 'mail', recipient: 'ada', profile }),
      ({ candidates }) => candidates[0]?.integration === two.id,
    )
    const selected = candidates.filter((candidate) => candidate.selected)
    expect(selected.map(({ integration }) => integration)).toEqual([two.id, first.id])
    expect(steps.find(({ step }) => step === 'route')?.summary).toContain('By weight 9999 of 10000, two is the first')
  })
})
