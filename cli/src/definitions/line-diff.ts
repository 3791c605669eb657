/** The lines in which two texts differ, with three lines around them, as `diff -u` shows them. */

type Line = readonly [mark: ' ' | '-' | '+', text: string]

const CONTEXT = 3
/** Beyond it the changed part is shown as replaced whole: finding the fewest lines takes time and memory for each pair. */
const PAIRS_MAX = 4_000_000

/** Empty when the texts are the same. */
export function lineDiff(before: string, after: string): string[] {
  if (before === after) return []
  return hunks(linesOf(before.split('\n'), after.split('\n')))
}

function linesOf(before: readonly string[], after: readonly string[]): Line[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1
  const same = (text: string): Line => [' ', text]
  return [
    ...before.slice(0, start).map(same),
    ...changes(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ]
}

/** By the longest common subsequence. */
function changes(before: readonly string[], after: readonly string[]): Line[] {
  const replaced: Line[] = [...before.map((text): Line => ['-', text]), ...after.map((text): Line => ['+', text])]
  if (before.length * after.length > PAIRS_MAX) return replaced
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = before.length - 1; row >= 0; row -= 1)
    for (let column = after.length - 1; column >= 0; column -= 1)
      common[row * width + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: Line[] = []
  let [row, column] = [0, 0]
  while (row < before.length || column < after.length) {
    const [old, fresh] = [before[row], after[column]]
    if (old !== undefined && old === fresh) {
      lines.push([' ', old])
      row += 1
      column += 1
    } else if (old !== undefined && (fresh === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(['-', old])
      row += 1
    } else {
      lines.push(['+', fresh ?? ''])
      column += 1
    }
  }
  return lines
}

function hunks(lines: readonly Line[]): string[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(([mark]) => mark !== ' '),
  )
  const out: string[] = []
  let [before, after] = [1, 1]
  for (const [index, [mark, text]] of lines.entries()) {
    if (isNear[index]) {
      if (!isNear[index - 1]) out.push(heading(lines, isNear, index, before, after))
      out.push(`${mark}${text}`)
    }
    if (mark !== '+') before += 1
    if (mark !== '-') after += 1
  }
  return out
}

function heading(lines: readonly Line[], isNear: readonly boolean[], from: number, before: number, after: number) {
  const far = isNear.indexOf(false, from)
  const own = lines.slice(from, far === -1 ? undefined : far)
  const count = (without: Line[0]) => own.filter(([mark]) => mark !== without).length
  return `@@ -${before},${count('+')} +${after},${count('-')} @@`
}
