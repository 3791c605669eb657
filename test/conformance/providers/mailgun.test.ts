/** A mail by Mailgun is the same form as from its official SDK. */
import type { MailgunMessageData } from 'mailgun.js/definitions'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { everyOption, plainMail, sender } from './mail.ts'
import { hasSdks } from './sdks.ts'

const answer = { id: '<2026.1@mg.example.org>', message: 'Queued. Thank you.' }
const scene = { ...plainMail, settings: { apiKey: 'key', domain: 'mg.example.org', ...sender } }
const mail = {
  from: 'News <news@example.org>',
  to: ['ada@example.com'],
  subject: 'Grüße 👋',
  html: '<p>Hi</p>',
  text: 'Hi',
  'v:message_id': 'message-1',
  'v:delivery_id': 'delivery-1',
}

describe.skipIf(!hasSdks)('Mailgun', () => {
  let recorder: Recorder
  let sdk: (message: MailgunMessageData) => Promise<unknown>
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: answer })
    const { default: Mailgun } = await import('mailgun.js')
    const { messages } = new Mailgun(FormData).client({ username: 'api', key: 'key', url: recorder.url })
    sdk = async (message) => {
      expect(await messages.create('mg.example.org', message)).toMatchObject(answer)
      return latestLikeness(recorder)
    }
  })
  afterAll(() => recorder?.close())

  test('a plain mail', async () => {
    expect(adapterLikeness(adapter('mailgun'), scene, answer)).toEqual([await sdk(mail)])
  })

  test('a mail with everything', async () => {
    const sent = await sdk({
      ...mail,
      from: 'Bea <bea@example.org>',
      'h:Reply-To': 'Help <help@example.org>',
      cc: ['c@example.com', '"Doe, Dan" <d@example.com>'],
      bcc: ['b@example.com'],
      'h:X-Team': 'blue',
      'o:tag': ['a', 'b'],
      attachment: [{ filename: 'a.txt', contentType: 'text/plain', data: new Blob(['hi'], { type: 'text/plain' }) }],
      inline: [{ filename: 'logo', contentType: 'image/png', data: new Blob(['hi'], { type: 'image/png' }) }],
    })
    const override = { body: { 'o:tag': ['a', 'b'] } }
    expect(adapterLikeness(adapter('mailgun'), { ...scene, email: everyOption, override }, answer)).toEqual([sent])
  })
})
