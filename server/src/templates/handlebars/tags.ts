/** Cuts a text at its Handlebars tags, reads what stands in them, and takes away the white space that belongs to a tag. */
import type { Variable } from '../variables.ts'

export type TagExpression =
  | { kind: 'literal'; value: string | number | boolean | null | undefined }
  | { kind: 'path'; path: Path }
  | Call

export interface Call {
  kind: 'call'
  name: Path
  args: readonly TagExpression[]
  named: ReadonlyMap<string, TagExpression>
}

export type Tag =
  | { kind: 'open'; call: Call; inverted: boolean; params: readonly string[] }
  /** `call`: the block of an `else if`. */
  | { kind: 'else'; call?: Call; params: readonly string[] }
  | { kind: 'close'; name: string }
  | { kind: 'value'; call: Call }
  | { kind: 'comment' }

export type Piece = { kind: 'text'; text: string } | (Tag & { source: string })

/** The template cannot be read; the message is a sentence about it. */
export class TagInvalid extends Error {
  override readonly name = 'TagInvalid'
}

/** The characters of a part of a name. */
const SEGMENT = '[^\\s!"#%&\'()*+,./;<=>@[\\\\\\]^`{|}~]+'
/** Longer than any call a person writes. */
const TAG_CHARACTERS_MAX = 4_000
/** Where that many `{{` are no tags, the text is not Handlebars: reading on would take too long. */
const UNREADABLE_MAX = 100
const CALLS_DEEP_MAX = 20
/** Those of a raw block. */
const BRACES_MAX = 4

const OPENING = /\{\{(~)?(\{)?\s*(!--|[#^/!&>*])?/y
const SPACE = /\s+/y
const CLOSING = /\s*(~)?\}\}/y
const CLOSING_TRIPLE = /\s*\}(~)?\}\}/y
const STRING = /"((?:[^"\\]|\\[\s\S])*)"|'((?:[^'\\]|\\[\s\S])*)'/y
const NUMBER = /-?(?:\d+(?:\.\d+)?|\.\d+)(?=[\s=~})])/y
const WORD = /(true|false|null|undefined)(?=[\s=~})])/y
const NAMED = new RegExp(`(${SEGMENT})=`, 'y')
const PARAMS = /\s*as\s+\|([^|}]*)\|/y
const literals: ReadonlyMap<string, boolean | null | undefined> = new Map<string, boolean | null | undefined>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
])

export interface Read {
  /** Undefined: too much of it is no Handlebars. */
  pieces?: Piece[]
  /** The first `{{` that is no tag; it stays as it is written. */
  unreadable?: string
}

