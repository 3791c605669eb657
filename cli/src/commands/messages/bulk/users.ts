/** A row of a file as a user of a bulk job. */
import { createHash } from 'node:crypto'
import { digestOf as contentDigest } from '../../../definitions/definition.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import {
  type ColumnRules,
  cellOf,
  createColumns,
  type JsonObject,
  type Member,
  memberOf,
  setMember,
} from '../../../rows/columns.ts'
import { idOf, idProblem } from '../../../rows/id-column.ts'
import type { Row } from '../../../rows/read.ts'

export interface User extends JsonObject {
  recipient: string
}

/** Parts of a user that other columns are members of. */
const parts = ['profile', 'data', 'preferences', 'to']
/** Common contact values: without a prefix they belong to the profile. */
const contacts = ['email', 'phone_number', 'locale', 'timezone', 'zoneinfo']

export const otherPlaces = ['data', 'profile', 'ignore'] as const

export interface UserRules extends ColumnRules {
  /** Where columns without a place belong. */
  otherColumns?: (typeof otherPlaces)[number]
}

/** Undefined for a column that says neither profile nor data. */
function placeOf({ path: [first = '', ...rest] }: Member, { otherColumns }: UserRules): readonly string[] | undefined {
  if (parts.includes(first)) return [first, ...rest]
  if (contacts.includes(first) && rest.length === 0) return ['profile', first]
  return otherColumns && otherColumns !== 'ignore' ? [otherColumns, first, ...rest] : undefined
}

/** Throws a `Failure` that shows how each of the others can be used. */
export function refuseUnplacedColumns(
  columns: readonly string[],
  idColumn: string | undefined,
  rules: UserRules,
): void {
  if (rules.otherColumns) return
  const unplaced = columns.filter((column) => {
    const member = column === idColumn ? undefined : memberOf(column, rules)
    return member && !placeOf(member, rules)
  })
  const [first] = unplaced
  if (first === undefined) return
  throw new Failure(`No field matches the columns ${unplaced.join(', ')}`, {
    hint: `Name it in the header row or with --map: --map '${first}=data.${first}' for the template, --map '${first}=profile.${first}' for the profile; or --ignore '${first}'. --other-columns data, profile or ignore applies to all of them.`,
    exitCode: exitCodes.wrong,
  })
}

export type UserReader = (row: Row) => { user: User } | { problem: string }

/** `jobId`: users without an id get one that is the same whenever this row is added to this job. */
export function userReader(idColumn: string | undefined, rules: UserRules, jobId: string): UserReader {
  const memberFor = createColumns(rules)
  return (row) => {
    if (row.problem) return { problem: row.problem }
    const identified = idOf(row, idColumn)
    const user: JsonObject = {}
    for (const [column, raw] of row.values) {
      const member = column === identified?.column ? undefined : memberFor(column)
      const cell = member && cellOf(raw, member)
      if (!member || !cell) continue
      const place = placeOf(member, rules)
      if (!place && rules.otherColumns) continue
      if (!place) return { problem: `No field matches \`${column}\`: name it data.${column} or profile.${column}` }
      const problem = 'problem' in cell ? cell.problem : setMember(user, place, cell.value)
      if (problem) return { problem }
    }
    if (identified?.id) {
      const wrong = idProblem(identified.id)
      return wrong ? { problem: wrong } : { user: { recipient: identified.id, ...user } }
    }
    if (!user.profile && !user.to) return { problem: 'The row has neither an id nor an address' }
    return { user: { recipient: `anon_${digestOf(jobId, user)}`, ...user } }
  }
}

const digestOf = (jobId: string, user: JsonObject) =>
  createHash('sha256')
    .update(JSON.stringify([jobId, user]))
    .digest('hex')
    .slice(0, 32)

/** Whether the recipient of a row has an earlier one: a job has one message for each recipient. */
export function repeatCheck(): (user: User, line: number) => 'repeated' | { problem: string } | undefined {
  const first = new Map<string, string>()
  return (user, line) => {
    const recipient = shortDigest(user.recipient)
    // As the server compares them: rows of JSON lines may differ in the order of their keys.
    const digest = shortDigest(contentDigest(user))
    const earlier = first.get(recipient)
    if (earlier === undefined) {
      first.set(recipient, flat(`${digest}${line}`))
      return undefined
    }
    if (earlier.startsWith(digest)) return 'repeated'
    const problem = `The recipient is on line ${earlier.slice(digest.length)} with other data: a job has one message for each recipient`
    return { problem }
  }
}

/** A file can have a million recipients, and the whole text of each would take five times the memory. */
const shortDigest = (text: string) => createHash('sha256').update(text).digest('binary').slice(0, 12)

/** A text in one piece: one that is put together keeps its parts as well. */
const flat = (text: string) => Buffer.from(text, 'latin1').toString('latin1')
