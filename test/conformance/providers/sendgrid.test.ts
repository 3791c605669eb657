/** A mail by SendGrid is the same request as from its official SDK. */
import type SendGrid from '@sendgrid/mail'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const custom_args = { message_id: 'message-1', delivery_id: 'delivery-1' }
const sample = {
  profile: { email: 'ada@example.com' },
  settings: { apiKey: 'SG.key', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Grüße 👋', html: '<p>Hi</p>', text: 'Hi' },
  message: { id: 'message-1', deliveryId: 'delivery-1' },
}
const mail = {
  to: 'ada@example.com',
  from: { email: 'news@example.org', name: 'News' },
  subject: 'Grüße 👋',
  text: 'Hi',
  html: '<p>Hi</p>',
  customArgs: custom_args,
}

describe.skipIf(!hasSdks)('SendGrid', () => {
  let recorder: Recorder
  let sendgrid: typeof SendGrid
  beforeAll(async () => {
    recorder = await startRecorder()
    sendgrid = (await import('@sendgrid/mail')).default
    sendgrid.setApiKey('SG.key')
    // The types of the SDK leave its client out.
    const { client } = sendgrid as unknown as { client: { setDefaultRequest(key: string, value: string): void } }
    client.setDefaultRequest('baseUrl', recorder.url)
  })
  afterAll(() => recorder.close())

  async function sdk(message: Parameters<typeof SendGrid.send>[0]) {
    recorder.answer('/v3/mail/send', { status: 202, body: '' }, 1)
    await sendgrid.send(message)
    return latestLikeness(recorder)
  }

  test('a plain mail', async () => {
    expect(adapterLikeness(adapter('sendgrid'), sample, {})).toEqual([await sdk(mail)])
  })

  test('a mail with everything', async () => {
    const email = {
      from: 'Bea <bea@example.org>',
      replyTo: 'Help <help@example.org>',
      cc: ['c@example.com', 'Dan <d@example.com>'],
      bcc: 'b@example.com',
      headers: { 'X-Team': 'blue' },
      attachments: [
        { filename: 'a.txt', contentType: 'text/plain', data: 'aGk=', contentId: 'a1', disposition: 'inline' },
      ],
    }
    const message = {
      ...mail,
      from: 'Bea <bea@example.org>',
      replyTo: 'Help <help@example.org>',
      cc: ['c@example.com', 'Dan <d@example.com>'],
      bcc: ['b@example.com'],
      headers: { 'X-Team': 'blue' },
      attachments: [
        { filename: 'a.txt', type: 'text/plain', content: 'aGk=', content_id: 'a1', disposition: 'inline' },
      ],
    }
    expect(adapterLikeness(adapter('sendgrid'), { ...sample, email }, {})).toEqual([await sdk(message)])
  })

  test('a list of addresses for replies, and text only', async () => {
    const content = { subject: 'Hi', text: 'Hi', html: '' }
    const email = { replyTo: ['a@example.org', 'b@example.org'] }
    const { html: _, ...plain } = mail
    const message = { ...plain, subject: 'Hi', replyToList: [{ email: 'a@example.org' }, { email: 'b@example.org' }] }
    const sent = await sdk(message)
    expect(adapterLikeness(adapter('sendgrid'), { ...sample, content, email }, {})).toEqual([sent])
  })
})
