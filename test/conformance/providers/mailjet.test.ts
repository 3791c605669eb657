/** A mail by Mailjet is the same request as from its official SDK. */
import type { Client, SendEmailV3_1 } from 'node-mailjet'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, batchLikeness, latestLikeness } from './likeness.ts'
import { everyOption, plainMail, sender } from './mail.ts'
import { hasSdks } from './sdks.ts'

const answer = { Messages: [{ Status: 'success', To: [{ Email: 'ada@example.com', MessageUUID: '5d47' }] }] }
const scene = { ...plainMail, settings: { apiKey: 'key', secretKey: 'secret', ...sender } }
const mail = {
  From: { Email: 'news@example.org', Name: 'News' },
  To: [{ Email: 'ada@example.com' }],
  Subject: 'Grüße 👋',
  TextPart: 'Hi',
  HTMLPart: '<p>Hi</p>',
  CustomID: 'delivery-1',
  EventPayload: '{"message_id":"message-1","delivery_id":"delivery-1"}',
}

describe.skipIf(!hasSdks)('Mailjet', () => {
  let recorder: Recorder
  let client: Client
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: answer })
    const { Client } = await import('node-mailjet')
    // The SDK always uses TLS: as its proxy, the recorder gets the request as it is.
    const proxy = { protocol: 'http', host: '127.0.0.1', port: Number(new URL(recorder.url).port) }
    client = new Client({ apiKey: 'key', apiSecret: 'secret', options: { proxy } })
  })
  afterAll(() => recorder?.close())

  async function sdk(...messages: SendEmailV3_1.Message[]) {
    const { body } = await client.post('send', { version: 'v3.1' }).request({ Messages: messages })
    expect(body).toEqual(answer)
    const { path, ...rest } = latestLikeness(recorder)
    return { ...rest, path: new URL(path, 'https://api.mailjet.com').pathname }
  }

  test('a plain mail', async () => {
    expect(adapterLikeness(adapter('mailjet'), scene, answer)).toEqual([await sdk(mail)])
  })

  test('a mail with everything', async () => {
    const sent = await sdk({
      ...mail,
      From: { Email: 'bea@example.org', Name: 'Bea' },
      ReplyTo: { Email: 'help@example.org', Name: 'Help' },
      Cc: [{ Email: 'c@example.com' }, { Email: 'd@example.com', Name: 'Doe, Dan' }],
      Bcc: [{ Email: 'b@example.com' }],
      Headers: { 'X-Team': 'blue' },
      Attachments: [{ Filename: 'a.txt', ContentType: 'text/plain', Base64Content: 'aGk=' }],
      InlinedAttachments: [
        { Filename: 'logo.png', ContentType: 'image/png', Base64Content: 'aGk=', ContentID: 'logo' },
      ],
    })
    expect(adapterLikeness(adapter('mailjet'), { ...scene, email: everyOption }, answer)).toEqual([sent])
  })

  test('several mails in one call', async () => {
    const messages = [mail, { ...mail, To: [{ Email: 'bea@example.com' }] }]
    const sent = await sdk(...messages)
    const scenes = [scene, { ...scene, profile: { email: 'bea@example.com' } }]
    expect(batchLikeness(adapter('mailjet'), scenes)).toEqual(sent)
  })
})
