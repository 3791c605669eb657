/** A reader finds the addresses, the links and the ids of a header in ASCII, and gets back its words. */
import PostalMime from 'postal-mime'
import { expect, test } from 'vitest'
import type { Mail } from '../exchange.ts'
import { withinWork } from '../processor-time.harness.ts'
import { mediaTypeParts } from './media-type.ts'
import { buildMail, customHeader, MailInvalid } from './mime.ts'

const written = (name: string, value: string) => {
  const header = customHeader(name, value)
  expect(header.endsWith('\r\n')).toBe(true)
  for (const line of header.split('\r\n')) if (line.includes('=?')) expect(line.length).toBeLessThanOrEqual(78)
  return header.slice(name.length + 2).replace(/\r\n(?= )|\r\n$/g, '')
}
/** Any header, as a reader decodes its words. */
const read = async (text: string) => (await PostalMime.parse(`Subject: ${text}\r\n\r\n`)).subject

test.each<[name: string, value: string, decoded: string, literal: string]>([
  [
    'List-Id',
    'Nachrichten für Köln <news.example.org>',
    'Nachrichten für Köln <news.example.org>',
    ' <news.example.org>',
  ],
  [
    'list-id',
    '"Köln, \\"News\\"" <news.köln.example>',
    'Köln, "News" <news.xn--kln-sna.example>',
    '<news.xn--kln-sna.example>',
  ],
  [
    'List-Id',
    `${'Köln '.repeat(40)}<news.example.org>`,
    `${'Köln '.repeat(40)}<news.example.org>`,
    ' <news.example.org>',
  ],
  ['List-Id', 'Ü "quoted <x>" <a.b.example>', 'Ü quoted <x> <a.b.example>', ' <a.b.example>'],
  ['List-Id', 'Ü "open <x> <a.b.example>', 'Ü "open <x> <a.b.example>', ' <a.b.example>'],
  ['In-Reply-To', '<a@b.example> <ä@c.example> von Jö', '<a@b.example>', '<a@b.example>'],
  ['References', 'Ihre <a=?b@c> für <d@e>', '<a=?b@c> <d@e>', '<a=?b@c> <d@e>'],
  ['References', '<a=?b@c> <d@e>', '<a=?b@c> <d@e>', '<a=?b@c> <d@e>'],
  ['List-Id', '<news.köln.example>', '<news.xn--kln-sna.example>', '<news.xn--kln-sna.example>'],
  ['Disposition-Notification-To', 'Käthe Köln <k@example.com>', 'Käthe Köln <k@example.com>', ' <k@example.com>'],
  [
    'Return-Receipt-To',
    'Jö <a@x.example>, "Ö, Ä" <b@kö.example>, c@x.example',
    'Jö <a@x.example>, Ö, Ä <b@xn--k-1ga.example>, c@x.example',
    '<b@xn--k-1ga.example>,',
  ],
  [
    'List-Post',
    '<mailto:post@example.org> (Beiträge für Köln)',
    '<mailto:post@example.org> (Beiträge für Köln)',
    '<mailto:post@example.org> (',
  ],
  ['List-Post', 'NO (Kein Beitrag möglich)', 'NO (Kein Beitrag möglich)', 'NO ('],
  ['List-Unsubscribe', '<https://example.org/abmelden/köln>', '<https://example.org/abmelden/k%C3%B6ln>', ''],
  [
    'List-Unsubscribe',
    '<https://köln.example:8443/ä?ö=%2F+#ü>, <mailto:ab@köln.example?subject=Für immer>',
    '<https://xn--kln-sna.example:8443/%C3%A4?%C3%B6=%2F+#%C3%BC>, <mailto:ab@xn--kln-sna.example?subject=F%C3%BCr%20immer>',
    '',
  ],
  [
    'List-Unsubscribe',
    '<mailto:ab@example.org?subject=take me off>',
    '<mailto:ab@example.org?subject=take%20me%20off>',
    '',
  ],
  ['List-Unsubscribe', '<https://example.org/?a=?b>', '<https://example.org/?a=?b>', '<https://example.org/?a=?b>'],
  ['List-Help', 'https://example.org/hilfe/ä', '<https://example.org/hilfe/%C3%A4>', ''],
  [
    'List-Owner',
    '<mailto:a@x.example> (Ä \\(b\\) (c)), <tel:+49>',
    '<mailto:a@x.example> (Ä (b) (c)), <tel:+49>',
    '), <tel:+49>',
  ],
  ['List-Archive', '<https://example.org/a b> (Archive)', '<https://example.org/a%20b> (Archive)', '(Archive)'],
  ['Keywords', 'Köln, "Tee, Kaffee"', 'Köln, "Tee, Kaffee"', ', "Tee, Kaffee"'],
  ['List-Post', '<mailto:a@x.example> (Ä', '<mailto:a@x.example> (Ä)', '<mailto:a@x.example> ('],
  ['List-Owner', 'Käthe <mailto:k@x.example>', '(Käthe) <mailto:k@x.example>', ' <mailto:k@x.example>'],
  ['List-Owner', 'ü <mailto:a@x.example>, Jö: <tel:+49>', '(ü) <mailto:a@x.example>, (Jö:) <tel:+49>', ', ('],
  ['List-Unsubscribe', 'https://x.example/ö, https://y.example', '<https://x.example/%C3%B6>, <https://y.example>', ''],
  [
    'List-Unsubscribe',
    'https://x.example/ö?a=1,2,mailto:ä@ö.example,<tel:+49> (Köln)',
    '<https://x.example/%C3%B6?a=1,2>, <mailto:%C3%A4@xn--nda.example>, <tel:+49> (Köln)',
    '',
  ],
  ['List-Help', 'https://köln.example/a b', '<https://xn--kln-sna.example/a%20b>', ''],
  ['Errors-To', 'k@x.example (Käthe Köln)', 'Käthe Köln <k@x.example>', ' <k@x.example>'],
  ['Organization', 'Köln & Söhne <GmbH>', 'Köln & Söhne <GmbH>', ''],
  ['X-Greeting', 'Grüße <b> & mehr', 'Grüße <b> & mehr', ''],
  ['Comments', 'Für <k@example.com>', 'Für <k@example.com>', ''],
  // Not of the form of its header: nothing is lost.
  ['List-Id', 'Nur Wörter für Köln', 'Nur Wörter für Köln', ''],
  ['List-Post', '<mailto:a@x.example> Ä>', '<mailto:a@x.example> Ä>', ''],
  ['Disposition-Notification-To', 'Köln', 'Köln', ''],
])('%s: %s', async (name, value, decoded, literal) => {
  const text = written(name, value)
  expect(text).toMatch(/^[ -~]*$/)
  expect(text).toContain(literal)
  expect(await read(text)).toBe(decoded)
})

