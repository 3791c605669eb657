/** Where web addresses stand in a text: each one whole, without the punctuation and the brackets around it. */

/** How the text was written. */
export interface Writing {
  /** `&`, `<`, `>` and quotes are character references: Slack and Telegram. */
  isEscaped?: boolean
  /** It is Markdown that was not read yet. */
  isMarkdown?: boolean
  /** Emphasis is open in it, and ends an address. */
  isEmphasized?: boolean
  /** Marks of emphasis stand in it: one that is open may close behind an address. */
  hasMarks?: boolean
}

export interface WebAddress {
  from: number
  end: number
}

const START = /(?<![A-Za-z0-9])https?:\/\//gi

/** Characters without a meaning here. Invisible ones, quotes and the punctuation of Chinese and Japanese end an address. */
const RUN =
  /[^\s<>"'`|\\^{}[\]()*~&\p{Cc}\p{Cf}\p{Cs}\u2018-\u201f\u2026\u2039\u203a\u00ab\u00bb\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]+/uy
const CLOSING: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }
const REFERENCE = /&(?:lt|gt|quot|#39);/y
const ENTITY = /&(?:#|[a-z]\w*;)/iy

/** In time that grows with the length of the text. */
export function webAddressesIn(text: string, writing: Writing = {}): WebAddress[] {
  const addresses: WebAddress[] = []
  if (!text.includes('://')) return addresses
  const marks = new Map<string, number>()
  let at = 0
  START.lastIndex = 0
  for (let start = START.exec(text); start; start = START.exec(text)) {
    const from = start.index
    if (writing.hasMarks) followMarks(text.slice(at, from), marks)
    const { end, read } = addressAt(text, from, from + start[0].length, writing, marks)
    if (end > from) addresses.push({ from, end })
    at = Math.max(end, from)
    START.lastIndex = Math.max(read, from + start[0].length)
  }
  return addresses
}

/** `end` is `from` where no address follows; nothing before `read` has to be read again. */
export function addressAt(
  text: string,
  from: number,
  behindScheme: number,
  writing: Writing,
  marks: ReadonlyMap<string, number> = new Map(),
): { end: number; read: number } {
  const quote = text.endsWith("'", from) || (writing.isEscaped === true && text.endsWith('&#39;', from))
  const open: { bracket: string; at: number }[] = []
  let at = behindScheme
  let end: number | undefined
  while (end === undefined) {
    RUN.lastIndex = at
    if (RUN.test(text)) at = RUN.lastIndex
    const sign = text[at] ?? ''
    if (sign === '' || endsAt(text, at, quote, writing)) end = at
    else if (sign === '(' || sign === '[' || sign === '{') open.push({ bracket: sign, at })
    else if (CLOSING[sign] !== undefined) {
      const last = open.pop()
      if (last?.bracket !== CLOSING[sign]) end = at
      // The label of a link is no part of an address.
      else if (sign === ']' && text[at + 1] === '(') end = last.at
    }
    if (end === undefined) at += 1
  }
  const unclosed = end === at ? open.find(({ bracket }) => bracket !== '(') : undefined
  const trimmed = withoutPunctuation(text, behindScheme, unclosed?.at ?? end, writing, marks)
  return { end: trimmed > behindScheme ? trimmed : from, read: at }
}

function endsAt(
  text: string,
  at: number,
  isQuoted: boolean,
  { isEscaped, isMarkdown, isEmphasized }: Writing,
): boolean {
  const sign = text[at] ?? ''
  if (sign === "'") return isQuoted
  if (sign === '*' || sign === '~') return text[at + 1] === sign || (sign === '*' && isEmphasized === true)
  if (sign !== '&') return !'()[]{}'.includes(sign)
  if (isMarkdown) return startsWith(ENTITY, text, at)
  return isEscaped === true && startsWith(REFERENCE, text, at) && (isQuoted || !text.startsWith('&#39;', at))
}

function startsWith(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** A sentence, a quotation or emphasis may end behind an address. Each mark closes once: others are of the address. */
function withoutPunctuation(
  text: string,
  from: number,
  end: number,
  { isEscaped, isMarkdown }: Writing,
  marks: ReadonlyMap<string, number>,
): number {
  const open = [...marks]
  // Those outside of one that closes behind the address close later.
  const unclosed = new Map(
    open.slice(
      Math.max(
        0,
        open.findIndex(([mark]) => mark === text[end]),
      ),
    ),
  )
  let at = end
  while (at > from) {
    const sign = text[at - 1] ?? ''
    if (isEscaped && sign === ';' && text.startsWith('&amp;', at - 5)) break
    if (isEscaped && sign === ';' && text.startsWith('&#39;', at - 5)) at -= 5
    else if (".,;:!?'".includes(sign) || (isMarkdown && '*_~'.includes(sign))) at -= 1
    else {
      const left = unclosed.get(sign) ?? 0
      if (left === 0) break
      unclosed.set(sign, left - 1)
      at -= 1
    }
  }
  return at
}

const MARKS = /\n\n|(?<!\\)(?:\*+|~+)|(?<![\p{L}\p{N}\\_])_+|(?<!\\)_+(?![\p{L}\p{N}_])/gu

/** The open marks with their lengths, the outermost first. */
function followMarks(gap: string, marks: Map<string, number>): void {
  for (const [run] of gap.matchAll(MARKS)) {
    const mark = run[0] ?? ''
    if (mark === '\n') marks.clear()
    else if (!marks.delete(mark)) marks.set(mark, run.length)
  }
}
