/** Records of other people, as they may be shownRecord: in one line of printable ASCII, and short. */
const CHARACTERS_MAX = 250

export const shownRecord = (record: string): string => `"${shownName(record)}"`

export function shownName(record = ''): string {
  const printable = record.replaceAll(/[^\x20-\x7e]/g, '?')
  return printable.length > CHARACTERS_MAX ? `${printable.slice(0, CHARACTERS_MAX)}…` : printable
}
