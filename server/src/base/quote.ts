/** Names and values in errors: in backticks, in one line, short enough to be read; and the known name nearest to a misspelled one. */
import distance from 'damerau-levenshtein'

const CHARACTERS_MAX = 64

export function quoted(value: unknown): string {
  const text = String(value)
  return `\`${escaped(text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX - 1)}…` : text)}\``
}

export const quotedList = (values: Iterable<unknown>): string => [...values].map(quoted).join(', ')

/** The end of a sentence about a field; `must be …` where only one value is possible. */
export function mustBeOneOf(values: Iterable<unknown>): string {
  const all = [...values]
  return `must be ${all.length === 1 ? '' : 'one of '}${quotedList(all)}`
}

export const didYouMean = (name: string | undefined): string =>
  name === undefined ? '' : ` Did you mean ${quoted(name)}?`

/** More names are no help. */
const NAMES_LISTED_MAX = 8

/** The same about a value that is none of them: the nearest one of many, where there is one. */
export function mustBeChoice(values: readonly unknown[], value: unknown): string {
  const names = values.length > NAMES_LISTED_MAX && typeof value === 'string' ? values.map(String) : []
  const near = nearestName(String(value), names)
  return near === undefined ? mustBeOneOf(values) : `must be one of ${values.length} values.${didYouMean(near)}`
}

/** The end of a sentence about an unknown name: the nearest one, or all where they are few. `owner`: what has the names, as the begin of a sentence. */
export function nameAdvice(name: string, names: readonly string[], owner: string): string {
  const near = nearestName(name, names)
  if (near !== undefined) return didYouMean(near)
  return names.length === 0 || names.length > NAMES_LISTED_MAX ? '' : ` ${owner} has ${quotedList(names)}.`
}

/** A line break would begin another line of a log, a control character may change a terminal. */
const escaped = (text: string) => text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))

/**
 * Undefined when every name differs in more than a third of its letters, or in more than `stepsMax` of them. An exchange of two neighbors is one
 * difference; digits, case and separators are none.
 */
export function nearestName(
  name: string,
  candidates: readonly string[],
  stepsMax = Number.POSITIVE_INFINITY,
): string | undefined {
  const letters = lettersOf(name.slice(0, 64))
  let nearest: { other: string; steps: number } | undefined
  for (const other of candidates) {
    const otherLetters = lettersOf(other)
    const max = Math.min(stepsMax, Math.max(1, Math.floor(other.length / 3)))
    // A difference of lengths is a distance already: no table is made for a long name.
    if (Math.abs(letters.length - otherLetters.length) > max) continue
    const { steps } = distance(letters, otherLetters)
    if (steps <= max && (nearest === undefined || steps < nearest.steps)) nearest = { other, steps }
  }
  return nearest?.other
}

/** Shorter keys are words that differ from a name in a letter: `mail`. */
const KEY_LETTERS_MIN = 5

/** The name that a key is with one typing mistake. A number at the end counts values: `email2` is none of `email`. */
export const typedName = (key: string, names: readonly string[]): string | undefined =>
  key.length < KEY_LETTERS_MIN || /\d$/.test(key) ? undefined : nearestName(key, names, 1)

const lettersOf = (name: string) => name.toLowerCase().replaceAll(/[^a-z]/g, '')
