/** Promises of the MIME builder: readers get back exactly what went in, and no text becomes a header line of its own. */
import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer'
import PostalMime, { type Address, type Email } from 'postal-mime'
import { describe, expect, test } from 'vitest'
import { anyText } from '../any-text.harness.ts'
import type { Mail, MailAddress } from '../exchange.ts'
import { isLong } from '../long.harness.ts'
import { asciiAddress, buildMail, customHeader, MailInvalid, mailWithBcc, textHeader } from './mime.ts'

describe('a mail', () => {
  /** The project `long` runs more. */
  const MIME_RUNS = isLong ? 10_000 : 400

  const characters = fc.constantFrom(
    ...'abcXYZ019 .,;:-_=?<>@"\'\\()[]/+*&%$#!~{}|^`'.split(''),
    ...['é', 'ß', 'ж', '字', '𠮷', '👩‍👧', '🎉', 'ﷺ', '\u0301', '\u200b', '\u2028', '=?UTF-8?Q?x?=', 'From ', ' '],
  )
  const line = (max: number) => fc.array(characters, { maxLength: max }).map((all) => all.join(''))
  const words = fc.oneof(
    line(12),
    line(90),
    anyText(60).map((text) => text.replace(/[\p{C}]/gu, '')),
  )
  const bodyLine = fc.oneof(
    words,
    line(400),
    fc.constantFrom('.', '..', '', '--', '-- ', 'a\t', ' x', 'x'.repeat(1_500)),
  )
  const body = fc.array(bodyLine, { maxLength: 8 }).map((lines) => lines.join('\n'))
  const localPart = fc.stringMatching(/^[a-z0-9!#$%&'*+/=?^_`{|}~-]{1,12}(\.[a-z0-9+-]{1,8}){0,2}$/)
  const domain = fc.stringMatching(/^[a-z0-9]{1,8}(-[a-z0-9]{1,4})?\.(com|example|co\.uk)$/)
  const address: fc.Arbitrary<MailAddress> = fc
    .record({ name: fc.option(words, { nil: undefined }), local: localPart, domain })
    .map(({ name, local, domain }) => ({ ...(name === undefined ? {} : { name }), address: `${local}@${domain}` }))
  const addresses = fc.array(address, { minLength: 1, maxLength: 4 })
  const attachment = fc.record({
    // The reader decodes encoded words in file names, where they have no meaning.
    filename: words.filter((name) => name.trim() !== '' && !name.includes('=?')),
    contentType: fc.constantFrom('application/pdf', 'image/png', 'text/csv', 'application/x-y+z'),
    content: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64')),
    contentId: fc.option(fc.stringMatching(/^[a-z0-9]{1,10}@x$/), { nil: undefined }),
  })
  const mails: fc.Arbitrary<Mail> = fc
    .record(
      {
        messageId: fc.stringMatching(/^1-[0-9a-f]{8}-[0-9a-f]{24}@mail\.example$/),
        date: fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1_000),
        from: address,
        to: addresses,
        cc: addresses,
        replyTo: addresses,
        subject: words,
        html: body,
        text: body,
        attachments: fc.array(attachment, { maxLength: 3 }),
      },
      { requiredKeys: ['messageId', 'date', 'from', 'to', 'subject'] },
    )
    .map((mail) => mail as unknown as Mail)

  test(`${MIME_RUNS} random mails are read back as they were given, and as the mail composer of nodemailer has them`, async () => {
    await fc.assert(
      fc.asyncProperty(mails, async (mail) => {
        const built = buildMail(mail).text
        expectWellFormed(built)
        const read = await PostalMime.parse(built)
        expect(readable(read)).toEqual(expectedOf(mail))
        // The composer lets text that looks like an encoded word through as one.
        if (JSON.stringify(mail).includes('=?')) return
        const composed = await PostalMime.parse(await compose(mail))
        expect(comparable(read)).toEqual(comparable(composed))
      }),
      { numRuns: MIME_RUNS },
    )
  }, 600_000)

  /** ASCII, CRLF only, and lines that every server takes. */
  function expectWellFormed(text: string) {
    expect(/^[\t\r\n\x20-\x7e]*$/.test(text)).toBe(true)
    expect(/\r(?!\n)|(?<!\r)\n/.test(text)).toBe(false)
    expect(text.split('\r\n').every((line) => line.length <= 998)).toBe(true)
    const head = text.slice(0, text.indexOf('\r\n\r\n'))
    expect(head.split('\r\n').every((line) => line.trim() !== '')).toBe(true)
  }

  function compose(mail: Mail): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const composer = new MailComposer({
        ...mail,
        date: new Date(mail.date),
        messageId: `<${mail.messageId}>`,
        from: named(mail.from),
        to: mail.to.map(named),
        ...(mail.cc ? { cc: mail.cc.map(named) } : {}),
        ...(mail.replyTo ? { replyTo: mail.replyTo.map(named) } : {}),
        ...(mail.text === undefined && mail.html === undefined ? { text: '' } : {}),
        attachments: (mail.attachments ?? []).map(({ contentId, ...rest }) => ({
          ...rest,
          encoding: 'base64',
          ...(contentId === undefined ? {} : { cid: contentId }),
        })),
      })
      composer.compile().build((error, built) => (error ? reject(error) : resolve(built as Buffer)))
    })
  }

  const named = ({ name, address }: MailAddress) => ({ name: name ?? '', address })

  /** Blanks are where readers differ from each other: runs of them and outer ones carry no meaning in a header. */
  const blank = (text: string | undefined) => (text ?? '').replace(/\s+/g, ' ').trim()
  const bodyText = (text: string | undefined) => (text ?? '').replace(/\r\n/g, '\n').replace(/\n+$/, '')
  const readAddress = (entry: Address) => ({ name: blank(entry.name), address: entry.address })
  const givenAddress = (entry: MailAddress) => ({ name: blank(entry.name), address: entry.address })

  function readable(mail: Email) {
    return {
      messageId: mail.messageId,
      date: mail.date,
      from: mail.from && readAddress(mail.from),
      to: mail.to?.map(readAddress),
      cc: mail.cc?.map(readAddress) ?? [],
      replyTo: mail.replyTo?.map(readAddress) ?? [],
      subject: blank(mail.subject),
      text: bodyText(mail.text),
      html: bodyText(mail.html),
      attachments: mail.attachments.map((entry) => ({
        filename: blank(entry.filename ?? ''),
        contentType: entry.mimeType,
        content: Buffer.from(entry.content as ArrayBuffer).toString('base64'),
        contentId: entry.contentId,
      })),
    }
  }

  function expectedOf(mail: Mail): ReturnType<typeof readable> {
    const isInline = ({ contentId }: { contentId?: string }) => mail.html !== undefined && contentId !== undefined
    const attachments = mail.attachments ?? []
    // Inline ones stand inside the part of the HTML and so come first.
    const inOrder = [...attachments.filter(isInline), ...attachments.filter((entry) => !isInline(entry))]
    return {
      messageId: `<${mail.messageId}>`,
      date: new Date(mail.date).toISOString(),
      from: givenAddress(mail.from),
      to: mail.to.map(givenAddress),
      cc: mail.cc?.map(givenAddress) ?? [],
      replyTo: mail.replyTo?.map(givenAddress) ?? [],
      subject: blank(mail.subject),
      text: bodyText(mail.text),
      html: bodyText(mail.html),
      attachments: inOrder.map((entry) => ({
        filename: blank(entry.filename),
        contentType: entry.contentType,
        content: entry.content,
        contentId: entry.contentId === undefined ? undefined : `<${entry.contentId}>`,
      })),
    }
  }

  function comparable(mail: Email) {
    const read = readable(mail)
    return { ...read, attachments: read.attachments.map((entry) => JSON.stringify(entry)).sort() }
  }
})

