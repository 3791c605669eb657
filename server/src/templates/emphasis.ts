/**
 * Emphasis where services read a mark only beside white space or punctuation, and only within a line: a zero-width space
 * stands between a mark and a letter, so that no reader sees an asterisk.
 */

// Private-use characters before the marks of a text that is not complete yet.
const OPEN = '\uE005'
const CLOSE = '\uE006'
const MARKED = /([\uE005\uE006])([*_~`])|\n/
const BOUNDARY = '\u200B'

/** A mark whose surroundings decide how it is written. */
export const boundMark = (mark: string) => [`${OPEN}${mark}`, `${CLOSE}${mark}`] as const

export const hasBoundMarks = (text: string): boolean => text.includes(OPEN)

/** Marks move inside white space, end with their line and begin again on the next one. */
export function withBoundaries(text: string): string {
  const line: LineState = { out: '', end: '', blank: '', written: [] }
  let open: string[] = []
  const pieces = text.split(MARKED)
  // In threes: text, the kind of a mark, and the mark; a line break has neither.
  for (let at = 0; at < pieces.length; at += 3) {
    // Bold in bold is bold.
    write(pieces[at] ?? '', open.length > 1 ? [...new Set(open)] : open, line)
    if (at + 1 >= pieces.length) break
    const [kind, mark] = [pieces[at + 1], pieces[at + 2]]
    if (kind === OPEN) open = [...open, mark ?? ''].slice(0, DEPTH_MAX)
    else if (kind === CLOSE) open = open.filter((_, index) => index !== open.lastIndexOf(mark ?? ''))
    else {
      closeTo([], line)
      append(`${line.blank}\n`, line)
      line.blank = ''
    }
  }
  closeTo([], line)
  return line.out + line.blank
}

/** Deeper emphasis looks like what it stands in. */
const DEPTH_MAX = 6

interface LineState {
  out: string
  /** The last character of `out`, which would be put together to read it. */
  end: string
  /** White space that may stand behind a closing mark. */
  blank: string
  /** The marks that are open in `out`. */
  written: readonly string[]
}

/** A quote and white space stand before the marks of a line. */
const BEFORE_MARKS = /^(?:> )*\s*/

function write(text: string, open: readonly string[], line: LineState): void {
  if (text === '') return
  const [before = ''] = /^[\s>]/.test(text) ? (BEFORE_MARKS.exec(text) ?? []) : []
  const words = text.slice(before.length).trimEnd()
  if (words === '') {
    line.blank += text
    return
  }
  const common = commonLength(line.written, open)
  const hasClosed = line.written.length > common
  const hasOpened = open.length > common
  if (hasClosed) closeTo(open.slice(0, common), line)
  const gap = line.blank + before
  line.blank = ''
  if (gap === '' && (hasClosed || hasOpened) && (hasClosed ? hasOpened || isLetter(words) : isLetter(line.end)))
    append(BOUNDARY, line)
  append(gap + open.slice(common).join('') + words, line)
  line.written = open
  line.blank = text.slice(before.length + words.length)
}

function closeTo(open: readonly string[], line: LineState): void {
  if (line.written.length === open.length) return
  append(line.written.slice(open.length).toReversed().join(''), line)
  line.written = open
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((mark, index) => mark !== b[index])
  return at === -1 ? a.length : at
}

function append(text: string, line: LineState): void {
  if (text === '') return
  line.out += text
  line.end = text.slice(-1)
}

/** Letters and digits of any script; signs beyond ASCII count as such. */
const isLetter = (text: string) => /^(?:[A-Za-z0-9]|[^\0-\x7f])/.test(text)
