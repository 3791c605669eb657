/** A mail of a mail server, taken apart within limits: its headers, its words, and the parts of a report. */
import { Parser } from 'htmlparser2'
import type { Attachment, Email } from 'postal-mime'
import { fieldGroups, type ReportFields } from './report-fields.ts'

export interface ParsedMail {
  from: { address: string; name: string }
  subject: string
  /** The plain text, or HTML without its tags. */
  text: string
  headers(name: string): string[]
  has(...types: readonly string[]): boolean
  /** The text of the first part of one of these types. */
  part(...types: readonly string[]): string | undefined
  /** The header of the mail that it returns. */
  returned: ReportFields
}

/** The report stands before the mail that it returns, of which only the header counts. */
export const REPORT_BYTES_MAX = 131_072
/** A report has three parts, and each of them few parts of its own. */
const LIMITS = { maxNestingDepth: 8, maxHeadersSize: 65_536, forceRfc822Attachments: true } as const
const PARTS_MAX = 100
const RETURNED_HEADER_MAX = 32_768
/** A hundred recipients, each with a long reason. */
const FIELDS_MAX = 65_536
/** A hundred recipients in words. */
const WORDS_MAX = 32_768
/** The parser takes its time for each line: 3,000 have room for every report, and take some 50 ms at most. */
const LINES_MAX = 3_000

/** Undefined for what is no mail. Never throws. Reads only the first `REPORT_BYTES_MAX` bytes, and some thousand lines of them. */
export async function parseMail(raw: Buffer): Promise<ParsedMail | undefined> {
  const mail = await parse(beginOf(raw))
  if (!mail) return undefined
  const find = (types: readonly string[]) => mail.attachments.find(({ mimeType }) => types.includes(mimeType))
  const part = (...types: readonly string[]) => {
    const attachment = find(types)
    return attachment && textOf(attachment).slice(0, FIELDS_MAX)
  }
  const returned = part('message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers')
  return {
    from: { address: mail.from?.address ?? '', name: mail.from?.name ?? '' },
    subject: (mail.subject ?? '').slice(0, 1_000),
    text: decoded(textOfMail(mail, raw)).slice(0, WORDS_MAX),
    headers: (name) => mail.headers.filter(({ key }) => key === name).map(({ value }) => value),
    has: (...types) => find(types) !== undefined,
    part,
    returned: fieldGroups((returned ?? '').slice(0, RETURNED_HEADER_MAX).trimStart())[0] ?? new Map(),
  }
}

function beginOf(raw: Buffer): Buffer {
  const begin = raw.subarray(0, REPORT_BYTES_MAX)
  let end = -1
  for (let line = 0; line < LINES_MAX; line += 1) {
    end = begin.indexOf(10, end + 1)
    if (end === -1) return begin
  }
  return begin.subarray(0, end + 1)
}

async function parse(raw: Buffer): Promise<Email | undefined> {
  if (hasManyParts(raw)) return undefined
  // Loaded with the first mail that comes in: most servers receive none.
  const { default: PostalMime } = await import('postal-mime')
  try {
    const mail = await PostalMime.parse(raw, LIMITS)
    return mail.headers.length > 0 ? mail : undefined
  } catch {
    // A limit was exceeded; broken mails are read as far as they go.
    return undefined
  }
}

/** Whether one boundary opens many parts: lines of a text that begin with hyphens are seldom alike. */
function hasManyParts(raw: Buffer): boolean {
  const counts = new Map<string, number>()
  for (const [line] of raw.toString('latin1').matchAll(/^--[^\r\n]{1,70}/gm)) {
    const count = (counts.get(line) ?? 0) + 1
    if (count > PARTS_MAX) return true
    counts.set(line, count)
  }
  return false
}

function textOf({ content }: Attachment): string {
  return decoded(typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8'))
}

const JAPANESE = '\u001b$'

/** Servers in Japan write ISO-2022-JP without saying so. Other bytes that are no UTF-8 are left out. */
function decoded(text: string): string {
  const whole = text.includes(JAPANESE) ? new TextDecoder('iso-2022-jp').decode(Buffer.from(text, 'latin1')) : text
  return whole.replaceAll('\uFFFD', '')
}

/** The text, or HTML without its tags; a mail that has lost the boundary of its parts has none, and is read as it came. */
function textOfMail({ text, html, attachments }: Email, raw: Buffer): string {
  if (text?.trim()) return text
  if (html) return withoutTags(html.slice(0, 2 * WORDS_MAX))
  if (attachments.length > 0) return ''
  const mail = raw.toString('utf8', 0, REPORT_BYTES_MAX)
  const body = mail.slice(/\r?\n\r?\n/.exec(mail)?.index ?? mail.length, REPORT_BYTES_MAX).slice(0, 2 * WORDS_MAX)
  return body.replace(/^(?:--|Content-|charset=)[^\n]*\n/gim, '')
}

/** Elements that begin a line, and end one. */
const LINES: ReadonlySet<string> = new Set('br p div tr td li table h1 h2 h3 h4 h5 h6'.split(' '))

function withoutTags(html: string): string {
  let text = ''
  let isCode = false
  const parser = new Parser({
    onopentagname(name) {
      isCode = name === 'style' || name === 'script'
      if (LINES.has(name) && name !== 'td') text += '\n'
    },
    ontext(words) {
      if (!isCode) text += words.replaceAll('\u00a0', ' ')
    },
    onclosetag(name, isImplied) {
      isCode = false
      if (LINES.has(name) && !isImplied) text += '\n'
    },
  })
  parser.end(html)
  return text
}
