/** A mail that is not understood is kept where it may be a bounce: no answer, no mail of a list and no report of a day. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { secretKey } from '../base/secret.ts'
import { bounceAddress } from './bounce-address.ts'
import { readInboundMail } from './inbound-mail.ts'
import { newUnrecognizedBounce } from './unrecognized-mail.ts'

const key = secretKey(Buffer.alloc(32, 7))
const delivery = { workspaceId: 1, deliveryId: '1-691f0000-00a1b2c3d4e5f60718293aff-0', addressee: 'ada@example.com' }
const BOUNCE = bounceAddress(key, 'bounces@example.org', { ...delivery, ofCopies: false })
const COPIES = bounceAddress(key, 'bounces@example.org', { ...delivery, ofCopies: true })
const NOW = Date.UTC(2026, 10, 26)

const fileText = (name: string) => readFileSync(new URL(`../../../test/bounces/${name}.eml`, import.meta.url), 'latin1')
const filled = (text: string, bounce = BOUNCE) =>
  text.replaceAll('@@BOUNCE@@', bounce).replaceAll('@@RCPT@@', delivery.addressee)

async function unrecognized(text: string, bounce = BOUNCE, sender?: string) {
  const envelope = { recipients: [bounce], ...(sender !== undefined && { sender }) }
  const mail = await readInboundMail(key, Buffer.from(filled(text, bounce), 'latin1'), envelope, NOW)
  return mail.kind === 'ignored' ? mail.unrecognized : undefined
}

const quota = fileText('guard-notice-of-a-quota')

test('a mail that is not understood names its delivery, unless the addressee or a copy wrote it', async () => {
  const { workspaceId, deliveryId } = delivery
  const text = filled(quota, 'bounces+********@example.org')
  expect(await unrecognized(quota)).toEqual({ workspaceId, deliveryId, text })
  expect((await unrecognized(`${quota}\0${'x'.repeat(20_000)}`))?.text).toHaveLength(16_384 - 1 - 52 + 8)
  expect(await unrecognized(quota, COPIES)).toBeUndefined()
  expect(await unrecognized(quota.replace('postmaster@example.com', 'Ada@example.com'))).toBeUndefined()
  for (const name of ['guard-answer-of-a-person', 'guard-challenge', 'exim-delay-warning', 'report-action-relayed'])
    expect(await unrecognized(fileText(name))).toBeUndefined()
})

test('the row has the envelope sender, without a token, and whether it is known', async () => {
  const senderOf = async (sender?: string) => {
    const mail = await unrecognized(quota, BOUNCE, sender)
    return mail && newUnrecognizedBounce(mail, NOW).envelope_sender
  }
  expect(await senderOf()).toBeNull()
  expect(await senderOf('')).toBe('')
  expect(await senderOf('robot@mx.example.org')).toBe('robot@mx.example.org')
  expect(await senderOf(BOUNCE)).toBe('bounces+********@example.org')
})

const withSubject = (subject: string) => quota.replace('Subject: Your mailbox', `Subject: ${subject}`)

test.each([
  'Re: Your order',
  'AW: Ihre Bestellung',
  'Automatic reply: Your order',
  'Abwesenheitsnotiz',
  ' Out of the office until Monday',
  'Your message to Birds awaits moderator approval',
  'Birds post from bounces@example.org requires approval',
  'confirm 0123456789abcdef0123456789abcdef01234567',
  'Report Domain: example.org Submitter: mx.example.net Report-ID: 7',
  '[Preview] Report domain: example.org Submitter: mx.example.net',
])('the subject %j is that of no bounce', async (subject) => {
  expect(await unrecognized(withSubject('Alas'))).toBeDefined()
  expect(await unrecognized(withSubject(subject))).toBeUndefined()
})

test.each([
  'List-Id: Birds <birds.example.com>',
  'X-Mailman-Version: 2.1.39',
  'X-BeenThere: birds@example.com',
  'TLS-Report-Domain: example.org',
  'Content-Type: multipart/report; report-type="tlsrpt"; boundary=b',
  'Content-Type: multipart/report; boundary=b; report-type=tlsrpt',
  'Content-Type: application/tlsrpt+gzip; name="report.json.gz"',
])('a mail with the header %j is no bounce', async (header) => {
  expect(await unrecognized(`${header}\n${quota}`)).toBeUndefined()
})
