/** Rewrites the links of content: those of an HTML mail, which gets a pixel, in one pass over its tokens, addresses in texts, and campaign parameters. */
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { isObject } from '../base/json/json.ts'
import type { Dialect } from '../base/rendered-content.ts'
import { webAddressesIn } from '../base/web-addresses.ts'

export interface HtmlChange {
  /** The address of a link instead; undefined: it stays. */
  link?(url: string): string | undefined
  /** Called for each link that its author excludes. */
  excluded?(url: string): void
  /** The address of an invisible picture. */
  pixel?: string | undefined
}

/** Gmail cuts a mail off at 102 kB; a pixel behind that is not loaded. */
const SHOWN_CHARACTERS = 90_000
/** More than a mail has: further ones stay, so that rewriting takes milliseconds. */
const LINKS_MAX = 5_000

export function rewriteHtml(source: string, { link, excluded, pixel }: HtmlChange): string {
  const edits: Edit[] = []
  let links = 0
  const places = scan(source, 0, ({ from, end, value }, isOff) => {
    links += 1
    if (links > LINKS_MAX || !link) return
    const url = decoded(value).trim()
    if (isOff) return excluded?.(url)
    const rewritten = link(url)
    if (rewritten !== undefined) edits.push({ from, end, text: `"${escaped(rewritten)}"` })
  })
  if (pixel !== undefined) {
    // As it is sent: each rewritten link is longer.
    const length = edits.reduce((sum, { from, end, text }) => sum + text.length - (end - from), source.length)
    const at = places.bodyFrom !== undefined && length > SHOWN_CHARACTERS ? places.bodyFrom : places.bodyEnd
    edits.push({ from: at ?? source.length, end: at ?? source.length, text: pixelOf(pixel) })
    edits.sort((a, b) => a.from - b.from)
  }
  return edited(source, edits)
}

const pixelOf = (url: string) =>
  `<img src="${escaped(url)}" alt="" width="1" height="1" style="display:block;width:1px;height:1px;border:0">`

interface Edit {
  from: number
  end: number
  text: string
}

function edited(source: string, edits: readonly Edit[]): string {
  let out = ''
  let at = 0
  for (const { from, end, text } of edits) {
    out += source.slice(at, from) + text
    at = end
  }
  return out + source.slice(at)
}

/** For an attribute in double quotes. */
const escaped = (url: string) => url.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')

interface Link {
  /** The range of its value, quotes included. */
  from: number
  end: number
  /** As it is written. */
  value: string
}

type OnLink = (link: Link, isOff: boolean) => void

interface Places {
  /** Behind the opening tag of the body. */
  bodyFrom?: number
  /** Before its closing tag. */
  bodyEnd?: number
}

/** `offset` is where the source lies in its document. */
function scan(source: string, offset: number, onLink: OnLink): Places {
  const scanner = new Scanner(source, offset, onLink)
  const tokenizer = new Tokenizer({ decodeEntities: false }, scanner)
  tokenizer.write(source)
  tokenizer.end()
  return scanner.places
}

/** `v:` is the drawing language of Outlook, whose buttons stand in conditional comments. */
const isLink = (tag: string) => tag === 'a' || tag === 'area' || tag.startsWith('v:')

/** The attribute by which an author excludes a link: `data-tracking="off"`. */
const SWITCH = 'data-tracking'

/** A class: its callbacks run for every token. */
class Scanner implements TokenizerCallbacks {
  readonly places: Places = {}
  readonly #source: string
  readonly #offset: number
  readonly #onLink: OnLink
  #tag = ''
  #attribute = ''
  #valueFrom = -1
  #link: Link | undefined
  #isOff = false

  constructor(source: string, offset: number, onLink: OnLink) {
    this.#source = source
    this.#offset = offset
    this.#onLink = onLink
  }

  onopentagname(from: number, end: number): void {
    this.#tag = this.#source.slice(from, end).toLowerCase()
    this.#link = undefined
    this.#isOff = false
    this.#valueFrom = -1
  }

  onattribname(from: number, end: number): void {
    this.#attribute = this.#source.slice(from, end).toLowerCase()
    this.#valueFrom = -1
  }

