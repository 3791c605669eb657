/** Handlebars in the author's texts: blocks, helpers and paths. A text with plain variables alone is none. */
import type { Budget } from '../../base/budget.ts'
import { memo } from '../../base/perf/cache.ts'
import type { Expand, Fail, Op } from '../program.ts'
import { PATH_SOURCE, SOURCE_MAX, VALUE } from '../variables.ts'
import { type Part, translatedTexts, treeOf, unknownZones } from './blocks.ts'
import { readTags, TagInvalid } from './tags.ts'

/** An escaped tag, or anything in two braces but a variable; most texts have nothing of it and are not read further. */
const SPECIAL = new RegExp(
  `\\\\\\{\\{|\\{\\{(?!(?=[^}]{0,${SOURCE_MAX - 1}}\\})\\{?\\s*(?!(?:this|else)\\b)${PATH_SOURCE}\\s*\\}\\})`,
)

interface Handlebars {
  /** Undefined: it is shown as it was written. */
  parts?: readonly Part[]
  unreadable?: string
}

const KEPT_BYTES_MAX = 10_000_000
/** The memory of a piece in a tree; the text is kept as well, two bytes a character. */
const PIECE_BYTES = 250

/** A text is read when its content is checked, and again for each document that is made of it. */
const treeIn = memo(
  {
    weightMax: KEPT_BYTES_MAX,
    weightOf: ({ pieces }: { tree: Handlebars; pieces: number }, text) => 2 * text.length + PIECE_BYTES * (pieces + 10),
  },
  (text) => {
    const { pieces, unreadable } = readTags(text)
    const tree: Handlebars = {
      ...(pieces && { parts: treeOf(pieces) }),
      ...(unreadable !== undefined && { unreadable }),
    }
    return { tree, pieces: pieces?.length ?? 0 }
  },
)

/** Undefined: nothing in it but text and variables. Throws `TagInvalid`. */
const handlebarsIn = (text: string): Handlebars | undefined =>
  SPECIAL.test(text) ? treeIn(text.replaceAll(VALUE, '\uFFFD')).tree : undefined

/** The reason why the text cannot be published; undefined when all of it is known. */
export function handlebarsProblem(text: string): string | undefined {
  try {
    const unreadable = handlebarsIn(text)?.unreadable
    if (unreadable === undefined) return undefined
    return `\`${unreadable}\` is neither a variable nor a helper; write \`\\{{\` where braces are to be shown`
  } catch (error) {
    if (error instanceof TagInvalid) return error.message
    throw error
  }
}

/** The blocks and helpers of a text; undefined for one without, and for one that cannot be read. */
export function treeOfText(text: string): readonly Part[] | undefined {
  try {
    return handlebarsIn(text)?.parts
  } catch (error) {
    if (error instanceof TagInvalid) return undefined
    throw error
  }
}

/** The texts of a text that are translated by a catalog, each with its context. */
export const textsToTranslate = (text: string): { message: string; context?: string | undefined }[] =>
  text.includes('{{') ? [...translatedTexts(treeOfText(text) ?? [])] : []

/** Time zones in the tags of a text that are none; a message that shows such a date fails. */
export const zoneProblems = (text: string): Iterable<string> =>
  text.includes('{{') ? unknownZones(treeOfText(text) ?? []) : []

/**
 * A text is expanded first and read afterwards, with a variable instead of each value: so blocks may hold lines of
 * a list or parts of a tag, and no value is ever Markdown or markup. `read` is given the budget of the message then.
 */
export function reading<Result extends Op>(
  text: string,
  read: (text: string, budget?: Budget) => readonly Result[],
): readonly (Result | Expand | Fail)[] {
  try {
    const tags = handlebarsIn(text)
    return tags?.parts ? [{ op: 'expand', parts: tags.parts, read, programs: new Map() }] : read(text)
  } catch (error) {
    if (error instanceof TagInvalid) return [{ op: 'fail', reason: error.message }]
    throw error
  }
}
