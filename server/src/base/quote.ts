/** Names and values in errors: in backticks, in one line, and short enough to be read. */

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

/** A line break would begin another line of a log, a control character may change a terminal. */
const escaped = (text: string) => text.replaceAll(/\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1))
