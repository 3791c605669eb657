/** The bounds of compiling one document: Markdown steps, characters, braces, before any value is known. */
import type { Node } from './element.ts'
import { RenderFailed } from './failure.ts'

/** Steps of reading Markdown: each takes some 70 ns. Ordinary Markdown of the largest size takes 500,000. */
export const readingStepsMax = 600_000
/** The bound of a document's output: a longer text could not be shown whole. */
const CHARACTERS_MAX = 1_000_000
/** Each may begin a variable or a tag, which take some 5 µs to read. */
export const bracesMax = 20_000

/** The remainder of each bound. */
export interface DocumentWork {
  /** For reading Markdown; exhausted below zero. */
  steps: number
  characters: number
  braces: number
  /** The element in progress. */
  at: string
  /** Elements whose Markdown would take more: they are shown as they were written. */
  readonly unread: Set<string>
}

export const newDocument = (): DocumentWork => ({
  steps: readingStepsMax,
  characters: CHARACTERS_MAX,
  braces: bracesMax,
  at: '',
  unread: new Set(),
})

/** Takes the texts of an element, with the snippets in them. Throws `RenderFailed`. */
export function takeElement(document: DocumentWork, { at, element, fields }: Node): void {
  document.at = at
  for (const name in element.fields) takeTexts(document, fields[name])
}

function takeTexts(document: DocumentWork, value: unknown): void {
  if (typeof value === 'string') {
    document.characters -= value.length
    document.braces -= bracesIn(value)
    if (document.characters < 0)
      throw new RenderFailed(`${document.at}: The document has more than ${CHARACTERS_MAX} characters of text`)
    if (document.braces < 0) throw new RenderFailed(`${document.at}: The document has more than ${bracesMax} \`{\``)
  } else if (typeof value === 'object' && value !== null)
    for (const item of Object.values(value)) takeTexts(document, item)
}

export function bracesIn(text: string): number {
  let count = 0
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) count += 1
  return count
}
