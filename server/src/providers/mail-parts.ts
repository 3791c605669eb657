/**
 * The common parts of mail providers: the channel, the recipient, and the parts of a mail read from overrides in one
 * strict form.
 */
import type { Mail, MailAddress, MailAttachment } from '../base/exchange.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { isReservedMailHeader, type LocalParts, parseMailAddress } from '../base/mail-address.ts'
import { mediaTypeParts } from '../base/mime/media-type.ts'
import { MailInvalid, mailWithBcc } from '../base/mime/mime.ts'
import { tooLarge } from './limits.ts'
import { nameFor } from './names-by-locale.ts'
import {
  type Attempt,
  type Composition,
  DraftInvalid,
  headersAt,
  isPresent,
  lineAt,
  objectAt,
  textAt,
} from './provider.ts'

/** Spread into the definition of a mail provider. */
export const mailProvider = {
  channels: ['email'],
  dialect: 'html',
  profileKeys: ['email'],
  contact: (profile: JsonObject): MailAddress | undefined =>
    typeof profile.email === 'string' ? parseMailAddress(profile.email) : undefined,
} as const

/** The same for a service that takes addresses beyond ASCII (SMTPUTF8). */
export const unicodeMailProvider = {
  ...mailProvider,
  contact: (profile: JsonObject): MailAddress | undefined =>
    typeof profile.email === 'string' ? parseMailAddress(profile.email, 'unicode') : undefined,
} as const

export interface SenderSettings {
  fromAddress: string
  fromName?: string
  fromNames?: string
  replyTo?: string
}

/** A mail without the fields that only SMTP needs. Lists may be empty, strings too. */
export type ComposedMail = Required<Omit<Mail, 'messageId' | 'date' | 'envelopeFrom' | 'copiesFrom'>>

/** The mail of a composition: options of the channel win over the settings. Throws `DraftInvalid`. */
export function composeMail(
  composition: Composition<MailAddress, SenderSettings>,
  localParts: LocalParts = 'ascii',
): ComposedMail {
  const { content, email, to, settings, locale } = composition
  const fromName = nameFor(settings.fromNames, locale) ?? settings.fromName
  return {
    from: addressAt(email.from, 'from', localParts) ?? {
      ...(fromName ? { name: fromName } : {}),
      address: settings.fromAddress,
    },
    to: [to],
    subject: lineAt(content.subject, 'subject') ?? '',
    html: content.html,
    text: content.text,
    replyTo: addressesAt(email.replyTo ?? settings.replyTo, 'replyTo', localParts),
    cc: addressesAt(email.cc, 'cc', localParts),
    bcc: addressesAt(email.bcc, 'bcc', localParts),
    attachments: attachmentsAt(email.attachments, 'attachments'),
    headers: mailHeadersAt(email.headers, 'headers'),
  }
}

