/** A text message by Vonage is the same request as from its official SDK. */
import type { SMS } from '@vonage/sms'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { 'message-count': '1', messages: [{ to: '15550100000', 'message-id': '0A1', status: '0' }] }
const scene = {
  profile: { phone_number: '+15550100000' },
  settings: { apiKey: 'key', apiSecret: 'secret', from: 'Postrider' },
  content: { body: 'Grüße & more' },
}
const message = { to: '15550100000', from: 'Postrider', text: 'Grüße & more', clientRef: 'delivery-1' }

describe.skipIf(!hasSdks)('Vonage', () => {
  let recorder: Recorder
  let client: SMS
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: answer })
    const [{ Auth }, { SMS }] = await Promise.all([import('@vonage/auth'), import('@vonage/sms')])
    client = new SMS(new Auth({ apiKey: 'key', apiSecret: 'secret' }), { restHost: recorder.url })
  })
  afterAll(() => recorder?.close())

  async function sdk(params: Parameters<SMS['send']>[0]) {
    await client.send(params)
    return latestLikeness(recorder)
  }

  test('a message in GSM-7', async () => {
    expect(adapterLikeness(adapter('vonage'), scene, answer)).toEqual([await sdk(message)])
  })

  test('a message in Unicode', async () => {
    const { TypeEnum } = await import('@vonage/sms')
    const sent = await sdk({ ...message, text: 'Hi 👋', type: TypeEnum.UNICODE })
    expect(adapterLikeness(adapter('vonage'), { ...scene, content: { body: 'Hi 👋' } }, answer)).toEqual([sent])
  })
})
