/** A message by Twilio is the same request as from its official SDK. */
import type { Twilio } from 'twilio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const account = `AC${'0'.repeat(32)}`
const answer = { sid: 'SM1', status: 'queued' }
const sample = {
  profile: { phone_number: '+15550100000' },
  settings: { accountSid: account, authToken: 'token', from: '+15550109999' },
  content: { body: 'Grüße & more 👋' },
}

describe.skipIf(!hasSdks)('Twilio', () => {
  let recorder: Recorder
  let client: Twilio
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { status: 201, body: answer })
    const { default: twilio } = await import('twilio')
    // The SDK has a fixed address: its HTTP client is redirected.
    const httpClient = new twilio.RequestClient()
    const request = httpClient.request.bind(httpClient)
    httpClient.request = (options) =>
      request({ ...options, uri: options.uri.replace('https://api.twilio.com', recorder.url) })
    client = twilio(account, 'token', { httpClient })
  })
  afterAll(() => recorder.close())

  async function sdk(message: Parameters<typeof client.messages.create>[0]) {
    await client.messages.create(message)
    return latestLikeness(recorder)
  }

  test('a message from a number', async () => {
    const sent = await sdk({ to: '+15550100000', from: '+15550109999', body: 'Grüße & more 👋' })
    expect(adapterLikeness(adapter('twilio'), sample, answer)).toEqual([sent])
  })

  test('a message from a messaging service', async () => {
    const settings = { accountSid: account, authToken: 'token', messagingServiceSid: 'MG1' }
    const sent = await sdk({ to: '+15550100000', messagingServiceSid: 'MG1', body: 'Grüße & more 👋' })
    expect(adapterLikeness(adapter('twilio'), { ...sample, settings }, answer)).toEqual([sent])
  })

  test('an override with the names of the SDK', async () => {
    const body = { mediaUrl: ['https://a.co/1.png', 'https://a.co/2.png'], validityPeriod: 60, smartEncoded: true }
    const sent = await sdk({ to: '+15550100000', from: '+15550109999', body: 'Grüße & more 👋', ...body })
    expect(adapterLikeness(adapter('twilio'), { ...sample, override: { body } }, answer)).toEqual([sent])
  })
})
