/** The text of the author's HTML, for readers without it: its lines, links with their addresses, lists and cells. */
import { type QuoteType, Tokenizer, type TokenizerCallbacks } from 'htmlparser2'
import type { DialectRules } from './dialect.ts'
import { followable } from './escape.ts'
import { reading } from './handlebars/handlebars.ts'
import type { Op, Parts } from './program.ts'
import { addressParts, slotted } from './text.ts'
import { split } from './variables.ts'

export const textOfMarkup = (source: string, rules: DialectRules): readonly Op[] =>
  reading(source, (markup) => visibleText(markup, rules))

function visibleText(source: string, rules: DialectRules): readonly Op[] {
  const writer = new Writer(rules)
  const tokenizer = new Tokenizer({ decodeEntities: true }, new Reader(source, writer))
  tokenizer.write(source)
  tokenizer.end()
  return writer.end()
}

const characterOf = (codepoint: number) => {
  const character = String.fromCodePoint(codepoint)
  // A brace that is written as a reference begins no variable.
  return character === '{' ? '\\{' : character
}

const namesIn = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const HIDDEN = namesIn(
  'script style title template noframes noembed iframe svg audio video canvas object select datalist',
)
/** Elements that begin and end a line, and those with a blank line around them. */
const LINES = namesIn(
  'address article aside caption center dd details dir div dt fieldset figcaption figure footer form header hr legend li main menu nav option section summary table tbody tfoot thead tr',
)
const PARAGRAPHS = namesIn('blockquote dl h1 h2 h3 h4 h5 h6 ol p pre ul')
/** They end where the next one begins. */
const UNCLOSED = namesIn('dd dt li option p td th tr')
const VOID = namesIn('area base br col embed hr img input link meta param source track wbr')
const INVISIBLE =
  /display\s*:\s*none|visibility\s*:\s*hidden|(?:max-height|(?<![\w-])opacity)\s*:\s*0(?:\.0+)?(?![.\d])/i
const WITHOUT_SIZE = /font-size\s*:\s*0(?:\.0+)?(?![.\d])/i
const TEXT_ALONE = /[^<]*<\//y
const PREFORMATTED = /white-space\s*:\s*(?:pre|break-spaces)(?!-line)/i

type Attributes = ReadonlyMap<string, string>

/** Alone they are the padding behind a preheader; between letters they belong to the word. */
const UNSEEN = '\\u00ad\\u034f\\u200b\\u200c\\u2060'
const SEEN = new RegExp(`[^${UNSEEN}]`)
const UNSEEN_END = new RegExp(`(?<![${UNSEEN}])[${UNSEEN}]+$`)

/** Deeper ones are indented no further. */
const DEPTH_MAX = 8

/** A class: what is pending decides about the next word. */
class Writer {
  readonly #rules: DialectRules
  readonly #ops: Op[] = []
  /** The content of the open link. */
  #body: Op[] | undefined
  /** Text with variables as they are written. */
  #text = ''
  /** Pending before the next word. */
  #breaks = 0
  #isSpaced = false
  /** Invisible characters behind the last word, which may go on. */
  #joiners = ''
  #marker = ''
  /** An open link; a picture without words still shows where it leads. */
  #link: { href: string; hasPicture: boolean } | undefined
  #isEmpty = true
  readonly #lists: { isOrdered: boolean; isBare: boolean; position: number }[] = []
  /** `isLayout`: its cells are no columns. */
  readonly #tables: { isLayout: boolean; isRowEmpty: boolean; breaksInCell: number; isCellNew: boolean }[] = []
  /** Names of open elements that keep their white space; the line break at the beginning is none of it. */
  readonly #preformatted: string[] = []
  #isPreNew = false

  constructor(rules: DialectRules) {
    this.#rules = rules
  }

