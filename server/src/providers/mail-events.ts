/** Facts of mail that several providers report in the same words: the cause of a bounce, and the type of a complaint. */
import { says } from '../base/phrases.ts'
import { AT_SENDER, MAILBOX_STAYS, OTHER_REASON, SENDER, UNKNOWN_ADDRESS } from './bounce-phrases.ts'
import type { ReceiptKind } from './callback.ts'

/** An enhanced status code (RFC 3463), also behind the hyphen of a reply of several lines; no part of an IP address. */
const ENHANCED_CODE = /(?<![\d.]|(?<!\b[245]\d\d)-)([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/g
/** X.7 is the last; `4.94.2` is the version of a program. */
const SUBJECT_MAX = 7

/** The beginning of an answer has its reason, and the time that the lists of words take grows with its length. */
const WORDS_MAX = 4_000

const saysOf = (list: RegExp, words: string): boolean => says(list, words.slice(0, WORDS_MAX))

/** The next server refuses who sends, and would refuse another recipient as well. Names and hosts say nothing of it. */
export const blamesSender = (words: string): boolean =>
  LISTING.test(words.slice(0, WORDS_MAX)) || saysOf(AT_SENDER, words) || saysOf(SENDER, withoutAddresses(words))

/** The page of a blocklist about an entry. */
const LISTING =
  /\b(?:spamhaus|spamcop|sorbs|barracudacentral|uceprotect)\.[a-z]{2,4}\/\S{0,100}?(?:query|lookup|ip=|\d{1,3}\.\d)/i

const withoutAddresses = (words: string): string =>
  words
    .slice(0, WORDS_MAX)
    .replace(
      /https?:\S+|<?[^\s<>]{1,64}@[^\s<>]{1,255}>?|\b[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}\b/gi,
      ' ',
    )

/** The mailbox is full, or the failure passes. */
export const saysMailboxStays = (words: string): boolean => saysOf(MAILBOX_STAYS, withoutAddresses(words))

export const saysUnknownAddress = (words: string): boolean => saysOf(UNKNOWN_ADDRESS, words)

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
 * now is not, and neither is a full mailbox, whatever the provider makes of it: the next mail, or the same through another provider, may arrive.
 */
export function isAboutAddress(...words: readonly unknown[]): boolean {
  const text = words
    .filter((word) => typeof word === 'string')
    .join(' ')
    .slice(0, WORDS_MAX)
  if (blamesSender(text) || saysMailboxStays(text)) return false
  const subjects = [...text.matchAll(ENHANCED_CODE)]
    .filter(([, kind, subject]) => kind !== '2' && Number(subject) <= SUBJECT_MAX)
    .map(([, kind = '', subject, detail]) => subjectOf(kind, Number(subject), Number(detail)))
  if (subjects.includes('other')) return false
  // Beside a code the name of a filter is the name of a host.
  return saysUnknownAddress(text) || !saysOf(OTHER_REASON, subjects.includes('address') ? withoutAddresses(text) : text)
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
