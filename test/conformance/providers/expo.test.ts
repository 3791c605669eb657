/** A push by Expo is the same request as from its official SDK. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, batchLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { data: [{ status: 'ok', id: 'ticket-1' }] }
const to = 'ExponentPushToken[abc]'
const scene = {
  profile: { expo: { token: to } },
  settings: { accessToken: 'token' },
  content: { title: 'Grüße 👋', body: 'On its way' },
}

describe.skipIf(!hasSdks)('Expo', () => {
  let recorder: Recorder
  let send: (messages: object[]) => Promise<unknown>
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer('/--/api/v2/push/send', { body: answer })
    process.env.EXPO_BASE_URL = recorder.url
    const sdk: string = 'expo-server-sdk'
    const { Expo } = (await import(sdk)) as {
      Expo: new (options: object) => { sendPushNotificationsAsync(messages: object[]): Promise<unknown> }
    }
    const expo = new Expo({ accessToken: 'token' })
    send = (messages) => expo.sendPushNotificationsAsync(messages)
  })
  afterAll(() => {
    delete process.env.EXPO_BASE_URL
    return recorder?.close()
  })

  test('a plain message', async () => {
    await send([{ to, title: 'Grüße 👋', body: 'On its way' }])
    expect(adapterLikeness(adapter('expo'), scene, answer)).toEqual([latestLikeness(recorder)])
  })

  test('a message with everything', async () => {
    const override = { sound: 'default', badge: 1, ttl: 60, subtitle: 'Shop', priority: 'high' }
    await send([{ to, title: 'Grüße 👋', body: 'On its way', data: { order: 7 }, categoryId: 'ORDER', ...override }])
    const push = { data: { order: 7 }, clickAction: 'ORDER' }
    expect(adapterLikeness(adapter('expo'), { ...scene, push, override }, answer)).toEqual([latestLikeness(recorder)])
  })

  test('several messages in one call', async () => {
    const other = 'ExponentPushToken[def]'
    recorder.answer('/--/api/v2/push/send', { body: { data: [...answer.data, { status: 'ok', id: 'ticket-2' }] } })
    const message = { title: 'Grüße 👋', body: 'On its way' }
    await send([to, other].map((token) => ({ to: token, ...message })))
    const scenes = [scene, { ...scene, profile: { expo: { token: other } } }]
    expect(batchLikeness(adapter('expo'), scenes)).toEqual(latestLikeness(recorder))
  })
})
