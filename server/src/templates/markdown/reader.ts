/** Reads Markdown into tokens and counts the work, so that no text blocks the process for long. */
import MarkdownIt from 'markdown-it'

const library = new MarkdownIt('default', { html: false, breaks: true, linkify: false, typographer: false })
  // An indented line is a line; a table has no form in most dialects.
  .disable(['code', 'table', 'reference'])
// Addresses are judged when they are complete, with their values.
library.validateLink = () => true
library.normalizeLink = (url) => url

export type Token = ReturnType<typeof library.parse>[number]

/** Each takes some 70 ns. Ordinary Markdown of the largest size takes 500,000. */
export const readingStepsMax = 600_000

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
