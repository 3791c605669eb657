/** Bounces in words: a mail system that writes no report (RFC 3464) names the recipients and its reasons in sentences. */
import { addressMatches } from '../base/mail-address.ts'
import { says, startOf } from '../base/phrases.ts'
import { AT_SENDER } from '../providers/bounce-phrases.ts'
import { saysUnknownAddress } from '../providers/mail-events.ts'
import { tidy } from '../providers/outcome.ts'
import { type ReportedRecipient, recipientsInText, staysBy } from './delivery-report.ts'
import {
  areAbout,
  CHALLENGE,
  CONTACT,
  DELAY,
  FAILURE,
  FINAL,
  FINAL_NOW,
  FORWARD,
  forwardingsIn,
  HEADING,
  isDaemonMailbox,
  isDaemonName,
  NO_RECIPIENT,
  NOT_DELIVERED,
  ON_THE_WAY,
  RETURNED,
  SERVICE_MAILBOX,
  SUBJECTS,
  SUCCESS,
  TRACE,
} from './notice-phrases.ts'
import type { ParsedMail } from './parsed-mail.ts'
import { addressesIn, RECIPIENTS_MAX } from './report-fields.ts'

export type MailNotice =
  | {
      kind: 'failed'
      rule: 'notice_fields' | 'notice'
      recipients: readonly ReportedRecipient[]
      /** Beside them: addresses that have the mail. */
      named: readonly string[]
    }
  /** The mail system goes on trying. */
  | { kind: 'delay' }
  /** Fields of a report without a result, such as `Action: relayed`. */
  | { kind: 'no_result' }
  | undefined

/** `envelopeSender`: empty for the mail of a mail system; undefined where it is not known. */
export function readNotice(mail: ParsedMail, envelopeSender: string | undefined): MailNotice {
  const author = authorOf(mail, envelopeSender)
  if (author === 'person') return undefined
  const notice = noticeIn(mail, author)
  // A mailbox of a service may be a person's: it ends the message, and suppresses no address.
  if (notice?.kind !== 'failed' || author === 'daemon') return notice
  return { ...notice, recipients: notice.recipients.map((each) => ({ stays: 'unclear' as const, ...each })) }
}

function noticeIn(mail: ParsedMail, author: 'daemon' | 'service'): MailNotice {
  const text = noticeText(mail.text)
  const fromFields = recipientsInText(text)
  if (fromFields.length > 0) {
    const failed = fromFields.filter(({ action }) => action === 'failed')
    if (failed.length === 0)
      return { kind: fromFields.some(({ action }) => action === 'delayed') ? 'delay' : 'no_result' }
    const named = mail.headers('x-failed-recipients')
    const [isAtSender, forwardings] = [says(AT_SENDER, text), forwardingsIn(text)]
    const recipients = failed.map((each) => {
      const recipient = withNames(each, named)
      if (isAtSender) return { ...recipient, stays: 'sender' as const }
      return areAbout(forwardings, recipient.failing) ? { stays: 'on_the_way' as const, ...recipient } : recipient
    })
    return { kind: 'failed', rule: 'notice_fields', recipients, named: [] }
  }
  const isFailure =
    says(SUBJECTS.failure, mail.subject) || hasReason(text) || (author === 'daemon' && ANY_REPLY.test(text))
  if (says(SUCCESS, text) && !says(FINAL, text) && !hasCode(text)) return { kind: 'no_result' }
  if (says(CHALLENGE, text) && !hasCode(text)) return undefined
  if (!isFailure) return isDelaySubject(mail.subject) ? { kind: 'delay' } : undefined
  const { sections: byAddress, common } = walk(text, mail)
  const all = [...byAddress.values()]
  const sections = all.filter(({ mood }) => mood !== 'delivered')
  if (sections.length === 0 && all.length > 0) return { kind: 'no_result' }
  const named = all.filter(({ mood }) => mood === 'delivered').map(({ address }) => address)
  // Mail systems write about both kinds in one mail.
  const isFailedHere = ({ mood, lines }: Section) =>
    mood === 'failed' || (sections.length > 1 && isPermanent(joined(lines)) && !says(DELAY, joined(lines)))
  const hasFailed = sections.some(isFailedHere)
  const whole = `${mail.subject}\n${text}`
  const isDelayedHere = (section: Section) => {
    const words = joined(section.lines)
    if (section.mood !== undefined || isFailedHere(section)) return section.mood === 'delayed'
    return isForNow(words, whole) || (sections.length > 1 && isDelayed('', words))
  }
  if (sections.length > 0 ? sections.every(isDelayedHere) : isForNow(text, whole)) return { kind: 'delay' }
  // The subject may be that of the mail itself.
  const isContrary = !hasFailed && isDelayed(isPermanent(text) ? '' : mail.subject, text)
  // A warning is in other words than an answer that does not pass, and may be denied by them.
  const isWarning = isDelaySubject(mail.subject) || isDelaySubject(firstLine(text))
  if (isContrary && (isWarning || !isPermanent(text) || TEMPORARY.test(text))) return { kind: 'delay' }
  const forwardings = forwardingsIn(joined(common))
  const recipients =
    sections.length === 0
      ? [unnamed(common)]
      : sections.map((each) => recipientOf(each, common, forwardings, isDelayedHere(each) ? 'delayed' : 'failed'))
  const unclear = (recipient: ReportedRecipient) => ({ stays: 'unclear' as const, ...recipient })
  return { kind: 'failed', rule: 'notice', recipients: isContrary ? recipients.map(unclear) : recipients, named }
}