  text(text: string): void {
    if (this.#preformatted.length > 0) this.#verbatim(text)
    else this.#words(text)
  }

  #words(text: string): void {
    text.split(/[\s\u00a0]+/).forEach((word, index) => {
      if (index > 0) this.#isSpaced = true
      const from = word.search(SEEN)
      if (from < 0) {
        this.#joiners += word
        return
      }
      const seen = word.slice(from).replace(UNSEEN_END, '')
      const isInWord = !this.#isSpaced && this.#breaks === 0 && !this.#isEmpty
      this.#put(isInWord ? this.#joiners + word.slice(0, from) + seen : seen)
      this.#joiners = word.slice(from + seen.length)
    })
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'br') this.#break(this.#breaks === 0 ? 1 : 2)
    else if (name === 'img') this.#picture(attributes.get('alt') ?? '')
    else if (name === 'a') this.#openLink(attributes.get('href') ?? '')
    else if (name === 'area') this.#area(attributes)
    else if (name === 'td' || name === 'th') this.#cell()
    else this.#openBlock(name, attributes)
    const isPreformatted = name === 'pre' || name === 'textarea' || PREFORMATTED.test(attributes.get('style') ?? '')
    if (isPreformatted ? !VOID.has(name) : this.#preformatted.at(-1) === name) this.#preformatted.push(name)
    this.#isPreNew = name === 'pre' || name === 'textarea'
  }