  onattribdata(from: number): void {
    if (this.#valueFrom === -1) this.#valueFrom = from
  }

  /** `end` is behind the closing quote, where there is one. */
  onattribend(quote: QuoteType, end: number): void {
    const from = this.#valueFrom
    this.#valueFrom = -1
    if (from === -1 || !isLink(this.#tag)) return
    const isQuoted = quote === QuoteType.Double || quote === QuoteType.Single
    const value = this.#source.slice(from, isQuoted ? end - 1 : end)
    if (this.#attribute === SWITCH) this.#isOff = value.trim().toLowerCase() === 'off'
    // The first of two attributes of one name counts.
    if (this.#attribute !== 'href' || this.#link) return
    const [start, behind] = [from + this.#offset, end + this.#offset]
    this.#link = { from: isQuoted ? start - 1 : start, end: behind, value }
  }

  onopentagend(end: number): void {
    if (this.#link) this.#onLink(this.#link, this.#isOff)
    this.#link = undefined
    if (this.#tag === 'body') this.places.bodyFrom ??= end + 1
  }

  onselfclosingtag(end: number): void {
    this.onopentagend(end)
  }

  onclosetag(from: number, end: number): void {
    if (this.#source.slice(from, end).toLowerCase() === 'body') this.places.bodyEnd = from - 2
  }

  /** Outlook reads the content of a conditional comment. */
  oncomment(from: number, end: number, endOffset: number): void {
    const content = this.#source.slice(from, end - endOffset)
    if (this.#offset === 0 && /^\s*\[if\b/i.test(content)) scan(content, from, this.#onLink)
  }

  oncdata(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onattribentity(): void {}
  ontext(): void {}
  ontextentity(): void {}
  onend(): void {}
}

/** The value of an attribute, as a browser reads it. */
function decoded(value: string): string {
  // A tokenizer for each of the usual ones would take most of the time.
  if (!/&(?!amp;)/.test(value)) return value.replaceAll('&amp;', '&')
  const attribute = `<a x="${value.replaceAll('"', '&quot;')}">`
  let text = ''
  const ignored = () => {}
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onattribdata: (from, end) => {
        text += attribute.slice(from, end)
      },
      onattribentity: (codepoint) => {
        text += String.fromCodePoint(codepoint)
      },
      ...{ onattribend: ignored, onattribname: ignored, oncdata: ignored, onclosetag: ignored, oncomment: ignored },
      ...{ ondeclaration: ignored, onend: ignored, onopentagend: ignored, onopentagname: ignored, ontext: ignored },
      ...{ onprocessinginstruction: ignored, onselfclosingtag: ignored, ontextentity: ignored },
    },
  )
  tokenizer.write(attribute)
  tokenizer.end()
  return text
}

interface TextChange {
  /** The address instead; undefined: it stays. */
  link(url: string): string | undefined
  /** Absent: text without marks. */
  dialect?: Dialect
}

/** `&` and its like are character references. */
const ESCAPED: ReadonlySet<Dialect | undefined> = new Set(['slack', 'telegram'])
const UNMARKED: ReadonlySet<Dialect | undefined> = new Set([undefined, 'plain', 'html', 'telegram'])

/** The end of the text before the label of a link, which is shown and leads nowhere by itself. */
const BEFORE_LABEL: Readonly<Partial<Record<Dialect, RegExp>>> = {
  slack: /\|$/,
  telegram: /">$/,
  discord: /(?<!\\)\[$/,
  teams: /(?<!\\)\[$/,
}

/** Addresses in a text, except those that are the label of a link. */
export function rewriteText(text: string, { link, dialect }: TextChange): string {
  const isEscaped = ESCAPED.has(dialect)
  const label = dialect && BEFORE_LABEL[dialect]
  let out = ''
  let at = 0
  for (const { from, end } of webAddressesIn(text, { isEscaped, hasMarks: !UNMARKED.has(dialect) })) {
    if (label?.test(text.slice(Math.max(0, from - 2), from))) continue
    const address = text.slice(from, end)
    const rewritten = link(isEscaped ? unescaped(address) : address)
    // Nothing in a rewritten address has to be escaped.
    if (rewritten === undefined) continue
    out += text.slice(at, from) + rewritten
    at = end
  }
  return out + text.slice(at)
}

const unescaped = (address: string) => address.replaceAll('&#39;', "'").replaceAll('&amp;', '&')

const NAMES = ['source', 'medium', 'campaign', 'term', 'content'] as const

/** Names with their prefix, and values as an address has them. */
export type Utm = readonly (readonly [name: string, value: string])[]

/** The parameters of several sources; a later one takes precedence, name by name. Undefined where none has any. */
export function readUtm(sources: readonly unknown[]): Utm | undefined {
  const utm = NAMES.flatMap((name) => {
    const value = sources.findLast((source) => isObject(source) && isText(source[name]))
    return isObject(value) ? [[`utm_${name}`, encodeURIComponent(String(value[name]).toWellFormed())] as const] : []
  })
  return utm.length > 0 ? utm : undefined
}

const isText = (value: unknown) => typeof value === 'string' && value.trim() !== ''

/** The rest of the address stays as it was written: a target may be signed, or read parameters in its own way. */
export function withUtm(url: string, utm: Utm): string {
  const hashAt = url.indexOf('#')
  const [address, hash] = hashAt === -1 ? [url, ''] : [url.slice(0, hashAt), url.slice(hashAt)]
  const queryAt = address.indexOf('?')
  const query = queryAt === -1 ? '' : address.slice(queryAt + 1)
  const present = new Set(query.split('&').map((pair) => pair.replace(/=.*$/s, '').toLowerCase()))
  const added = utm.filter(([name]) => !present.has(name)).map(([name, value]) => `${name}=${value}`)
  if (added.length === 0) return url
  const joint = queryAt === -1 ? '?' : query === '' || query.endsWith('&') ? '' : '&'
  return `${address}${joint}${added.join('&')}${hash}`
}
