/** The known name that a misspelled name was probably meant to be. */

/** Undefined when none of them differs in fewer than a third of its letters. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  return known
    .map((other) => ({ other, distance: distance(plain(name.slice(0, 64)), plain(other)) }))
    .filter(({ other, distance }) => distance <= Math.max(1, Math.floor(other.length / 3)))
    .sort((one, two) => one.distance - two.distance)[0]?.other
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')

/** How many letters are to be put in, taken out, changed or exchanged with their neighbour. */
function distance(from: string, to: string): number {
  const rows: number[][] = [[...to, ''].map((_, column) => column)]
  for (let row = 1; row <= from.length; row += 1) {
    const [before = [], earlier = []] = [rows[row - 1], rows[row - 2]]
    const line = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      line[column] = Math.min(
        at(before, column) + 1,
        at(line, column - 1) + 1,
        at(before, column - 1) + (isSame ? 0 : 1),
        isSwapped ? at(earlier, column - 2) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    rows.push(line)
  }
  return at(rows.at(-1) ?? [], to.length)
}

const at = (line: readonly number[], column: number) => line[column] ?? Number.POSITIVE_INFINITY
