/** The author's HTML: each variable is escaped for the position in which it stands. One pass over the tokens. */
import { QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import { css, html, nothing } from './escape.ts'
import { reading } from './handlebars/handlebars.ts'
import type { Op } from './program.ts'
import { authored, url } from './text.ts'

type Piece =
  | { kind: 'text' | 'code' | 'comment'; text: string }
  | { kind: 'tag'; text: string; name: string }
  | { kind: 'attribute'; text: string; name: string; tag: string }

const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'background', 'poster', 'cite', 'data', 'xlink:href'])
/** Elements whose content a browser reads as code or not at all. */
const CODE = new Set(['script', 'style', 'iframe', 'noembed', 'noframes', 'xmp', 'plaintext'])

/** Cuts the source into text, tags and quoted attribute values; together the pieces are the source, character by character. */
function piecesOf(source: string): Piece[] {
  const scanner = new Scanner(source)
  const tokenizer = new Tokenizer({ decodeEntities: false }, scanner)
  tokenizer.write(source)
  tokenizer.end()
  return scanner.pieces
}

/** A class: its callbacks run for every token. All offsets are those of the source. */
class Scanner implements TokenizerCallbacks {
  readonly pieces: Piece[] = []
  readonly #source: string
  /** The end of the last piece. */
  #at = 0
  /** The start of text that is not a piece yet: the tokenizer cuts it at every angle. */
  #textFrom = -1
  #tag = ''
  #attribute = ''
  #valueFrom = -1
  #isFirstOfTag = false

  constructor(source: string) {
    this.#source = source
  }

  ontext(from: number, end: number): void {
    // The tokenizer reports a closing tag without its end as text from nowhere; it is a tag.
    if (from < 0) return
    if (this.#textFrom === -1) {
      this.#tagUpTo(from)
      this.#textFrom = from
    }
    this.#at = end
  }

  onopentagname(from: number, end: number): void {
    this.#beforeMarkup(from - 1)
    this.#tag = this.#source.slice(from, end).toLowerCase()
    this.#isFirstOfTag = true
  }

  onattribname(from: number, end: number): void {
    this.#attribute = this.#source.slice(from, end).toLowerCase()
  }

