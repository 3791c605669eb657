/** Rewrites the links of an HTML mail and adds a pixel, in one pass over its tokens; every other character stays. */
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

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
  const found = scan(source, 0, ({ from, end, value }, isOff) => {
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
    const at = found.bodyFrom !== undefined && length > SHOWN_CHARACTERS ? found.bodyFrom : found.bodyEnd
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