/** Throws `TagInvalid`. */
export function readTags(text: string): Read {
  const pieces: Cut[] = []
  let literal = ''
  let from = 0
  let unreadable: string | undefined
  let failures = 0
  for (let open = text.indexOf('{{'); open !== -1; open = text.indexOf('{{', from)) {
    const before = text.slice(from, open)
    const backslashes = /\\{0,2}$/.exec(before)?.[0].length ?? 0
    if (backslashes === 1) {
      // All braces are escaped for the search for variables that follows.
      const braces = (/\{+/y.exec(text.slice(open, open + BRACES_MAX)) ?? [''])[0].length
      literal += before.slice(0, -1) + '\\{'.repeat(braces)
      from = open + braces
      continue
    }
    const tag = readTag(text, open)
    if (!tag) {
      failures += 1
      unreadable ??= unreadableAt(text, open)
      if (failures > UNREADABLE_MAX) return unreadable === undefined ? {} : { unreadable }
      literal += `${before}{{`
      from = open + 2
      continue
    }
    pieces.push({ literal: literal + (backslashes === 2 ? before.slice(0, -1) : before), tag })
    literal = ''
    from = tag.end
  }
  return {
    pieces: trimmed(pieces, literal + text.slice(from)),
    ...(unreadable !== undefined && { unreadable }),
  }
}

/** Snippets of a brand were put in before; a missing one is a finding of its own. */
const SNIPPET = /^\{\{\{?~?\s*>[^{}]*\}\}/
const JSON_TEXT = /^\{\{\{?\s*(?:"[^"\n]{0,100}"|'[^'\n]{0,100}')\s*[:,]/

/** JSON is left in peace. */
function unreadableAt(text: string, open: number): string | undefined {
  const start = text.slice(open, open + 210)
  return SNIPPET.test(start) || JSON_TEXT.test(start) ? undefined : label(start)
}

interface ReadTag {
  tag: Tag
  source: string
  end: number
  trimsBefore: boolean
  trimsAfter: boolean
}

interface Cut {
  /** The text before the tag. */
  literal: string
  tag: ReadTag
}

/** Where the reader is; every token moves it on. */
interface Cursor {
  text: string
  at: number
  end: number
}

function token(pattern: RegExp, cursor: Cursor): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at
  const match = pattern.exec(cursor.text)
  if (!match || pattern.lastIndex > cursor.end) return undefined
  cursor.at = pattern.lastIndex
  return match
}

function readTag(whole: string, open: number): ReadTag | undefined {
  const text = whole.slice(open, open + TAG_CHARACTERS_MAX)
  const cursor: Cursor = { text, at: 0, end: text.length }
  const [, trimsBefore, brace, sign = ''] = token(OPENING, cursor) ?? []
  if (brace && text[cursor.at] === '{') throw new TagInvalid('Raw blocks (`{{{{`) are not known')
  const done = (tag: Tag, close: RegExpExecArray): ReadTag => ({
    tag,
    source: text.slice(0, cursor.at),
    end: open + cursor.at,
    trimsBefore: trimsBefore !== undefined,
    trimsAfter: close[1] !== undefined,
  })
  if (brace && sign !== '') return undefined
  if (sign.startsWith('!')) return comment(whole, open, sign, trimsBefore !== undefined)
  if (sign === '>') return undefined
  if (sign === '*' || ((sign === '#' || sign === '^') && /[*>]/.test(text[cursor.at] ?? '')))
    throw new TagInvalid(`\`${label(text)}\`: decorators and blocks of partials are not known`)
  const tag = sign === '/' ? closing(cursor) : inside(cursor, brace ? '&' : sign)
  const close = tag && token(brace ? CLOSING_TRIPLE : CLOSING, cursor)
  if (tag && close) return done(tag, close)
  if (sign === '' || sign === '&') return undefined
  throw new TagInvalid(`\`${label(text)}\` cannot be read`)
}

const label = (text: string) => {
  const end = text.indexOf('}}')
  return end === -1 ? text.slice(0, 40) : text.slice(0, Math.min(end + 2, 60))
}

function comment(whole: string, open: number, sign: string, trimsBefore: boolean): ReadTag {
  const [close, end] = sign === '!--' ? ['--', whole.indexOf('--', open + 5)] : ['', whole.indexOf('}}', open)]
  const closing = /^--~?\}\}/
  let at = end
  // The dashes may stand in the comment as well.
  while (close && at !== -1 && !closing.test(whole.slice(at, at + 5))) at = whole.indexOf('--', at + 1)
  if (at === -1) throw new TagInvalid(`The comment \`${whole.slice(open, open + 40)}\` is not closed`)
  const trimsAfter = close ? whole[at + 2] === '~' : whole[at - 1] === '~'
  const after = close ? at + (trimsAfter ? 5 : 4) : at + 2
  return { tag: { kind: 'comment' }, source: '', end: after, trimsBefore, trimsAfter }
}

function closing(cursor: Cursor): Tag | undefined {
  token(SPACE, cursor)
  const name = readName(cursor)
  return name && { kind: 'close', name: name.source }
}

function inside(cursor: Cursor, sign: string): Tag | undefined {
  token(SPACE, cursor)
  if (sign === '^' && /^~?\}\}/.test(cursor.text.slice(cursor.at, cursor.at + 3))) return { kind: 'else', params: [] }
  const call = readCall(cursor, 0)
  if (!call) return undefined
  const isElse = sign === '' && call.name.source === 'else'
  if (isElse) return elseOf(call, cursor)
  if (sign === '#' || sign === '^') return { kind: 'open', call, inverted: sign === '^', params: blockParams(cursor) }
  return { kind: 'value', call }
}

