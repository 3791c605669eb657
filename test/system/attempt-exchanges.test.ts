/** Each failed attempt shows its request and its reply: cut, without secrets, and removed with the person. */
import { generateKeyPairSync } from 'node:crypto'
import type { AttemptRecord, Postrider, SendBody } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiCaller, mustCall } from '../support/api-client.ts'
import { type App, settled, withApp } from '../support/app.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  let mail: SmtpSink

  beforeAll(async () => {
    ;[app, peer, mail] = await Promise.all([
      open(),
      startRecorder(),
      startSmtpSink({ user: 'postrider', password: 'smtp-password' }),
    ])
    client = app.client
    const smtp = { host: '127.0.0.1', port: mail.port, security: 'opportunistic', fromAddress: 'news@example.org' }
    await integrate(client, {
      provider: 'smtp',
      settings: { ...smtp, user: 'postrider', password: 'smtp-password' },
    })
    const sendgrid = { apiKey: 'SG.sendgrid-key', fromAddress: 'news@example.org', baseUrl: peer.url }
    await integrate(client, { provider: 'sendgrid', settings: sendgrid })
    await integrate(client, { provider: 'webhook', priority: 1, settings: { url: `${peer.url}/first` } })
    await integrate(client, { provider: 'webhook', priority: 2, settings: { url: `${peer.url}/second` } })
    const account = JSON.stringify({
      ...{ project_id: 'p', client_email: 'a@b.example', token_uri: `${peer.url}/token` },
      private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      }),
    })
    await integrate(client, { provider: 'firebase-fcm', settings: { serviceAccount: account, baseUrl: peer.url } })
    await publish(client, 'mail', { channels: ['smtp'] })
    await publish(client, 'api', { channels: ['sendgrid'] })
    await publish(client, 'hook', { channels: ['webhook'] })
    await publish(client, 'push', { channels: ['firebase-fcm'] })
  })
  afterAll(() => Promise.all([peer?.close(), mail?.close()]))

  async function attemptsOf(body: SendBody): Promise<{ id: string; attempts: AttemptRecord[]; text: string }> {
    const { messageId: id } = await client.send(body)
    const { deliveries } = await until(
      () => client.messages.explain(id),
      (explanation) => explanation.deliveries.some(({ attempts }) => attempts.some(({ outcome }) => outcome)),
    )
    return { id, attempts: deliveries.flatMap(({ attempts }) => attempts), text: JSON.stringify(deliveries) }
  }
  const ada = { email: 'ada@example.com' }

  test('a refused call: method, address, body and reply, the key masked wherever it stands', async () => {
    peer.answer(
      '/v3/mail/send',
      ({ headers }) => ({
        status: 400,
        headers: { 'x-request-id': 'R-17', 'set-cookie': 'session=1' },
        body: { errors: [{ message: `no sender for ${headers.authorization}` }] },
      }),
      1,
    )
    const { attempts, text, id } = await attemptsOf({ event: 'api', recipient: 'ada', profile: ada })
    const [attempt] = attempts
    expect(attempt).toMatchObject({
      outcome: 'rejected',
      request: { protocol: 'http', method: 'POST', url: `${peer.url}/v3/mail/send` },
      reply: { status: 400, headers: { 'x-request-id': 'R-17' } },
    })
    expect(attempt?.request?.headers).toMatchObject({ authorization: '********', 'content-type': 'application/json' })
    expect(attempt?.request?.body).toContain('"from":{"email":"news@example.org"}')
    // The mail itself is longer.
    expect(attempt?.request?.body).toHaveLength(4_096)
    expect(attempt?.request?.body_size).toBeGreaterThan(4_096)
    expect(attempt?.request?.body).toContain('ada@example.com')
    expect(attempt?.reply?.body).toContain('no sender for')
    expect(attempt?.reply?.headers).not.toHaveProperty('set-cookie')
    expect(text).not.toContain('sendgrid-key')
    // The history is that of the public API, which has no such field.
    expect(JSON.stringify(await client.messages.history(id))).not.toContain('exchange')
  })

  test('the first success keeps none; one after a failure does', async () => {
    const path = '/first'
    peer.answer(path, { status: 204 }, 1)
    const clean = await attemptsOf({ event: 'hook', recipient: 'ada' })
    expect(clean.attempts).toMatchObject([{ outcome: 'sent' }])
    expect(clean.attempts[0]).not.toHaveProperty('request')
    peer.answer(path, { status: 400, body: 'refused' }, 1)
    peer.answer('/second', { status: 202, body: 'taken' }, 1)
    const { messageId } = await client.send({ event: 'hook', recipient: 'ada' })
    await settled(client, messageId)
    const { deliveries } = await client.messages.explain(messageId)
    expect(deliveries.map(({ attempts: [attempt] }) => [attempt?.outcome, attempt?.reply])).toMatchObject([
      ['rejected', { status: 400, body: 'refused' }],
      ['sent', { status: 202, body: 'taken' }],
    ])
  })

  test('SMTP: envelope, headers, code and text of the server', async () => {
    mail.script({ recipient: () => ({ code: 550, text: 'no such user smtp-password' }) })
    const { attempts, text } = await attemptsOf({ event: 'mail', recipient: 'ada', profile: ada })
    expect(attempts).toMatchObject([
      {
        outcome: 'rejected',
        request: {
          protocol: 'smtp',
          url: `smtp://127.0.0.1:${mail.port}`,
          envelope: { from: 'news@example.org', to: ['ada@example.com'] },
          headers: { from: 'news@example.org', to: 'ada@example.com' },
        },
        reply: { status: 550 },
      },
    ])
    expect(attempts[0]?.reply?.body).toContain('no such user ********')
    expect(attempts[0]?.request).not.toHaveProperty('body')
    expect(text).not.toContain('smtp-password')
  })

  test('a reply of 10 MB, one of garbage, and none', async () => {
    const hook = (name: string) =>
      attemptsOf({ event: 'hook', recipient: name, profile: { webhook: { url: `${peer.url}/${name}` } } })
    peer.answer('/large', { status: 500, body: 'x'.repeat(10_000_000) })
    const large = await hook('large')
    expect(large.attempts[0]?.reply).toMatchObject({ failure: 'too_large' })
    peer.answer('/half', { status: 400, body: 'y'.repeat(900_000) })
    const half = await hook('half')
    expect(half.attempts[0]?.reply).toMatchObject({ status: 400, body_size: 900_000 })
    expect(half.attempts[0]?.reply?.body).toHaveLength(2_048)
    peer.answer('/garbage', { status: 400, body: '\u0000\u0001\ud83d\n{"a' })
    const garbage = await hook('garbage')
    expect(garbage.attempts[0]?.reply).toMatchObject({ status: 400, body: expect.stringMatching(/\n\{"a$/) })
    expect(garbage.attempts[0]?.reply?.body).not.toContain('\u0000')
    peer.answer('/cut', { instead: 'reset' })
    const cut = await hook('cut')
    expect(cut.attempts[0]?.reply).toMatchObject({ failure: 'reset' })
    // The address of a webhook in a profile lets anyone post there.
    expect(cut.attempts[0]?.request?.url).toBe(`${peer.url}/********`)
  })

  test('a request for a token keeps its address and the rejection, not its body', async () => {
    peer.answer('/token', ({ body }) => ({ status: 400, body: { error: 'invalid_grant', sent: body } }), 1)
    const { attempts, text } = await attemptsOf({
      event: 'push',
      recipient: 'ada',
      profile: { firebaseToken: 'device-token-1' },
    })
    expect(attempts[0]).toMatchObject({
      request: { method: 'POST', url: `${peer.url}/token`, body_size: expect.any(Number) },
      reply: { status: 400 },
    })
    expect(attempts[0]?.request).not.toHaveProperty('body')
    expect(attempts[0]?.reply?.body).toContain('invalid_grant')
    expect(text).not.toMatch(/eyJ|device-token-1/)
  })

  test('viewers see that there was a request, not what is in it', async () => {
    peer.answer('/v3/mail/send', { status: 400, body: { errors: [{ message: 'refused for ada@example.com' }] } }, 1)
    const { id } = await attemptsOf({ event: 'api', recipient: 'ada', profile: ada })
    const { key } = await client.keys.create({ name: 'viewer', role: 'viewer' })
    const seen = await mustCall(apiCaller(app.url, key), 'GET', `/messages/${id}/explain`)
    expect(seen.deliveries[0].attempts[0].reply.status).toBe(400)
    expect(JSON.stringify(seen)).not.toMatch(/ada@example|refused for|Good to see/)
  })

  test('draft and mock keys see no body of what a published key has sent: it has the links of its recipient', async () => {
    peer.answer('/v3/mail/send', { status: 400, body: { errors: [{ message: 'no' }] } }, 1)
    const { id, attempts } = await attemptsOf({ event: 'api', recipient: 'ada', profile: ada })
    expect(attempts[0]).toMatchObject({ request: { body: expect.any(String) }, reply: { body: expect.any(String) } })
    for (const kind of ['draft', 'mock'] as const) {
      const { deliveries } = await (await app.key(kind)).client.messages.explain(id)
      const [{ request, reply } = {}] = deliveries.flatMap((delivery) => delivery.attempts)
      expect(request).toMatchObject({ method: 'POST', body_size: expect.any(Number) })
      expect(request).not.toHaveProperty('body')
      expect(reply).toMatchObject({ status: 400 })
      expect(reply).not.toHaveProperty('body')
    }
  })

  test('an erased person leaves none', async () => {
    peer.answer('/v3/mail/send', { status: 400, body: { errors: [{ message: 'refused for erika@example.com' }] } }, 1)
    const profile = { email: 'erika@example.com' }
    const { id, attempts } = await attemptsOf({ event: 'api', recipient: 'erika', profile })
    expect(attempts[0]?.request?.body).toContain('erika@example.com')
    const { erasureId } = await mustCall(app, 'DELETE', '/profiles/erika?erase=true')
    await until(
      () => client.erasures.get(erasureId),
      ({ status }) => status === 'COMPLETED',
    )
    const { deliveries } = await client.messages.explain(id)
    expect(deliveries[0]?.attempts[0]).toMatchObject({ outcome: 'rejected' })
    expect(deliveries[0]?.attempts[0]).not.toHaveProperty('request')
    expect(JSON.stringify(await client.messages.history(id))).not.toContain('erika')
  })
})
