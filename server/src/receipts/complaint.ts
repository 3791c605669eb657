/** Complaints of readers, as mailbox providers send them back: reports (RFC 5965), and the older form of Microsoft without one. */
import { complaintKind } from '../providers/mail-events.ts'
import type { ParsedMail } from './parsed-mail.ts'
import { addressesIn, fieldGroups } from './report-fields.ts'

export interface Complaint {
  isOptOut: boolean
  /** That it may be about. */
  addresses: readonly string[]
  /** Envelope senders of the earlier mail. */
  senders: readonly string[]
}

export const hasFeedbackReport = (mail: ParsedMail): boolean => mail.has('message/feedback-report')

/** Undefined for a report of another type. */
export function complaintIn(mail: ParsedMail): Complaint | undefined {
  const [report = new Map<string, string[]>()] = fieldGroups(mail.part('message/feedback-report') ?? '')
  // A comment may stand behind it.
  const [type] = /^[\w-]+/.exec(report.get('feedback-type')?.[0] ?? '') ?? []
  const kind = type === undefined ? undefined : complaintKind(type)
  if (kind === undefined) return undefined
  return {
    isOptOut: kind === 'unsubscribed',
    senders: addressesIn(report.get('original-mail-from') ?? []),
    addresses: addressesIn([...(report.get('original-rcpt-to') ?? []), ...returnedTo(mail)]),
  }
}

const returnedTo = ({ returned }: ParsedMail): readonly string[] => [
  ...(returned.get('to') ?? []),
  ...(returned.get(ORIGINAL_RECIPIENT) ?? []),
]

/** https://sendersupport.olc.protection.outlook.com/snds/JMRP.aspx */
const ORIGINAL_RECIPIENT = 'x-hmxmroriginalrecipient'
/** A person who forwards such a mail has another address and another subject. */
const MICROSOFT = { from: /^staff@hotmail\.com$/i, subject: /^\s*complaint about message from\b/i } as const

/** The mail that a reader complained about, sent by Microsoft as it is, with the recipient in a header. */
export function bareComplaintIn(mail: ParsedMail): Complaint | undefined {
  if (!MICROSOFT.from.test(mail.from.address) || !MICROSOFT.subject.test(mail.subject)) return undefined
  if (!mail.returned.has(ORIGINAL_RECIPIENT)) return undefined
  return { isOptOut: false, senders: [], addresses: addressesIn(returnedTo(mail)) }
}
