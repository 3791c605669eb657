/**
 * Builds a mail as the bytes an SMTP server takes: CRLF lines, the same input giving the same bytes, and ASCII, but for
 * addresses beyond it.
 */
import { hash } from 'node:crypto'
import libmime from 'libmime'
import libqp from 'libqp'
import type { Mail, MailAddress, MailAttachment } from '../exchange.ts'
import { checkAddress, isAsciiAddress, isReservedMailHeader } from '../mail-address.ts'
import { extendedParameter, mediaTypeParts } from './media-type.ts'
import { type HeaderPart, headerParts } from './structured-headers.ts'

export interface Envelope {
  from: string
  to: string[]
}

export interface BuiltMail {
  envelope: Envelope
  /** One recipient is enough: those of `envelope` are copies. */
  toAny?: boolean
  /** The mail of copies that are handed over by themselves. */
  copies?: Omit<BuiltMail, 'copies'>
  /** A character a byte, without the dots that SMTP adds. */
  text: string
  /** An address in it is beyond ASCII: the server must have SMTPUTF8. */
  needsUtf8: boolean
}

/** RFC 5321 §4.5.3.1.8: every server takes a hundred. */
const RECIPIENTS_MAX = 100

/** Throws `MailInvalid`. */
export function buildMail(mail: Mail): BuiltMail {
  // No person has two mailboxes whose addresses differ by case.
  const recipients = new Map<string, string>()
  for (const group of [mail.to, mail.cc, mail.bcc])
    for (const recipient of group ?? []) {
      const address = envelopeAddress(recipient)
      if (!recipients.has(address.toLowerCase())) recipients.set(address.toLowerCase(), address)
    }
  const to = [...recipients.values()]
  if (mail.to.length === 0) throw new MailInvalid('The mail has no recipient')
  if (to.length > RECIPIENTS_MAX) throw new MailInvalid(`The mail has more than ${RECIPIENTS_MAX} recipients`)
  const sender = envelopeAddress(mail.from)
  const from = mail.envelopeFrom === undefined ? sender : envelopeAddress({ address: mail.envelopeFrom })
  const isAscii = [sender, from, ...to].every(isAsciiAddress)
  const content = body(mail)
  const head = headers(mail)
  // Everything in it but addresses is ASCII.
  const needsUtf8 = !isAscii || !isAsciiAddress(head)
  const whole = { envelope: { from, to }, text: `${head}${content}`, needsUtf8 }
  if (mail.copiesFrom === undefined || to.length === 1) return whole
  const copiesFrom = envelopeAddress({ address: mail.copiesFrom })
  return {
    ...whole,
    envelope: { from, to: to.slice(0, 1) },
    copies: {
      envelope: { from: copiesFrom, to: to.slice(1) },
      toAny: true,
      text: `${headers({ ...mail, headers: headersOfCopies(mail) })}${content}`,
      needsUtf8,
    },
  }
}

/** By `List-Unsubscribe`, which mail programs show as a button, the reader of a copy would unsubscribe the addressee. */
const headersOfCopies = ({ headers: all = {} }: Mail) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => !/^list-unsubscribe(?:-post)?$/i.test(name)))

/** For APIs that read the recipients from the text, and take the blind copies out of it. A character a byte. Throws `MailInvalid`. */
export function mailWithBcc(mail: Mail): string {
  const { text } = buildMail(mail)
  return mail.bcc?.length ? `${addressHeader('Bcc', mail.bcc)}${text}` : text
}

/** The bytes of an address, a character each. */
export const addressBytes = (address: string): string =>
  isAsciiAddress(address) ? address : Buffer.from(address, 'utf8').toString('latin1')

function envelopeAddress({ address }: MailAddress): string {
  const checked = checkAddress(address, 'unicode')
  if (checked === undefined) throw new MailInvalid('The mail holds an address that is not valid')
  return checked
}

