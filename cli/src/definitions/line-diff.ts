/** The lines in which two texts differ, with three lines around them, as `diff -u` shows them. */
import { structuredPatch } from 'diff'

const CONTEXT = 3
/** Beyond it the text is shown as replaced whole: finding the fewest changes takes time with their square. */
const CHANGES_MAX = 2_000

/** Empty when the texts are the same. */
export function lineDiff(before: string, after: string): string[] {
  if (before === after) return []
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT, maxEditLength: CHANGES_MAX })
  if (!patch) return replaced(linesOf(before), linesOf(after))
  return patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`,
    ...lines,
  ])
}

const replaced = (before: readonly string[], after: readonly string[]) => [
  `@@ -1,${before.length} +1,${after.length} @@`,
  ...before.map((line) => `-${line}`),
  ...after.map((line) => `+${line}`),
]

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
