/** The known name that a misspelled name was probably meant to be. */
import distance from 'damerau-levenshtein'

/** Undefined when every name differs in more than a third of its letters. An exchange of two neighbors is one difference. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const letters = lettersOf(name.slice(0, 64))
  let nearest: { other: string; steps: number } | undefined
  for (const other of known) {
    const otherLetters = lettersOf(other)
    const max = Math.max(1, Math.floor(other.length / 3))
    // A difference of lengths is a distance already: no table is made for a long name.
    if (Math.abs(letters.length - otherLetters.length) > max) continue
    const { steps } = distance(letters, otherLetters)
    if (steps <= max && (nearest === undefined || steps < nearest.steps)) nearest = { other, steps }
  }
  return nearest?.other
}

const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')
