/** What mail headers promise: no text becomes a line of its own, and no line is longer than servers take. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Mail } from '../../base/exchange.ts'
import { customHeader, MailInvalid, textHeader } from './header.ts'
import { buildMail } from './mime.ts'

const mail: Mail = {
  messageId: '1-67e0a1b2-0000@example.com',
  date: Date.UTC(2026, 10, 20, 9, 5, 7),
  from: { name: 'Acme', address: 'hello@acme.example' },
  to: [{ address: 'jane@example.org' }],
  subject: 'Hello',
  text: 'Hi',
}

test('a plain mail is written as a person would write it', () => {
  expect(buildMail(mail)).toEqual({
    envelope: { from: 'hello@acme.example', to: ['jane@example.org'] },
    text: [
      'Date: Fri, 20 Nov 2026 09:05:07 +0000',
      'From: Acme <hello@acme.example>',
      'To: jane@example.org',
      'Subject: Hello',
      'Message-ID: <1-67e0a1b2-0000@example.com>',
      'MIME-Version: 1.0',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 7bit',
      '',
      'Hi',
    ].join('\r\n'),
  })
})

test('the same mail is the same bytes on every attempt', () => {
  const again = {
    ...mail,
    html: '<p>ä</p>',
    attachments: [{ filename: 'a', contentType: 'text/csv', content: 'YQ==' }],
  }
  expect(buildMail(again).text).toBe(buildMail(structuredClone(again)).text)
})

test('a blind copy is in the envelope and nowhere else', () => {
  const built = buildMail({ ...mail, bcc: [{ name: 'Secret Reader', address: 'secret@example.net' }] })
  expect(built.envelope.to).toEqual(['jane@example.org', 'secret@example.net'])
  expect(built.text).not.toMatch(/secret/i)
})

const evil = ['x\r\nBcc: y@evil.example', 'x\nBcc: y@evil.example', 'x\rBcc: y@evil.example', 'x\0y', '\r\n\r\nbody']
const places: [string, (text: string) => Partial<Mail>][] = [
  ['subject', (text) => ({ subject: text })],
  ['name of the sender', (text) => ({ from: { name: text, address: 'a@b.example' } })],
  ['name of the recipient', (text) => ({ to: [{ name: text, address: 'a@b.example' }] })],
  ['address of the sender', (text) => ({ from: { address: text } })],
  ['address of the recipient', (text) => ({ to: [{ address: `a@b.example${text}` }] })],
  ['blind copy', (text) => ({ bcc: [{ address: `a@b.example${text}` }] })],
  ['copy', (text) => ({ cc: [{ name: text, address: 'a@b.example' }] })],
  ['reply address', (text) => ({ replyTo: [{ name: text, address: 'a@b.example' }] })],
  ['header value', (text) => ({ headers: { 'X-Note': text } })],
  ['header name', (text) => ({ headers: { [text]: 'x' } })],
  ['message id', (text) => ({ messageId: `${text}@example.com` })],
  ['file name', (text) => ({ attachments: [{ filename: text, contentType: 'text/csv', content: '' }] })],
  ['content type', (text) => ({ attachments: [{ filename: 'a', contentType: `text/csv; a=${text}`, content: '' }] })],
  ['content id', (text) => ({ attachments: [{ filename: 'a', contentType: 'a/b', content: '', contentId: text }] })],
]
test.each(places)('a line break or zero byte in the %s is refused', (_place, change) => {
  for (const text of evil)
    expect(() => buildMail({ ...mail, ...change(text) }), JSON.stringify(text)).toThrow(MailInvalid)
})

test.each(['c@d.co, x@y.co', 'c@d.co x@y.co', 'group: a@b.co;', '<a@b.co>', 'a@b@c.co', '"a b"@c.co', ''])(
  'an address is one address: %j is refused',
  (address) => {
    expect(() => buildMail({ ...mail, to: [{ address }] })).toThrow(MailInvalid)
  },
)

test.each([
  'Bcc',
  'FROM',
  'Content-Type',
  'DKIM-Signature',
  'Resent-To',
  'Received',
  'Return-Path',
  'X Y',
  'X:',
  '',
  'x'.repeat(77),
  'Ü',
])('the header %j cannot be set', (name) => {
  expect(() => customHeader(name, 'x')).toThrow(MailInvalid)
})

test('headers for lists and threads can be set and are not encoded', () => {
  const link = `<https://example.com/u/${'x'.repeat(120)}>`
  expect(customHeader('List-Unsubscribe', link)).toBe(`List-Unsubscribe: ${link}\r\n`)
  expect(customHeader('In-Reply-To', '<a@b>')).toBe('In-Reply-To: <a@b>\r\n')
})

test('a header line holds 78 characters where there is a blank to break it at, and 998 always', () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{1,30}$/), { minLength: 1, maxLength: 60 }), (words) => {
      const value = words.join(' ')
      const lines = textHeader('Subject', value).split('\r\n')
      expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(78)
      expect(lines.join('').trimEnd()).toBe(`Subject: ${value}`)
    }),
  )
  const long = textHeader('Subject', 'x'.repeat(5_000)).split('\r\n')
  expect(Math.max(...long.map((line) => line.length))).toBeLessThanOrEqual(78)
  expect(() => customHeader('X-Long', 'x'.repeat(5_000))).toThrow(MailInvalid)
})

test('a line with encoded words holds 76 characters, and no character is cut in two', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('é', '字', '𠮷', 'a', ' '), minLength: 1, maxLength: 200 }),
      (text) => {
        for (const line of textHeader('Subject', `é${text}é`).split('\r\n')) {
          expect(line.length).toBeLessThanOrEqual(76)
          const word = /=\?UTF-8\?B\?(.*)\?=/.exec(line)?.[1]
          if (word) expect(Buffer.from(word, 'base64').toString()).not.toContain('\ufffd')
        }
      },
    ),
  )
})

test('a body that quotes its own boundary stays one body', () => {
  const probe = buildMail({ ...mail, html: '<p>x</p>' }).text
  const boundary = /boundary="([^"]+)"/.exec(probe)?.[1]
  const built = buildMail({ ...mail, html: '<p>x</p>', text: `before\n--${boundary}--\nafter` }).text
  expect(built.split(`--${boundary}--`)).toHaveLength(2)
})

test.each(['a', 'a===', '!!!!', 'YWJj=A==', 'YW-_'])('content %j is not base64 and is refused', (content) => {
  const attachments = [{ filename: 'a', contentType: 'a/b', content }]
  expect(() => buildMail({ ...mail, attachments })).toThrow(MailInvalid)
})

test('a mail has between one and a hundred recipients', () => {
  const many = Array.from({ length: 101 }, (_, index) => ({ address: `a${index}@b.example` }))
  expect(() => buildMail({ ...mail, to: [] })).toThrow(MailInvalid)
  expect(() => buildMail({ ...mail, bcc: many.slice(1) })).toThrow(MailInvalid)
  expect(buildMail({ ...mail, bcc: many.slice(2) }).envelope.to).toHaveLength(100)
})
