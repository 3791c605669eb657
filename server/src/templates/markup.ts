/** The author's HTML: each variable gets the escape of the place where it stands. One pass, no backtracking. */
import { css, type Escape, html, nothing } from './escape.ts'
import { reading } from './handlebars/handlebars.ts'
import type { Op } from './program.ts'
import { authored, url, words } from './text.ts'

type Piece =
  | { kind: 'text' | 'code' | 'comment'; text: string }
  | { kind: 'tag'; text: string; name: string }
  | { kind: 'attribute'; text: string; name: string; tag: string }

const ADDRESSES = new Set(['href', 'src', 'action', 'formaction', 'background', 'poster', 'cite', 'data', 'xlink:href'])
/** Their content is code to a reader, never text. */
const CODE = new Set(['script', 'style', 'iframe', 'noembed', 'noframes', 'xmp', 'plaintext'])

/** Cuts at the borders of text, tags and attribute values; what an author left open ends with the text. */
function* pieces(source: string): Generator<Piece> {
  const lower = source.toLowerCase()
  const find = (what: string, from: number) => {
    const at = lower.indexOf(what, from)
    return at === -1 ? source.length : at
  }
  let at = 0
  while (at < source.length) {
    const open = tagStart(source, at)
    if (open > at) yield { kind: 'text', text: source.slice(at, open) }
    if (open === source.length) return
    if (source.startsWith('<!--', open)) {
      at = Math.min(find('-->', open + 4) + 3, source.length)
      yield { kind: 'comment', text: source.slice(open, at) }
      continue
    }
    const name = /^<\/?([a-z][^\s/>]*)/i.exec(source.slice(open, open + 40))?.[1]?.toLowerCase() ?? ''
    at = yield* tag(source, open, name)
    if (CODE.has(name) && source[open + 1] !== '/') {
      const end = find(`</${name}`, at)
      if (end > at) yield { kind: 'code', text: source.slice(at, end) }
      at = end
    }
  }
}

/** A variable right after an angle would name the tag: it is part of one. */
function tagStart(source: string, from: number): number {
  for (let at = source.indexOf('<', from); at !== -1; at = source.indexOf('<', at + 1))
    if (/[a-z/!?{]/i.test(source[at + 1] ?? '')) return at
  return source.length
}

/** From `<` to `>`: attribute values between quotes are pieces of their own. Returns where it ends. */
function* tag(source: string, open: number, name: string): Generator<Piece, number> {
  let at = open
  let from = open
  while (at < source.length) {
    const character = source[at]
    if (character === '>') {
      yield { kind: 'tag', text: source.slice(from, at + 1), name }
      return at + 1
    }
    if (character === '"' || character === "'") {
      yield { kind: 'tag', text: source.slice(from, at + 1), name: from === open ? name : '' }
      const before = source.slice(Math.max(open, at - 60), at)
      const end = source.indexOf(character, at + 1)
      const close = end === -1 ? source.length : end
      yield {
        kind: 'attribute',
        text: source.slice(at + 1, close),
        name: /([^\s"'<>/=]+)\s*=\s*$/.exec(before)?.[1]?.toLowerCase() ?? '',
        tag: name,
      }
      at = close + 1
      from = close
      continue
    }
    at += 1
  }
  yield { kind: 'tag', text: source.slice(from), name: from === open ? name : '' }
  return source.length
}

export const markup = (source: string): readonly Op[] => reading(source, markupOf)

function markupOf(source: string): Op[] {
  // Nothing to escape, and nothing that leads anywhere by itself.
  if (!source.includes('{') && !/<meta/i.test(source)) return [source]
  const ops: Op[] = []
  for (const piece of pieces(source)) for (const op of opsOf(piece)) ops.push(op)
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
  if (!ADDRESSES.has(name) || ops.every((op) => typeof op === 'string')) return ops
  return [{ op: 'link', url: url(text.replace(/&amp;/g, '&')), body: [], join: (address) => html(address ?? '#') }]
}

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

const BREAKS = /^<(?:br|\/?(?:p|div|tr|li|h[1-6]|table|ul|ol|blockquote))\b/i
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }

/** The words of the markup, for readers without HTML. */
export const wordsOf = (source: string, sink: Escape): readonly Op[] =>
  reading(source, (markup) => wordsIn(markup, sink))

function wordsIn(source: string, sink: Escape): readonly Op[] {
  let text = ''
  for (const piece of pieces(source)) {
    if (piece.kind === 'text') text += piece.text.replace(/\s+/g, ' ')
    else if (piece.kind === 'tag' && BREAKS.test(piece.text)) text += '\n'
  }
  const decoded = text.replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_entity, name: string) => NAMED[name] ?? '')
  const lines = decoded.split('\n').map((line) => line.trim())
  return words(lines.filter((line) => line !== '').join('\n'), sink)
}
