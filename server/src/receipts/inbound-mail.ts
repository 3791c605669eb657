/** A mail that came in, to the receipts that it stands for: only those of deliveries that its bounce address names. */
import { isObject } from '../base/json/json.ts'
import type { SecretKey } from '../base/secret.ts'
import { type Receipt, readJson } from '../providers/callback.ts'
import { type BounceToken, readBounceAddress, withoutBounceTokens } from './bounce-address.ts'
import { judgeAddress, type ReportedRecipient } from './delivery-report.ts'
import { type MailReport, type NoReport, readMailReport } from './mail-report.ts'
import { parseMail } from './parsed-mail.ts'
import { type UnrecognizedMail, unrecognizedMail } from './unrecognized-mail.ts'

export type InboundMail =
  | { kind: 'receipts'; receipts: readonly { workspaceId: number; receipt: Receipt }[] }
  /** `unknown`: it names no delivery of this installation. `copy`: it is about the copies of a mail alone. */
  | { kind: 'ignored'; reason: NoReport | 'unknown' | 'copy'; unrecognized?: UnrecognizedMail }

/** As the mail server handed it over. Empty where a mail was posted. */
export interface InboundEnvelope {
  recipients: readonly string[]
  /** Empty for the mail of a mail system. */
  sender?: string
}

/** Never throws. */
export async function readInboundMail(
  key: SecretKey,
  raw: Buffer,
  { recipients, sender }: InboundEnvelope,
  now: number,
): Promise<InboundMail> {
  const mail = await parseMail(raw)
  const report = readMailReport(mail, sender)
  const tokens = new Map<string, BounceToken>()
  for (const address of [...recipients, ...report.senders]) {
    const token = readBounceAddress(key, address)
    if (token) tokens.set(token.deliveryId, token)
  }
  if (report.kind === 'none') {
    const unrecognized = mail && unrecognizedMail(report, [...tokens.values()], mail, raw, sender)
    return { kind: 'ignored', reason: report.reason, ...(unrecognized && { unrecognized }) }
  }
  if (tokens.size === 0) return { kind: 'ignored', reason: 'unknown' }
  // A mail system does not write from the mailbox that it reports about.
  const isInSentences = report.kind === 'delivery' && report.rule !== 'status_report'
  if (isInSentences && [...tokens.values()].some(({ isAddressee }) => isAddressee(report.from)))
    return { kind: 'ignored', reason: 'auto_reply' }
  const receipts = [...tokens.values()].flatMap((token) =>
    receiptsFor(token, report, now).map((receipt) => ({ workspaceId: token.workspaceId, receipt })),
  )
  return receipts.length > 0 ? { kind: 'receipts', receipts } : { kind: 'ignored', reason: 'copy' }
}

type Report = Exclude<MailReport, { kind: 'none' }>

function receiptsFor(token: BounceToken, report: Report, at: number): Receipt[] {
  const { deliveryId, ofCopies, isShared } = token
  if (ofCopies) return []
  if (report.kind === 'complaint') {
    const kind = report.isOptOut ? 'unsubscribed' : 'complained'
    return [{ deliveryId, kind, at, ...suppressible(token, report.addresses) }]
  }
  const addressees = report.recipients.filter(({ addresses }) => addresses.some(token.isAddressee))
  // It is about the addressee, whose mail was forwarded: that address is no reason to suppress another.
  const isNamed = addressees.length > 0 || report.named.some(token.isAddressee)
  const others = isNamed || isShared ? [] : report.recipients.slice(0, 1)
  return [...addressees, ...others].map((recipient) => receiptFor(token, recipient, at))
}

/** The address that the token has the digest of: a report could name any, and everyone who received the mail can write one. */
function suppressible({ isShared, isAddressee }: BounceToken, addresses: readonly string[]): Pick<Receipt, 'address'> {
  const address = isShared ? undefined : addresses.find(isAddressee)
  return address === undefined ? {} : { address }
}

function receiptFor(token: BounceToken, recipient: ReportedRecipient, at: number): Receipt {
  const { deliveryId } = token
  const { action, failing } = recipient
  const error = withoutBounceTokens(recipient.error)
  if (action === 'delivered') return { deliveryId, kind: 'delivered', at }
  if (action === 'delayed') return { deliveryId, kind: 'delayed', at, error }
  const named = failing.every(token.isAddressee) ? suppressible(token, failing) : {}
  const { gone } = named.address === undefined ? {} : judgeAddress(recipient, token.isAddressee)
  return { deliveryId, kind: 'bounced', at, error, ...named, ...(gone && { gone }) }
}

/** Form fields in which services post a whole mail: Mailgun (a route to an address that ends in `mime`), SendGrid (raw). */
const FORM_FIELDS = ['body-mime', 'email'] as const

/** The mail in a POST: as it is, or as Mailgun, Postmark and SendGrid pass on mails. Undefined where there is none. */
export async function rawMailIn(contentType: string, body: Buffer): Promise<Buffer | undefined> {
  const type = contentType.split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'application/json') {
    const posted = readJson(body)
    // Postmark, where the raw content is included: https://postmarkapp.com/developer/webhooks/inbound-webhook
    return isObject(posted) && typeof posted.RawEmail === 'string' ? Buffer.from(posted.RawEmail) : undefined
  }
  if (type === 'multipart/form-data' || type === 'application/x-www-form-urlencoded') {
    const form = await formIn(contentType, body)
    const text = FORM_FIELDS.map((name) => form?.get(name)).find((value) => typeof value === 'string')
    return text === undefined ? undefined : Buffer.from(text as string)
  }
  return body.length > 0 ? body : undefined
}

async function formIn(contentType: string, body: Buffer): Promise<FormData | undefined> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData()
  } catch {
    return undefined
  }
}
