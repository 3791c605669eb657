/** Mail addresses and header names, checked so that they can stand in an SMTP command and in a header. */
import { domainToASCII } from 'node:url'
import type { MailAddress } from './exchange.ts'

/** The address with its domain in ASCII, or undefined when it is not exactly one usable address. */
export function checkAddress(text: string): string | undefined {
  // RFC 5321 §4.5.3.1: a path has 256 octets, the brackets included.
  if (text.length > 254) return undefined
  const at = text.indexOf('@')
  const local = text.slice(0, at)
  // Quoted local parts are refused: mailers disagree on where such an address ends.
  if (at < 1 || local.length > 64 || !/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+$/.test(local)) return undefined
  const domain = asciiDomain(text.slice(at + 1))
  if (!domain) return undefined
  const address = `${local}@${domain}`
  return address.length > 254 ? undefined : address
}

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
export function parseMailAddress(text: string): MailAddress | undefined {
  const trimmed = text.trim()
  // 1,000: an address and a long name; nothing longer is worth a look.
  if (trimmed.length > 1_000) return undefined
  if (!trimmed.endsWith('>')) {
    const address = checkAddress(trimmed)
    return address === undefined ? undefined : { address }
  }
  const open = trimmed.lastIndexOf('<')
  const address = checkAddress(trimmed.slice(open + 1, -1).trim())
  const name = displayName(trimmed.slice(0, Math.max(open, 0)).trim())
  if (open < 0 || address === undefined || name === undefined) return undefined
  return name ? { name, address } : { address }
}

function displayName(text: string): string | undefined {
  if (/[\r\n\0]/.test(text)) return undefined
  if (!text.startsWith('"')) return /[<>",;@]/.test(text) ? undefined : text
  if (text.length < 2 || !/^"(?:[^"\\]|\\.)*"$/u.test(text)) return undefined
  return text.slice(1, -1).replace(/\\(.)/gu, '$1').trim()
}

// Fields of the mail or servers on the way write these, or they name recipients.
const RESERVED =
  /^(?:bcc|from|to|cc|reply-to|sender|subject|date|message-id|mime-version|content-.*|resent-.*|return-path|received.*|delivered-to|dkim-signature|domainkey-signature|arc-.*|authentication-results)$/i

export const isReservedMailHeader = (name: string): boolean => RESERVED.test(name)
