/** Header lines of a mail: encoded where needed, folded, and never more than the one line they are meant to be. */
import libmime from 'libmime'
import type { MailAddress } from '../../base/exchange.ts'
import { checkAddress } from '../../base/mail-address.ts'
import { isReservedMailHeader } from '../../base/mail-header-names.ts'

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
  // Addresses and links in angle brackets must survive as they are, which encoded words would break.
  if (/^[\x20-\x7e]*$/.test(text) && hasLongWord(text))
    throw new MailInvalid(`The header ${name} holds a word that fits on no line`)
  return textHeader(name, text)
}

export function addressHeader(name: string, addresses: readonly MailAddress[]): string {
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

/** `Name <a@b.c>` as one element of a list. */
function formatAddress(header: string, { name, address }: MailAddress): string {
  const checked = checkAddress(address)
  if (checked === undefined) throw new MailInvalid(`${header} holds an address that is not valid`)
  const text = oneLine(header, name ?? '').trim()
  if (!text) return checked
  const isShort = text.length <= 60 && isPlain(text)
  if (isShort && /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~ -]+$/.test(text)) return `${text} <${checked}>`
  if (isShort) return `"${text.replace(/["\\]/g, '\\$&')}" <${checked}>`
  return `${encodedWords(text, header.length + 2).trimStart()}\r\n <${checked}>`
}

/** Refuses what would begin another header line. */
export function oneLine(name: string, value: string): string {
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
