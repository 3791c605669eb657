/** A mail by Amazon SES is the same request as from its official SDK, and its signature is the one that the SDK makes. */
import type { SESv2Client, SendEmailCommandInput } from '@aws-sdk/client-sesv2'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { credentials, latestSignatures, region, unsigned } from './aws.ts'
import { adapter, adapterLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { MessageId: '0107-1' }
const scene = {
  profile: { email: 'ada@example.com' },
  settings: { region, ...credentials, fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Grüße 👋', html: '<p>Hi</p>', text: 'Hi' },
  message: { id: 'message-1', deliveryId: 'delivery-1' },
}
const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' })
const simple = { Subject: utf8('Grüße 👋'), Body: { Text: utf8('Hi'), Html: utf8('<p>Hi</p>') } }
const mail = {
  FromEmailAddress: 'News <news@example.org>',
  Destination: { ToAddresses: ['ada@example.com'] },
  Content: { Simple: simple },
  EmailTags: [
    { Name: 'message_id', Value: 'message-1' },
    { Name: 'delivery_id', Value: 'delivery-1' },
  ],
}

describe.skipIf(!hasSdks)('Amazon SES', () => {
  let recorder: Recorder
  let send: (input: SendEmailCommandInput) => Promise<ReturnType<typeof unsigned>>
  let client: SESv2Client
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer(() => true, { body: answer })
    const { SESv2Client, SendEmailCommand } = await import('@aws-sdk/client-sesv2')
    client = new SESv2Client({ region, credentials, endpoint: recorder.url, maxAttempts: 1 })
    send = async (input) => {
      expect(await client.send(new SendEmailCommand(input))).toMatchObject(answer)
      return unsigned(latestLikeness(recorder))
    }
  })
  afterAll(async () => {
    client?.destroy()
    await recorder?.close()
  })

  const adapted = (changes: object = {}) =>
    adapterLikeness(adapter('aws-ses'), { ...scene, ...changes }, answer).map(unsigned)

  test('a plain mail, and its signature', async () => {
    expect(adapted()).toEqual([await send(mail)])
    const { ours, theirs } = latestSignatures(recorder, 'ses')
    expect(ours).toBe(theirs)
  })

  test('a mail with everything', async () => {
    const email = {
      from: 'Bea <bea@example.org>',
      replyTo: ['help@example.org', 'Team <team@example.org>'],
      cc: ['c@example.com', '"Doe, Dan" <d@example.com>'],
      bcc: 'b@example.com',
      headers: { 'X-Team': 'blue' },
      attachments: [{ filename: 'a.txt', contentType: 'text/plain', data: 'aGk=', contentId: 'a1' }],
    }
    const settings = { ...scene.settings, configurationSet: 'orders' }
    const sent = await send({
      ...mail,
      FromEmailAddress: 'Bea <bea@example.org>',
      ReplyToAddresses: ['help@example.org', 'Team <team@example.org>'],
      Destination: {
        ToAddresses: ['ada@example.com'],
        CcAddresses: ['c@example.com', '"Doe, Dan" <d@example.com>'],
        BccAddresses: ['b@example.com'],
      },
      ConfigurationSetName: 'orders',
      Content: {
        Simple: {
          ...simple,
          Headers: [{ Name: 'X-Team', Value: 'blue' }],
          Attachments: [
            {
              RawContent: Buffer.from('hi'),
              FileName: 'a.txt',
              ContentType: 'text/plain',
              ContentTransferEncoding: 'BASE64',
              ContentDisposition: 'INLINE',
              ContentId: 'a1',
            },
          ],
        },
      },
    })
    expect(adapted({ email, settings })).toEqual([sent])
  })

  test('a header that SES does not take makes a raw mail, which a reader understands', async () => {
    const [ours] = adapted({ email: { headers: { 'X-Greeting': 'Grüße' }, bcc: 'b@example.com' } })
    const body = ours?.body as SendEmailCommandInput
    const data = Buffer.from(String(body.Content?.Raw?.Data), 'base64')
    const { body: sent } = await send({ ...body, Content: { Raw: { Data: data } } })
    expect(body).toEqual(sent)
    const { subject, from, to, text, html, headers } = await PostalMime.parse(data)
    expect({ subject, from, to, text: text?.trim(), html: html?.trim() }).toMatchObject({
      subject: 'Grüße 👋',
      from: { name: 'News', address: 'news@example.org' },
      to: [{ address: 'ada@example.com' }],
      text: 'Hi',
      html: '<p>Hi</p>',
    })
    expect(headers).toContainEqual(expect.objectContaining({ key: 'x-greeting', value: '=?UTF-8?B?R3LDvMOfZQ==?=' }))
    expect(data.toString()).not.toContain('b@example.com')
  })
})
