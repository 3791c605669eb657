/** The author's Markdown, read once, in any dialect. Variables are slots before it is read: no value is ever Markdown. */

import MarkdownIt from 'markdown-it'
import { createCache } from '../base/perf/cache.ts'
import { addressAt } from '../base/web-addresses.ts'
import { type DocumentWork, readingStepsMax } from './compile-bounds.ts'
import type { DialectRules, Mark } from './dialect.ts'
import { finished } from './element.ts'
import type { Escape } from './escape.ts'
import { reading } from './handlebars/handlebars.ts'
import type { Op, Parts } from './program.ts'
import { addressParts, plainText, slotted } from './text.ts'
import { split, type Variable } from './variables.ts'

// Private-use characters stand for a variable while Markdown is read; the author's own are replaced first.
const OPEN = '\uE000'
const CLOSE = '\uE001'
const ANYTHING_MARKED = /[*_~`[\]<>&\\#!\n|+\-=]|\d[.)]/

interface Read extends Tokens {
  variables: readonly Variable[]
}

/** A mail is compiled twice, as HTML and as text, and each channel again: later compilations find what the first has read. */
const RECENT_MAX = 64
/** Tokens of some 10 MB. */
const RECENT_STEPS_MAX = 2 * readingStepsMax
const recent = createCache<string, Read>({
  entriesMax: RECENT_MAX,
  weightMax: RECENT_STEPS_MAX,
  weightOf: ({ steps }) => steps,
})

/** Undefined: it takes more than is left. */
function read(text: string, left: { steps: number }): Read | undefined {
  if (left.steps < 0) return undefined
  const cachedRead = recent.get(text)
  // A text that was too much may fit when more is left.
  const isUsable = cachedRead && (cachedRead.tokens !== undefined || cachedRead.steps >= left.steps)
  const result = isUsable ? cachedRead : readAnew(text, left.steps)
  if (result.tokens !== undefined && result.steps <= left.steps) {
    left.steps -= result.steps
    return result
  }
  left.steps = -1
  return undefined
}

function readAnew(text: string, stepsMax: number): Read {
  const variables: Variable[] = []
  const source = split(text.replace(/[\uE000\uE001]/g, '\uFFFD'))
    .map((part) => (typeof part === 'string' ? part : `${OPEN}${variables.push(part) - 1}${CLOSE}`))
    .join('')
  const made = { variables, ...readMarkdown(source, stepsMax) }
  recent.set(text, made)
  return made
}

/**
 * `bold`: all of it stands in a bold text or heading, where a second pair of marks would end the first. A text with
 * blocks is read for each message, on the budget of the message.
 */
export const markdown = (text: string, rules: DialectRules, document: DocumentWork, bold = false): readonly Op[] =>
  reading(text, (plain, budget) => {
    const ops = markdownOf(plain, rules, budget ?? document, bold)
    if (ops) return ops
    if (!budget) document.unread.add(document.at)
    return asWritten(plain.trim(), rules)
  })

/** Undefined: reading it takes more than is left. */
function markdownOf(
  text: string,
  rules: DialectRules,
  left: { steps: number },
  bold: boolean,
): readonly Op[] | undefined {
  if (!ANYTHING_MARKED.test(text)) return plainText(text.trim(), rules.text)
  const result = read(text, left)
  const tokens = result?.tokens
  if (!result || !tokens) return undefined
  const draft: Draft = { rules, variables: result.variables, bold, before: bold, open: [[]], urls: [], lists: [] }
  // A lone paragraph needs no element of its own.
  const [first, only, ...rest] = tokens
  const isLone = first?.type === 'paragraph_open' && rest.length === 1
  for (const token of isLone && only ? [only] : tokens) visit(token, draft)
  return finished(draft.open[0] ?? [], rules)
}

const asWritten = (text: string, { text: sink, line }: DialectRules) =>
  slotted(split(text), sink).map((op): Op => (typeof op === 'string' ? op.replaceAll('\n', line) : op))

interface Draft {
  rules: DialectRules
  variables: readonly Variable[]
  bold: boolean
  /** `bold` as it was outside the heading; headings never stand in one another. */
  before: boolean
  /** The open blocks, the innermost last: a quote and a link collect their own. */
  open: Op[][]
  urls: Parts[]
  lists: { position: number; first: boolean }[]
}

function put(draft: Draft, op: Op): void {
  draft.open.at(-1)?.push(op)
}

function unmarked(text: string, { variables }: Draft): (string | Variable)[] {
  const parts: (string | Variable)[] = []
  let from = 0
  for (let open = text.indexOf(OPEN); open !== -1; open = text.indexOf(OPEN, from)) {
    const close = text.indexOf(CLOSE, open)
    const marked = variables[Number(text.slice(open + 1, close))]
    if (open > from) parts.push(text.slice(from, open))
    if (marked) parts.push(marked)
    from = close === -1 ? text.length : close + 1
  }
  if (from < text.length) parts.push(text.slice(from))
  return parts
}

/** Each part by itself: a text may have more variables than a call may have arguments. */
function say(draft: Draft, text: string, sink: Escape): void {
  for (const op of slotted(unmarked(text, draft), sink)) put(draft, op)
}

/** Something stands before what comes now. */
function separate(draft: Draft, by: string): void {
  if (draft.open.at(-1)?.length) put(draft, by)
}

function close(draft: Draft, wrap: (body: Op[]) => Op): void {
  const body = draft.open.pop() ?? []
  put(draft, wrap(body))
}

const isHtml = ({ rules }: Draft) => rules.blocks !== undefined

/** Whether something stands above in the same block. */
const isFirst = (draft: Draft) => !draft.open.at(-1)?.length

const emphasise = (mark: Mark, side: 0 | 1) => (_token: Token, draft: Draft) => {
  if (mark !== 'strong' || !draft.bold || isHtml(draft)) put(draft, draft.rules.marks[mark][side])
}

function openList(tag: 'ul' | 'ol') {
  return (token: Token, draft: Draft) => {
    const { lists, rules } = draft
    if (lists.length === 0 && !rules.blocks) separate(draft, rules.paragraph)
    const position = Number(token.attrGet('start') ?? 1)
    // A list in a list follows on the text of its item.
    const open = rules.blocks?.list(tag, isFirst(draft) || lists.length > 0)
    lists.push({ position, first: lists.length === 0 })
    if (open !== undefined) put(draft, tag === 'ol' ? `${open} start="${position}">` : `${open}>`)
  }
}

const closeList = (tag: 'ul' | 'ol') => (_token: Token, draft: Draft) => {
  draft.lists.pop()
  if (isHtml(draft)) put(draft, `</${tag}>`)
}

function openItem(token: Token, draft: Draft): void {
  const { lists, rules } = draft
  const list = lists.at(-1) ?? { position: 1, first: true }
  if (!isHtml(draft)) {
    if (!list.first) separate(draft, rules.line)
    put(draft, '  '.repeat(lists.length - 1))
  }
  // An ordered item knows its number as the author wrote it.
  put(draft, token.info ? rules.ordinal(list.position) : rules.bullet)
  list.position += 1
  list.first = false
}

function image(token: Token, draft: Draft): void {
  const { rules } = draft
  put(draft, {
    op: 'link',
    url: addressParts(unmarked(String(token.attrGet('src') ?? ''), draft)),
    body: slotted(unmarked(token.content, draft), rules.text),
    join: isHtml(draft) ? (url, alt) => (url ? `<img src="${rules.text(url)}" alt="${alt}">` : alt) : rules.link,
  })
}

const visits: Readonly<Record<string, (token: Token, draft: Draft) => void>> = {
  inline: (token, draft) => {
    for (const child of token.children ?? []) visit(child, draft)
  },
  text: (token, draft) => say(draft, token.content, draft.rules.text),
  softbreak: (_token, draft) => put(draft, draft.rules.line),
  hardbreak: (_token, draft) => put(draft, draft.rules.line),
  strong_open: emphasise('strong', 0),
  strong_close: emphasise('strong', 1),
  em_open: emphasise('em', 0),
  em_close: emphasise('em', 1),
  s_open: emphasise('s', 0),
  s_close: emphasise('s', 1),
  code_inline: (token, draft) => {
    const [before, after] = draft.rules.marks.code
    put(draft, before)
    say(draft, token.content, draft.rules.code)
    put(draft, after)
  },
  paragraph_open: (_token, draft) => {
    const { blocks, paragraph } = draft.rules
    if (draft.lists.length > 0) return
    if (blocks) put(draft, blocks.paragraph(isFirst(draft)))
    else separate(draft, paragraph)
  },
  paragraph_close: (_token, draft) => {
    if (isHtml(draft) && draft.lists.length === 0) put(draft, '</p>')
  },
  heading_open: (token, draft) => {
    const { blocks, heading, paragraph } = draft.rules
    if (blocks && !draft.bold) put(draft, blocks.heading(Number(token.tag.slice(1)), isFirst(draft)))
    else separate(draft, paragraph)
    if (!blocks && !draft.bold) put(draft, heading[0])
    draft.before = draft.bold
    draft.bold = true
  },
  heading_close: (token, draft) => {
    draft.bold = draft.before
    if (!draft.bold) put(draft, isHtml(draft) ? `</${token.tag}>` : draft.rules.heading[1])
  },
  fence: (token, draft) => {
    const { blocks, paragraph, text } = draft.rules
    if (blocks) put(draft, blocks.code[0])
    else separate(draft, paragraph)
    say(draft, token.content.trimEnd(), text)
    if (blocks) put(draft, blocks.code[1])
  },
  hr: (_token, draft) => {
    const { paragraph, rule, text } = draft.rules
    if (!isHtml(draft)) separate(draft, paragraph)
    put(draft, isHtml(draft) ? rule : text(rule))
  },
  link_open: (token, draft) => {
    draft.urls.push(addressParts(unmarked(String(token.attrGet('href') ?? ''), draft)))
    draft.open.push([])
  },
  link_close: (_token, draft) => {
    const url = draft.urls.pop() ?? []
    close(draft, (body) => ({ op: 'link', url, body, join: draft.rules.link }))
  },
  image,
  blockquote_open: (_token, draft) => {
    separate(draft, isHtml(draft) ? draft.rules.line : draft.rules.paragraph)
    draft.open.push([])
  },
  blockquote_close: (_token, draft) => close(draft, (body) => ({ op: 'shape', body, shape: draft.rules.quote })),
  bullet_list_open: openList('ul'),
  bullet_list_close: closeList('ul'),
  ordered_list_open: openList('ol'),
  ordered_list_close: closeList('ol'),
  list_item_open: openItem,
  list_item_close: (_token, draft) => {
    if (isHtml(draft)) put(draft, '</li>')
  },
}

function visit(token: Token, draft: Draft): void {
  visits[token.type]?.(token, draft)
}

const library = new MarkdownIt('default', { html: false, breaks: true, linkify: false, typographer: false })
  // An indented line is a line; a table has no form in most dialects.
  .disable(['code', 'table', 'reference'])
// Addresses are judged when they are complete, with their values.
library.validateLink = () => true
library.normalizeLink = (url) => url

type Token = ReturnType<typeof library.parse>[number]

const TOKEN_STEPS = 16
/** The rules of the library are tried at a character, or at the beginning of a line. */
const ATTEMPT_STEPS = 3
/** Behind the end of a label that is known already. */
const SKIP_STEPS = 1
/** Looking over characters: 64 of them take a step. Whole numbers, so that nothing is lost in a difference. */
const stepsOf = (characters: number) => characters >> 6

class WorkExceeded extends Error {}

/** Reading is synchronous: it is the work of one text at a time. */
let stepsLeft = 0

function take(steps: number): void {
  stepsLeft -= steps
  if (stepsLeft < 0) throw new WorkExceeded()
}

// Rules that match nothing stand before all others: the library calls them wherever it tries its own. Nested quotes and
// lists look over the same lines again, nested labels over the same characters.
library.block.ruler.before(
  'fence',
  'work',
  ({ bMarks, eMarks }, line) => {
    take(ATTEMPT_STEPS + stepsOf((eMarks[line] ?? 0) - (bMarks[line] ?? 0)))
    return false
  },
  { alt: ['paragraph', 'blockquote', 'list'] },
)
library.inline.ruler.before('text', 'work', ({ pos, src }) => {
  take(ATTEMPT_STEPS + (pos === 0 ? stepsOf(src.length) : 0))
  return false
})
const ASTERISK = 0x2a

/** A bare address is text, whatever emphasis its characters would be: `https://shop.example/_a_/b`. */
library.inline.ruler.before('text', 'address', (state, silent) => {
  const { src, pos } = state
  if (!src.startsWith('://', pos)) return false
  const [scheme] = /(?<![A-Za-z0-9])https?$/i.exec(src.slice(Math.max(0, pos - 6), pos)) ?? []
  if (scheme === undefined) return false
  const from = pos - scheme.length
  const isEmphasized = state.delimiters.some(({ marker, open }) => marker === ASTERISK && open)
  const { end, read } = addressAt(src, from, pos + 3, { isMarkdown: true, isEmphasized })
  take(stepsOf(read - from) + stepsOf(state.delimiters.length))
  if (end <= pos) return false
  if (!silent) state.pending += src.slice(pos, end)
  state.pos = end
  return true
})
const skipToken = library.inline.skipToken.bind(library.inline)
library.inline.skipToken = (state) => {
  take(SKIP_STEPS)
  skipToken(state)
}
library.block.State = class extends library.block.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1) {
    take(TOKEN_STEPS)
    return super.push(type, tag, nesting)
  }
}
library.inline.State = class extends library.inline.State {
  override push(type: string, tag: string, nesting: -1 | 0 | 1) {
    take(TOKEN_STEPS)
    return super.push(type, tag, nesting)
  }
}

// Only at its beginning can one line be more than a paragraph.
const ONE_PARAGRAPH = /^[^\s#>*+\-=_`~\d][^\n]*$/

export interface Tokens {
  /** Undefined: reading it takes more than `steps`. */
  tokens: readonly Token[] | undefined
  steps: number
}

/** The same text takes the same steps each time. */
export function readMarkdown(source: string, stepsMax: number): Tokens {
  stepsLeft = stepsMax
  try {
    take(stepsOf(source.length))
    const tokens = ONE_PARAGRAPH.test(source) ? library.parseInline(source, {}) : library.parse(source, {})
    return { tokens, steps: stepsMax - stepsLeft }
  } catch (error) {
    if (error instanceof WorkExceeded) return { tokens: undefined, steps: stepsMax }
    throw error
  }
}