function headers(mail: Mail): string {
  if (!/^[!-;=?A-~]+@[!-;=?A-~]+$/.test(mail.messageId) || mail.messageId.length > 250)
    throw new MailInvalid('The message id is not valid')
  const date = new Date(mail.date)
  if (Number.isNaN(date.getTime())) throw new MailInvalid('The date is not valid')
  let text = `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\n`
  text += addressHeader('From', [mail.from])
  text += addressHeader('To', mail.to)
  if (mail.cc?.length) text += addressHeader('Cc', mail.cc)
  if (mail.replyTo?.length) text += addressHeader('Reply-To', mail.replyTo)
  text += textHeader('Subject', mail.subject)
  text += `Message-ID: <${mail.messageId}>\r\n`
  for (const [name, value] of Object.entries(mail.headers ?? {})) text += customHeader(name, value)
  return `${text}MIME-Version: 1.0\r\n`
}

/** mixed(alternative(text, related(html, inline …)), attachment …), each level only where it holds several. */
function body(mail: Mail): string {
  // Message ids are unique, and an author cannot guess their digest.
  const boundary = `=_${hash('sha256', mail.messageId).slice(0, 32)}`
  const inline: string[] = []
  const attached: string[] = []
  for (const attachment of mail.attachments ?? []) {
    if (mail.html !== undefined && belongsToHtml(attachment)) inline.push(attachmentPart(attachment, true))
    else attached.push(attachmentPart(attachment, attachment.disposition === 'inline'))
  }
  const alternatives: string[] = []
  if (mail.text !== undefined || mail.html === undefined)
    alternatives.push(textPart('plain', mail.text ?? '', boundary))
  if (mail.html !== undefined)
    alternatives.push(multipart('related', [textPart('html', mail.html, boundary), ...inline], `${boundary}r`))
  return multipart('mixed', [multipart('alternative', alternatives, `${boundary}a`), ...attached], `${boundary}m`)
}

const belongsToHtml = ({ contentId, disposition }: MailAttachment) =>
  contentId !== undefined && disposition !== 'attachment'

/** A lone part stands for itself. */
function multipart(subtype: 'mixed' | 'alternative' | 'related', parts: readonly string[], boundary: string): string {
  if (parts.length === 1 && parts[0] !== undefined) return parts[0]
  let text = `Content-Type: multipart/${subtype}; boundary="${boundary}"\r\n\r\n`
  for (const part of parts) text += `--${boundary}\r\n${part}\r\n`
  return `${text}--${boundary}--\r\n`
}

/** Text as it stands when it is ASCII with short lines, else quoted-printable, or base64 where most is not ASCII. */
function textPart(subtype: 'plain' | 'html', content: string, boundary: string): string {
  const text = content.includes('\r') ? content.replace(/\r\n?|\n/g, '\r\n') : content.replaceAll('\n', '\r\n')
  const type = `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: `
  // A body that holds its own boundary is encoded: neither encoding can spell one.
  if (/^[\t\r\n\x20-\x7e]*$/.test(text) && hasShortLines(text) && !text.includes(boundary))
    return `${type}7bit\r\n\r\n${text}`
  if (Buffer.byteLength(text) > text.length * 1.25)
    return `${type}base64\r\n\r\n${base64Lines(Buffer.from(text).toString('base64'))}`
  return `${type}quoted-printable\r\n\r\n${libqp.wrap(libqp.encode(text))}`
}

function attachmentPart(attachment: MailAttachment, isInline: boolean): string {
  const { filename, contentType, contentId } = attachment
  const parts = mediaTypeParts(contentType)
  if (parts === undefined || contentType.length > 1_000)
    throw new MailInvalid('The content type of an attachment is not valid')
  // RFC 2046 §5.1, §5.2: these may not be in base64, and a reader would take them apart.
  const type = /^(?:multipart|message)\//i.test(contentType.trim()) ? 'application/octet-stream' : typeOf(parts)
  let head = `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: ${isInline ? 'inline' : 'attachment'}`
  head += `${filenameParam(oneLine('The name of an attachment', filename))}\r\n`
  if (contentId !== undefined) {
    if (!/^[\x21-\x3b\x3d\x3f-\x7e]{1,200}$/.test(contentId)) throw new MailInvalid('A content id is not valid')
    head += `Content-ID: <${contentId}>\r\n`
  }
  return `${head}\r\n${base64Lines(strictBase64(attachment.content))}`
}

