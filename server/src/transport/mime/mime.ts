/** Builds a mail as the bytes an SMTP server takes: pure ASCII, CRLF lines, the same input giving the same bytes. */
import { hash } from 'node:crypto'
import type { Mail, MailAddress, MailAttachment } from '../../base/exchange.ts'
import { checkAddress } from '../../base/mail-address.ts'
import { attachmentPart, textPart } from './body.ts'
import { addressHeader, customHeader, MailInvalid, textHeader } from './header.ts'

export interface BuiltMail {
  envelope: { from: string; to: string[] }
  /** ASCII, without the dots that SMTP adds. */
  text: string
}

/** RFC 5321 §4.5.3.1.8: every server takes a hundred. */
const RECIPIENTS_MAX = 100

/** Throws `MailInvalid`. */
export function buildMail(mail: Mail): BuiltMail {
  const to = new Set<string>()
  for (const group of [mail.to, mail.cc, mail.bcc]) for (const address of group ?? []) to.add(envelopeAddress(address))
  if (mail.to.length === 0) throw new MailInvalid('The mail has no recipient')
  if (to.size > RECIPIENTS_MAX) throw new MailInvalid(`The mail has more than ${RECIPIENTS_MAX} recipients`)
  return {
    envelope: { from: envelopeAddress(mail.from), to: [...to] },
    text: `${headers(mail)}${body(mail)}`,
  }
}

function envelopeAddress({ address }: MailAddress): string {
  const checked = checkAddress(address)
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
