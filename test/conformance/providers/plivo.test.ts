/** A text message by Plivo is the same request as from its official SDK. */
import type { Client } from 'plivo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { message: 'message(s) queued', message_uuid: ['u1'], api_id: 'a1' }
const scene = {
  profile: { phone_number: '+15550100000' },
  settings: { authId: 'MAXXXXXXXXXXXXXXXXXX', authToken: 'token', from: '+15550109999' },
  content: { body: 'Grüße & more 👋' },
}

describe.skipIf(!hasSdks)('Plivo', () => {
  let recorder: Recorder
  let client: Client
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { status: 202, body: answer })
    const { Client } = await import('plivo')
    const url = `${recorder.url}/v1/Account/${scene.settings.authId}`
    client = new Client(scene.settings.authId, 'token', { url } as object)
  })
  afterAll(() => recorder?.close())

  async function sdk(send: () => Promise<unknown>) {
    await send()
    return latestLikeness(recorder)
  }

  test('a message from a number', async () => {
    const sent = await sdk(() => client.messages.create('+15550109999', '+15550100000', 'Grüße & more 👋', {}))
    expect(adapterLikeness(adapter('plivo'), scene, answer)).toEqual([sent])
  })

  test('a message from a powerpack, with options of an override', async () => {
    const settings = { ...scene.settings, powerpackUuid: 'p1' }
    const override = { body: { url: 'https://a.co/receipt', method: 'POST' } }
    const options = { powerpackUUID: 'p1', dst: '+15550100000', text: 'Grüße & more 👋', ...override.body }
    const sent = await sdk(() => (client.messages.create as (all: object) => Promise<unknown>)(options))
    expect(adapterLikeness(adapter('plivo'), { ...scene, settings, override }, answer)).toEqual([sent])
  })
})
