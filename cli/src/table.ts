/** Rows as aligned columns; every cell is plain text on one line. */
import { plain, shorten } from './plain.ts'

export interface Column {
  title: string
  /** Longer cells are cut, for texts of any length. */
  charactersMax?: number
  style?: (text: string) => string
}

const GAP = '  '

export function table(columns: readonly Column[], rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) =>
    columns.map(({ charactersMax = 120 }, index) => shorten(plain(row[index]), charactersMax)),
  )
  const widths = columns.map(({ title }, index) =>
    Math.max(width(title), ...cells.map((row) => width(row[index] ?? ''))),
  )
  const line = (row: readonly string[], styled: boolean) =>
    row
      .map((text, index) => {
        const last = index === row.length - 1
        const space = last ? '' : ' '.repeat((widths[index] ?? 0) - width(text))
        return (styled ? (columns[index]?.style?.(text) ?? text) : text) + space
      })
      .join(GAP)
      .trimEnd()
  return [
    line(
      columns.map(({ title }) => title),
      false,
    ),
    ...cells.map((row) => line(row, true)),
  ].join('\n')
}

/** Names and values below each other; absent values are left out. */
export function sheet(entries: readonly (readonly [name: string, value: unknown])[]): string {
  const presentEntries = entries.filter(([, value]) => value !== undefined && value !== '')
  const widest = Math.max(0, ...presentEntries.map(([name]) => name.length))
  return presentEntries.map(([name, value]) => `${name.padEnd(widest)}${GAP}${plain(value)}`).join('\n')
}

// Characters of two columns, and characters that are drawn over the one before.
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u
const NARROW = /\p{Mark}|[\u200b\u200c]|\u200d|\ufe0f/u

export function width(text: string): number {
  let columns = 0
  for (const character of text) columns += NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return columns
}
