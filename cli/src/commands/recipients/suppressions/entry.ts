/** An entry of the list of suppressed addresses, from options or the columns of a row. */
import type { NewSuppression } from '@postrider/client'
import { addressKinds, suppressionReasons } from '@postrider/contract'
import { type Command, Option } from 'commander'

export type Kind = (typeof addressKinds)[number]

export interface EntryOptions {
  kind?: Kind
  reason?: (typeof suppressionReasons)[number]
  ends?: string
  note?: string
}

export const kindOption = () =>
  new Option('--kind <kind>', 'kind of the addresses (default: by their form)').choices([...addressKinds])

export const entryOptions = (command: Command): Command =>
  command
    .addOption(kindOption())
    .addOption(
      new Option('--reason <reason>', 'why nothing is sent to them (default: manual)').choices([...suppressionReasons]),
    )
    .option('--ends <time>', 'time from which the entry has no effect, ISO 8601 (default: never)')
    .option('--note <text>', 'note for operators')

type Fields = Readonly<Record<string, unknown>> & { address: string }

const FIELDS = ['kind', 'reason', 'ends', 'note'] as const

/** Options win over the columns of a row; empty cells count as absent. */
export function entryOf(row: Fields, options: EntryOptions): NewSuppression {
  const entry: Record<string, unknown> = { address: row.address }
  for (const field of FIELDS) {
    const value = options[field] ?? row[field]
    if (value !== undefined && value !== null && value !== '') entry[field] = value
  }
  return entry as unknown as NewSuppression
}
