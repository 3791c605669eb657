/** A text message by Telnyx is the same request as from its official SDK. */
import type Telnyx from 'telnyx'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { data: { id: 't1', to: [{ status: 'queued' }] } }
const scene = {
  profile: { phone_number: '+15550100000' },
  settings: { apiKey: 'KEY', from: '+15550109999' },
  content: { body: 'Grüße & more 👋' },
}
const message = { from: '+15550109999', to: '+15550100000', text: 'Grüße & more 👋' }

describe.skipIf(!hasSdks)('Telnyx', () => {
  let recorder: Recorder
  let client: Telnyx
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: answer })
    const { default: Client } = await import('telnyx')
    client = new Client({ apiKey: 'KEY', baseURL: `${recorder.url}/v2`, maxRetries: 0 })
  })
  afterAll(() => recorder?.close())

  async function sdk(params: Telnyx.MessageSendParams) {
    await client.messages.send(params)
    return latestLikeness(recorder)
  }

  test('a message from a number', async () => {
    expect(adapterLikeness(adapter('telnyx'), scene, answer)).toEqual([await sdk(message)])
  })

  test('a message from a messaging profile, with a picture of an override', async () => {
    const override = { body: { media_urls: ['https://a.co/1.png'] } }
    const sample = { ...scene, settings: { apiKey: 'KEY', messagingProfileId: 'p1' }, override }
    const { from: _, ...unsigned } = message
    const sent = await sdk({ ...unsigned, messaging_profile_id: 'p1', ...override.body })
    expect(adapterLikeness(adapter('telnyx'), sample, answer)).toEqual([sent])
  })
})