describe('header lines', () => {
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
      needsUtf8: false,
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

  test('addresses beyond ASCII are UTF-8 in headers, a character a byte, their domains ASCII, and need SMTPUTF8', async () => {
    const to = [{ name: 'Jürgen', address: 'jürgen@bücher.example' }]
    const built = buildMail({ ...mail, to, bcc: [{ address: '用户@d.example' }] })
    expect(built).toMatchObject({
      needsUtf8: true,
      envelope: { from: 'hello@acme.example', to: ['jürgen@xn--bcher-kva.example', '用户@d.example'] },
    })
    expect(built.text).not.toMatch(/[^\0-\xff]/)
    const bytes = Buffer.from(built.text, 'latin1')
    expect(bytes.toString('utf8')).toContain('<jürgen@xn--bcher-kva.example>\r\n')
    expect((await PostalMime.parse(bytes)).to).toEqual([{ name: 'Jürgen', address: 'jürgen@xn--bcher-kva.example' }])
    expect(buildMail({ ...mail, replyTo: to }).needsUtf8).toBe(true)
    expect(() => asciiAddress({ address: 'jürgen@b.example' })).toThrow(MailInvalid)
  })

  test('blind copies are named only for an API that sends by the text', () => {
    const bcc = [{ address: 'b@c.example' }]
    expect(buildMail({ ...mail, bcc }).text).toBe(buildMail(mail).text)
    expect(mailWithBcc({ ...mail, bcc })).toBe(`Bcc: b@c.example\r\n${buildMail(mail).text}`)
    expect(mailWithBcc(mail)).toBe(buildMail(mail).text)
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

  test('copies with an envelope sender of their own have an envelope, which name each recipient once', () => {
    const [envelopeFrom, copiesFrom] = ['b+1@acme.example', 'b+2@acme.example']
    const cc = [{ address: 'c@d.example' }, { address: 'JANE@example.org' }, { address: 'e@d.example' }]
    const built = buildMail({ ...mail, envelopeFrom, copiesFrom, cc, bcc: [{ address: 'C@d.example' }] })
    expect([built.envelope, built.copies?.envelope]).toEqual([
      { from: envelopeFrom, to: ['jane@example.org'] },
      { from: copiesFrom, to: ['c@d.example', 'e@d.example'] },
    ])
    expect(built.copies).toMatchObject({ text: built.text, toAny: true })
    expect(buildMail({ ...mail, envelopeFrom, copiesFrom })).not.toHaveProperty('copies')
  })

  test('copies with an envelope of their own do not have the button that unsubscribes the addressee', () => {
    const headers = { 'list-unsubscribe': '<https://e.example/u>', 'List-Unsubscribe-Post': 'x', 'List-Id': 'news' }
    const cc = [{ address: 'c@d.example' }]
    const { text, copies } = buildMail({ ...mail, copiesFrom: 'b@acme.example', cc, headers })
    expect(text).toContain('list-unsubscribe: <https://e.example/u>\r\nList-Unsubscribe-Post: x\r\n')
    expect(copies?.text).toBe(text.replace(/list-unsubscribe.*\r\n/gi, ''))
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
})
