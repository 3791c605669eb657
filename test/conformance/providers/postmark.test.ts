/** A mail by Postmark is the same request as from its official SDK. */
import type { Message, ServerClient } from 'postmark'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, batchLikeness, latestLikeness } from './likeness.ts'
import { everyOption, plainMail, sender } from './mail.ts'
import { hasSdks } from './sdks.ts'

const answer = { ErrorCode: 0, Message: 'OK', MessageID: 'b7bc2f4a' }
const scene = { ...plainMail, settings: { serverToken: 'token', ...sender } }
const mail = {
  From: 'News <news@example.org>',
  To: 'ada@example.com',
  Subject: 'Grüße 👋',
  HtmlBody: '<p>Hi</p>',
  TextBody: 'Hi',
  Metadata: { message_id: 'message-1', delivery_id: 'delivery-1' },
}

describe.skipIf(!hasSdks)('Postmark', () => {
  let recorder: Recorder
  let client: ServerClient
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer('/email', { body: answer })
    const { ServerClient } = await import('postmark')
    client = new ServerClient('token', { useHttps: false, requestHost: new URL(recorder.url).host })
  })
  afterAll(() => recorder?.close())

  async function sdk(message: Message) {
    expect(await client.sendEmail(message)).toMatchObject(answer)
    expect(recorder.all.at(-1)?.headers['x-postmark-server-token']).toBe('token')
    return latestLikeness(recorder)
  }

  test('a plain mail', async () => {
    expect(adapterLikeness(adapter('postmark'), scene, answer)).toEqual([await sdk(mail)])
  })

  test('a mail with everything', async () => {
    const sent = await sdk({
      ...mail,
      From: 'Bea <bea@example.org>',
      ReplyTo: 'Help <help@example.org>',
      Cc: 'c@example.com, "Doe, Dan" <d@example.com>',
      Bcc: 'b@example.com',
      Headers: [{ Name: 'X-Team', Value: 'blue' }],
      Attachments: [
        { Name: 'a.txt', ContentType: 'text/plain', Content: 'aGk=' } as never,
        { Name: 'logo.png', ContentType: 'image/png', Content: 'aGk=', ContentID: 'cid:logo' },
      ],
      MessageStream: 'broadcast',
    })
    const settings = { ...scene.settings, messageStream: 'broadcast' }
    expect(adapterLikeness(adapter('postmark'), { ...scene, settings, email: everyOption }, answer)).toEqual([sent])
  })

  test('several mails in one call', async () => {
    recorder.answer('/email/batch', { body: [answer, answer] })
    expect(await client.sendEmailBatch([mail, { ...mail, To: 'bea@example.com' }])).toHaveLength(2)
    const scenes = [scene, { ...scene, profile: { email: 'bea@example.com' } }]
    expect(batchLikeness(adapter('postmark'), scenes)).toEqual(latestLikeness(recorder))
  })
})