const withNames = (recipient: ReportedRecipient, named: readonly string[]): ReportedRecipient => {
  if (recipient.addresses.length > 0) return recipient
  const addresses = addressesIn(named)
  return { ...recipient, addresses, failing: addresses }
}

type Author = 'daemon' | 'service' | 'person'

/** Undefined where it is not known. */
function envelopeOf(mail: ParsedMail, envelopeSender: string | undefined): string | undefined {
  const sender = envelopeSender ?? mail.headers('return-path')[0]?.replace(/[<>\s]/g, '')
  // Postfix writes `MAILER-DAEMON` for the empty one.
  return sender !== undefined && isDaemonName(sender) ? '' : sender
}

const isDaemon = ({ from: { address, name } }: ParsedMail): boolean =>
  address.includes('@') ? isDaemonMailbox(address.split('@')[0] ?? '') : isDaemonName(address || name)

/** No person is a mailer daemon. */
const isMachine = (mail: ParsedMail): boolean => isDaemon(mail) && /daemon/i.test(mail.from.address || mail.from.name)

const isPerson = (envelope: string | undefined): boolean =>
  envelope !== undefined && envelope !== '' && !isDaemonMailbox(envelope.split('@')[0] ?? '')

/** Whether it wrote the parts of a report: a person who forwards them attaches them to a mail. */
export function isOfMailSystem(mail: ParsedMail, envelopeSender: string | undefined): boolean {
  const envelope = envelopeOf(mail, envelopeSender)
  if (SUBJECTS.reply.test(mail.subject)) return false
  return envelope === '' || mail.from.address === '' || isMachine(mail) || authorOf(mail, envelopeSender) === 'daemon'
}

/** By its names, its empty envelope sender or its subject: no one of them is in every notice, and a reader can write some. */
function authorOf(mail: ParsedMail, envelopeSender: string | undefined): Author {
  const { subject, from } = mail
  const [local = ''] = from.address.split('@')
  const byDaemon = isDaemon(mail)
  const envelope = envelopeOf(mail, envelopeSender)
  // An answer of a program repeats the subject that it answers, and a bounce the one that it returns: what comes first counts.
  const isAnswer = hasReplyHeader(mail) || startOf(SUBJECTS.autoReply, subject) < startOf(SUBJECTS.failure, subject)
  if (mail.headers('x-failed-recipients').length > 0) return byDaemon ? 'daemon' : 'service'
  if (isMachine(mail)) return isAnswer ? 'person' : 'daemon'
  const [submitted = 'no'] = mail.headers('auto-submitted')
  const [isAutomatic, isReply] = [!/^\s*no\b/i.test(submitted), /^\s*auto-replied/i.test(submitted)]
  // No person begins with a reply code.
  const isReplySubject = SUBJECTS.reply.test(subject) && !(byDaemon && /^5\d\d[ -]/m.test(mail.text))
  // People write as postmaster, too, and their programs answer.
  const isNotice = says(SUBJECTS.failure, subject) || says(SUBJECTS.notice, subject) || isDelaySubject(subject)
  if (isAnswer || isReplySubject || isPerson(envelope) || (isReply && !(byDaemon && isNotice))) return 'person'
  const isNull = envelope === ''
  // Its answer to a person is in words as well, and has a subject of its own. A person returns no mail.
  const isReturned = mail.returned.size > 0 || RETURNED.test(mail.text) || TRACE.test(mail.text)
  if (byDaemon) return isNotice && (isNull || isAutomatic || isReturned || local === '') ? 'daemon' : 'service'
  if (local === '') return isNull || isNotice ? 'daemon' : 'person'
  if (isDaemonName(from.name) && (isNull || isNotice)) return 'service'
  const text = noticeText(mail.text)
  if (isNotice) return (isNull || isAutomatic) && hasReason(text) ? 'service' : 'person'
  return isNull && !isAutomatic && SERVICE_MAILBOX.test(from.address) && says(NOT_DELIVERED, text)
    ? 'service'
    : 'person'
}