/** `Ada <ada@example.com>`, the name in quotes where RFC 5322 needs them. */
export function formatAddress({ name, address }: MailAddress): string {
  if (!name) return address
  const phrase = /[()<>[\]:;@\\,."]/.test(name) ? `"${name.replace(/["\\]/g, '\\$&')}"` : name
  return `${phrase} <${address}>`
}

export const mailHeadersAt = (value: unknown, field: string) => headersAt(value, field, isReservedMailHeader)

/** For services that take one address for replies. */
export function oneReplyTo(addresses: readonly MailAddress[]): MailAddress | undefined {
  if (addresses.length > 1) throw new DraftInvalid('replyTo takes one mail address')
  return addresses[0]
}

/** The fields with content: no empty list, string or object. */
export function withoutEmpty(fields: JsonObject): JsonObject {
  const filled: JsonObject = {}
  for (const key in fields) {
    const value = fields[key]
    const isEmpty =
      !isPresent(value) || (Array.isArray(value) ? value.length === 0 : isObject(value) && isEmptyObject(value))
    if (!isEmpty) filled[key] = value
  }
  return filled
}

function isEmptyObject(value: JsonObject): boolean {
  for (const _ in value) return false
  return true
}

// SendGrid's bound for one request; a notification that needs more is a list.
const ADDRESSES_MAX = 1_000

/** `a@b.co`, `Ada <a@b.co>`, several with commas, `{ email | address, name }`, or an array of these. */
export function addressesAt(value: unknown, field: string, localParts: LocalParts = 'ascii'): MailAddress[] {
  if (!isPresent(value)) return []
  const items = Array.isArray(value) ? value : typeof value === 'string' ? splitList(value) : [value]
  if (items.length > ADDRESSES_MAX) throw new DraftInvalid(`${field} has more than ${ADDRESSES_MAX} addresses`)
  return items.map((item) => {
    const address = readAddress(item, field, localParts)
    if (!address) throw new DraftInvalid(`${field} has an invalid mail address`)
    return address
  })
}

export function addressAt(value: unknown, field: string, localParts?: LocalParts): MailAddress | undefined {
  const [first, second] = addressesAt(value, field, localParts)
  if (second) throw new DraftInvalid(`${field} takes one mail address`)
  return first
}

function readAddress(item: unknown, field: string, localParts: LocalParts): MailAddress | undefined {
  if (typeof item === 'string') return parseMailAddress(item, localParts)
  if (!isObject(item)) return undefined
  const text = item.email ?? item.address
  const parsed = typeof text === 'string' ? parseMailAddress(text, localParts) : undefined
  const name = lineAt(item.name, `${field}.name`)
  return parsed && { ...(name ? { name } : {}), address: parsed.address }
}

/** At commas outside of quotes. */
function splitList(text: string): string[] {
  const items: string[] = []
  let quoted = false
  let start = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\' && quoted) at++
    else if (text[at] === '"') quoted = !quoted
    else if (text[at] === ',' && !quoted) {
      items.push(text.slice(start, at))
      start = at + 1
    }
  }
  return [...items, text.slice(start)]
}

/** Accepts `{ filename, contentType, data }` of a channel and `{ filename, type, content }` of a provider. */
export function attachmentsAt(value: unknown, field: string): MailAttachment[] {
  if (!isPresent(value)) return []
  if (!Array.isArray(value)) throw new DraftInvalid(`${field} must be an array`)
  return value.map((item, index) => {
    if (!isObject(item)) throw new DraftInvalid(`${field}[${index}] must be an object`)
    return attachment(item, `${field}[${index}]`)
  })
}

function attachment(item: JsonObject, field: string): MailAttachment {
  const type = lineAt(item.contentType ?? item.content_type ?? item.type, `${field}.contentType`)
  const contentType = type === undefined ? 'application/octet-stream' : mediaTypeParts(type)?.join('; ')
  if (contentType === undefined) throw new DraftInvalid(`${field}.contentType must be a media type`)
  const contentId = lineAt(item.contentId ?? item.content_id ?? item.cid, `${field}.contentId`)
  const disposition = lineAt(item.disposition ?? item.contentDisposition, `${field}.disposition`)
  if (disposition !== undefined && disposition !== 'attachment' && disposition !== 'inline')
    throw new DraftInvalid(`${field}.disposition must be one of \`attachment\`, \`inline\``)
  return {
    filename: lineAt(item.filename ?? item.name, `${field}.filename`) ?? 'attachment',
    contentType,
    content: base64(item, field),
    ...(contentId ? { contentId: contentId.replace(/^<(.*)>$/, '$1') } : {}),
    ...(disposition ? { disposition } : {}),
  }
}

/** Base64 unless `encoding` names another, in canonical form: every decoder reads the same bytes. */
function base64(item: JsonObject, field: string): string {
  const content = textAt(item.content ?? item.data, `${field}.content`)
  // Neither files nor URLs are fetched: an attachment is part of the send.
  if (content === undefined) throw new DraftInvalid(`${field} has no content`)
  const encoding = textAt(item.encoding, `${field}.encoding`)?.toLowerCase() ?? 'base64'
  if (encoding === 'utf8' || encoding === 'utf-8') return Buffer.from(content, 'utf8').toString('base64')
  if (encoding !== 'base64') throw new DraftInvalid(`${field}.encoding must be one of \`base64\`, \`utf-8\``)
  const packed = content.replace(/\s+/g, '')
  // A remainder of one character holds no byte: the text was cut.
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(packed) || packed.replace(/=+$/, '').length % 4 === 1)
    throw new DraftInvalid(`${field}.content must be base64`)
  return Buffer.from(packed, 'base64').toString('base64')
}

/** The draft of a mail that Postrider builds itself; an override may have changed it. */
export type MimeDraft = { body: JsonObject; attachments?: unknown }

export function composeMimeMail(composition: Composition<MailAddress, SenderSettings>): MimeDraft {
  const { from, to, subject, html, text, ...optional } = composeMail(composition, 'unicode')
  return { body: { from, to, subject, html, text, ...withoutEmpty(optional) } }
}

/** Attachments stand in the body of the draft, or beside it. Throws `DraftInvalid`. */
export function mimeMailOf<Settings>({ draft, message, now }: Attempt<MailAddress, MimeDraft, Settings>): Mail {
  const body = objectAt(draft, 'body')
  const from = addressAt(body.from, 'from', 'unicode')
  if (!from) throw new DraftInvalid('from is missing')
  const to = addressesAt(body.to, 'to', 'unicode')
  if (to.length === 0) throw new DraftInvalid('to is missing')
  const html = textAt(body.html, 'html')
  const text = textAt(body.text, 'text')
  const lists = {
    replyTo: addressesAt(body.replyTo ?? body.reply_to, 'replyTo', 'unicode'),
    cc: addressesAt(body.cc, 'cc', 'unicode'),
    bcc: addressesAt(body.bcc, 'bcc', 'unicode'),
  }
  const attachments = [draft.attachments, body.attachments].flatMap((list) => attachmentsAt(list, 'attachments'))
  return {
    messageId: `${message.deliveryId}@${from.address.slice(from.address.lastIndexOf('@') + 1)}`,
    date: now,
    from,
    to,
    subject: lineAt(body.subject, 'subject') ?? '',
    ...(html === undefined ? {} : { html }),
    ...(text === undefined && html !== undefined ? {} : { text: text ?? '' }),
    ...Object.fromEntries(Object.entries(lists).filter(([, items]) => items.length > 0)),
    headers: mailHeadersAt(body.headers, 'headers'),
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

/**
 * The bytes of the mail with its blind copies, for an API that reads the recipients from it, in base64. Throws
 * `DraftInvalid`, also for content that fits into no request: encoding it would take seconds.
 */
export function mimeBytes(mail: Mail, requestBytesMax: number, service: string): Buffer {
  const bytesMax = Math.floor((requestBytesMax * 3) / 4)
  const bytes = contentBytes(mail)
  if (bytes > bytesMax) throw new DraftInvalid(tooLarge('The mail', bytes, bytesMax, 'bytes', service))
  try {
    return Buffer.from(mailWithBcc(mail), 'latin1')
  } catch (error) {
    if (error instanceof MailInvalid) throw new DraftInvalid(error.message)
    throw error
  }
}

/** At least as many are in the mail. */
const contentBytes = ({ html = '', text = '', attachments = [] }: Mail): number =>
  Buffer.byteLength(html) + Buffer.byteLength(text) + attachments.reduce((sum, { content }) => sum + content.length, 0)