function filenameParam(filename: string): string {
  if (filename.length > 255) throw new MailInvalid('The name of an attachment is longer than 255 characters')
  if (!filename) return ''
  if (filename.length <= 60 && /^[\x20-\x7e]*$/.test(filename) && !filename.includes('=?'))
    return `;\r\n filename="${filename.replace(/["\\]/g, '\\$&')}"`
  return extendedParameter('filename', filename)
    .map((piece) => `;\r\n ${piece}`)
    .join('')
}

function typeOf(parts: readonly string[]): string {
  const line = parts.join('; ')
  return line.length + 'Content-Type: '.length <= LINE ? line : parts.join(';\r\n ')
}

/** Node reads any text as base64 and leaves out what it does not understand, so the check comes first. */
function strictBase64(content: string): string {
  const text = /\s/.test(content) ? content.replace(/\s+/g, '') : content
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text))
    throw new MailInvalid('The content of an attachment is not base64')
  return text
}

function base64Lines(text: string): string {
  const lines: string[] = []
  for (let start = 0; start < text.length; start += 76) lines.push(text.slice(start, start + 76))
  return lines.join('\r\n')
}

function hasShortLines(text: string): boolean {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start)
    if ((end < 0 ? text.length : end - 1) - start > LINE_MAX) return false
    if (end < 0) return true
    start = end + 1
  }
  return true
}

/** The mail cannot be built; the message names the invalid part. */
export class MailInvalid extends Error {
  override readonly name = 'MailInvalid'
}

/** RFC 5322 §2.1.1: 78 should, 998 must, both without the line break. */
const LINE = 78
const LINE_MAX = 998
/** RFC 2047 §2: a line that holds an encoded word has at most 76 characters; 12 of them frame the word. */
const ENCODED_BYTES_MAX = 45

/** A line of free text: subject, or a custom header. */
export function textHeader(name: string, value: string): string {
  const text = oneLine(name, value)
  if (isPlain(text)) return foldWords(name, text)
  return `${name}:${encodedWords(text, name.length + 1)}\r\n`
}

/** A header of the sender's own choice. */
export function customHeader(name: string, value: string): string {
  if (!/^[A-Za-z0-9-]{1,76}$/.test(name) || isReservedMailHeader(name))
    throw new MailInvalid(`The header ${JSON.stringify(name.slice(0, 76))} cannot be set`)
  const text = oneLine(name, value)
  if (!isPlain(text) || /<[^>]*\s/.test(text)) {
    const parts = headerParts(name, text)
    if (parts?.length === 0) throw new MailInvalid(`The header ${name} holds no message id in ASCII`)
    if (parts) return structuredHeader(name, parts)
  }
  if (/^[\x20-\x7e]*$/.test(text) && hasLongWord(text))
    throw new MailInvalid(`The header ${name} holds a word that fits on no line`)
  return textHeader(name, text)
}

/** Addresses and links stay as they are, which encoded words would break. */
function structuredHeader(name: string, parts: readonly HeaderPart[]): string {
  const pieces = [`${name}:`]
  let column = name.length + 1
  for (const part of parts) {
    const text = partOf(name, part, column)
    if (hasLongWord(text)) throw new MailInvalid(`The header ${name} holds a word that fits on no line`)
    const fits = column + 1 + (text.split('\r\n', 1)[0] ?? '').length < LINE
    const before = 'glued' in part ? '' : fits || pieces.length === 1 ? ' ' : '\r\n '
    const lastLine = text.lastIndexOf('\n')
    column = lastLine < 0 ? (before === '\r\n ' ? 1 : column + before.length) + text.length : text.length - lastLine - 1
    pieces.push(before, text)
  }
  return `${pieces.join('')}\r\n`
}

