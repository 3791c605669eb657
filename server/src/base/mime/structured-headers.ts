/**
 * Headers whose values have parts: only phrases and comments may become encoded words, links are percent-encoded, and
 * addresses stay addresses (RFC 2047 §5).
 */
import { domainToASCII } from 'node:url'
import type { MailAddress } from '../exchange.ts'
import { parseMailAddress } from '../mail-address.ts'

/** The parts of a value, in their order. `glued` to the part before it. */
export type HeaderPart =
  | { kind: 'text'; text: string; glued?: true }
  | { kind: 'phrase'; text: string }
  | { kind: 'comment'; text: string }
  | { kind: 'address'; address: MailAddress; glued?: true }

type Reader = (value: string) => HeaderPart[] | undefined

const listOf = (names: string, read: Reader) => names.split(' ').map((name) => [name, read] as const)

/** By header in lower case; every other one is free text. Those that name the sender or a recipient cannot be set. */
const readers: ReadonlyMap<string, Reader> = new Map([
  // RFC 2919 §3.
  ...listOf('list-id', phraseAndId),
  // RFC 2369, RFC 5064, RFC 8058.
  ...listOf('list-help list-subscribe list-unsubscribe list-post list-owner list-archive archived-at', links),
  // RFC 8098 §2.1, RFC 5703, and those that mail programs use.
  ...listOf('disposition-notification-to return-receipt-to x-confirm-reading-to errors-to', addresses),
  ...listOf('mail-followup-to mail-reply-to abuse-reports-to x-report-abuse-to', addresses),
  // RFC 5322 §3.6.4 and §3.6.5.
  ...listOf('in-reply-to references', messageIds),
  ...listOf('keywords', phrases),
])

/** Undefined for free text, and for a value that does not have the form of its header. */
export function headerParts(name: string, value: string): HeaderPart[] | undefined {
  const read = readers.get(name.toLowerCase())
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they end lines
  return read && !/[\u0000-\u001f\u007f]/.test(value) ? read(value.trim()) : undefined
}

function phraseAndId(value: string): HeaderPart[] | undefined {
  const [, phrase = '', id] = /^(.*)<([^<>]+)>$/.exec(value) ?? []
  const label = id === undefined ? undefined : asciiHost(id.trim())
  if (label === undefined) return undefined
  const words = unquoted(phrase.trim()) ?? phrase.trim()
  return [...(words === '' ? [] : [{ kind: 'phrase' as const, text: words }]), { kind: 'text', text: `<${label}>` }]
}

