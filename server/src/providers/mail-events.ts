/** Facts of mail that several providers report in the same words: the cause of a bounce, and the type of a complaint. */
import { addressMatches, isSameMailbox } from '../base/mail-address.ts'
import { says, without } from '../base/phrases.ts'
import {
  ADVICE,
  AT_SENDER,
  BESIDE,
  FILTER_HOST,
  FORWARDED,
  MAILBOX_STAYS,
  OTHER_REASON,
  OVER,
  SENDER,
  SENDER_REFUSED,
  UNKNOWN_ADDRESS,
} from './bounce-phrases.ts'
import type { ReceiptKind } from './callback.ts'

/** An enhanced status code (RFC 3463), also behind the hyphen of a reply of several lines; no part of an IP address. */
const ENHANCED_CODE = /(?<![\d.]|(?<!\b[245]\d\d)-)([45]\.(\d{1,3})\.\d{1,3})(?!\.?\d)/g
/** X.7 is the last; `4.94.2` is the version of a program. */
const SUBJECT_MAX = 7

/** The beginning of an answer has its reason, and the time that the lists of words take grows with its length. */
const WORDS_MAX = 4_000
const beginning = (words: string): string => words.slice(0, WORDS_MAX)

/** Those of failures, such as `5.1.1`. */
export const failureCodesIn = (words: string): string[] =>
  [...beginning(words).matchAll(ENHANCED_CODE)].flatMap(([, code = '', subject]) =>
    Number(subject) <= SUBJECT_MAX ? code : [],
  )

/** The next server refuses who sends, and would refuse another recipient as well. Names and hosts say nothing of it. */
export function blamesSender(words: string): boolean {
  const text = beginning(words)
  const bare = withoutAddresses(text)
  if (LISTING.test(text) || says(AT_SENDER, text) || says(SENDER_REFUSED, bare)) return true
  // Beside an unknown address the other words explain: what filters found, or that many such addresses block a host.
  return !saysUnknownAddress(text) && says(SENDER, bare)
}

/** The page of a blocklist about an entry. */
const LISTING =
  /\b(?:spamhaus|spamcop|sorbs|barracudacentral|uceprotect)\.[a-z]{2,4}\/\S{0,100}?(?:query|lookup|ip=|\d{1,3}\.\d)/i

const withoutAddresses = (words: string): string =>
  words.replace(
    /https?:\S+|<?[^\s<>]{1,64}@[^\s<>]{1,255}>?|\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}\b/gi,
    ' ',
  )

/** The mailbox is full, or the failure passes. */
export function saysMailboxStays(words: string): boolean {
  const text = without(OVER, withoutAddresses(beginning(words)))
  return says(MAILBOX_STAYS, saysUnknownAddress(words) ? without(ADVICE, text) : text)
}

export const saysUnknownAddress = (words: string): boolean => says(UNKNOWN_ADDRESS, beginning(words))

/** The subject of a code: `address` and `other` decide; with `open` the words do. */
function subjectOf(code: string): 'address' | 'other' | 'open' {
  const [kind = 0, subject = 0, detail = 0] = code.split('.').map(Number)
  if (kind === 4) return 'other'
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
 * now is not, and neither is a full mailbox, whatever the provider makes of it: the next mail, or the same through another provider, may arrive.
 */
export function isAboutAddress(...words: readonly unknown[]): boolean {
  const text = beginning(words.filter((word) => typeof word === 'string').join(' '))
  if (blamesSender(text) || saysMailboxStays(text)) return false
  const subjects = failureCodesIn(text).map(subjectOf)
  if (subjects.includes('other')) return false
  if (saysUnknownAddress(text)) return true
  // Beside a code for the address names of hosts are no reason.
  if (subjects.includes('address')) return !says(OTHER_REASON, withoutAddresses(text))
  return !says(OTHER_REASON, text) && !says(FILTER_HOST, text)
}

/** The same of the answer to a mail to that address: neither the next mailbox of a forwarding failed nor that of the sender. */
export function isAboutAddressee(addressee: unknown, ...words: readonly unknown[]): boolean {
  const text = beginning(words.filter((word) => typeof word === 'string').join(' '))
  if (!isAboutAddress(text) || says(FORWARDED, withoutAddresses(text))) return false
  const [to] = typeof addressee === 'string' ? addressMatches(addressee) : []
  if (!to) return true
  const failing = [...addressMatches(text)].filter(({ address, before }) => !isBeside(address, before))
  return failing.every(({ address }) => isSameMailbox(address, to.address))
}

/** The address of a sender or of a contact, or a new one. */
const isBeside = (address: string, before: string): boolean =>
  /^(?:postmaster|abuse)@/i.test(address) || says(BESIDE, before)

/** https://www.iana.org/assignments/marf-parameters: neither is `not-spam` a complaint, nor a report on authentication. */
const NO_COMPLAINTS = new Set(['not-spam', 'auth-failure', 'dmarc'])
const OPT_OUTS = new Set(['opt-out', 'opt-out-list'])

/** The receipt of a complaint of that feedback type (RFC 5965); most providers name none. */
export function complaintKind(feedbackType: unknown): ReceiptKind | undefined {
  const type = typeof feedbackType === 'string' ? feedbackType.trim().toLowerCase().replaceAll('_', '-') : ''
  if (NO_COMPLAINTS.has(type)) return undefined
  return OPT_OUTS.has(type) ? 'unsubscribed' : 'complained'
}