  #openBlock(name: string, attributes: Attributes): void {
    if (name === 'table') this.#openTable(/^(?:presentation|none)$/i.test(attributes.get('role') ?? ''))
    if (name === 'tr') this.#row()
    this.#breakAround(name)
    if (name === 'ul' || name === 'ol' || name === 'menu') this.#openList(name === 'ol', attributes)
    else if (name === 'li') this.#item(Number.parseInt(attributes.get('value') ?? '', 10))
    else if (name === 'hr') {
      this.#put(this.#rules.rule)
      this.#break(1)
    }
  }

  close(name: string): void {
    if (name === 'a') this.#closeLink()
    if (this.#preformatted.at(-1) === name) this.#preformatted.pop()
    if (name === 'ul' || name === 'ol' || name === 'menu') this.#closeList()
    if (name === 'table') this.#tables.pop()
    this.#breakAround(name)
  }

  end(): readonly Op[] {
    this.#closeLink()
    this.#flush()
    return this.#ops
  }

  #breakAround(name: string): void {
    const isInList = this.#lists.length > 0 && (name === 'ul' || name === 'ol' || name === 'p')
    if (PARAGRAPHS.has(name)) this.#break(isInList ? 1 : 2)
    else if (LINES.has(name)) this.#break(1)
  }

  #break(count: number): void {
    const table = this.#tables.at(-1)
    const isInRow = table?.isCellNew && !table.isLayout
    // The first line of a cell goes on in its row.
    const most = !isInRow ? count : table.isRowEmpty ? 1 : 0
    this.#breaks = Math.max(this.#breaks, most)
  }

  #put(word: string): void {
    if (this.#link && !this.#body) {
      this.#separate()
      this.#flush()
      this.#body = []
    } else if (!this.#body) this.#separate()
    else if ((this.#isSpaced || this.#breaks > 0) && (this.#text !== '' || this.#body.length > 0)) this.#text += ' '
    this.#isSpaced = false
    if (this.#body) this.#breaks = 0
    this.#text += word
  }

  #separate(): void {
    const table = this.#tables.at(-1)
    const indent = '  '.repeat(Math.min(Math.max(this.#lists.length - 1, 0), DEPTH_MAX))
    if (!this.#isEmpty && this.#breaks > 0) {
      this.#text += '\n'.repeat(this.#breaks)
      const list = this.#lists.at(-1)
      if (list) this.#text += this.#marker === '' && !list.isBare ? `${indent}  ` : indent
      if (table) table.breaksInCell += 1
    } else if (!this.#isEmpty && table?.isCellNew && !table.isRowEmpty) this.#text += ' | '
    else if (this.#isSpaced && !this.#isEmpty) this.#text += ' '
    if (table?.isCellNew) table.breaksInCell = 0
    if (this.#marker !== '') {
      this.#flush()
      add(this.#marker, this.#ops)
      this.#marker = ''
    }
    this.#breaks = 0
    this.#isSpaced = false
    this.#isEmpty = false
    // Those around one that has text have it, too.
    for (let at = this.#tables.length - 1; at >= 0; at -= 1) {
      const each = this.#tables[at]
      if (!each || !(each.isRowEmpty || each.isCellNew)) break
      Object.assign(each, { isRowEmpty: false, isCellNew: false })
    }
  }

  #verbatim(text: string): void {
    text.split(/\r\n?|\n/).forEach((line, index) => {
      if (index > 0 && !this.#isPreNew) this.#breaks += 1
      if (line !== '') this.#put(line)
      this.#isPreNew &&= line === '' && index === 0
    })
  }

  #picture(alt: string): void {
    if (this.#link) this.#link.hasPicture = true
    this.text(alt)
  }

  /** A part of a picture that is a link. */
  #area(attributes: Attributes): void {
    const { href, alt = '' } = Object.fromEntries(attributes)
    if (!href) return
    this.#break(1)
    this.#openLink(href)
    this.#picture(alt)
    this.#closeLink()
    this.#break(1)
  }

  #openLink(href: string): void {
    this.#closeLink()
    const address = href.trim().replace(/^\/\/(?=[^/])/, 'https://')
    if (address !== '') this.#link = { href: address, hasPicture: false }
  }

  #closeLink(): void {
    const link = this.#link
    if (!link) return
    if (!this.#body && link.hasPicture) this.#put('')
    const body = this.#body
    if (body) {
      this.#flush()
      this.#body = undefined
      add(linkTo(addressParts(split(link.href)), body, this.#rules), this.#ops)
    }
    this.#link = undefined
  }

  #openList(isOrdered: boolean, attributes: Attributes): void {
    const isBare = /list-style(?:-type)?\s*:\s*none/i.test(attributes.get('style') ?? '')
    const start = Number.parseInt(attributes.get('start') ?? '', 10)
    this.#lists.push({ isOrdered, isBare, position: Number.isNaN(start) ? 1 : start })
  }

  #closeList(): void {
    this.#lists.pop()
    this.#marker = ''
  }

  #item(value: number): void {
    const list = this.#lists.at(-1)
    const { bullet, ordinal } = this.#rules
    if (!list) {
      this.#marker = bullet
      return
    }
    if (!Number.isNaN(value)) list.position = value
    this.#marker = list.isBare ? '' : list.isOrdered ? ordinal(list.position) : bullet
    list.position += 1
  }

  #openTable(isLayout: boolean): void {
    const outer = this.#tables.at(-1)
    if (outer) outer.isLayout = true
    this.#tables.push({ isLayout, isRowEmpty: true, breaksInCell: 0, isCellNew: false })
  }

  #row(): void {
    const table = this.#tables.at(-1)
    if (!table) return
    Object.assign(table, { isRowEmpty: true, isCellNew: false })
    if (!table.isLayout) this.#breaks = Math.min(this.#breaks, 1)
  }

  #cell(): void {
    const table = this.#tables.at(-1)
    if (!table || table.isLayout) {
      this.#break(1)
      return
    }
    if (!table.isRowEmpty) this.#breaks = table.breaksInCell > 0 ? Math.max(this.#breaks, 1) : 0
    table.isCellNew = true
  }

  #flush(): void {
    if (this.#text === '') return
    const ops = this.#body ?? this.#ops
    for (const op of slotted(split(this.#text), this.#rules.text)) add(op, ops)
    this.#text = ''
  }
}

/** Texts beside each other are one, so that a rendering has few steps. */
function add(op: Op, ops: Op[]): void {
  const last = ops.at(-1)
  if (typeof op === 'string' && typeof last === 'string') ops[ops.length - 1] = last + op
  else ops.push(op)
}

/** Written once where no value is in it: each link of a newsletter would be written again for each message. */
function linkTo(url: Parts, body: readonly Op[], rules: DialectRules): Op {
  const join = linkOf(rules)
  const isFixed = [...url, ...body].every((part) => typeof part === 'string')
  return isFixed ? join(followable(url.join('')), body.join(''), false) : { op: 'link', url, body, join }
}

/** The address of a person is shown without its scheme; a link whose words are its address is no more than these. */
const linkOf =
  ({ dialect, link, text }: DialectRules) =>
  (url: string | undefined, body: string, isEmpty: boolean): string => {
    if (url === undefined || dialect !== 'plain') return link(url, body, isEmpty)
    const [, contact, number = contact] = /^(?:(?:mailto|tel):([^?]*)|sms:([^?&;]*))/i.exec(url) ?? []
    const shown = number === undefined ? url : text(decoded(number))
    return link(isSame(shown, body) ? body : shown, body, isEmpty)
  }

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const isSame = (url: string, body: string) => bare(url) === bare(body)
const bare = (text: string) => {
  const address = text
    .trim()
    .replace(/^(?:https?:\/\/)?(?:www\.)?/i, '')
    .replace(/\/$/, '')
    .toLowerCase()
  return /^\+?[\d\s()./-]+$/.test(address) ? address.replace(/[^\d+]/g, '') : address
}

/** Closing tags behind which elements that nothing has closed are over. */
const PARENTS = namesIn('dl ol select table tbody tfoot thead tr ul')
const NESTING = namesIn('dl ol table ul')

/** Reads tags and text, and leaves out what is hidden. A class: its callbacks run for every token. */
class Reader implements TokenizerCallbacks {
  readonly #source: string
  readonly #writer: Writer
  #name = ''
  #attribute = ''
  #value = ''
  #attributes = new Map<string, string>()
  /** `depth` of elements of the name in it, `nesting` of lists and tables. */
  #hidden: { name: string; depth: number; nesting: number } | undefined

  constructor(source: string, writer: Writer) {
    this.#source = source
    this.#writer = writer
  }

  ontext(from: number, end: number): void {
    // The tokenizer reports a closing tag without its end as text from nowhere.
    if (from >= 0 && !this.#hidden) this.#writer.text(this.#source.slice(from, end))
  }

  ontextentity(codepoint: number): void {
    if (!this.#hidden) this.#writer.text(characterOf(codepoint))
  }

  onopentagname(from: number, end: number): void {
    this.#name = this.#source.slice(from, end).toLowerCase()
    this.#attributes = new Map()
  }

  onattribname(from: number, end: number): void {
    this.#attribute = this.#source.slice(from, end).toLowerCase()
    this.#value = ''
  }

  onattribdata(from: number, end: number): void {
    this.#value += this.#source.slice(from, end)
  }

  onattribentity(codepoint: number): void {
    this.#value += characterOf(codepoint)
  }

  onattribend(_quote: QuoteType): void {
    // The first of two attributes of one name counts.
    if (!this.#attributes.has(this.#attribute)) this.#attributes.set(this.#attribute, this.#value)
  }

  onopentagend(end: number): void {
    const [name, attributes] = [this.#name, this.#attributes]
    const hidden = this.#hidden
    if (hidden) {
      const ends = UNCLOSED.has(hidden.name) && hidden.nesting === 0 && this.#endsBefore(hidden.name, name)
      if (!ends) {
        if (name === hidden.name) hidden.depth += 1
        if (NESTING.has(name)) hidden.nesting += 1
        return
      }
      this.#hidden = undefined
    }
    if (!isHidden(name, attributes) && !this.#isWithoutSize(attributes, end)) this.#writer.open(name, attributes)
    else if (!VOID.has(name)) this.#hidden = { name, depth: 1, nesting: 0 }
  }

  /** Around a layout, the elements in it have sizes again. */
  #isWithoutSize(attributes: Attributes, end: number): boolean {
    if (VOID.has(this.#name) || !WITHOUT_SIZE.test(attributes.get('style') ?? '')) return false
    TEXT_ALONE.lastIndex = end + 1
    return TEXT_ALONE.test(this.#source)
  }

  onselfclosingtag(end: number): void {
    if (!HIDDEN.has(this.#name)) this.onopentagend(end)
  }

  onclosetag(from: number, end: number): void {
    const name = this.#source.slice(from, end).toLowerCase()
    const hidden = this.#hidden
    if (hidden && !(UNCLOSED.has(hidden.name) && hidden.nesting === 0 && PARENTS.has(name) && name !== hidden.name)) {
      if (name === hidden.name) hidden.depth -= 1
      if (NESTING.has(name)) hidden.nesting -= 1
      if (hidden.depth === 0) this.#hidden = undefined
      return
    }
    this.#hidden = undefined
    if (name === 'br') this.#writer.open(name, new Map())
    else this.#writer.close(name)
  }

  #endsBefore(open: string, next: string): boolean {
    return open === next || (open === 'p' && (LINES.has(next) || PARAGRAPHS.has(next)))
  }

  oncdata(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}
  onend(): void {}
}

const isHidden = (name: string, attributes: Attributes) =>
  HIDDEN.has(name) || attributes.has('hidden') || INVISIBLE.test(attributes.get('style') ?? '')
