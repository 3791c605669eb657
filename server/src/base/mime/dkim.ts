/** Signs a built mail with DKIM: relaxed/relaxed, by RSA with SHA-256 (RFC 6376) or Ed25519 (RFC 8463). */
import { createHash, hash, type KeyObject, sign } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { DkimSigner } from '../exchange.ts'
import { SECOND } from '../time/duration.ts'

/** In a thread of its own: a signature with RSA takes about a millisecond. */
const signInThread = promisify<string | null, Buffer, KeyObject, Buffer>(sign)

/** Signed once more than they occur, so that a second one, which readers might show, breaks the signature. */
const SHOWN = ['from', 'to', 'cc', 'reply-to', 'subject', 'date', 'content-type']

/** Signed where they occur: RFC 6376 §5.4.1, and RFC 8058 §4 for one-click unsubscribe. */
const SIGNED = [
  ...SHOWN,
  'message-id',
  'mime-version',
  'content-transfer-encoding',
  'in-reply-to',
  'references',
  'list-id',
  'list-help',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'list-subscribe',
  'list-post',
  'list-owner',
  'list-archive',
  'feedback-id',
]

/** The text, a character a byte, with a signature of each key before it. `at`: in milliseconds since the epoch. */
export async function signedMail(text: string, { domain, keys }: DkimSigner, at: number): Promise<string> {
  const headEnd = text.indexOf('\r\n\r\n')
  const [names, canonical] = signedHeaders(text.slice(0, headEnd + 2))
  const bodyHash = await hashOfBody(text, headEnd + 4)
  const signatures = keys.map(async ({ selector, key }) => {
    const isRsa = key.asymmetricKeyType === 'rsa'
    const header = foldTags([
      'v=1;',
      `a=${isRsa ? 'rsa' : 'ed25519'}-sha256;`,
      'c=relaxed/relaxed;',
      `d=${domain};`,
      `s=${selector};`,
      `t=${Math.floor(at / SECOND)};`,
      ...names.map((name, index) => `${index === 0 ? 'h=' : ''}${name}${index < names.length - 1 ? ':' : ';'}`),
      `bh=${bodyHash};`,
      'b=',
    ])
    const signed = `${canonical}${relaxedHeader(header)}`
    // RFC 8463 §3: Ed25519 signs the hash.
    const signature = isRsa
      ? await signInThread('sha256', Buffer.from(signed, 'latin1'), key)
      : await signInThread(null, hash('sha256', Buffer.from(signed, 'latin1'), 'buffer'), key)
    return `${header}${signature.toString('base64').replace(/.{1,72}/g, '\r\n $&')}\r\n`
  })
  return `${(await Promise.all(signatures)).join('')}${text}`
}

/** The names to list in `h=`, and their headers as they are signed: of several with one name, the last one first. */
function signedHeaders(head: string): [names: string[], canonical: string] {
  const present = new Map<string, string[]>()
  for (const header of head.split(/\r\n(?![ \t])/)) {
    const name = header.slice(0, header.indexOf(':')).toLowerCase()
    if (SIGNED.includes(name)) present.set(name, [header, ...(present.get(name) ?? [])])
  }
  const names: string[] = []
  let canonical = ''
  for (const name of SIGNED) {
    for (const header of present.get(name) ?? []) {
      names.push(name)
      canonical += `${relaxedHeader(header)}\r\n`
    }
    if (SHOWN.includes(name)) names.push(name)
  }
  return [names, canonical]
}

/** RFC 6376 §3.4.2. */
function relaxedHeader(header: string): string {
  const colon = header.indexOf(':')
  const value = header
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
  return `${header.slice(0, colon).trim().toLowerCase()}:${value.trim()}`
}

/** A large body is hashed in slices of about a millisecond, between which other work has its turn. */
const SLICE_CHARS = 256 * 1024

/** RFC 6376 §3.4.4: runs of blanks are one, those at the end of a line and empty lines at the end are none. */
async function hashOfBody(text: string, start: number): Promise<string> {
  let end = text.length
  while (end > start && ' \t\r\n'.includes(text.charAt(end - 1))) end -= 1
  const digest = createHash('sha256')
  for (let from = start; from < end; ) {
    const lineEnd = text.indexOf('\n', from + SLICE_CHARS)
    const to = lineEnd < 0 ? end : Math.min(lineEnd + 1, end)
    digest.update(relaxedLines(text.slice(from, to)), 'latin1')
    from = to
    if (from < end) await nextTurn()
  }
  if (end > start) digest.update('\r\n')
  return digest.digest('base64')
}

const relaxedLines = (text: string): string =>
  /[ \t][ \t\r]|\t/.test(text) ? text.replace(/[ \t]+/g, ' ').replaceAll(' \r\n', '\r\n') : text

const FIELD = 'DKIM-Signature:'
const LINE_MAX = 78

/** Blanks between tags, and between the names of headers, mean nothing. */
function foldTags(tags: readonly string[]): string {
  let folded = FIELD
  let column = folded.length
  for (const tag of tags) {
    const blank = folded.endsWith(':') && folded !== FIELD ? '' : ' '
    const breaks = column + blank.length + tag.length > LINE_MAX
    folded += `${breaks ? '\r\n ' : blank}${tag}`
    column = breaks ? 1 + tag.length : column + blank.length + tag.length
  }
  return folded
}
