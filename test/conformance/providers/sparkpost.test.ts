/** A mail by SparkPost is the same request as from its official SDK. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { everyOption, plainMail, sender } from './mail.ts'
import { hasSdks } from './sdks.ts'

/** The SDK has no types of its own. */
interface SparkPost {
  transmissions: { send(transmission: object): Promise<unknown> }
}

const answer = { results: { total_rejected_recipients: 0, total_accepted_recipients: 1, id: '1166' } }
const scene = { ...plainMail, settings: { apiKey: 'key', ...sender } }
const content = {
  from: { email: 'news@example.org', name: 'News' },
  subject: 'Grüße 👋',
  html: '<p>Hi</p>',
  text: 'Hi',
}
const metadata = { message_id: 'message-1', delivery_id: 'delivery-1' }

describe.skipIf(!hasSdks)('SparkPost', () => {
  let recorder: Recorder
  let client: SparkPost
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer('/api/v1/transmissions', { body: answer })
    // @ts-expect-error: it has no types
    const sdk = await import('sparkpost')
    const SparkPost: new (key: string, options: object) => SparkPost = sdk.default
    client = new SparkPost('key', { origin: recorder.url })
  })
  afterAll(() => recorder?.close())

  async function sdk(transmission: object) {
    expect(await client.transmissions.send(transmission)).toEqual(answer)
    return latestLikeness(recorder)
  }

  test('a plain mail', async () => {
    const sent = await sdk({ content, metadata, recipients: [{ address: 'ada@example.com' }] })
    expect(adapterLikeness(adapter('sparkpost'), scene, answer)).toEqual([sent])
  })

  test('a mail with everything', async () => {
    const file = { type: 'text/plain', data: 'aGk=' }
    const sent = await sdk({
      content: {
        ...content,
        from: { email: 'bea@example.org', name: 'Bea' },
        reply_to: 'Help <help@example.org>',
        headers: { 'X-Team': 'blue' },
        attachments: [{ name: 'a.txt', ...file }],
        inline_images: [{ name: 'logo', type: 'image/png', data: 'aGk=' }],
      },
      metadata,
      recipients: [{ address: 'ada@example.com' }],
      cc: [{ address: 'c@example.com' }, { address: { email: 'd@example.com', name: 'Doe, Dan' } }],
      bcc: [{ address: 'b@example.com' }],
    })
    expect(adapterLikeness(adapter('sparkpost'), { ...scene, email: everyOption }, answer)).toEqual([sent])
  })
})
