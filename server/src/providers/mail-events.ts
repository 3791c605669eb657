/** Facts of mail that several providers report in the same words: the cause of a bounce, and the type of a complaint. */
import type { ReceiptKind } from './callback.ts'

/** An enhanced status code (RFC 3463), and no part of an IP address or of a version. */
const ENHANCED_CODE = /(?<![\d.-])([245])\.(\d{1,3})\.(\d{1,3})(?!\.?\d)/g

/** The refused one is the sender or what it sent: its authentication, its reputation, the content. */
const BLAMES_SENDER = new RegExp(
  [
    String.raw`\b(?:spf|dkim|dmarc|dnsbl|rbl|spam|unsolicited|virus|malware|phish\w*|reputation|greylist\w*|graylist\w*)\b`,
    String.raw`\b(?:black|block|deny)[ -]?list|\b(?:spamhaus|spamcop|sorbs|uceprotect|barracuda\w*|proofpoint|senderbase)\b`,
    String.raw`\b(?:un)?authenticat(?:ed|ion)\b|\brelay(?:ing)?\b|\bclient host\b|\bpolic(?:y|ies)\b|\brate limit|\bat a rate\b|\btoo (?:many|much|quickly)\b`,
    String.raw`\bblocked (?:using|by)\b|\bsender\b.{0,40}\b(?:rejected|denied|refused|blocked|not allowed|verif\w*)`,
    String.raw`\bip\b.{0,40}\b(?:blocked|listed|rejected|denied)|\bcontent\b.{0,20}\b(?:rejected|blocked|denied)`,
  ].join('|'),
  'i',
)

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
  const subjects = [...text.matchAll(ENHANCED_CODE)]
    .filter(([, kind]) => kind !== '2')
    .map(([, kind = '', subject, detail]) => subjectOf(kind, Number(subject), Number(detail)))
  if (subjects.includes('other')) return false
  return subjects.includes('address') || !BLAMES_SENDER.test(text)
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
