/** `postrider profiles import`: profiles from a file, many a call; a failed row is reported with its reason. */

import { isPostriderError, type OnWarning, type Postrider, type ProfilesImported } from '@postrider/client'
import { profilesPerImportMax } from '@postrider/contract'
import { type Command, Option } from 'commander'
import { countText } from '../../../count-text.ts'
import { exitCodes } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import { concurrently, importsMissing, inBatches } from '../../../rows/batches.ts'
import { byBody } from '../../../rows/bodies.ts'
import { cellOf, createColumns, type JsonObject, setMember } from '../../../rows/columns.ts'
import { idOf, idProblem } from '../../../rows/id-column.ts'
import { interruptible } from '../../../rows/interruption.ts'
import { type OpenRows, openRows, type RowOptions, withRowOptions } from '../../../rows/options.ts'
import type { Row } from '../../../rows/read.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { count } from '../../messages/messages/filters.ts'
import { type Change, changesBetween, changeText, merged } from './changes.ts'

interface ImportOptions extends RowOptions {
  list?: string
  replace?: boolean
  dryRun?: boolean
  concurrency?: number
}

/** Two full calls of each lane; an interrupted run repeats a second of work. */
const BATCH_ROWS = 4_000
const CONCURRENCY_MAX = 64
/** One call is written by the database while the server reads the other one. */
const CALLS = 2
/** Calls that read single profiles. */
const READS = 16
/** With the waits of the client half a minute: a server that restarts is back by then. */
const RETRIES = 6

