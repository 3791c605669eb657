/** Mails that Postrider builds itself, as MIME: their draft, and the mail of a draft that an override has changed. */
import type { Mail, MailAddress } from '../base/exchange.ts'
import type { JsonObject } from '../base/json/json.ts'
import { MailInvalid, mailWithBcc } from '../base/mime/mime.ts'
import { tooLarge } from './limits.ts'
import {
  addressAt,
  addressesAt,
  attachmentsAt,
  composeMail,
  mailHeadersAt,
  type SenderSettings,
  withoutEmpty,
} from './mail-parts.ts'
import { type Attempt, type Composition, DraftInvalid, lineAt, objectAt, textAt } from './provider.ts'

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
