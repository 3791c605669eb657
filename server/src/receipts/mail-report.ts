/** Reads mails of mail servers about an earlier mail: bounces and delays (RFC 3464), complaints (RFC 5965), and bounces of no standard where they are plain. */
import type { Attachment, Email } from 'postal-mime'
import { checkAddress } from '../base/mail-address.ts'
import { tidy } from '../providers/outcome.ts'

/** The fate of one address, as a mail server reports it. */
export interface ReportedRecipient {
  action: 'failed' | 'delayed' | 'delivered'
  /** Enhanced status code of RFC 3463. */
  status?: string
  /** The words of the mail server. */
  error: string
  /** As it was sent to, and as it was forwarded. */
  addresses: readonly string[]
}

interface Places {
  /** Where the envelope sender of the earlier mail may stand. */
  senders: readonly string[]
}

export type MailReport =
  | (Places & { kind: 'delivery'; recipients: readonly ReportedRecipient[] })
  | (Places & { kind: 'complaint'; isOptOut: boolean; addresses: readonly string[] })
  /** An answer of a person or of a program for one, a report about something else, or no mail. */
  | { kind: 'none'; reason: 'auto_reply' | 'no_report' | 'unreadable' }

/** The report stands before the mail that it returns, of which only the header counts. */
export const REPORT_BYTES_MAX = 131_072
/** A report has three parts, and each of them few parts of its own. */
const LIMITS = { maxNestingDepth: 8, maxHeadersSize: 65_536, forceRfc822Attachments: true } as const
const PARTS_MAX = 100
/** A mail has at most a hundred recipients. */
const GROUPS_MAX = 101
const RETURNED_HEADER_MAX = 32_768
/** A hundred recipients, each with a long reason. */
const FIELDS_MAX = 65_536
const TEXT_MAX = 4_096

/** Never throws. Reads only the first `REPORT_BYTES_MAX` bytes, and some thousand lines of them. */
export async function readMailReport(raw: Buffer): Promise<MailReport> {
  const mail = await parse(beginOf(raw))
  if (!mail) return { kind: 'none', reason: 'unreadable' }
  const part = (...types: readonly string[]) => mail.attachments.find(({ mimeType }) => types.includes(mimeType))
  const returned = returnedHeader(
    part('message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers'),
  )
  const senders = [...DESTINATIONS.flatMap((name) => headersOf(mail, name)), ...(returned.get('return-path') ?? [])]
  const status = part('message/delivery-status', 'message/global-delivery-status')
  if (status)
    return {
      kind: 'delivery',
      senders: addressesIn(senders),
      recipients: recipientsIn(textOf(status).slice(0, FIELDS_MAX)),
    }
  const feedback = part('message/feedback-report')
  if (feedback) return complaintIn(textOf(feedback).slice(0, FIELDS_MAX), returned, senders)
  if (part('message/disposition-notification')) return { kind: 'none', reason: 'no_report' }
  const recipient = plainBounce(mail)
  if (recipient) return { kind: 'delivery', senders: addressesIn(senders), recipients: [recipient] }
  return { kind: 'none', reason: isAutomatic(mail) ? 'auto_reply' : 'no_report' }
}

/** The parser takes its time for each line: 3,000 have room for every report, and take some 50 ms at most. */
const LINES_MAX = 3_000

function beginOf(raw: Buffer): Buffer {
  const begin = raw.subarray(0, REPORT_BYTES_MAX)
  let end = -1
  for (let line = 0; line < LINES_MAX; line += 1) {
    end = begin.indexOf(10, end + 1)
    if (end === -1) return begin
  }
  return begin.subarray(0, end + 1)
}

/** Headers in which servers write the address that a mail came in for. */
const DESTINATIONS = ['to', 'delivered-to', 'x-original-to', 'envelope-to', 'x-envelope-to', 'x-rcpt-to'] as const

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

const headersOf = (mail: Email, name: string): string[] =>
  mail.headers.filter(({ key }) => key === name).map(({ value }) => value)

