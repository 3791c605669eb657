/** `postrider suppressions import`: addresses from a file, as other systems and providers export them. */
import { isPostriderError, type NewSuppression, type Postrider } from '@postrider/client'
import { suppressionsMax } from '@postrider/contract'
import type { Command } from 'commander'
import { countText } from '../../../count-text.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { importsMissing, inBatches } from '../../../rows/batches.ts'
import { byBody } from '../../../rows/bodies.ts'
import { interruptible } from '../../../rows/interruption.ts'
import { openRows, type RowOptions, withFileOptions } from '../../../rows/options.ts'
import type { Row } from '../../../rows/read.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { type EntryOptions, entryOf, entryOptions } from './entry.ts'

interface ImportOptions extends EntryOptions, Omit<RowOptions, 'id' | 'map' | 'ignore'> {
  address?: string
}

/** With the waits of the client half a minute: a server that restarts is back by then. */
const RETRIES = 6

export function addImport(suppressions: Command): void {
  entryOptions(withFileOptions(suppressions.command('import')))
    .description('Suppress the addresses of a CSV file or of JSON lines.')
    .argument('<file>', 'CSV or JSON lines file, or - for standard input')
    .option('--address <column>', 'column with the address (default: address, email, phone_number, phone or token)')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider suppressions import suppressed.csv
  $ postrider suppressions import bounces.csv --reason hard_bounce --note 'From the old provider'
  $ postrider suppressions import unsubscribed.csv --address 'E-Mail' --reason unsubscribed --errors failed.csv

The columns kind, reason, ends and note are read where a file has them; an option holds for every row instead. Other
columns are ignored. Rows that fail are named with their line and do not stop the others; the exit code is 1. Addresses
on the list keep their entries, so an interrupted import can be started again.`,
    )
    .action((file: string, options: ImportOptions, command: Command) =>
      importAddresses(sessionOf(command), file, options),
    )
}

async function importAddresses(session: Session, file: string, options: ImportOptions): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const opened = await openRows(terminal, file, options, { needsId: false })
  const { failures } = opened
  if (opened.columns) checkColumn(opened.columns, options.address)
  const tally = { rows: 0, added: 0, existing: 0 }
  const work = async (batch: readonly Row[]) => {
    tally.rows += batch.length
    const entries: Entry[] = []
    for (const row of batch) {
      const address = row.problem === undefined ? addressIn(row, options.address) : ''
      if (row.problem !== undefined) failures.add(row, row.problem)
      else if (address === '') failures.add(row, 'The address is missing')
      else entries.push({ row, body: entryOf({ ...Object.fromEntries(row.values), address }, options) })
    }
    for (const part of byBody(entries, suppressionsMax, ({ body }) => body)) {
      const { added, existing, errors } = await addAll(client, part)
      for (const { row, error } of errors) failures.add((part[row] as Entry).row, error)
      tally.added += added
      tally.existing += existing
    }
  }
  try {
    await interruptible((stop) =>
      inBatches({
        session,
        source: opened.source,
        rows: opened.rows,
        stop,
        fromLine: options.fromLine,
        rowsMax: suppressionsMax,
        work,
        status: () => `${countText(tally.rows, 'row')}, ${failures.count()} failed`,
        continueWith: (line) => `Continue with: --from-line ${line}`,
      }),
    )
  } finally {
    failures.close()
  }
  if (failures.count() > 0) process.exitCode = exitCodes.failed
  terminal.answer({ ...tally, failed: failures.count(), failures: failures.first }, () => {
    const failed = failures.count() > 0 ? ` ${countText(failures.count(), 'row')} failed.` : ''
    return `${countText(tally.rows, 'row')}: ${tally.added} added, ${tally.existing} on the list already.${failed}`
  })
}

const USUAL = ['address', 'email', 'phone_number', 'phone', 'token']

const isAddress = (column: string, named: string | undefined) =>
  named === undefined ? USUAL.includes(column.trim().toLowerCase()) : column === named

function checkColumn(columns: readonly string[], named: string | undefined): void {
  if (columns.some((column) => isAddress(column, named))) return
  throw new Failure(named === undefined ? 'No column holds the address' : `Unknown column \`${named}\``, {
    hint: `Give the column with the address with --address. The columns are ${columns.filter(Boolean).join(', ')}.`,
    exitCode: exitCodes.wrong,
  })
}

/** The first usual column that is filled: a file may have a column for each kind. */
function addressIn({ values }: Row, named: string | undefined): string {
  const filled = values.find(([column, value]) => isAddress(column, named) && String(value ?? '').trim() !== '')
  return filled === undefined ? '' : String(filled[1]).trim()
}

interface Entry {
  row: Row
  body: NewSuppression
}

async function addAll(client: Postrider, entries: readonly Entry[]) {
  const suppressions = entries.map(({ body }) => body)
  return client.suppressions.import({ suppressions }, { retries: RETRIES }).catch((error: unknown) => {
    throw isPostriderError(error, 'not_found') ? importsMissing('suppressed addresses', error) : error
  })
}
