/** Our requests to Resend are those of its official SDK for the same mail. */
import type { Resend } from 'resend'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { adapter, adapterLikeness, batchLikeness, latestLikeness } from './likeness.ts'
import { hasSdks } from './sdks.ts'

const answer = { id: '4d1f3c52-7f0a-4b7d-9c63-1f0a2b3c4d5e' }
const tags = [
  { name: 'message_id', value: 'message-1' },
  { name: 'delivery_id', value: 'delivery-1' },
]
const scene = {
  profile: { email: 'ada@example.com' },
  settings: { apiKey: 're_key', fromAddress: 'news@example.org', fromName: 'News' },
  content: { subject: 'Grüße 👋', html: '<p>Hi</p>', text: 'Hi' },
  message: { id: 'message-1', deliveryId: 'delivery-1' },
}
const mail = {
  to: ['ada@example.com'],
  from: 'News <news@example.org>',
  subject: 'Grüße 👋',
  text: 'Hi',
  html: '<p>Hi</p>',
  tags,
}

describe.skipIf(!hasSdks)('Resend', () => {
  let recorder: Recorder
  let resend: Resend
  beforeAll(async () => {
    recorder = await startRecorder()
    recorder.answer('/emails', { body: answer })
    const { Resend } = await import('resend')
    resend = new Resend('re_key', { baseUrl: recorder.url })
  })
  afterAll(() => recorder.close())

  async function sdk(message: Parameters<typeof resend.emails.send>[0]) {
    const { data } = await resend.emails.send(message, { idempotencyKey: 'delivery-1' })
    expect(data).toEqual(answer)
    return latestLikeness(recorder)
  }

  test('a plain mail with its idempotency key', async () => {
    expect(adapterLikeness(adapter('resend'), scene, answer)).toEqual([await sdk(mail)])
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
    const message = {
      ...mail,
      from: 'Bea <bea@example.org>',
      replyTo: ['help@example.org', 'Team <team@example.org>'],
      cc: ['c@example.com', '"Doe, Dan" <d@example.com>'],
      bcc: ['b@example.com'],
      headers: { 'X-Team': 'blue' },
      attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('hi'), contentId: 'a1' }],
    }
    expect(adapterLikeness(adapter('resend'), { ...scene, email }, answer)).toEqual([await sdk(message)])
  })

  test('text only, and an override with a schedule and tags', async () => {
    const body = { scheduled_at: '2026-12-01T08:00:00Z', tags: [{ name: 'category', value: 'orders' }] }
    const content = { subject: 'Hi', text: 'Hi', html: '' }
    const { html: _, ...plain } = mail
    const sent = await sdk({ ...plain, subject: 'Hi', scheduledAt: body.scheduled_at, tags: body.tags })
    expect(adapterLikeness(adapter('resend'), { ...scene, content, override: { body } }, answer)).toEqual([sent])
  })

  test('several mails in one call', async () => {
    recorder.answer('/emails/batch', { body: { data: [answer, answer] } })
    const scenes = [scene, { ...scene, profile: { email: 'bea@example.com' } }]
    const ours = batchLikeness(adapter('resend'), scenes)
    const { data } = await resend.batch.send([mail, { ...mail, to: ['bea@example.com'] }], {
      batchValidation: 'permissive',
      ...(ours.idempotencyKey !== undefined && { idempotencyKey: ours.idempotencyKey }),
    })
    expect(data?.data).toEqual([answer, answer])
    expect(ours).toEqual(latestLikeness(recorder))
    expect(recorder.all.at(-1)?.headers['x-batch-validation']).toBe('permissive')
  })
})
