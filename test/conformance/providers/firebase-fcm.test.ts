/** A push by Firebase is the same request as from its official SDK. */
import http from 'node:http'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { name: 'projects/shop-1/messages/0:1', access_token: 'token' }
const { settings } = adapter('firebase-fcm').example
const scene = {
  profile: { firebaseToken: 'device-1' },
  settings,
  content: { title: 'Grüße 👋', body: 'On its way' },
}

describe.skipIf(!hasSdks)('Firebase', () => {
  const https = createRequire(import.meta.url)('node:https') as { request: typeof http.request }
  const { request } = https
  let recorder: Recorder
  let send: (message: object) => Promise<unknown>
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer('/v1/projects/shop-1/messages:send', { body: answer })
    const { port } = new URL(recorder.url)
    // The SDK has a fixed address.
    https.request = ((options: http.RequestOptions, ...rest: []) =>
      http.request({ ...options, protocol: 'http:', hostname: '127.0.0.1', port, agent: undefined }, ...rest)) as never
    const [apps, messaging]: string[] = ['firebase-admin/app', 'firebase-admin/messaging']
    const { initializeApp } = (await import(apps ?? '')) as { initializeApp(options: object): object }
    const { getMessaging } = (await import(messaging ?? '')) as {
      getMessaging(app: object): { send(message: object): Promise<unknown> }
    }
    const credential = { getAccessToken: async () => ({ access_token: 'token', expires_in: 3_600 }) }
    const app = initializeApp({ credential, projectId: 'shop-1' })
    send = (message) => getMessaging(app).send(message)
  })
  afterAll(() => {
    https.request = request
    return recorder?.close()
  })

  test('a plain message', async () => {
    await send({ token: 'device-1', notification: { title: 'Grüße 👋', body: 'On its way' } })
    expect(adapterLikeness(adapter('firebase-fcm'), scene, answer).at(-1)).toEqual(latestLikeness(recorder))
  })

  test('a message with everything', async () => {
    await send({
      token: 'device-1',
      notification: { title: 'Grüße 👋', body: 'On its way' },
      data: { order: '7' },
      android: { priority: 'high', notification: { icon: 'bell', clickAction: 'OPEN' } },
      apns: { payload: { aps: { category: 'OPEN', sound: 'default' } } },
    })
    const push = { data: { order: 7 }, icon: 'bell', clickAction: 'OPEN' }
    const override = { body: { android: { priority: 'high' }, apns: { payload: { aps: { sound: 'default' } } } } }
    expect(adapterLikeness(adapter('firebase-fcm'), { ...scene, push, override }, answer).at(-1)).toEqual(
      latestLikeness(recorder),
    )
  })
})
