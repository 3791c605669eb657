/** A push reaches every device of its recipient, a dead token is left out from then on, and no token is shown. */
import { generateKeyPairSync } from 'node:crypto'
import type { IntegrationId, Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sendAndSettle, withApp } from '../support/app.ts'
import { type Recorded, type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 1_024,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

withApp((open) => {
  let client: Postrider
  let call: Awaited<ReturnType<typeof open>>['call']
  let peer: Recorder

  const isSend = ({ path }: Recorded) => path.endsWith('messages:send')
  const tokenOf = ({ body }: Recorded) => JSON.parse(body).message.token as string
  /** The tokens that Firebase got for this message, sorted. */
  const tokensSince = (before: number) => peer.all.slice(before).filter(isSend).map(tokenOf).sort()
  const unregistered = (token: string) =>
    peer.answer((request) => isSend(request) && tokenOf(request) === token, {
      status: 404,
      body: {
        error: {
          status: 'NOT_FOUND',
          message: 'Requested entity was not found.',
          details: [{ '@type': 'type.googleapis.com/google.firebase.fcm.v1.FcmError', errorCode: 'UNREGISTERED' }],
        },
      },
    })
  const register = async (user: string, tokens: object[]) => {
    const reply = await call('PUT', `/users/${user}/tokens`, { body: { tokens } })
    expect(reply.status).toBe(204)
  }
  /** A message is SENT with its first device: waits until all have come to an end. */
  const withDeliveries = (id: string, count: number) =>
    until(
      () => client.messages.get(id),
      ({ providers }) => providers.length === count,
    )
  const fcm = (token: string, more: object = {}) => ({ token, provider_key: 'firebase-fcm', ...more })

  beforeAll(async () => {
    peer = await startRecorder()
    peer.answer(isSend, { body: { name: 'projects/shop-1/messages/0:1' } })
    peer.answer('/token', { body: { access_token: 'ya29.secret', expires_in: 3599 } })
    const app = await open()
    client = app.client
    call = app.call
    await publish(client, 'push', { channels: ['push'] })
    await register('sandboxed', [fcm('sandbox-token-1', { device: { model: 'Pixel 9', platform: 'android' } })])
  })
  afterAll(() => peer.close())

  test('without an integration the mailbox keeps it, and names the devices', async () => {
    const message = await sendAndSettle(client, { event: 'push', recipient: 'sandboxed' })
    expect(message.status).toBe('DELIVERED')
    const { results } = await client.mailbox.list({ message_id: message.id })
    const devices = [{ id: expect.stringMatching(/^[\da-f]{16}$/), name: 'Pixel 9 (android)' }]
    expect(results[0]?.content).toMatchObject({ to: { recipient: 'sandboxed', devices } })
    expect(JSON.stringify(results)).not.toContain('sandbox-token')
  })

  test('every active device gets a delivery, and one that accepts is enough', async () => {
    const account = {
      project_id: 'shop-1',
      client_email: 'a@b.example',
      private_key: privateKey,
      token_uri: `${peer.url}/token`,
    }
    await integrate(client, {
      provider: 'firebase-fcm',
      settings: { serviceAccount: JSON.stringify(account), baseUrl: peer.url },
    })
    await register('ada', [
      fcm('phone-token', { device: { model: 'Pixel 9', platform: 'android' } }),
      fcm('dead-token', { device: { platform: 'android' } }),
      fcm('revoked-token', { status: 'revoked', status_reason: 'signed out' }),
      fcm('old-token', { expiry_date: '2020-01-01T00:00:00.000Z' }),
      { token: 'apple-token', provider_key: 'apn' },
    ])
    unregistered('dead-token')
    const before = peer.all.length
    const { messageId } = await client.send({ event: 'push', recipient: 'ada' })
    const message = await withDeliveries(messageId, 2)
    expect(tokensSince(before)).toEqual(['dead-token', 'phone-token'])
    expect(message.status).toBe('SENT')
    expect(message.providers).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          status: 'SENT',
          provider: 'firebase-fcm',
          device: { id: expect.any(String), name: 'Pixel 9 (android)' },
        }),
        expect.objectContaining({ status: 'UNDELIVERABLE', error: expect.stringContaining('UNREGISTERED') }),
      ]),
    )
    const history = await client.messages.history(message.id)
    const devices = history.results.flatMap((event) => (event as { device?: { id: string } }).device?.id ?? [])
    expect(new Set(devices).size).toBe(2)
    const { candidates: all, deliveries, rendered } = await client.messages.explain(message.id)
    const candidates = all.filter(({ provider }) => provider === 'firebase-fcm')
    expect(deliveries).toHaveLength(2)
    expect(rendered).toHaveLength(1)
    expect(candidates.map(({ selected, reason, error }) => [selected, reason, error]).sort()).toEqual(
      [
        [true, undefined, undefined],
        [true, undefined, undefined],
        [false, 'TOKEN_INACTIVE', 'expired'],
        [false, 'TOKEN_INACTIVE', 'revoked: signed out'],
      ].sort(),
    )
    expect(JSON.stringify([message, history, candidates, deliveries, rendered])).not.toMatch(/-token/)
  })

  test('the dead token is failed, the next send leaves it out, and explain says why', async () => {
    const { tokens } = await client.deviceTokens.list('ada')
    expect(tokens.find(({ token }) => token === 'dead-token')).toMatchObject({
      status: 'failed',
      status_reason: '404 Not Found: UNREGISTERED: Requested entity was not found.',
    })
    expect(tokens.find(({ token }) => token === 'phone-token')).toMatchObject({ status: 'active' })
    const before = peer.all.length
    await sendAndSettle(client, { event: 'push', recipient: 'ada' })
    expect(tokensSince(before)).toEqual(['phone-token'])
    const { candidates } = await client.explain({ event: 'push', recipient: 'ada' })
    expect(candidates).toContainEqual(
      expect.objectContaining({
        selected: false,
        reason: 'TOKEN_INACTIVE',
        error: 'failed: 404 Not Found: UNREGISTERED: Requested entity was not found.',
      }),
    )
  })

  test('registering it again makes it active', async () => {
    await register('ada', [fcm('dead-token')])
    peer.answer((request) => isSend(request) && tokenOf(request) === 'dead-token', { body: { name: 'messages/2' } })
    const before = peer.all.length
    await withDeliveries((await client.send({ event: 'push', recipient: 'ada' })).messageId, 2)
    expect(tokensSince(before)).toEqual(['dead-token', 'phone-token'])
  })

  test('a token that is registered again during the call stays active', async () => {
    await register('bea', [fcm('renewed-token')])
    let again: Promise<unknown> = Promise.resolve()
    peer.answer(
      (request) => isSend(request) && tokenOf(request) === 'renewed-token',
      () => {
        again = register('bea', [fcm('renewed-token')])
        return { status: 404, after: again, body: { error: { status: 'NOT_FOUND', message: 'No' } } }
      },
    )
    const message = await sendAndSettle(client, { event: 'push', recipient: 'bea' })
    await again
    expect(message.status).toBe('UNDELIVERABLE')
    expect((await client.deviceTokens.get('bea', 'renewed-token')).status).toBe('active')
  })

  test('a token that was registered again after it was found dead stays active, and the delivery fails', async () => {
    const { privateKey: key } = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const settings = { teamId: 'T', keyId: 'K', privateKey: key, topic: 'com.example.shop', baseUrl: peer.url }
    const { id: integration } = await integrate(client, { provider: 'apn', settings })
    await register('fin', [{ token: 'fin-token', provider_key: 'apn' }])
    const sendWith = async (reply: object) => {
      peer.answer(({ path }) => path === '/3/device/fin-token', { status: 410, body: reply }, 1)
      const message = {
        to: { user_id: 'fin' },
        content: { title: 'Hi', body: 'Hi' },
        channels: { push: { providers: [integration as IntegrationId] } },
      }
      const { requestId: id } = await client.send({ message })
      const ended = await until(
        () => client.messages.get(id),
        ({ status }) => status === 'UNDELIVERABLE',
      )
      expect(ended.error).toContain('410 Gone: Unregistered')
      return (await client.deviceTokens.get('fin', 'fin-token')).status
    }
    expect(await sendWith({ reason: 'Unregistered', timestamp: 1_600_000_000_000 })).toBe('active')
    expect(await sendWith({ reason: 'Unregistered', timestamp: 4_000_000_000_000 })).toBe('failed')
    await register('fin', [{ token: 'fin-token', provider_key: 'apn' }])
    expect(await sendWith({ reason: 'Unregistered' })).toBe('failed')
    await client.providers.delete(integration)
  })

  test('without an active token a message is unroutable, and says which one is not', async () => {
    await register('cy', [fcm('cy-token', { status: 'failed', status_reason: 'gone' })])
    const message = await sendAndSettle(client, { event: 'push', recipient: 'cy' })
    expect(message).toMatchObject({ status: 'UNROUTABLE', reason: 'INCOMPLETE_PROFILE_DATA' })
    expect(message.error).toMatch(/has no active token \([\da-f]{16}: failed: gone\)/)
    const unknown = await sendAndSettle(client, { event: 'push', recipient: 'no-one' })
    expect(unknown.error).toMatch(/needs `firebaseToken` in the profile, or a token of the user/)
  })

  test('tokens of the profile are devices, too; one that is stored counts once', async () => {
    const before = peer.all.length
    const profile = { firebaseToken: ['phone-token', 'profile-token'] }
    const { messageId } = await client.send({ event: 'push', recipient: 'ada', profile })
    await withDeliveries(messageId, 3)
    expect(tokensSince(before)).toEqual(['dead-token', 'phone-token', 'profile-token'])
  })

  test('a device that fails for now is tried again, and the message counts as sent meanwhile', async () => {
    await register('dan', [fcm('dan-1'), fcm('dan-2')])
    peer.answer((request) => isSend(request) && tokenOf(request) === 'dan-2', { status: 503, body: {} }, 1)
    const { messageId } = await client.send({ event: 'push', recipient: 'dan' })
    const open = await until(
      () => client.messages.explain(messageId),
      ({ deliveries }) => deliveries.some(({ next_attempt_at }) => next_attempt_at !== undefined),
    )
    expect(open.message.status).toBe('SENT')
    expect(open.deliveries.map(({ status }) => status).sort()).toEqual(['ROUTED', 'SENT'])
  })

  test('twenty devices at most, the newest', async () => {
    for (const batch of [0, 1])
      await register(
        'eve',
        Array.from({ length: 15 }, (_, n) => fcm(`eve-${batch}-${String(n).padStart(2, '0')}`)),
      )
    const before = peer.all.length
    const { messageId } = await client.send({ event: 'push', recipient: 'eve' })
    await withDeliveries(messageId, 20)
    expect(tokensSince(before).filter((token) => token.startsWith('eve-1-'))).toHaveLength(15)
  })
})
