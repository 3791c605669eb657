/** `POST /providers/:id/test` and `POST /providers/test`: a sign-in and a message by the real adapter, with the answer of the provider, in bounds. */
import type { Integration, Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { startHttp2Peer } from '../support/peers/http2.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { startSmtpSink } from '../support/peers/smtp.ts'
import { integrate } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let provider: Recorder
  let mail: Integration

  beforeAll(async () => {
    provider = await startRecorder()
    app = await open()
    client = app.client
    const settings = { apiKey: 'SG.x', fromAddress: 'hello@example.com', baseUrl: provider.url }
    mail = await integrate(client, { provider: 'sendgrid', title: 'Mail', settings })
  })
  afterAll(() => provider.close())

  const unknown = 'nothing' as Integration['id']
  const run = (body?: Parameters<Postrider['providers']['test']>[1], id: Integration['id'] = mail.id) =>
    client.providers.test(id, body)

  test('signs in by the call that its adapter names, and sends nothing', async () => {
    provider.answer('/v3/scopes', { body: { scopes: ['mail.send'] } }, 1)
    const before = provider.all.length
    const result = await run()
    expect(result).toEqual({
      ok: true,
      integration: { id: mail.id, provider: 'sendgrid', title: 'Mail' },
      sign_in: { state: 'ok', detail: expect.stringContaining('accepts the credentials'), took_ms: expect.any(Number) },
    })
    expect(provider.all.slice(before).map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v3/scopes'])
    const { results } = await client.auditEvents.list()
    expect(results.find(({ type }) => type === 'integration:tested')?.target).toBe(mail.id)
  })

  test('refused credentials are a failed test, with the error of the provider and the remedy', async () => {
    provider.answer('/v3/scopes', { status: 401, body: { errors: [{ message: 'The key is invalid' }] } }, 1)
    expect(await run({})).toMatchObject({
      ok: false,
      sign_in: {
        state: 'fail',
        detail: expect.stringContaining('The key is invalid'),
        hint: expect.stringContaining('credentials'),
        settings: ['apiKey'],
      },
    })
  })

  test('a message that no node delivers in time is said to have had no answer', async () => {
    const alone = await open({ env: { POSTRIDER_ROLE: 'api' } })
    const { id } = await alone.client.providers.create({ provider: 'webhook', settings: { url: provider.url } })
    const { message } = await alone.client.providers.test(id, { send: true, timeout_ms: 1_000 })
    expect(message).toMatchObject({
      ...{ status: 'CANCELED', outcome: 'no_answer' },
      hint: 'No node has delivered the message in time: look whether a worker runs.',
    })
  })

  test('a message goes through the adapter, and its result has the reference and the time', async () => {
    provider.answer('/v3/mail/send', { status: 202, headers: { 'x-message-id': 'abc' } }, 1)
    const { ok, message } = await run({ to: 'ada@example.com', subject: 'Trial', text: 'A trial.' })
    expect(ok).toBe(true)
    expect(message).toMatchObject({ channel: 'email', status: 'SENT', outcome: 'sent', took_ms: expect.any(Number) })
    expect(message?.reference).toEqual({ 'x-message-id': 'abc' })
    const sent = provider.all.findLast(({ path }) => path === '/v3/mail/send')
    expect(JSON.parse(sent?.body ?? '')).toMatchObject({
      subject: 'Trial',
      personalizations: [{ to: [{ email: 'ada@example.com' }] }],
    })
    expect((await client.messages.get(message?.id ?? '')).tags).toEqual(['provider-test'])
  })

  test.each([
    [
      { status: 401, body: { errors: [{ message: 'No' }] } },
      { outcome: 'rejected', cause: 'configuration' },
    ],
    [
      { status: 400, body: { errors: [{ message: 'No' }] } },
      { outcome: 'rejected', cause: 'content' },
    ],
    [{ status: 503 }, { outcome: 'retry' }],
  ])('%j is %j, and is not repeated', async (answer, expected) => {
    provider.answer('/v3/mail/send', answer, 1)
    const { ok, message } = await run({ to: 'ada@example.com' })
    expect(ok).toBe(false)
    expect(message).toMatchObject({ ...expected, error: expect.any(String), hint: expect.any(String) })
    expect(['UNDELIVERABLE', 'CANCELED']).toContain(message?.status)
  })

  test('a certificate that is not trusted is named, for the sign-in and for the message', async () => {
    const peer = await startHttp2Peer()
    const settings = { apiKey: 'SG.x', fromAddress: 'a@example.com', baseUrl: peer.url }
    const { id } = await integrate(client, { provider: 'sendgrid', title: 'Self-signed', settings })
    const result = await run({ to: 'ada@example.com' }, id)
    await peer.close()
    const hint = expect.stringMatching(/certificate of the provider.*NODE_EXTRA_CA_CERTS/)
    expect(result).toMatchObject({ sign_in: { state: 'fail', hint }, message: { outcome: 'retry', hint } })
  })

  test('an address that is not open to outgoing connections leads to the variable that opens it', async () => {
    const closed = await open({ env: { POSTRIDER_ALLOW_PRIVATE_NETWORK: 'false' } })
    const settings = { apiKey: 'SG.x', fromAddress: 'a@example.com', baseUrl: provider.url }
    const { id } = await integrate(closed.client, { provider: 'sendgrid', title: 'Private', settings })
    const result = await closed.client.providers.test(id, { to: 'ada@example.com' })
    const hint = expect.stringContaining('POSTRIDER_ALLOW_PRIVATE_NETWORK')
    expect(result).toMatchObject({ sign_in: { state: 'fail', hint }, message: { outcome: 'rejected', hint } })
  })

  test('a device is reached by its token', async () => {
    const expo = await integrate(client, { provider: 'expo', settings: { baseUrl: provider.url } })
    provider.answer(
      (request) => request.body.includes('ExponentPushToken[t]'),
      { body: { data: [{ status: 'ok', id: 'x' }] } },
      1,
    )
    const result = await run({ to: 'ExponentPushToken[t]' }, expo.id)
    expect(result).toMatchObject({
      ok: true,
      sign_in: { state: 'skip' },
      message: { channel: 'push', outcome: 'sent' },
    })
  })

  test('a suppressed address is named, and no limit or breaker is blamed', async () => {
    await client.suppressions.add({ suppressions: [{ address: 'gone@example.com' }] })
    provider.answer('/v3/scopes', { body: { scopes: ['mail.send'] } }, 1)
    const { message } = await run({ to: 'gone@example.com' })
    expect(message).toMatchObject({ outcome: 'not_called', error: expect.stringContaining('suppressed') })
    expect(message).not.toHaveProperty('hint')
  })

  test('a test that cannot be made is refused, with the reason', async () => {
    await expect(run({ to: 'ada@example.com', channel: 'sms' })).rejects.toMatchObject({
      status: 400,
      param: 'channel',
    })
    await expect(run({ send: true })).rejects.toMatchObject({ status: 400, code: 'strict_send_refused' })
    await expect(run({}, unknown)).rejects.toMatchObject({ status: 404 })
    const off = await client.providers.create({
      provider: 'sendgrid',
      enabled: false,
      settings: { apiKey: 'SG.x', fromAddress: 'hello@example.com', baseUrl: provider.url },
    })
    await expect(run({ to: 'ada@example.com' }, off.id)).rejects.toMatchObject({ status: 409 })
    provider.answer('/v3/scopes', {}, 1)
    expect((await run({}, off.id)).ok).toBe(true)
  })

  describe('settings that are not stored', () => {
    const settings = () => ({ apiKey: 'SG.untold', fromAddress: 'hello@example.com', baseUrl: provider.url })
    const listed = async () => (await client.providers.list()).results.length

    test('a sign-in with them neither stores nor shows them', async () => {
      const before = await listed()
      provider.answer('/v3/scopes', { body: { scopes: ['mail.send'] } }, 1)
      const result = await client.providers.testSettings({ provider: 'sendgrid', settings: settings() })
      expect(result).toEqual({
        ok: true,
        sign_in: { state: 'ok', detail: expect.stringContaining('accepts'), took_ms: expect.any(Number) },
      })
      expect(provider.all.at(-1)?.headers.authorization).toBe('Bearer SG.untold')
      expect(await listed()).toBe(before)
      const { results } = await client.auditEvents.list()
      expect(results.find(({ type }) => type === 'provider:tested')?.target).toBe('sendgrid')
      expect(JSON.stringify(results)).not.toContain('SG.untold')
    })

    test('a sign-in that the provider rejects is a failed test, with its error', async () => {
      provider.answer('/v3/scopes', { status: 401, body: { errors: [{ message: 'The key is invalid' }] } }, 1)
      expect(await client.providers.testSettings({ provider: 'sendgrid', settings: settings() })).toMatchObject({
        ok: false,
        sign_in: { state: 'fail', detail: expect.stringContaining('The key is invalid') },
      })
    })

    test('invalid ones are refused as when an integration is created', async () => {
      const before = provider.all.length
      const bad = { ...settings(), fromAddress: 'nowhere' }
      await expect(client.providers.testSettings({ provider: 'sendgrid', settings: bad })).rejects.toMatchObject({
        status: 400,
        param: 'settings.fromAddress',
      })
      expect(provider.all.length).toBe(before)
    })
  })

  describe('a change that is not stored yet', () => {
    test('is signed in with, together with the stored secrets, and neither stored nor a repair', async () => {
      const before = await client.providers.get(mail.id)
      provider.answer('/v3/scopes', { body: { scopes: ['mail.send'] } }, 2)
      expect(await run({ settings: { fromName: 'Changed', apiKey: '********' } })).toEqual({
        ok: true,
        integration: { id: mail.id, provider: 'sendgrid', title: 'Mail' },
        sign_in: { state: 'ok', detail: expect.stringContaining('accepts'), took_ms: expect.any(Number) },
      })
      expect(provider.all.at(-1)?.headers.authorization).toBe('Bearer SG.x')
      expect((await run({ settings: { apiKey: 'SG.other' } })).ok).toBe(true)
      expect(provider.all.at(-1)?.headers.authorization).toBe('Bearer SG.other')
      expect(await client.providers.get(mail.id)).toEqual(before)
    })

    test('is checked as when it is stored: stored secrets go to no other address', async () => {
      const before = provider.all.length
      await expect(run({ settings: { baseUrl: `${provider.url}/other` } })).rejects.toMatchObject({
        ...{ status: 400, code: 'secrets_required', param: 'settings.baseUrl' },
      })
      await expect(run({ settings: { fromAddress: 'nowhere' } })).rejects.toMatchObject({
        param: 'settings.fromAddress',
      })
      await expect(run({ settings: {}, to: 'ada@example.com' })).rejects.toMatchObject({ param: 'settings' })
      expect(provider.all.length).toBe(before)
    })

    test('an address that takes no connection is named, not the credentials', async () => {
      const down = { baseUrl: 'http://127.0.0.1:9', apiKey: 'SG.x' }
      expect((await run({ settings: down })).sign_in).toMatchObject({ state: 'fail', settings: ['baseUrl'] })
    })

    test('a server that does not encrypt is about security and port, which need not be set', async () => {
      const sink = await startSmtpSink()
      try {
        const settings = { host: '127.0.0.1', port: sink.port, fromAddress: 'hello@example.com' }
        const { sign_in } = await client.providers.testSettings({ provider: 'smtp', settings })
        expect(sign_in).toMatchObject({ state: 'fail', settings: ['security', 'port'] })
        expect(sign_in.hint).toBeUndefined()
      } finally {
        await sink.close()
      }
    })
  })

  test('the calls are counted by result and latency', async () => {
    // At once: the node adds the calls of the last seconds before it answers.
    const health = await client.providers.health(mail.id)
    expect(health).toMatchObject({
      integration: { id: mail.id, provider: 'sendgrid', title: 'Mail' },
      calls: 4,
      results: { sent: 1, authentication: 1, content: 1, failed: 1 },
      working: 0.5,
      last_error: { result: expect.any(String), error: expect.any(String) },
      last_success: expect.any(Number),
      p95_ms: expect.any(Number),
    })
    expect(health.buckets.reduce((sum, { calls }) => sum + calls, 0)).toBe(4)
    await expect(client.providers.health(mail.id, { window: '31 days' })).rejects.toMatchObject({ param: 'window' })
  })

  test('thirty a minute', async () => {
    const refused = Array.from({ length: 31 }, () => run({}, unknown))
    const settled = await Promise.allSettled(refused)
    const codes = settled.map((result) => (result.status === 'rejected' ? result.reason.code : 'ok'))
    expect(codes).toContain('rate_limited')
  })
})