test('ASCII stays as its author wrote it', () => {
  for (const [name, value] of [
    ['List-Unsubscribe', '<https://example.org/u?a=b>, <mailto:u@example.org>'],
    ['List-Id', '"News, weekly" <news.example.org>'],
    ['References', '<a@b> <c@d>'],
    ['In-Reply-To', 'Your message of Monday <a b@c>'],
  ] as const)
    expect(customHeader(name, value)).toBe(`${name}: ${value}\r\n`)
})

test('a reference without a message id in ASCII is refused', () =>
  expect(() => customHeader('References', '<ä@b>')).toThrow('The header References holds no message id in ASCII'))

test.each(['Reply-To', 'From', 'Sender', 'Resent-From', 'Resent-To'])(
  '%s is set by the mail, not as a header',
  (name) => expect(() => customHeader(name, 'Käthe <k@example.com>')).toThrow(MailInvalid),
)

const mail: Mail = {
  messageId: '1-67e0a1b2-0000@example.com',
  date: 0,
  from: { address: 'hello@acme.example' },
  to: [{ address: 'jane@example.org' }],
  subject: 'Hello',
  text: 'Hi',
}

test('a header with an address beyond ASCII needs SMTPUTF8', () => {
  const built = (value: string) => buildMail({ ...mail, headers: { 'Disposition-Notification-To': value } })
  expect(built('Käthe <k@example.com>').needsUtf8).toBe(false)
  expect(built('Käthe <käthe@example.com>').needsUtf8).toBe(true)
  expect(Buffer.from(built('Käthe <käthe@example.com>').text, 'latin1').toString()).toContain('<käthe@example.com>')
})

