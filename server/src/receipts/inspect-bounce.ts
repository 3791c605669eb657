/** The effect that a mail would have as a bounce, and why, without the secret key: for an operator who has the mail as a file. */
import { looksLikeBounceAddress, withoutBounceTokens } from './bounce-address.ts'
import { type AddressVerdict, judgeAddress, type ReportedRecipient } from './delivery-report.ts'
import { type MailReport, type NoReport, readMailReport } from './mail-report.ts'
import { parseMail } from './parsed-mail.ts'

export interface InspectedRecipient {
  addresses: readonly string[]
  action: ReportedRecipient['action']
  status: string | null
  error: string
  /** The end of the message, or its event. */
  result: 'HARD' | 'SOFT' | 'DEFERRED' | 'DELIVERED'
  /** The address that would be suppressed. */
  suppressed: string | null
  why: AddressVerdict | null
}

export interface InspectedBounce {
  kind: 'bounce' | 'complaint' | 'ignored'
  /** The form that was recognized, or why none was. */
  rule: Exclude<MailReport, { kind: 'none' }>['rule'] | NoReport
  from: string
  /** Without their tokens. None: the mail has an effect only where it is handed over to one. */
  bounceAddresses: readonly string[]
  recipients: readonly InspectedRecipient[]
  /** Addresses that a complaint would be looked up by. */
  complainants: readonly string[]
}

export interface InspectOptions {
  /** The address that the earlier mail was sent to. Without it, each one in the report is taken for it. */
  recipient?: string | undefined
  /** As the mail server handed it over; empty for that of a mail system. Without it, the mail is read as a posted one. */
  envelopeSender?: string | undefined
}

export async function inspectBounce(
  raw: Buffer,
  { recipient, envelopeSender }: InspectOptions = {},
): Promise<InspectedBounce> {
  const read = readMailReport(await parseMail(raw), envelopeSender)
  const report = isFromAddressee(read, recipient)
    ? { ...read, kind: 'none' as const, reason: 'auto_reply' as const }
    : read
  return {
    kind: report.kind === 'none' ? 'ignored' : report.kind === 'delivery' ? 'bounce' : 'complaint',
    rule: report.kind === 'none' ? report.reason : report.rule,
    from: report.from,
    bounceAddresses: report.senders.filter(looksLikeBounceAddress).map(withoutBounceTokens),
    recipients: report.kind === 'delivery' ? report.recipients.map((each) => inspectRecipient(each, recipient)) : [],
    complainants: report.kind === 'complaint' ? report.addresses : [],
  }
}

/** As the server decides by the token of the bounce address. */
function isFromAddressee(report: MailReport, recipient: string | undefined): boolean {
  if (report.kind !== 'delivery' || report.rule === 'status_report') return false
  const addressees = recipient === undefined ? report.recipients.flatMap(({ addresses }) => addresses) : [recipient]
  return addressees.some((address) => address.toLowerCase() === report.from.toLowerCase())
}

function inspectRecipient(reported: ReportedRecipient, recipient: string | undefined): InspectedRecipient {
  const { addresses, failing, action, status = null, error } = reported
  const addressee = (recipient ?? addresses.find((address) => !failing.includes(address)) ?? failing[0])?.toLowerCase()
  const inspected = { addresses, action, status, error: withoutBounceTokens(error) }
  if (action !== 'failed')
    return { ...inspected, result: action === 'delayed' ? 'DEFERRED' : 'DELIVERED', suppressed: null, why: null }
  const { verdict, gone } = judgeAddress(reported, (address) => address.toLowerCase() === addressee)
  return { ...inspected, result: gone ? 'HARD' : 'SOFT', suppressed: gone ? (failing[0] ?? null) : null, why: verdict }
}