/** Headers from before RFC 3834, of programs that answer for a person. */
export const hasReplyHeader = (mail: ParsedMail): boolean =>
  ['x-autoreply', 'x-autorespond', 'x-auto-reply-from'].some((name) => mail.headers(name).length > 0) ||
  mail.headers('precedence').some((value) => /auto[_-]?reply/i.test(value))

const LINES_MAX = 1_000
const LINE_MAX = 1_000

/** The sentences of the mail system, without the mail that it returns and without what a person quotes. */
function noticeText(whole: string): string {
  const text = whole.slice(0, RETURNED.exec(whole)?.index)
  const lines = text.split(/\r?\n/, LINES_MAX).map((line) => line.slice(0, LINE_MAX).trimEnd())
  return lines.filter((line) => !/^[ \t]{0,4}>(?!>)/.test(line)).join('\n')
}

const firstLine = (text: string): string => /\S[^\n]*/.exec(text)?.[0] ?? ''

const isDelaySubject = (subject: string): boolean => says(SUBJECTS.delay, subject)

/** The first sentence says what it is: a warning may speak of the error to come, and a last notice of the attempts before. */
function isDelayed(subject: string, text: string): boolean {
  if (startOf(SUBJECTS.delay, subject) < startOf(SUBJECTS.failure, subject)) return true
  const words = text.replace(QUOTED, ' ')
  return startOf(DELAY, words) < startOf(FINAL, words) && !says(FINAL_NOW, words)
}