/** The words of a phrase; undefined where a quotation mark is left open. */
function unquoted(phrase: string): string | undefined {
  if (!phrase.includes('"')) return phrase
  if (!/^(?:[^"\\]|"(?:[^"\\]|\\.)*")*$/.test(phrase)) return undefined
  return phrase.replace(/"((?:[^"\\]|\\.)*)"/g, (_quoted, text: string) => text.replace(/\\(.)/g, '$1'))
}

/** Without what is none in ASCII: a reader would look for another id. Undefined where all of it can be written. */
function messageIds(value: string): HeaderPart[] | undefined {
  if (/^[ -~]*$/.test(value) && !/<[^<>]*=\?/.test(value)) return undefined
  return (value.match(/<[!-;=?-~]+>/g) ?? []).map((text) => ({ kind: 'text', text }))
}

/** At commas outside of quotation marks. */
const itemsOf = (value: string) => value.match(/(?:[^",]|"(?:[^"\\]|\\.)*"?)+/g) ?? []

function addresses(value: string): HeaderPart[] | undefined {
  const parts: HeaderPart[] = []
  for (const item of itemsOf(value)) {
    const address = addressOf(item.trim())
    if (!address) return undefined
    if (parts.length > 0) parts.push(COMMA)
    parts.push({ kind: 'address', address })
  }
  return parts
}

/** A name may stand in a comment behind its address (RFC 5322 §3.4). */
function addressOf(text: string): MailAddress | undefined {
  const [, before = '', name] = /^([^\s()]+)\s*\(([^()]*)\)$/.exec(text) ?? []
  if (name === undefined) return parseMailAddress(text, 'unicode')
  const address = parseMailAddress(before, 'unicode')
  return address && { name: name.trim(), ...address }
}

const COMMA: HeaderPart = { kind: 'text', text: ',', glued: true }

function phrases(value: string): HeaderPart[] | undefined {
  const parts: HeaderPart[] = []
  for (const item of itemsOf(value)) {
    const text = unquoted(item.trim())
    if (!text) return undefined
    if (parts.length > 0) parts.push(COMMA)
    parts.push({ kind: 'phrase', text })
  }
  return parts
}

/** The second link lacks its brackets; a comma in it is followed by more of it. */
const LINK_PART =
  /\s+|,|<([^<>]+)>|(\()|([a-z][a-z\d+.-]*:[^\s<>(),](?:[^<>(),]|,(?![\s<(,]|[a-z][a-z\d+.-]*:|$))*)|[^\s<>(),][^<>(),]*/giy

/** Links in angle brackets and comments; words other than `NO` of `List-Post` are comments (RFC 2369 §2). */
function links(text: string): HeaderPart[] | undefined {
  const parts: HeaderPart[] = []
  for (let at = 0; at < text.length; ) {
    LINK_PART.lastIndex = at
    const part = LINK_PART.exec(text)
    if (!part) return undefined
    at = LINK_PART.lastIndex
    const [whole, bracketed, comment, bare] = part
    const link = bracketed ?? bare
    if (link !== undefined) parts.push({ kind: 'text', text: `<${asciiLink(link.trim())}>` })
    else if (comment !== undefined) {
      const end = commentEnd(text, at)
      parts.push({ kind: 'comment', text: text.slice(at, end).replace(/\\(.)/g, '$1') })
      at = end + 1
    } else if (whole === ',') parts.push(COMMA)
    else if (whole.trim() === 'NO') parts.push({ kind: 'text', text: 'NO' })
    else if (whole.trim() !== '') parts.push({ kind: 'comment', text: whole.trim() })
  }
  return parts
}

/** The place of the bracket that closes it, or the end. */
function commentEnd(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1
    else if (text[at] === '(') depth += 1
    else if (text[at] === ')') depth -= 1
    if (depth === 0) return at
  }
  return text.length
}

/** A URI of an IRI (RFC 3987 §3.1): what is encoded already stays as it is. */
function asciiLink(iri: string): string {
  const [, scheme = '', authority, rest = ''] = /^([a-z][a-z\d+.-]*:)(?:\/\/([^/?#]*))?(.*)$/is.exec(iri) ?? []
  if (scheme === '') return encoded(iri)
  if (authority !== undefined) {
    const [, user = '', host = '', port = ''] = /^(.*@)?(.*?)(:\d*)?$/s.exec(authority) ?? []
    return `${scheme}//${encoded(user)}${asciiHost(host) ?? encoded(host)}${port}${encoded(rest)}`
  }
  if (!/^mailto:$/i.test(scheme)) return `${scheme}${encoded(rest)}`
  const [, recipients = '', fields = ''] = /^([^?]*)(.*)$/s.exec(rest) ?? []
  const hosts = recipients.replace(/@([^,@]+)/g, (all, host: string) => {
    const ascii = asciiHost(host.trim())
    return ascii === undefined ? all : `@${ascii}`
  })
  return `${scheme}${encoded(hosts)}${encoded(fields)}`
}

const encoded = (text: string) =>
  text.replace(/[^\x21-\x7e]+|["<>\\^`{|}]/g, (part) => encodeURIComponent(part.toWellFormed()))

/** Undefined for one that no name server knows. */
function asciiHost(host: string): string | undefined {
  if (/^[\x21-\x3b\x3d\x3f-\x7e]*$/.test(host)) return host
  // It drops some of them silently.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are looked for
  return /[\u0000-\u0020<>@/?#%\\]/.test(host) ? undefined : domainToASCII(host) || undefined
}
