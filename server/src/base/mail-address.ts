/** Mail addresses and header names, checked so that they can stand in an SMTP command and in a header. */
import { domainToASCII } from 'node:url'
import type { MailAddress } from './exchange.ts'

/** `unicode`: also those beyond ASCII, which only servers with SMTPUTF8 take (RFC 6531). */
export type LocalParts = 'ascii' | 'unicode'

/** The address with its domain in ASCII, or undefined when it is not exactly one usable address. */
export function checkAddress(text: string, localParts: LocalParts = 'ascii'): string | undefined {
  // RFC 5321 §4.5.3.1: a path has 256 octets, the brackets included.
  if (text.length > 254) return undefined
  const at = text.indexOf('@')
  const local = at < 1 ? undefined : localPart(text.slice(0, at), localParts)
  const domain = local && asciiDomain(text.slice(at + 1))
  if (!domain) return undefined
  const address = `${local}@${domain}`
  return address.length > 254 ? undefined : address
}

/** RFC 5321 §4.5.3.1.1. */
const LOCAL_OCTETS_MAX = 64

function localPart(text: string, localParts: LocalParts): string | undefined {
  // Quoted local parts are refused: mailers disagree on where such an address ends.
  if (/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$/.test(text)) return text.length > LOCAL_OCTETS_MAX ? undefined : text
  if (localParts === 'ascii') return undefined
  // RFC 6532 §3.1: composed characters, because readers compare bytes. No blanks, and nothing invisible.
  const composed = text.normalize('NFC')
  const isUsable = /^(?:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]|[^\p{C}\p{Z}\0-\x7f])+$/u.test(composed)
  return isUsable && Buffer.byteLength(composed) <= LOCAL_OCTETS_MAX ? composed : undefined
}

/** Whether every mail server takes the address. */
export const isAsciiAddress = (address: string): boolean => !/[^\0-\x7f]/.test(address)

function asciiDomain(text: string): string | undefined {
  const domain = /^[A-Za-z0-9.-]*$/.test(text) ? text : nonAscii(text)
  if (domain.length > 253) return undefined
  for (const label of domain.split('.')) {
    if (!/^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label)) return undefined
  }
  return domain
}

/** Every ASCII character must be usable before conversion, which drops tabs and line breaks silently. */
function nonAscii(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
  return /[\x00-\x2c\x2f\x3a-\x40\x5b-\x60\x7b-\x9f\s]/.test(text) ? '' : domainToASCII(text)
}

/** `a@b.c`, `Name <a@b.c>` or `"Name, quoted" <a@b.c>`; undefined for anything else, lists included. */
export function parseMailAddress(text: string, localParts: LocalParts = 'ascii'): MailAddress | undefined {
  const trimmed = text.trim()
  // 1,000: an address and a long name; nothing longer is worth a look.
  if (trimmed.length > 1_000) return undefined
  if (!trimmed.endsWith('>')) {
    const address = checkAddress(trimmed, localParts)
    return address === undefined ? undefined : { address }
  }
  const open = trimmed.lastIndexOf('<')
  const address = checkAddress(trimmed.slice(open + 1, -1).trim(), localParts)
  const name = displayName(trimmed.slice(0, Math.max(open, 0)).trim())
  if (open < 0 || address === undefined || name === undefined) return undefined
  return name ? { name, address } : { address }
}

/** The end of a sentence about a text that is no usable address; undefined where it is one. */
export function mailAddressError(text: string): string | undefined {
  return parseMailAddress(text, 'unicode') ? undefined : `is not an email address: ${addressRule(text.trim())}`
}

function addressRule(text: string): string {
  const at = text.indexOf('@')
  if (at < 0) return 'it has no `@`'
  if (text.split(/[,;]/).filter((part) => part.includes('@')).length > 1) return 'it is more than one'
  if (at === 0 || at === text.length - 1) return `nothing stands ${at === 0 ? 'before' : 'behind'} its \`@\``
  return 'it must be written as `ada@example.com`'
}

function displayName(text: string): string | undefined {
  if (/[\r\n\0]/.test(text)) return undefined
  if (!text.startsWith('"')) return /[<>",;]/.test(text) || isList(text) ? undefined : text
  if (text.length < 2 || !/^"(?:[^"\\]|\\.)*"$/u.test(text)) return undefined
  return text.slice(1, -1).replace(/\\(.)/gu, '$1').trim()
}

/** Address books name people by their address; two of them are a list with other separators than commas. */
const isList = (name: string) =>
  name.split('@').length > 2 && name.split(/[\s/|]+/).filter((word) => checkAddress(word, 'unicode')).length > 1

// Fields of the mail or servers on the way write these, or they name recipients.
const RESERVED =
  /^(?:bcc|from|to|cc|reply-to|sender|subject|date|message-id|mime-version|content-.*|resent-.*|return-path|received.*|delivered-to|dkim-signature|domainkey-signature|arc-.*|authentication-results)$/i

export const isReservedMailHeader = (name: string): boolean => RESERVED.test(name)

/** The words of a server: more has a mail that it returns. */
const WORDS_MAX = 4_096

/** RFC 6533 §3: an address beyond ASCII in a report of ASCII, such as `j\\x{FC}rgen@example.com`. */
const decoded = (text: string): string =>
  text.replace(/\\x\{([0-9A-F]{1,5}|10[0-9A-F]{4})\}/gi, (_all, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )

const ADDRESS = /[^\s<>()[\],;:"]{1,64}@[^\s<>()[\],;:"]{1,253}/g

/** With the words before it, from the one before. */
export function* addressMatches(text: string): Generator<{ address: string; before: string }> {
  const words = decoded(text.slice(0, WORDS_MAX))
  let from = 0
  for (const match of words.matchAll(ADDRESS)) {
    // Words may put an address in quotation marks, and end a sentence with it.
    const [bare] = /^[^\s]*?(?=[.'>`…]*$)/.exec(match[0].replace(/^['`*]+/, '')) ?? ['']
    const address = checkAddress(bare, 'unicode')
    if (address === undefined) continue
    yield { address, before: words.slice(from, match.index) }
    from = match.index + match[0].length
  }
}

/** Servers change the case of an address, and name the host behind its domain (`ada@mx.example.com`). */
export function isSameMailbox(address: string, other: string): boolean {
  const [[local, domain], [otherLocal, otherDomain]] = [partsOf(address), partsOf(other)]
  if (local !== otherLocal) return false
  return domain === otherDomain || domain.endsWith(`.${otherDomain}`) || otherDomain.endsWith(`.${domain}`)
}

function partsOf(address: string): [local: string, domain: string] {
  const at = address.lastIndexOf('@')
  return [address.slice(0, at).toLowerCase(), address.slice(at + 1).toLowerCase()]
}
