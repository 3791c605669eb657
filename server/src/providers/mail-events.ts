/** Facts of mail that several providers report in the same words: the cause of a bounce, and the type of a complaint. */
import { anyOf, says } from '../base/phrases.ts'
import type { ReceiptKind } from './callback.ts'

/** An enhanced status code (RFC 3463), also behind the hyphen of a reply of several lines; no part of an IP address. */
const ENHANCED_CODE = /(?<![\d.]|(?<!\b[245]\d\d)-)([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/g
/** X.7 is the last; `4.94.2` is the version of a program. */
const SUBJECT_MAX = 7

const SENDER = anyOf`
  (?:after|in reply to|reply to|response to|did not like our|at|during) (?:the )?(?:mail from|helo|ehlo|initial connection|connect)
  mail from command
  sender (?:address|domain|ip|host|mailbox|id|verif\w*|policy|not|is not|denied|rejected|refused|blocked|unknown|reputation|authentic\w*)
  sender.s? (?:address|domain)[ ]
  \bspf\b  \bdkim\b  \bdmarc\b  authentication (?:required|failed|check)  not authenticated  unauthenticated
  \b(?:black|block|deny|reject)[ -]?list  \bdnsbl\b  \brbl\b  spamhaus  spamcop  sorbs  barracudacentral
  reputation  \bspam\b  relay(?:ing)? (?:denied|not|access)
`

/** The next server refuses who sends, and would refuse another recipient as well. Names and hosts say nothing of it. */
export const blamesSender = (words: string): boolean => LISTING.test(words) || says(SENDER, withoutAddresses(words))

/** The page of a blocklist about an entry. */
const LISTING =
  /\b(?:spamhaus|spamcop|sorbs|barracudacentral|uceprotect)\.[a-z]{2,4}\/\S{0,100}?(?:query|lookup|ip=|\d{1,3}\.\d)/i

const withoutAddresses = (words: string): string =>
  words.replace(
    /https?:\S+|[^\s<>]{1,64}@[^\s<>]{1,255}|\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}\b/gi,
    ' ',
  )

const UNKNOWN_ADDRESS = anyOf`
  no such (?:user|recipient|mailbox|person|address|account)  (?:user|recipient|mailbox|account|address) (?:is )?(?:unknown|not found)
  (?:unknown|invalid) (?:user|recipient|mailbox|account|address)  (?:does not|doesn't) exist  unknown in
`

export const saysUnknownAddress = (words: string): boolean => says(UNKNOWN_ADDRESS, words)

/** Without a code: it is refused for its content, a policy, or for now. */
const OTHER_REASON = anyOf`
  \b(?:spf|dkim|dmarc|dnsbl|rbl|spam|unsolicited|virus|malware|phish\w*|reputation|gr[ae]ylist\w*)\b
  \b(?:black|block|deny)[ -]?list  \b(?:spamhaus|spamcop|sorbs|uceprotect|barracuda\w*|proofpoint|senderbase)\b
  \b(?:un)?authenticat(?:ed|ion)\b  \brelay(?:ing)?\b  \bclient host\b  \bpolic(?:y|ies)\b  \brate limit  \bat a rate\b
  \btoo (?:many|much|quickly)\b  \bblocked (?:using|by)\b
  \bsender\b.{0,40}\b(?:rejected|denied|refused|blocked|not allowed|verif\w*)
  \bip\b.{0,40}\b(?:blocked|listed|rejected|denied|banned)  reverse dns  \bcontent\b.{0,20}\b(?:rejected|blocked|denied)
`

/** The subject of a code: `address` and `other` decide; with `open` the words do. */
function subjectOf(kind: string, subject: number, detail: number): 'address' | 'other' | 'open' {
  if (kind === '4') return 'other'
  if (subject >= 6) return 'other'
  if (subject === 0 || detail === 0) return 'open'
  // 1.5: valid; 1.7 to 1.9: the sender.
  if (subject === 1) return [5, 7, 8, 9].includes(detail) ? 'other' : 'address'
  // 2.1: disabled, or too much mail; 2.2 to 2.4: full, too large, a list.
  if (subject === 2) return detail === 1 ? 'open' : [2, 3, 4].includes(detail) ? 'other' : 'address'
  // Exchange Online answers 4.1 for a recipient that it does not know; 4.4 and 4.310: there is no such domain.
  if (subject === 4) return [1, 4, 310].includes(detail) ? 'address' : 'other'
  return 'other'
}

/**
 * Whether a bounce that its provider calls permanent is about the address. A rejection of the sender, of the content or for
 * now is not, whatever the provider makes of it: the next mail, or the same through another provider, may arrive.
 */
export function isAboutAddress(...words: readonly unknown[]): boolean {
  const text = words.filter((word) => typeof word === 'string').join(' ')
  if (blamesSender(text)) return false
  const subjects = [...text.matchAll(ENHANCED_CODE)]
    .filter(([, kind, subject]) => kind !== '2' && Number(subject) <= SUBJECT_MAX)
    .map(([, kind = '', subject, detail]) => subjectOf(kind, Number(subject), Number(detail)))
  if (subjects.includes('other')) return false
  // Beside a code the name of a filter is the name of a host.
  return saysUnknownAddress(text) || !says(OTHER_REASON, subjects.includes('address') ? withoutAddresses(text) : text)
}

/** https://www.iana.org/assignments/marf-parameters: neither is `not-spam` a complaint, nor a report on authentication. */
const NO_COMPLAINTS = new Set(['not-spam', 'auth-failure', 'dmarc'])
const OPT_OUTS = new Set(['opt-out', 'opt-out-list'])

/** The receipt of a complaint of that feedback type (RFC 5965); most providers name none. */
export function complaintKind(feedbackType: unknown): ReceiptKind | undefined {
  const type = typeof feedbackType === 'string' ? feedbackType.trim().toLowerCase().replaceAll('_', '-') : ''
  if (NO_COMPLAINTS.has(type)) return undefined
  return OPT_OUTS.has(type) ? 'unsubscribed' : 'complained'
}
