/** Reads mails of mail servers about an earlier mail: bounces and delays (RFC 3464), complaints (RFC 5965), and bounces in words. */

import { says } from '../base/phrases.ts'
import { AT_SENDER } from '../providers/bounce-phrases.ts'
import { tidy } from '../providers/outcome.ts'
import { bareComplaintIn, type Complaint, complaintIn, hasFeedbackReport } from './complaint.ts'
import { addressesNamed, namesRecipient, type ReportedRecipient, recipientsIn, staysBy } from './delivery-report.ts'
import {
  codeIn,
  hasReplyHeader,
  isOfMailSystem,
  linesWith,
  type MailNotice,
  type ReportText,
  readNotice,
  reasonIn,
  reportText,
} from './notice.ts'
import { areAbout, forwardingsIn, REJECTION, SUBJECTS } from './notice-phrases.ts'
import type { ParsedMail } from './parsed-mail.ts'
import { addressesIn, fieldGroups } from './report-fields.ts'

interface Origin {
  /** Where the envelope sender of the earlier mail may stand. */
  senders: readonly string[]
  /** The address that the mail itself is from. */
  from: string
}

export type MailReport =
  | (Origin & {
      kind: 'delivery'
      rule: DeliveryRule
      recipients: readonly ReportedRecipient[]
      /** Also addresses that have the mail, or from which it went on. */
      named: readonly string[]
    })
  | (Origin & Complaint & { kind: 'complaint'; rule: 'feedback_report' | 'complaint_of_microsoft' })
  | (Origin & { kind: 'none'; reason: NoReport })

type DeliveryRule = 'status_report' | 'rejection' | Extract<MailNotice, { kind: 'failed' }>['rule']

/**
 * `auto_reply`: of a program for a person. `no_report`: the answer of a person, or a notice that was not understood.
 * `other_report`: that a mail was read, or that it failed a check.
 * `delay_warning`: in words, which change nothing. `no_result`: a report of a mail that went on.
 */
export type NoReport = 'auto_reply' | 'no_report' | 'other_report' | 'delay_warning' | 'no_result' | 'unreadable'

/** Headers in which servers write the address that a mail came in for. */
const DESTINATIONS = ['to', 'delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-rcpt-to'] as const

/** `envelopeSender`: where it is known; empty for that of a mail system. */
export function readMailReport(mail: ParsedMail | undefined, envelopeSender?: string): MailReport {
  if (!mail) return { kind: 'none', reason: 'unreadable', senders: [], from: '' }
  const senders = addressesIn([...DESTINATIONS.flatMap(mail.headers), ...(mail.returned.get('return-path') ?? [])])
  const origin = { senders, from: mail.from.address }
  const none = (reason: NoReport) => ({ kind: 'none', reason, ...origin }) as const
  const isReport = hasReportType(mail) || isOfMailSystem(mail, envelopeSender)
  const fields = mail.part('message/delivery-status', 'message/global-delivery-status')
  if (isReport && fields !== undefined && namesRecipient(fields)) {
    const recipients = withReasons(recipientsIn(fields), mail)
    return recipients.length > 0
      ? { kind: 'delivery', rule: 'status_report', ...origin, recipients, named: addressesNamed(fields) }
      : none('no_result')
  }
  if (isReport && hasFeedbackReport(mail)) {
    const complaint = complaintIn(mail)
    if (!complaint) return none('other_report')
    const all = [...new Set([...senders, ...complaint.senders])]
    return { kind: 'complaint', rule: 'feedback_report', ...origin, ...complaint, senders: all }
  }
  const disposition = mail.part('message/disposition-notification')
  if (disposition !== undefined) {
    const rejection = isReport ? rejectionIn(disposition, mail) : undefined
    return rejection
      ? { kind: 'delivery', rule: 'rejection', ...origin, recipients: [rejection], named: [] }
      : none('other_report')
  }
  const complaint = bareComplaintIn(mail)
  if (complaint) return { kind: 'complaint', rule: 'complaint_of_microsoft', ...origin, ...complaint, senders }
  const notice = readNotice(mail, envelopeSender)
  if (notice?.kind === 'failed')
    return { kind: 'delivery', ...origin, rule: notice.rule, recipients: notice.recipients, named: notice.named }
  if (notice) return none(notice.kind === 'delay' ? 'delay_warning' : 'no_result')
  return none(isAutomatic(mail) ? 'auto_reply' : 'no_report')
}

