/** Text from messages and providers as it may be shown in a terminal: it moves no cursor and hides nothing. */
import { stripVTControlCharacters } from 'node:util'

// C0, DEL and C1; line and paragraph separators; marks that reverse the direction of what follows.
const UNSEEN = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu

/** On one line. */
export const plain = (value: unknown): string =>
  stripVTControlCharacters(String(value ?? ''))
    .replace(UNSEEN, (match) => (/^[\r\n\t\u2028\u2029]+$/.test(match) ? ' ' : ''))
    .trim()

/** A line of a text, with the spaces it begins with. */
export const plainLine = (line: string): string => `${/^ */.exec(line)?.[0] ?? ''}${plain(line.replaceAll('\t', '  '))}`

/** JSON is exact, so what is dangerous is escaped instead of removed. C0 is escaped by JSON itself. */
export const plainJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (match) => `\\u${match.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

export const shorten = (text: string, charactersMax: number): string => {
  const characters = [...text]
  return characters.length <= charactersMax ? text : `${characters.slice(0, charactersMax - 1).join('')}…`
}

/** UTC, the same on every machine that looks: `2026-11-20 11:36:01.120Z`. */
export const utcTime = (ms: number | undefined): string =>
  ms === undefined || !Number.isFinite(ms) ? '' : new Date(ms).toISOString().replace('T', ' ')

export function bytes(count: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const step = count < 1_000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), units.length - 1)
  return step === 0 ? `${count} bytes` : `${(count / 1_000 ** step).toFixed(1)} ${units[step]}`
}