/** `else if a`: the first argument names the block that replaces the other branch. */
function elseOf({ args: [first, ...args], named }: Call, cursor: Cursor): Tag | undefined {
  if (!first) return { kind: 'else', params: [] }
  if (first.kind !== 'path') return undefined
  return { kind: 'else', call: { kind: 'call', name: first.path, args, named }, params: blockParams(cursor) }
}

function blockParams(cursor: Cursor): readonly string[] {
  const [, names = ''] = token(PARAMS, cursor) ?? []
  return names.split(/\s+/).filter((name) => name !== '')
}

/** A string or a number used as a name is the name of a property. */
function readName(cursor: Cursor): Path | undefined {
  const start = cursor.at
  const text = token(STRING, cursor)
  const name = text ? unescaped(text[1] ?? text[2] ?? '') : token(NUMBER, cursor)?.[0]
  if (name === undefined) return readPath(cursor)
  return { source: cursor.text.slice(start, cursor.at), from: 'name', up: 0, parts: [name] }
}

function readCall(cursor: Cursor, depth: number): Call | undefined {
  const name = readName(cursor)
  if (!name) return undefined
  const args: TagExpression[] = []
  const named = new Map<string, TagExpression>()
  while (token(SPACE, cursor)) {
    const key = token(NAMED, cursor)?.[1]
    const start = cursor.at
    const value = readValue(cursor, depth)
    if (!value || (key === undefined && named.size > 0)) {
      cursor.at = start
      break
    }
    if (isAs(value) && key === undefined && cursor.text[cursor.at + 1] === '|') {
      cursor.at = start
      break
    }
    if (key === undefined) args.push(value)
    else named.set(key, value)
  }
  return { kind: 'call', name, args, named }
}

const isAs = (value: TagExpression) => value.kind === 'path' && value.path.source === 'as'

function readValue(cursor: Cursor, depth: number): TagExpression | undefined {
  if (cursor.text[cursor.at] === '(') {
    if (depth >= CALLS_DEEP_MAX) throw new TagInvalid(`Calls stand more than ${CALLS_DEEP_MAX} deep in each other`)
    cursor.at += 1
    token(SPACE, cursor)
    const call = readCall(cursor, depth + 1)
    token(SPACE, cursor)
    if (!call || cursor.text[cursor.at] !== ')') return undefined
    cursor.at += 1
    return call
  }
  const text = token(STRING, cursor)
  if (text) return { kind: 'literal', value: unescaped(text[1] ?? text[2] ?? '') }
  const number = token(NUMBER, cursor)
  if (number) return { kind: 'literal', value: Number(number[0]) }
  const word = token(WORD, cursor)?.[1]
  if (word !== undefined) return { kind: 'literal', value: literals.get(word) }
  const path = readPath(cursor)
  return path && { kind: 'path', path }
}

