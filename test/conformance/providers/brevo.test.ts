/** A mail by Brevo is the same request as from its official SDK. */
import type { BrevoClient } from '@getbrevo/brevo'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, batchLikeness, latestLikeness } from './likeness.ts'
import { everyOption, plainMail, sender } from './mail.ts'
import { hasSdks } from './sdks.ts'

const answer = { messageId: '<2026.1@smtp-relay.mailin.fr>' }
const scene = { ...plainMail, settings: { apiKey: 'xkeysib-1', ...sender } }
const mail = {
  sender: { email: 'news@example.org', name: 'News' },
  to: [{ email: 'ada@example.com' }],
  subject: 'Grüße 👋',
  htmlContent: '<p>Hi</p>',
  textContent: 'Hi',
}
const headers = {
  'X-Mailin-custom': 'message_id:message-1|delivery_id:delivery-1',
  idempotencyKey: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/),
}

describe.skipIf(!hasSdks)('Brevo', () => {
  let recorder: Recorder
  let client: BrevoClient
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer('/v3/smtp/email', { status: 201, body: answer })
    const { BrevoClient } = await import('@getbrevo/brevo')
    client = new BrevoClient({ apiKey: 'xkeysib-1', baseUrl: `${recorder.url}/v3` })
  })
  afterAll(() => recorder?.close())

  /** The SDK passes headers of a mail on as they are. */
  async function sdk(message: Parameters<typeof client.transactionalEmails.sendTransacEmail>[0]) {
    expect(await client.transactionalEmails.sendTransacEmail(message)).toMatchObject(answer)
    expect(recorder.all.at(-1)?.headers['api-key']).toBe('xkeysib-1')
    return latestLikeness(recorder)
  }
  const [ours] = adapterLikeness(adapter('brevo'), scene, answer)
  const body = ours?.body as { headers: { idempotencyKey: string } }
  const key = body.headers

  test('a plain mail', async () => {
    expect(key).toEqual(headers)
    expect(ours).toEqual(await sdk({ ...mail, headers: key }))
  })

  test('a mail with everything', async () => {
    const sent = await sdk({
      ...mail,
      sender: { email: 'bea@example.org', name: 'Bea' },
      replyTo: { email: 'help@example.org', name: 'Help' },
      cc: [{ email: 'c@example.com' }, { email: 'd@example.com', name: 'Doe, Dan' }],
      bcc: [{ email: 'b@example.com' }],
      headers: { 'X-Team': 'blue', ...key },
      attachment: [
        { name: 'a.txt', content: 'aGk=' },
        { name: 'logo.png', content: 'aGk=' },
      ],
    })
    expect(adapterLikeness(adapter('brevo'), { ...scene, email: everyOption }, answer)).toEqual([sent])
  })

  test('several mails in one call', async () => {
    const messageIds = [answer.messageId, '<2026.2@smtp-relay.mailin.fr>']
    recorder.answer('/v3/smtp/email', { status: 201, body: { messageIds } })
    const { subject, htmlContent, textContent, to } = mail
    const version = { to, subject, htmlContent, textContent }
    const reply = await client.transactionalEmails.sendTransacEmail({
      ...{ sender: mail.sender, subject: 'Notification', htmlContent: '<p></p>' },
      messageVersions: [version, { ...version, to: [{ email: 'bea@example.com' }] }],
    })
    expect(reply).toMatchObject({ messageIds })
    const scenes = [scene, { ...scene, profile: { email: 'bea@example.com' } }]
    expect(batchLikeness(adapter('brevo'), scenes)).toEqual(latestLikeness(recorder))
  })
})
