/** A text message by MessageBird is the same request as from its official SDK. */
import http from 'node:http'
import https from 'node:https'
import type messagebird from 'messagebird'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

type Client = ReturnType<typeof messagebird.initClient>
type Message = Parameters<Client['messages']['create']>[0]

const answer = { id: 'm1', recipients: { totalSentCount: 1, items: [{ recipient: 15550100000, status: 'sent' }] } }
const scene = {
  profile: { phone_number: '+15550100000' },
  settings: { accessKey: 'key', originator: 'Postrider' },
  content: { body: 'Grüße & more 👋' },
}

describe.skipIf(!hasSdks)('MessageBird', () => {
  let recorder: Recorder
  let client: Client
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { status: 201, body: answer })
    // The SDK has a fixed address: its requests go to the recorder.
    const { port } = new URL(recorder.url)
    vi.spyOn(https, 'request').mockImplementation(((options: http.RequestOptions) =>
      http.request({ ...options, hostname: '127.0.0.1', port })) as typeof https.request)
    const { default: sdk } = await import('messagebird')
    client = sdk.initClient('key')
  })
  afterAll(async () => {
    vi.restoreAllMocks()
    await recorder?.close()
  })

  async function sdk(params: Message) {
    await new Promise((resolve, reject) =>
      client.messages.create(params, (error, reply) => (error ? reject(error) : resolve(reply))),
    )
    return latestLikeness(recorder)
  }
  const message: Message = {
    originator: 'Postrider',
    recipients: ['15550100000'],
    body: 'Grüße & more 👋',
    datacoding: 'auto',
    reference: 'delivery-1',
  }

  test('a message', async () => {
    expect(adapterLikeness(adapter('messagebird'), scene, answer)).toEqual([await sdk(message)])
  })

  test('an override', async () => {
    const override = { body: { validity: 900 } }
    const sent = await sdk({ ...message, validity: 900 })
    expect(adapterLikeness(adapter('messagebird'), { ...scene, override }, answer)).toEqual([sent])
  })
})