function textOf({ content }: Attachment): string {
  return typeof content === 'string' ? content : Buffer.from(content as Uint8Array).toString('utf8')
}

type Fields = ReadonlyMap<string, readonly string[]>

/** Fields in groups that empty lines part, with lower-case names and unfolded values. */
function fieldGroups(text: string): Fields[] {
  const groups: Map<string, string[]>[] = []
  let group: Map<string, string[]> | undefined
  let values: string[] | undefined
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') group = values = undefined
    else if (/^[ \t]/.test(line)) {
      if (values) values.push(`${values.pop()} ${line.trim()}`)
    } else {
      const [, name, value = ''] = /^([!-9;-~]{1,100}):(.*)$/.exec(line) ?? []
      if (name === undefined) continue
      if (!group) {
        if (groups.length === GROUPS_MAX) break
        groups.push((group = new Map()))
      }
      values = group.get(name.toLowerCase()) ?? []
      values.push(value.trim())
      group.set(name.toLowerCase(), values)
    }
  }
  return groups
}

function returnedHeader(part: Attachment | undefined): Fields {
  if (!part) return new Map()
  const text = textOf(part).slice(0, RETURNED_HEADER_MAX).trimStart()
  return fieldGroups(text)[0] ?? new Map()
}

/** RFC 6533 §3: an address beyond ASCII in a report of ASCII, such as `j\\x{FC}rgen@example.com`. */
const decoded = (text: string): string =>
  text.replace(/\\x\{([0-9A-F]{1,5}|10[0-9A-F]{4})\}/gi, (_all, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )

/** The mail addresses in texts such as `Ada <ada@example.com>, bob@example.com` or `rfc822; ada@example.com`. */
function addressesIn(texts: readonly string[]): string[] {
  const addresses = texts.flatMap((text) =>
    [...decoded(text.slice(0, TEXT_MAX)).matchAll(/[^\s<>()[\],;:"]{1,64}@[^\s<>()[\],;:"]{1,253}/g)].map(([address]) =>
      checkAddress(address.replace(/[.'>]+$/, ''), 'unicode'),
    ),
  )
  return [...new Set(addresses.filter((address) => address !== undefined))]
}

/** RFC 3464 §2: the first group is about the mail, each other one about a recipient. */
function recipientsIn(text: string): ReportedRecipient[] {
  return fieldGroups(text).flatMap((group) => {
    const recipient = recipientIn(group)
    return recipient ? [recipient] : []
  })
}

function recipientIn(group: Fields): ReportedRecipient | undefined {
  const addresses = addressesIn([
    ...(group.get('original-recipient') ?? []),
    ...(group.get('final-recipient') ?? []),
    ...(group.get('x-actual-recipient') ?? []),
  ])
  const diagnostic = (group.get('diagnostic-code')?.[0] ?? '').replace(/^[\w-]{1,40}\s*;\s*/, '')
  const status = statusOf(group.get('status')?.[0] ?? '', diagnostic)
  const action = actionOf(group.get('action')?.[0] ?? '', status)
  if (!action || (!group.has('final-recipient') && addresses.length === 0)) return undefined
  const error = tidy(diagnostic) || (status ? `The mail server reported ${status}` : DEFAULT_ERRORS[action])
  return { action, ...(status !== undefined && { status }), error, addresses }
}

const DEFAULT_ERRORS: Record<ReportedRecipient['action'], string> = {
  failed: 'The mail server could not deliver the mail',
  delayed: 'The mail server has not delivered the mail yet',
  delivered: '',
}

const STATUS = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)/

/** A general code (`5.0.0`) is replaced by the one that the next server gave. */
function statusOf(field: string, diagnostic: string): string | undefined {
  const [, status] = STATUS.exec(field) ?? []
  const [, quoted] = STATUS.exec(diagnostic) ?? []
  const isGeneral = status === undefined || status.endsWith('.0.0')
  return isGeneral && quoted !== undefined && (status === undefined || quoted[0] === status[0]) ? quoted : status
}

/** RFC 3464 §2.3.3. Undefined for a mail that went on to where nothing is reported, or to a list. */
function actionOf(field: string, status: string | undefined): ReportedRecipient['action'] | undefined {
  const [word = ''] = /^[a-z]+/.exec(field.toLowerCase()) ?? []
  if (word === 'failed' || word === 'delayed' || word === 'delivered') return word
  if (word !== '') return undefined
  return status?.startsWith('5') ? 'failed' : status?.startsWith('4') ? 'delayed' : undefined
}

/** https://www.iana.org/assignments/marf-parameters: other types are no complaints of a person. */
const COMPLAINTS: ReadonlySet<string> = new Set(['abuse', 'fraud', 'virus'])
const OPT_OUTS: ReadonlySet<string> = new Set(['opt-out', 'opt-out-list'])

function complaintIn(text: string, returned: Fields, senders: readonly string[]): MailReport {
  const [report = new Map<string, string[]>()] = fieldGroups(text)
  const type = (report.get('feedback-type')?.[0] ?? '').toLowerCase()
  const isOptOut = OPT_OUTS.has(type)
  if (!isOptOut && !COMPLAINTS.has(type)) return { kind: 'none', reason: 'no_report' }
  return {
    ...{ kind: 'complaint', isOptOut },
    senders: addressesIn([...senders, ...(report.get('original-mail-from') ?? [])]),
    addresses: addressesIn([
      ...(report.get('original-rcpt-to') ?? []),
      ...(returned.get('to') ?? []),
      // Microsoft: https://sendersupport.olc.protection.outlook.com/snds/JMRP.aspx
      ...(returned.get('x-hmxmroriginalrecipient') ?? []),
    ]),
  }
}

const DAEMON = /^(?:mailer-daemon|mail-daemon|mdaemon|postmaster|mail\.daemon)@/i
/** A reply code with an enhanced one (`550 5.1.1`, `550-5.1.1`), or the code that qmail ends its reasons with. */
const PLAIN_CODE = /(?<![\d.])(?:5\d\d[ -]{1,3}#?(5\.\d{1,3}\.\d{1,3})|\(#(5\.\d{1,3}\.\d{1,3})\))(?!\.?\d)/
const RETURNED = /^(?:--[^\n]{0,100}?(?:copy|original|below|header|message)|(?:return-path|received):)/im

/** Sendmail of old, qmail, Exim without reports: a text of the mail system itself, with a code that is permanent. */
function plainBounce(mail: Email): ReportedRecipient | undefined {
  const failed = headersOf(mail, 'x-failed-recipients')
  const from = mail.from?.address ?? ''
  if (!DAEMON.test(`${from}${from.includes('@') ? '' : '@'}`) && failed.length === 0) return undefined
  const whole = (mail.text ?? '').slice(0, TEXT_MAX)
  const text = whole.slice(0, RETURNED.exec(whole)?.index)
  const match = PLAIN_CODE.exec(text)
  const status = match?.[1] ?? match?.[2]
  if (!match || status === undefined) return undefined
  const start = text.lastIndexOf('\n\n', match.index)
  const end = text.indexOf('\n\n', match.index)
  const error = tidy(text.slice(start + 1, end === -1 ? undefined : end))
  return { action: 'failed', status, error, addresses: addressesIn([...failed, text]) }
}

/** RFC 3834 §5, and the headers from before it. */
function isAutomatic(mail: Email): boolean {
  const [submitted = 'no'] = headersOf(mail, 'auto-submitted')
  if (!/^\s*no\b/i.test(submitted)) return true
  if (['x-autoreply', 'x-autorespond', 'x-auto-reply-from'].some((name) => headersOf(mail, name).length > 0))
    return true
  return headersOf(mail, 'precedence').some((value) => /auto[_-]?reply|bulk|junk|list/i.test(value))
}