function partOf(name: string, part: HeaderPart, column: number): string {
  if (part.kind === 'text') return part.text
  if (part.kind === 'address') return formatAddress(name, part.address)
  if (part.kind === 'phrase') return phrase(part.text, column)
  if (isPlain(part.text)) return `(${part.text.replace(/[()\\]/g, '\\$&')})`
  return `(${encodedWords(part.text, column + 2).trimStart()})`
}

function addressHeader(name: string, addresses: readonly MailAddress[]): string {
  let header = `${name}:`
  let column = header.length
  addresses.forEach((address, index) => {
    const text = formatAddress(name, address) + (index < addresses.length - 1 ? ',' : '')
    const firstLine = text.indexOf('\r\n')
    const fits = column + 1 + (firstLine < 0 ? text.length : firstLine) <= LINE
    header += fits || index === 0 ? ` ${text}` : `\r\n ${text}`
    column = header.length - (header.lastIndexOf('\n') + 1)
  })
  return `${header}\r\n`
}

/** `Name <a@b.c>` in ASCII and one line, for an API that takes addresses as they stand in a header. */
export function asciiAddress(address: MailAddress): string {
  if (!isAsciiAddress(address.address)) throw new MailInvalid('The address is not in ASCII')
  return formatAddress('', address).replaceAll('\r\n', '')
}

/** `Name <a@b.c>` as one element of a list, the address in UTF-8 (RFC 6532). */
function formatAddress(header: string, { name, address }: MailAddress): string {
  const valid = checkAddress(address, 'unicode')
  if (valid === undefined) throw new MailInvalid(`${header} holds an address that is not valid`)
  const checked = addressBytes(valid)
  const text = oneLine(header, name ?? '').trim()
  if (!text) return checked
  const written = phrase(text, header.length + 2)
  return isShort(text) ? `${written} <${checked}>` : `${written}\r\n <${checked}>`
}

const isShort = (text: string) => text.length <= 60 && isPlain(text)

/** Words before an address, quoted or encoded where they have to be; more than one line where they are long. */
function phrase(text: string, column: number): string {
  if (!isShort(text)) return encodedWords(text, column).trimStart()
  return /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+$/.test(text) ? text : `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Refuses what would begin another header line. */
function oneLine(name: string, value: string): string {
  if (/[\r\n\0]/.test(value)) throw new MailInvalid(`${name} holds a line break or a zero byte`)
  return value
}

/** Printable ASCII that a reader does not decode: no outer blanks, nothing like an encoded word. */
function isPlain(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$|^$/.test(text) && !text.includes('=?') && !hasLongWord(text)
}

function hasLongWord(text: string): boolean {
  return text.length > LINE_MAX - 80 && text.split(' ').some((word) => word.length > LINE_MAX - 80)
}

function foldWords(name: string, text: string): string {
  if (name.length + 2 + text.length <= LINE) return `${name}: ${text}\r\n`
  let folded = `${name}:`
  let column = folded.length
  // A break goes before a run of blanks, so that each line keeps a word.
  for (const word of ` ${text}`.match(/ +[^ ]+/g) ?? []) {
    const isFirst = folded.length === name.length + 1
    if (column + word.length > LINE && !isFirst) {
      folded += '\r\n'
      column = 0
    }
    folded += word
    column += word.length
  }
  return `${folded}\r\n`
}

/** Base64 words, one a line, cut between characters. The first shares its line with `column` others. */
function encodedWords(text: string, column: number): string {
  let encoded = ''
  let chunk = ''
  // Three bytes become four characters.
  let room = Math.max(Math.floor((LINE - 2 - column - 13) / 4) * 3, 0)
  let bytes = 0
  if (room < 12) {
    encoded = '\r\n'
    room = ENCODED_BYTES_MAX
  }
  for (const character of text) {
    const size = Buffer.byteLength(character)
    if (bytes + size > Math.min(room, ENCODED_BYTES_MAX)) {
      encoded += ` ${libmime.encodeWord(chunk, 'B')}\r\n`
      chunk = ''
      bytes = 0
      room = ENCODED_BYTES_MAX
    }
    chunk += character
    bytes += size
  }
  return `${encoded} ${libmime.encodeWord(chunk, 'B')}`
}
