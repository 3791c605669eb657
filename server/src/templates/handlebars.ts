/** Handlebars in the author's words: blocks, helpers and paths. A text with plain variables alone is none. */
import { type Part, treeOf } from './handlebars/blocks.ts'
import { readTags, TagInvalid } from './handlebars/tags.ts'
import type { Expand, Fail, Op } from './program.ts'
import { VALUE } from './variables.ts'

/** Anything that is more than a variable in braces; most texts have nothing of it and are not read further. */
const SPECIAL = /\\\{\{|~\}\}|\{\{\{?~?\s*(?:[#^/!&(~]|\.\.|this\b|else\b|@[a-z]|[^\s{}~]+\s+[^\s{}~])/

interface Handlebars {
  parts: readonly Part[]
  unreadable?: string
}

/** Undefined: nothing in it but text and variables. Throws `TagInvalid`. */
function handlebarsIn(text: string): Handlebars | undefined {
  if (!SPECIAL.test(text)) return undefined
  const read = readTags(text.replaceAll(VALUE, '\uFFFD'))
  return read && { parts: treeOf(read.pieces), ...(read.unreadable !== undefined && { unreadable: read.unreadable }) }
}

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

/**
 * A text is expanded first and read afterwards, with a variable in the place of each value: so blocks may hold lines of
 * a list or parts of a tag, and no value is ever Markdown or markup.
 */
export function reading<Result extends Op>(
  text: string,
  read: (text: string) => readonly Result[],
): readonly (Result | Expand | Fail)[] {
  try {
    const found = handlebarsIn(text)
    return found ? [{ op: 'expand', parts: found.parts, read, programs: new Map() }] : read(text)
  } catch (error) {
    if (error instanceof TagInvalid) return [{ op: 'fail', reason: error.message }]
    throw error
  }
}