const unescaped = (text: string) => text.replace(/\\(["'])/g, '$1')

const LINE_BEFORE = /(?:^|\r?\n)[ \t]*$/
const BLANK_LINES_AFTER = /^\s*?\r?\n/
const isBlank = (text: string) => text.trim() === ''
/** Without a pattern: one that is not anchored would begin anew at each of the lines. */
const endsWithBlankLine = (text: string) => text.slice(text.trimEnd().length).includes('\n')

/** A block's tag or a comment that has its lines to itself leaves no line behind; `~` takes all white space. */
function trimmed(cuts: readonly Cut[], last: string): Piece[] {
  const originals = [...cuts.map(({ literal }) => literal), last]
  const texts = [...originals]
  for (const [index, { tag }] of cuts.entries()) {
    const before = originals[index] ?? ''
    const after = originals[index + 1] ?? ''
    const opensLine = endsWithBlankLine(before) || (index === 0 && isBlank(before))
    const closesLine = BLANK_LINES_AFTER.test(after) || (index === cuts.length - 1 && isBlank(after))
    if (tag.tag.kind !== 'value' && opensLine && closesLine) {
      texts[index] = (texts[index] ?? '').replace(LINE_BEFORE, (line) => line.replace(/[ \t]+$/, ''))
      texts[index + 1] = (texts[index + 1] ?? '').replace(/^[ \t]*\r?\n?/, '')
    }
    if (tag.trimsBefore) texts[index] = (texts[index] ?? '').trimEnd()
    if (tag.trimsAfter) texts[index + 1] = (texts[index + 1] ?? '').trimStart()
  }
  return texts.flatMap((text, index): Piece[] => {
    const cut = cuts[index]
    const literal: Piece[] = text === '' ? [] : [{ kind: 'text', text }]
    return cut ? [...literal, { ...cut.tag.tag, source: cut.tag.source }] : literal
  })
}

export interface Path {
  source: string
  /** `this`: the value of the block. `data`: `@index` and its like. `message`: `$.…` and `@.…`, as everywhere. */
  from: 'name' | 'this' | 'data' | 'message'
  /** How many blocks further out: each `../`. */
  up: number
  parts: readonly string[]
}

const PATH = new RegExp(
  `@?(?:\\.\\./)*(?:\\.\\.|\\.(?![\\w[])|${SEGMENT}|\\[[^\\]]*\\])?(?:[./](?:${SEGMENT}|\\[[^\\]]*\\])|\\[[^\\]]*\\])*`,
  'y',
)
const PART = new RegExp(`\\.\\.|${SEGMENT}|\\[([^\\]]*)\\]|\\.`, 'g')

/** Nothing stands before the first point or slash. */
const BEFORE_NAME = /^\/|^\.(?![./]|$)/

/** Moves the cursor on; undefined where no name stands. */
function readPath(cursor: { text: string; at: number }): Path | undefined {
  PATH.lastIndex = cursor.at
  const source = PATH.exec(cursor.text)?.[0] ?? ''
  if (source === '' || BEFORE_NAME.test(source)) return undefined
  cursor.at += source.length
  return pathOf(source)
}

/** Most names, which need no pattern to be cut. */
const PLAIN = /^(?!this\b)[A-Za-z_]\w*(?:\.(?!this\b)[A-Za-z_]\w*)*$/

/** The path of a source that is a whole name. */
export function pathOf(source: string): Path {
  if (PLAIN.test(source)) return { source, from: 'name', up: 0, parts: source.split('.') }
  const isData = source.startsWith('@')
  const matches = [...source.slice(isData ? 1 : 0).matchAll(PART)]
  const segments = matches.map((part) => part[1]?.replace(/^["']|["']$/g, '') ?? part[0]).filter((part) => part !== '.')
  const up = segments.filter((part) => part === '..').length
  const parts = segments.slice(up)
  if (isData)
    return /^@[A-Za-z.]/.test(source) && parts.length > 0 ? dataPath(source, up, parts) : message(source, parts)
  if (parts[0] === '$') return message(source, parts)
  if (parts[0] === 'this') return { source, from: 'this', up, parts: parts.slice(1) }
  return { source, from: parts.length === 0 ? 'this' : 'name', up, parts }
}

const message = (source: string, parts: readonly string[]): Path => ({ source, from: 'message', up: 0, parts })

/** `@.name` is the item of the loop that the element stands in. */
const dataPath = (source: string, up: number, parts: readonly string[]): Path =>
  source.startsWith('@.') && !source.startsWith('@..') ? message(source, parts) : { source, from: 'data', up, parts }

export const variableOf = ({ source, parts }: Path): Variable =>
  source.startsWith('@') ? { source, from: 'item', path: parts } : { source, from: 'root', path: parts.slice(1) }
