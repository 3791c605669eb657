/** Results that a provider keeps: they are read later, once, and a dead token is failed by them. */
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { settableClock } from '../support/clock.ts'
import { type Recorded, type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from './templates.ts'

const MINUTE = 60_000

withApp((open) => {
  let app: App
  let client: Postrider
  let peer: Recorder
  const clock = settableClock()

  const isSend = ({ path }: Recorded) => path.endsWith('/push/send')
  const isRead = ({ path }: Recorded) => path.endsWith('/push/getReceipts')
  const readIds = () => peer.all.filter(isRead).map(({ body }) => JSON.parse(body).ids as string[])
  const dead = (token: string) => ({
    status: 'error',
    message: `"${token}" is not a registered push notification recipient`,
    details: { error: 'DeviceNotRegistered' },
  })

  beforeAll(async () => {
    peer = await startRecorder()
    app = await open({ clock })
    client = app.client
    await integrate(client, { provider: 'expo', settings: { baseUrl: peer.url } })
    await publish(client, 'push', { channels: ['push'] })
  })
  afterAll(() => peer.close())

  const send = async (recipient: string, ticket: string, profile?: Record<string, unknown>) => {
    peer.answer(isSend, { body: { data: [{ status: 'ok', id: ticket }] } }, 1)
    const { messageId } = await client.send({ event: 'push', recipient, ...(profile && { profile }) })
    await until(
      () => client.messages.get(messageId),
      ({ status }) => status === 'SENT',
    )
    return messageId
  }
  const register = (user: string, token: string) =>
    app.call('PUT', `/users/${user}/tokens`, { body: { tokens: [{ token, provider_key: 'expo' }] } })
  const ended = (id: string) =>
    until(
      () => client.messages.get(id),
      ({ status }) => status === 'UNDELIVERABLE',
    )

  test('after fifteen minutes a token that is not registered is failed, and its delivery has bounced', async () => {
    const token = 'ExponentPushToken[ada]'
    await register('ada', token)
    await register('bea', 'ExponentPushToken[bea]')
    const messageId = await send('ada', 'ticket-ada')
    const passedOn = await send('bea', 'ticket-bea')
    peer.answer(isRead, { body: { data: { 'ticket-ada': dead(token), 'ticket-bea': { status: 'ok' } } } }, 1)
    clock.set(clock.now() + 14 * MINUTE)
    expect(readIds()).toEqual([])
    clock.set(clock.now() + 2 * MINUTE)
    expect(await ended(messageId)).toMatchObject({ reason: 'BOUNCED', reasonCode: 'HARD' })
    expect(readIds().map((ids) => ids.sort())).toEqual([['ticket-ada', 'ticket-bea']])
    const storedToken = await client.deviceTokens.get('ada', token)
    expect(storedToken.status).toBe('failed')
    expect(storedToken.status_reason).toContain('DeviceNotRegistered')
    expect(JSON.stringify(await client.messages.history(messageId))).not.toContain(token)
    expect((await client.messages.get(passedOn)).status).toBe('SENT')
    expect((await client.deviceTokens.get('bea', 'ExponentPushToken[bea]')).status).toBe('active')
    expect((await client.suppressions.list({ kind: 'device_token' })).results).toEqual([])
  })

  test('a token of a profile is suppressed, and one that was registered again stays active', async () => {
    const ofProfile = await send('cy', 'ticket-cy', { expo: { token: 'ExponentPushToken[cy]' } })
    await register('dan', 'ExponentPushToken[dan]')
    const again = await send('dan', 'ticket-dan')
    clock.set(clock.now() + MINUTE)
    await register('dan', 'ExponentPushToken[dan]')
    const data = { 'ticket-cy': dead('ExponentPushToken[cy]'), 'ticket-dan': dead('ExponentPushToken[dan]') }
    peer.answer(isRead, { body: { data } }, 1)
    clock.set(clock.now() + 15 * MINUTE)
    await Promise.all([ended(ofProfile), ended(again)])
    expect((await client.deviceTokens.get('dan', 'ExponentPushToken[dan]')).status).toBe('active')
    const { results } = await client.suppressions.list({ kind: 'device_token' })
    expect(results).toMatchObject([{ reason: 'invalid_address', source: 'provider/expo' }])
  })

  test('a result that is not there yet, and a reply that is no answer, are read again; each other error is a bounce', async () => {
    await register('eve', 'ExponentPushToken[eve]')
    const before = readIds().length
    const messageId = await send('eve', 'ticket-eve')
    peer.answer(isRead, { status: 503, body: {} }, 1)
    const readTimes = (count: number) =>
      until(
        async () => readIds().length - before,
        (times) => times === count,
      )
    clock.set(clock.now() + 16 * MINUTE)
    await readTimes(1)
    peer.answer(isRead, { body: { data: {} } }, 1)
    clock.set(clock.now() + 16 * MINUTE)
    await readTimes(2)
    const error = { status: 'error', message: 'Too big', details: { error: 'MessageTooBig' } }
    peer.answer(isRead, { body: { data: { 'ticket-eve': error } } }, 1)
    clock.set(clock.now() + 16 * MINUTE)
    expect(await ended(messageId)).toMatchObject({
      reason: 'BOUNCED',
      reasonCode: 'SOFT',
      error: 'MessageTooBig: Too big',
    })
    expect(readIds().slice(before)).toEqual([['ticket-eve'], ['ticket-eve'], ['ticket-eve']])
    expect((await client.deviceTokens.get('eve', 'ExponentPushToken[eve]')).status).toBe('active')
  })
})