test.each<[type: string, parts: string[] | undefined]>([
  ['text/calendar; method=REQUEST; charset=UTF-8', ['text/calendar', 'method=REQUEST', 'charset=UTF-8']],
  ['text/calendar;method="REQUEST" ; charset = utf-8;', ['text/calendar', 'method=REQUEST', 'charset=utf-8']],
  ['text/plain; name=My file.txt', ['text/plain', 'name="My file.txt"']],
  ['text/plain; name="a \\"b\\"; c"', ['text/plain', 'name="a \\"b\\"; c"']],
  ['text/plain; name="Köln €.txt"', ['text/plain', "name*=utf-8''K%C3%B6ln%20%E2%82%AC.txt"]],
  ["text/plain; name*=utf-8''K%C3%B6ln", ['text/plain', "name*=utf-8''K%C3%B6ln"]],
  [
    'application/vnd.x+json; profile="https://x.example/p"; v=1/2',
    ['application/vnd.x+json', 'profile="https://x.example/p"', 'v="1/2"'],
  ],
  [
    `text/plain; name=${'ö'.repeat(30)}`,
    [
      'text/plain',
      `name*0*=utf-8''${'%C3%B6'.repeat(8)}`,
      `name*1*=${'%C3%B6'.repeat(10)}`,
      `name*2*=${'%C3%B6'.repeat(10)}`,
      `name*3*=${'%C3%B6'.repeat(2)}`,
    ],
  ],
  ['text', undefined],
  ['text/plain; name="a', undefined],
  ['text/plain; name=', undefined],
  ['text/plain; =a', undefined],
  ['text/plain\r\nX: y', undefined],
  ['text/plain; ä=b', undefined],
])('the media type %s', (type, parts) => expect(mediaTypeParts(type)).toEqual(parts))

test('a reader of the mail gets the type, its parameters and the file', async () => {
  const attachments = [
    'text/calendar; charset=UTF-8; method=REQUEST; name="Einladung für Köln und Düsseldorf und Würzburg.ics"',
  ].map((contentType) => ({ filename: 'Einladung für Köln.ics', contentType, content: 'QkVHSU46VkNBTEVOREFSDQo=' }))
  const { text } = buildMail({ ...mail, attachments })
  expect(text).toMatch(
    /\r\nContent-Type: text\/calendar;\r\n charset=UTF-8;\r\n method=REQUEST;\r\n name\*0\*=utf-8''E/,
  )
  expect(text).toMatch(/^[\t\r\n -~]*$/)
  const [attachment] = (await PostalMime.parse(text)).attachments
  expect(attachment).toMatchObject({ mimeType: 'text/calendar', method: 'REQUEST', filename: 'Einladung für Köln.ics' })
  expect(Buffer.from(attachment?.content as ArrayBuffer).toString()).toBe('BEGIN:VCALENDAR\n')
})

test.each(['(', '(\\', '"', '"\\', '<', '<a>', '<a> ', ',', 'ö', '=?', 'a/b; c=d', '; ', 'a@b.c,', 'a:b,'])(
  '100 kB of %j is read in time that grows with its length',
  async (part) => {
    const text = `ö${part.repeat(100_000 / part.length)}`
    for (const name of ['List-Id', 'List-Post', 'Keywords', 'Errors-To', 'References'])
      await withinWork(200, () => {
        try {
          customHeader(name, text)
        } catch (error) {
          expect(error).toBeInstanceOf(MailInvalid)
        }
      })
    await withinWork(200, () => mediaTypeParts(`text/plain${text}`))
  },
)