/** A person who forwards a report attaches its parts to a mail of another type. */
const hasReportType = ({ headers }: ParsedMail): boolean =>
  /^\s*(?:multipart\/report|message\/)/i.test(headers('content-type')[0] ?? '')

/** RFC 5429 §2.1: a filter of the recipient, or a full mailbox, rejects a mail by the notice that it was deleted. */
function rejectionIn(disposition: string, mail: ParsedMail): ReportedRecipient | undefined {
  const fields = (name: string) => fieldGroups(disposition).flatMap((group) => group.get(name) ?? [])
  const isDeleted = fields('disposition').some((value) => /^automatic-action\b[^;]*;\s*deleted\b/i.test(value))
  const words = [...mail.headers('auto-submitted'), mail.subject, mail.text]
  // Outlook deletes mails that its user has not read.
  if (!isDeleted || says(SUBJECTS.autoReply, mail.subject) || !words.some((each) => says(REJECTION, each)))
    return undefined
  const failing = addressesIn(fields('final-recipient'))
  const addresses = addressesIn([...fields('original-recipient'), ...failing])
  const stays = staysBy(mail.text)
  const error = tidy(mail.text) || 'The mail was rejected automatically'
  return { action: 'failed', error, addresses, failing, words: '', ...(stays && { stays }) }
}

/** The words have what the fields leave out: the reason beside a general code, the command that was answered, and a forwarding. */
function withReasons(recipients: readonly ReportedRecipient[], mail: ParsedMail): readonly ReportedRecipient[] {
  if (recipients.every(({ action }) => action !== 'failed')) return recipients
  const words = reportText(mail)
  return recipients.map((recipient) => (recipient.action === 'failed' ? withReason(recipient, words) : recipient))
}

function withReason(recipient: ReportedRecipient, words: ReportText): ReportedRecipient {
  const { failing, status, addresses } = recipient
  const next = failing.flatMap(words.next)
  if (next.length > 0) return { ...recipient, addresses: [...addresses, ...next], failing: next }
  const about = failing.map(words.about).join('\n')
  const codeInText = status === undefined || status.endsWith('.0.0') ? codeIn(about) : undefined
  const isMorePrecise = codeInText !== undefined && (status === undefined || codeInText[0] === status[0])
  const reason = isMorePrecise ? reasonIn(about, codeInText) : undefined
  const isForwarded =
    forwardingsIn(reason ?? '').length > 0 || areAbout([...forwardingsIn(about), ...words.forwardings], failing)
  const stays =
    recipient.stays ??
    (says(AT_SENDER, about) ? 'sender' : staysBy(`${reason ?? ''}\n${firstParagraph(about)}`)) ??
    (isForwarded ? 'on_the_way' : undefined)
  const precise = isMorePrecise && {
    ...{ status: codeInText, error: tidy(reason ?? '') || recipient.error },
    words: linesWith(reason ?? about, codeInText),
  }
  return { ...recipient, ...precise, ...(stays && { stays }) }
}

/** Behind it servers advise, and quote. */
const firstParagraph = (text: string): string => text.split(/\n\s*\n/, 1)[0] ?? ''

/** RFC 3834 §5, and the headers from before it. */
function isAutomatic(mail: ParsedMail): boolean {
  const [submitted = 'no'] = mail.headers('auto-submitted')
  if (!/^\s*no\b/i.test(submitted)) return true
  return hasReplyHeader(mail) || mail.headers('precedence').some((value) => /bulk|junk|list/i.test(value))
}