  onattribdata(from: number): void {
    if (this.#valueFrom === -1) this.#valueFrom = from
  }

  /** Only quotes hold a value together; one without them is a part of the tag. `end` is behind the closing quote. */
  onattribend(quote: QuoteType, end: number): void {
    const from = this.#valueFrom
    this.#valueFrom = -1
    if (quote === QuoteType.Double || quote === QuoteType.Single) this.#value(from, end - 1)
  }

  onopentagend(end: number): void {
    this.#tagUpTo(end + 1)
  }

  onselfclosingtag(end: number): void {
    this.#tagUpTo(end + 1)
  }

  onclosetag(from: number, end: number): void {
    this.#beforeMarkup(from - 2)
    this.#tag = `/${this.#source.slice(from, end).toLowerCase()}`
  }

  oncomment(from: number, end: number): void {
    if (this.#source.startsWith('<!--', from - 4)) {
      this.#beforeMarkup(from - 4)
      this.#add({ kind: 'comment', text: this.#source.slice(this.#at, end) }, end)
    } else this.ondeclaration(from)
  }

  /** A browser reads it up to the next angle, wherever its quotes are: no value belongs into it. */
  ondeclaration(from: number): void {
    this.#beforeMarkup(this.#source.lastIndexOf('<', from))
  }

  onprocessinginstruction(from: number): void {
    this.ondeclaration(from)
  }

  oncdata(from: number): void {
    this.ondeclaration(from)
  }

  onend(): void {
    const [from, end] = [this.#valueFrom, this.#source.length]
    // An attribute that its author left open ends with the source.
    if (from > 0 && /["']/.test(this.#source[from - 1] ?? '')) this.#value(from, end)
    else this.#beforeMarkup(end)
  }

  onattribentity(): void {}
  ontextentity(): void {}

  #value(from: number, end: number): void {
    this.#tagUpTo(from)
    const text = this.#source.slice(from, end)
    this.#add({ kind: 'attribute', text, name: this.#attribute, tag: this.#tag }, end)
  }

  /** Ends the text, or the tag, before the token that begins here. */
  #beforeMarkup(from: number): void {
    if (this.#textFrom !== -1) {
      const text = this.#source.slice(this.#textFrom, this.#at)
      this.#textFrom = -1
      if (CODE.has(this.#tag)) this.pieces.push({ kind: 'code', text })
      else addText(text, this.pieces)
    }
    this.#tagUpTo(from)
  }

  #tagUpTo(end: number): void {
    if (end <= this.#at) return
    const name = this.#isFirstOfTag ? this.#tag : ''
    this.#isFirstOfTag = false
    this.#add({ kind: 'tag', text: this.#source.slice(this.#at, end), name }, end)
  }

  #add(piece: Piece, end: number): void {
    this.pieces.push(piece)
    this.#at = end
  }
}

/** A variable right after an angle would make a tag of the text behind it. */
function addText(text: string, pieces: Piece[]): void {
  let at = 0
  for (let open = text.indexOf('<{'); open !== -1; open = text.indexOf('<{', at)) {
    const close = text.indexOf('>', open)
    const end = close === -1 ? text.length : close + 1
    if (open > at) pieces.push({ kind: 'text', text: text.slice(at, open) })
    pieces.push({ kind: 'tag', text: text.slice(open, end), name: '' })
    at = end
  }
  if (at < text.length) pieces.push({ kind: 'text', text: text.slice(at) })
}

export const markup = (source: string): readonly Op[] => reading(source, markupOf)

function markupOf(source: string): Op[] {
  // Nothing to escape, and nothing that leads anywhere by itself.
  if (!source.includes('{') && !/<meta/i.test(source)) return [source]
  const ops: Op[] = []
  for (const piece of piecesOf(source)) for (const op of opsOf(piece)) ops.push(op)
  return ops
}

function opsOf(piece: Piece): readonly Op[] {
  if (piece.kind === 'attribute') return attribute(piece.tag, piece.name, piece.text)
  if (piece.kind === 'tag' && piece.name === 'meta') return authored(withoutScript(piece.text), nothing)
  if (!piece.text.includes('{')) return [piece.text]
  return authored(piece.text, piece.kind === 'text' || piece.kind === 'comment' ? html : nothing)
}

function attribute(tag: string, name: string, text: string): readonly Op[] {
  // A refresh leads to an address behind its seconds. The whole text decides: values can make a scheme together.
  if (tag === 'meta' && name === 'content')
    return [{ op: 'shape', body: authored(text, html), shape: (made) => (leadsToScript(made) ? '' : made) }]
  if (name === '' || name.startsWith('on') || name === 'srcdoc' || name === 'srcset') return authored(text, nothing)
  if (name === 'style') return authored(text, css)
  const ops = authored(text, html)
  if (!ADDRESSES.has(name) || ops.every(isLiteral)) return ops
  return [{ op: 'link', url: url(text.replace(/&amp;/g, '&')), body: [], join: (address) => html(address ?? '#') }]
}

/** Braces that are never closed, or escaped, are text. */
const isLiteral = (op: Op) =>
  typeof op === 'string' || (op.op === 'expand' && op.parts.every((part) => typeof part === 'string'))

/** Decodes character references and spaces in an address as browsers do, as far as a scheme can be hidden in them. */
function asRead(text: string): string {
  const decoded = text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(colon|tab|newline));?/gi,
    (_all, decimal, hex, name) => {
      if (name) return name.toLowerCase() === 'colon' ? ':' : ''
      const point = Number.parseInt(decimal ?? hex, decimal ? 10 : 16)
      return point <= 0x10ffff ? String.fromCodePoint(point) : ''
    },
  )
  // biome-ignore lint/suspicious/noControlCharactersInRegex: readers leave them out of a scheme
  return decoded.replace(/[\u0000-\u0020\u007f-\u009f]+/g, '')
}

const leadsToScript = (content: string) =>
  /^[\d.]*[;,]?(?:url=)?["']?(?:javascript|vbscript|data):/i.test(asRead(content))

/** A `meta` tag whose content stands without quotes. */
const withoutScript = (tag: string) =>
  tag.replace(/(\bcontent\s*=\s*)([^\s"'>]+)/gi, (all, before: string, content: string) =>
    leadsToScript(content) ? before : all,
  )