export function addImport(profiles: Command): void {
  const concurrency = new Option(
    '--concurrency <count>',
    `number of parallel requests (default: ${CALLS}; with --dry-run ${READS})`,
  ).argParser(count(CONCURRENCY_MAX))
  withRowOptions(profiles.command('import'))
    .description('Import profiles from a CSV file or JSON lines.')
    .argument('<file>', 'CSV or JSON lines file, or - for standard input')
    .option('--list <id>', 'subscribe the recipients of the imported rows to this list')
    .option('--replace', 'replace each profile with its row instead of merging')
    .option('--dry-run', 'show the changes without making them')
    .addOption(concurrency)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider profiles import users.csv --dry-run
  $ postrider profiles import users.csv --map 'E-Mail=email' --map 'Tags=tags:json' --ignore Notes
  $ postrider profiles import users.csv --list news.product --errors failed.csv
  $ cat users.jsonl | postrider profiles import -

The header row names the fields: email, address.city (a member of address), tags:json, age:number, vip:boolean.
An empty cell leaves its field unchanged. Example of a file with the columns id, email and name:

  id,email,name
  user-7,ada@example.com,"Lovelace, Ada"

A row with an address, a locale or a time zone of no use is imported, with a warning that names its line. A failed
row is reported with its line and does not stop the import; the exit code is then 1. Correct the file written by
--errors and import it again. Importing a row twice has no effect, so an interrupted import can be repeated, or
continued with --from-line from the line it printed.`,
    )
    .action(async (file: string, options: ImportOptions, command: Command) =>
      importProfiles(sessionOf(command), file, options),
    )
}

interface Tally {
  rows: number
  written: number
  /** Written, with a value that nothing can use. */
  warned: number
  created: number
  changed: number
  unchanged: number
  subscribed: number
}

interface Import {
  client: Postrider
  session: Session
  options: ImportOptions
  opened: OpenRows
  tally: Tally
  /** Profiles as a dry run leaves them, of people who are not stored: a later row changes what an earlier one creates. */
  created: Map<string, JsonObject>
}

async function importProfiles(session: Session, file: string, options: ImportOptions): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const opened = await openRows(terminal, file, options, { needsId: true })
  const tally: Tally = { rows: 0, written: 0, warned: 0, created: 0, changed: 0, unchanged: 0, subscribed: 0 }
  const running: Import = { client, session, options, opened, tally, created: new Map() }
  const read = personReader(opened, options)
  try {
    await interruptible((stop) =>
      inBatches({
        session,
        source: opened.source,
        rows: opened.rows,
        stop,
        fromLine: options.fromLine,
        rowsMax: BATCH_ROWS,
        work: (batch) => importBatch(running, batch, read),
        status: () => `${countText(tally.rows, 'row')}, ${opened.failures.count()} failed`,
        continueWith: (line) => `Continue with: --from-line ${line}`,
      }),
    )
  } finally {
    opened.failures.close()
  }
  if (opened.failures.count() > 0) process.exitCode = exitCodes.failed
  const summary = { ...summaryOf(tally, options), failed: opened.failures.count(), failures: opened.failures.first }
  // Each change was a line of JSON before.
  if (terminal.json && options.dryRun) terminal.line({ summary }, '')
  else terminal.answer(summary, () => summaryText(running))
}

const summaryOf = (
  { rows, written, warned, created, changed, unchanged, subscribed }: Tally,
  { dryRun, list }: ImportOptions,
) => ({
  rows,
  ...(dryRun ? { created, changed, unchanged } : { written, warned }),
  ...(list !== undefined && !dryRun && { subscribed }),
})

function summaryText({ tally, options: { dryRun, list, errors }, opened: { failures } }: Import): string {
  const { rows, written, warned, created, changed, unchanged, subscribed } = tally
  const done = dryRun
    ? `${countText(rows, 'row')}: ${countText(created, 'profile')} would be created, ${changed} changed, ${unchanged} unchanged.`
    : `${countText(rows, 'row')}: ${countText(written, 'profile')} written.`
  const subscriptions = list === undefined || dryRun ? '' : ` ${subscribed} subscribed to ${plain(list)}.`
  const failed =
    failures.count() === 0 ? '' : ` ${countText(failures.count(), 'row')} failed${errors ? `: ${plain(errors)}` : ''}.`
  const warnings = warned === 0 ? '' : ` ${countText(warned, 'row')} with warnings.`
  return `${done}${subscriptions}${warnings}${failed}`
}

interface Person {
  row: Row
  id: string
  profile: JsonObject
}

type PersonReader = (row: Row) => Person | { problem: string }

function personReader({ idColumn }: Pick<OpenRows, 'idColumn'>, options: ImportOptions): PersonReader {
  const memberFor = createColumns(options)
  return (row) => {
    if (row.problem) return { problem: row.problem }
    const identified = idOf(row, idColumn)
    if (!identified) return { problem: 'The id is missing' }
    const wrong = idProblem(identified.id)
    if (wrong) return { problem: wrong }
    const profile: JsonObject = {}
    for (const [column, raw] of row.values) {
      const member = column === identified.column ? undefined : memberFor(column)
      const cell = member && cellOf(raw, member)
      if (!member || !cell) continue
      const problem = 'problem' in cell ? cell.problem : setMember(profile, member.path, cell.value)
      if (problem) return { problem }
    }
    return { row, id: identified.id, profile }
  }
}

async function importBatch(running: Import, batch: readonly Row[], read: PersonReader): Promise<void> {
  const { client, opened, options, tally } = running
  const people = new Map<string, Person[]>()
  for (const row of batch) {
    tally.rows += 1
    const person = read(row)
    if ('problem' in person) {
      opened.failures.add(row, person.problem)
      continue
    }
    const rows = people.get(person.id)
    if (rows) rows.push(person)
    else people.set(person.id, [person])
  }
  if (options.dryRun) return compareAll(running, [...people.values()])
  const imported = new Set<string>()
  const lanes = lanesOf([...people.values()], options.concurrency ?? CALLS)
  await concurrently(lanes, lanes.length, async (lane) => {
    const parts = byBody(lane, profilesPerImportMax, ({ id, profile }) => ({ id, profile }))
    for (const part of parts) for (const id of await writePart(running, part)) imported.add(id)
  })
  if (options.list === undefined || imported.size === 0) return
  const recipients = [...imported].map((recipientId) => ({ recipientId }))
  await client.lists.addSubscriptions(options.list, { recipients }, { retries: RETRIES })
  tally.subscribed += imported.size
}

/** Rows of one person are written one after the other, because the last one counts: they are in one lane, in their order. */
function lanesOf(people: readonly (readonly Person[])[], most: number): Person[][] {
  const lanes = Array.from({ length: Math.min(most, people.length) }, (): Person[] => [])
  for (const rows of people) lanes.reduce((least, lane) => (lane.length < least.length ? lane : least)).push(...rows)
  return lanes
}

/**
 * Gives the ids of the written rows. A call that is refused as a whole, such as for profiles that are too large
 * together, is divided until the rows that are at fault stand alone.
 */
async function writePart(running: Import, part: readonly Person[]): Promise<string[]> {
  const { client, options, tally } = running
  const profiles = part.map(({ id, profile }) => ({ id, profile }))
  let result: ProfilesImported
  try {
    result = await client.profiles.import({ profiles, replace: options.replace === true }, { retries: RETRIES })
  } catch (error) {
    if (!isOfRows(error)) throw isPostriderError(error, 'not_found') ? importsMissing('profiles', error) : error
    const [person] = part
    if (part.length === 1 && person) return (await writeAlone(running, person)) ? [person.id] : []
    const middle = Math.ceil(part.length / 2)
    const first = await writePart(running, part.slice(0, middle))
    return [...first, ...(await writePart(running, part.slice(middle)))]
  }
  tally.written += result.written
  for (const { row, warnings } of result.warnings) warn(running, part[row], warnings)
  const errors = new Map(result.errors.map(({ row, error }) => [row, error]))
  return part.flatMap((person, n) => {
    const error = errors.get(n)
    if (error === undefined) return [person.id]
    running.opened.failures.add(person.row, error)
    return []
  })
}

/** False for a failure that has nothing to do with the rows. */
const isOfRows = (error: unknown) =>
  isPostriderError(error) && ['invalid_request', 'too_large', 'conflict'].some((kind) => kind === error.kind)

function warn({ tally, session: { terminal } }: Import, person: Person | undefined, warnings: readonly string[]): void {
  tally.warned += 1
  for (const warning of warnings) terminal.warning(`line ${person?.row.line}: ${warning}`)
}

/** A profile nests less deeply in a call of its own, which also names what is wrong with it. False for a row that is refused. */
async function writeAlone(running: Import, person: Person): Promise<boolean> {
  const { client, options, tally } = running
  const { id, profile } = person
  const onWarning: OnWarning = (warnings) => warn(running, person, warnings)
  try {
    // Both can be repeated without harm, which is what makes an import resumable.
    if (options.replace) await client.profiles.replace(id, { profile }, { retries: RETRIES, onWarning })
    else await client.profiles.merge(id, { profile }, { retries: RETRIES, onWarning })
    tally.written += 1
    return true
  } catch (error) {
    fail(running, person, error)
    return false
  }
}

/** Throws what is no fault of the row. */
function fail({ opened }: Import, { row }: Person, error: unknown): void {
  if (!isOfRows(error)) throw error
  opened.failures.add(row, (error as Error).message)
}

async function compareAll(running: Import, people: readonly (readonly Person[])[]): Promise<void> {
  await concurrently(people, running.options.concurrency ?? READS, async (persons) => {
    for (const person of persons) await compare(running, person).catch((error: unknown) => fail(running, person, error))
  })
}

async function compare(
  { client, session, options, tally, created }: Import,
  { id, profile, row }: Person,
): Promise<void> {
  const earlier = created.get(id)
  const before = earlier ?? (await storedProfile(client, id))
  const changes = changesBetween(before ?? {}, profile, options.replace === true)
  const act = before === undefined ? 'created' : changes.length > 0 ? 'changed' : 'unchanged'
  if (before === undefined || earlier) created.set(id, options.replace ? profile : merged(earlier ?? {}, profile))
  tally[act] += 1
  if (act !== 'unchanged') show(session, row.line, id, act, changes)
}

async function storedProfile({ profiles }: Postrider, id: string): Promise<JsonObject | undefined> {
  const profile = await profiles.get(id, { retries: RETRIES }).catch((error: unknown) => {
    if (isPostriderError(error, 'not_found')) return undefined
    throw error
  })
  return profile?.profile
}

function show({ terminal }: Session, line: number, id: string, act: string, changes: readonly Change[]): void {
  terminal.progress.end()
  const text = `line ${line}  ${plain(id)}  ${act}: ${changes.map(changeText).join(', ')}`
  terminal.line({ line, id, act, changes }, text)
}
