/** What the MIME builder promises: readers get back exactly what went in, and nobody slips a header line in. */
import fc from 'fast-check'
import MailComposer from 'nodemailer/lib/mail-composer'
import PostalMime, { type Address, type Email } from 'postal-mime'
import { expect, test } from 'vitest'
import type { Mail, MailAddress } from '../../base/exchange.ts'
import { buildMail } from './mime.ts'

/** The project `long` runs more. */
const MIME_RUNS = process.env.POSTRIDER_TEST_LONG ? 10_000 : 400

const characters = fc.constantFrom(
  ...'abcXYZ019 .,;:-_=?<>@"\'\\()[]/+*&%$#!~{}|^`'.split(''),
  ...['é', 'ß', 'ж', '字', '𠮷', '👩‍👧', '🎉', 'ﷺ', '\u0301', '\u200b', '\u2028', '=?UTF-8?Q?x?=', 'From ', ' '],
)
const line = (max: number) => fc.array(characters, { maxLength: max }).map((all) => all.join(''))
const words = fc.oneof(
  line(12),
  line(90),
  fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replace(/[\p{C}]/gu, '')),
)
const bodyLine = fc.oneof(words, line(400), fc.constantFrom('.', '..', '', '--', '-- ', 'a\t', ' x', 'x'.repeat(1_500)))
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
      expect(readable(read)).toEqual(given(mail))
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

function given(mail: Mail): ReturnType<typeof readable> {
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