/** A subject in a sentence. */
const QUOTED = /["“][^"”\n]{1,200}["”]/g

/** Codes that pass, and no word of an end. */
const isForNow = (words: string, text: string): boolean =>
  TEMPORARY.test(words) && !isPermanent(words) && !says(FINAL, text.replace(QUOTED, ' '))

/** An answer that does not pass. */
const isPermanent = (text: string): boolean => REPLY.test(text) || answeredCodesIn(text).length > 0

interface Section {
  address: string
  /** Addresses that the mail came by. */
  via: Set<string>
  lines: string[]
  mood?: 'failed' | 'delayed' | 'delivered' | undefined
  /** The mail came by it: another address failed, which is not named. */
  isOnTheWay?: boolean
}

/** A line about many recipients is in the section of each. */
const SECTION_LINES_MAX = 60
const SHARED_LINES_MAX = 8
const SHARED_LINE_MAX = 200

interface Walk {
  sections: Map<string, Section>
  /** Lines about every recipient. */
  common: string[]
}

/** For a report whose fields say less. */
export interface ReportText {
  /** By address. */
  about(address: string): string
  /** Where a mail to that address went on to. */
  next(address: string): string[]
  /** Sentences about a forwarding beside these. */
  forwardings: readonly string[]
}

export function reportText(mail: ParsedMail): ReportText {
  const { sections, common } = walk(noticeText(mail.text), mail)
  const all = [...sections.values()]
  return {
    about: (address) => joined(sections.get(address.toLowerCase())?.lines ?? []),
    next: (address) => all.flatMap((section) => (isVia(section, address) ? section.address : [])),
    forwardings: forwardingsIn(joined(common)),
  }
}

const isVia = ({ address, via }: Section, other: string): boolean =>
  address.toLowerCase() !== other.toLowerCase() && [...via].some((each) => each.toLowerCase() === other.toLowerCase())

/** A line is about the recipients that it names, or else about those of the line before. */
function walk(text: string, mail: ParsedMail): Walk {
  const sections = new Map<string, Section>()
  const common: string[] = []
  const ignored = ownAddresses(mail)
  let current: Section[] = []
  let mood: Section['mood']
  let isList = false
  const sectionFor = (address: string): Section | undefined => {
    const key = address.toLowerCase()
    const before = sections.get(key)
    if (before || sections.size === RECIPIENTS_MAX) return before
    const section: Section = { address, via: new Set(), lines: [], mood }
    sections.set(key, section)
    return section
  }
  for (const header of mail.headers('x-failed-recipients'))
    for (const address of addressesIn([header])) sectionFor(address)
  let title: string | undefined
  const lines = text.split('\n')
  for (const [index, line] of lines.entries()) {
    const { named, via, isForward } = addressesOf(line, lines[index - 1] ?? '', ignored)
    const isTitle = isTitleAt(lines, index, current)
    if (isForward && via.length === 0) via.push(...current.map(({ address }) => address))
    if (named.length > 0) {
      const sectionsNamed = named.flatMap((address) => sectionFor(address) ?? [])
      const isBare = BARE_ADDRESS.test(line)
      for (const section of sectionsNamed) {
        section.mood = mood === 'failed' ? mood : (section.mood ?? mood)
        if (title !== undefined && isBare && section.lines.length === 0) section.lines.push(title)
      }
      // A list of addresses with one reason behind them.
      current = isList && isBare ? [...new Set([...current, ...sectionsNamed])] : sectionsNamed
      isList = isBare
    } else if (isTitle || HEADING.test(line)) {
      current = []
      isList = false
      title = isTitle && hasAnswer(line) ? line : undefined
      if (!isTitle) mood = moodOf(line) ?? mood
    } else if (line !== '') {
      isList = false
      title = undefined
    }
    for (const address of current.length === 0 ? via : []) {
      const section = sections.get(address.toLowerCase())
      if (section) section.isOnTheWay = true
    }
    const isShared = current.length > 10
    const linesMax = isShared ? SHARED_LINES_MAX : SECTION_LINES_MAX
    for (const section of current) {
      for (const address of via) section.via.add(address)
      if (section.lines.length < linesMax) section.lines.push(isShared ? line.slice(0, SHARED_LINE_MAX) : line)
    }
    if (current.length === 0 && line !== title) common.push(line)
  }
  const all = [...sections.values()]
  for (const section of all)
    for (const address of section.via) if (isVia(section, address)) sections.delete(address.toLowerCase())
  return { sections, common }
}

const moodOf = (line: string): Section['mood'] =>
  says(DELAY, line) ? 'delayed' : says(FINAL, line) ? 'failed' : says(SUCCESS, line) ? 'delivered' : undefined

/** `User unknown (550 5.1.1):` before a list of addresses: an answer in it is about these alone. */
const isTitleAt = (lines: readonly string[], index: number, current: readonly Section[]): boolean => {
  if (!/[:：]$/.test(lines[index] ?? '') || HEADING.test(lines[index] ?? '')) return false
  const next = lines.slice(index + 1, index + 4).find((line) => line !== '')
  // An answer may end with the address that it is about.
  return next !== undefined && BARE_ADDRESS.test(next) && !current.some(({ address }) => next.includes(address))
}

/** Addresses of the notice itself, which are no recipients of the earlier mail. */
function ownAddresses(mail: ParsedMail): Set<string> {
  const headers = ['to', 'delivered-to', 'return-path'].flatMap(mail.headers)
  const addresses = addressesIn([...headers, mail.from.address, ...(mail.returned.get('return-path') ?? [])])
  return new Set(addresses.map((address) => address.toLowerCase()))
}

interface LineAddresses {
  named: string[]
  via: string[]
  /** The mail was passed on to the named address. */
  isForward: boolean
}

function addressesOf(line: string, lastLine: string, ignored: Set<string>): LineAddresses {
  const [named, via]: [string[], string[]] = [[], []]
  let isForward = false
  let lineBefore = lastLine.slice(-60)
  for (const { address, before } of addressMatches(line)) {
    // The words before it decide, and may stand at the end of the line before.
    const words = `${lineBefore} ${before.slice(-60)}`
    lineBefore = ''
    if (ignored.has(address.toLowerCase())) continue
    if (CONTACT.test(words)) ignored.add(address.toLowerCase())
    else if (ON_THE_WAY.test(words)) via.push(address)
    else if (!NO_RECIPIENT.test(words)) {
      if (FORWARD.test(words)) {
        isForward = true
        via.push(...named.splice(0))
      }
      named.push(address)
    }
  }
  return { named, via, isForward }
}

/** An enhanced code, at the beginning or behind a mark: `550 5.1.1`, `(#5.1.1)`, `ERROR_CODE :5.1.1`; no version of a program. */
const CODE =
  /(?:^[\s<>*-]{0,20}|[#([:;]\s{0,3}|(?<!\d)[45]\d\d[ -]{1,3}#?|\b(?:dsn|code|status|error|reason)\W{1,3})([45]\.\d{1,3}\.\d{1,3})(?!\.?\d)/gim
/** The same where it can only be the answer of a server: a number at the beginning may be that of an order. */
const ANSWERED_CODE =
  /(?:\b5[0-5]\d[ -]{1,3}#?|#|\b(?:dsn|status|error[ _]code)\W{1,3})(5\.\d{1,3}\.\d{1,3})(?!\.?\d)/gi
/** A reply code: at the beginning of a line, or as a quotation. */
const REPLY = /(?:^[\s<>*-]{0,20}|[#([:;'"]\s{0,3}|(?:said|replied|returned|error|code) )5[0-5]\d(?=[ \-:)]|$)/im
/** Either of them, of a failure that passes, also behind a blank: sentences quote it. */
const TEMPORARY = /(?:^|[\s(:'"])4[0-5]\d[ -]|(?:^|[\s(:#])4\.\d{1,3}\.\d{1,3}(?!\.?\d)/m
/** Either of them, in any place, from a daemon: a language whose words are not known. */
const ANY_REPLY = /\b55[0-4]\b|\b5\.\d\.\d{1,2}\b/

/** Sentences or codes of a failure, also of one that may pass. */
const hasReason = (text: string): boolean =>
  says(FAILURE, text) || says(FINAL, text) || says(DELAY, text) || hasCode(text) || REPLY.test(text)

const hasCode = (text: string): boolean => codesIn(text).some((code) => code.startsWith('5'))

const codesIn = (text: string): string[] => [...text.matchAll(CODE)].flatMap(([, code]) => code ?? [])

const answeredCodesIn = (text: string): string[] => [...text.matchAll(ANSWERED_CODE)].flatMap(([, code]) => code ?? [])

/** A permanent code before a temporary one: the attempts before are in the same words. */
export function codeIn(text: string): string | undefined {
  const codes = codesIn(text)
  return codes.find((code) => code.startsWith('5')) ?? codes[0]
}

const joined = (lines: readonly string[]): string => lines.join('\n')

/** Its words have the code, or else those about every recipient. */
function recipientOf(
  { address, via, lines, isOnTheWay }: Section,
  common: readonly string[],
  forwardings: readonly string[],
  action: 'failed' | 'delayed',
): ReportedRecipient {
  const [about, general] = [joined(lines), joined(common)]
  const answer = hasAnswer(about) || !hasAnswer(general) ? about : general
  const status = codeIn(answer)
  const reason = reasonIn(answer, status, address) ?? (saysMore(lines) ? about : reasonIn(general, status)) ?? about
  // A code without the reply of a server may be a part of a subject, a version, or the number of an order.
  const isForwarded = forwardingsIn(reason).length > 0 || areAbout([...forwardingsIn(about), ...forwardings], [address])
  const stays =
    staysBy(`${reason}\n${about}`) ?? (isForwarded ? 'on_the_way' : isAnswered(reason, status) ? undefined : 'unclear')
  return {
    ...{ action, ...(status !== undefined && { status }), error: tidy(reason) || DEFAULT_ERROR },
    ...{ addresses: [address, ...via], failing: isOnTheWay ? [] : [address], ...(stays && { stays }) },
    words: status === undefined ? '' : linesWith(reason, status),
  }
}

/** A list of recipients may stand before the answer about them. */
export const linesWith = (text: string, status: string): string =>
  joined(text.split('\n').filter((line) => line.includes(status)))

const isAnswered = (text: string, status: string | undefined): boolean =>
  status === undefined || saysUnknownAddress(text) || answeredCodesIn(text).includes(status)

const hasAnswer = (text: string): boolean => codeIn(text) !== undefined || REPLY.test(text)

const BARE_ADDRESS = /^[\s<>"'*•-]*[^\s@]+@[^\s@]+$/

const saysMore = (lines: readonly string[]): boolean => lines.some((line) => line !== '' && !BARE_ADDRESS.test(line))

function unnamed(common: readonly string[]): ReportedRecipient {
  const status = codeIn(joined(common))
  const error = tidy(reasonIn(joined(common), status) ?? '') || DEFAULT_ERROR
  return { action: 'failed', ...(status !== undefined && { status }), error, addresses: [], failing: [], words: '' }
}

const DEFAULT_ERROR = 'The mail system could not deliver the mail'

/** The paragraph that has the code, or else one that says what failed. */
export function reasonIn(text: string, status: string | undefined, address = ''): string | undefined {
  const paragraphs = text.split(/\n\s*\n/).filter((paragraph) => paragraph.trim() !== '')
  return (
    (status === undefined ? undefined : paragraphs.find((paragraph) => codesIn(paragraph).includes(status))) ??
    paragraphs.find((paragraph) => REPLY.test(paragraph)) ??
    paragraphs.find((paragraph) => saysFailed(paragraph) && paragraph.toLowerCase().includes(address.toLowerCase())) ??
    paragraphs.find(saysFailed)
  )
}

const saysFailed = (text: string): boolean => says(FAILURE, text) || says(FINAL, text)
