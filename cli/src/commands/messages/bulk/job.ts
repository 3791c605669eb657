/** The job that sends: made or continued, filled with users, each of them once whatever is interrupted. */
import { isDeepStrictEqual } from 'node:util'
import { type BulkMessage, isPostriderError, type Postrider } from '@postrider/client'
import { secretMask } from '@postrider/contract'
import { existing, Failure } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import { byBody } from '../../../rows/bodies.ts'
import type { Failures } from '../../../rows/failures.ts'
import type { Row } from '../../../rows/read.ts'
import type { Terminal } from '../../../terminal.ts'
import type { User, UserReader } from './users.ts'

/** As many as one call takes. */
export const USERS_MAX = 1_000
export const RETRIES = 6

export const CLOSED = 'The job was run or canceled before and accepts no more users: its rows are compared.'
/** As the server says it when the user is added. */
export const DIFFERING = 'Duplicate user with other data: a job has one message for each recipient'

export interface AddedUsers {
  rows: number
  added: number
  /** In the job already: the same row twice, or added before an interruption. */
  present: number
}

export interface JobUsers {
  client: Postrider
  jobId: string
  failures: Failures
  count: AddedUsers
  read: UserReader
}

export async function createJob(
  { bulk }: Postrider,
  message: BulkMessage,
  options: { idempotencyKey?: string; strict?: boolean },
): Promise<string> {
  const { jobId } = await bulk.create({ message }, { ...options, retries: RETRIES })
  return jobId
}

export const jobOf = async ({ bulk }: Postrider, jobId: string) => {
  const { job } = await existing(bulk.get(jobId, { retries: RETRIES }), 'bulk job', jobId)
  return job
}

export interface Entry {
  row: Row
  user: User
}

export async function addUsers(job: JobUsers, batch: readonly Row[]): Promise<void> {
  const entries: Entry[] = []
  for (const row of batch) {
    job.count.rows += 1
    const read = job.read(row)
    if ('problem' in read) job.failures.add(row, read.problem)
    else entries.push({ row, user: read.user })
  }
  for (const part of byBody(entries, USERS_MAX, ({ user }) => user)) await ingest(job, part)
}

/** Safe to repeat: every user has an id, and the job refuses an id that it holds. */
async function ingest(job: JobUsers, entries: readonly Entry[]): Promise<void> {
  const { client, jobId, count, failures } = job
  const users = entries.map(({ user }) => user)
  try {
    const { total, errors } = await client.bulk.ingest(jobId, { users }, { retries: RETRIES })
    count.added += total
    for (const { error, user } of errors) {
      if (error === 'Duplicate user') count.present += 1
      else failures.add(rowOf(entries, user) ?? (entries[0] as Entry).row, error)
    }
  } catch (error) {
    if (!isPostriderError(error) || !['invalid_request', 'too_large'].includes(error.kind)) throw error
    const { status } = await jobOf(client, jobId)
    if (status !== 'CREATED')
      throw new Failure(`The job ${plain(jobId)} is already running and accepts no more users`, { cause: error })
    const [only] = entries
    if (entries.length === 1 && only) return failures.add(only.row, error.message)
    // One of them is what the call was refused for: the others are added.
    const middle = Math.ceil(entries.length / 2)
    await ingest(job, entries.slice(0, middle))
    await ingest(job, entries.slice(middle))
  }
}

/** Rows of a job that takes no more users: one that it does not have fails, because it is sent by another job only. */
export function compareRows(job: JobUsers, inJob: JobContent): (batch: readonly Row[]) => Promise<void> {
  const { count, failures, jobId } = job
  return async (batch) => {
    for (const row of batch) {
      count.rows += 1
      const read = job.read(row)
      const problem = 'problem' in read ? read.problem : closedProblem(jobId, inJob(read.user))
      if (problem === undefined) count.present += 1
      else failures.add(row, problem)
    }
  }
}

/** Undefined for a row that the job has. */
export function closedProblem(jobId: string, content: ReturnType<JobContent>): string | undefined {
  if (content === 'same') return undefined
  const advice = 'send it without --job and with a new key'
  return content === 'other'
    ? `In the job ${plain(jobId)} with other data, which runs once: ${advice}`
    : `Not in the job ${plain(jobId)}, which runs once: ${advice}`
}

/** Whether a job has this user: the same, or that recipient with other data; undefined for neither. */
export type JobContent = (user: User) => 'same' | 'other' | undefined

/** `terminal`: says once that values which the API does not show were not compared. */
export async function contentOf({ bulk }: Postrider, jobId: string, terminal: Terminal): Promise<JobContent> {
  // As text: a job can have a million users.
  const shown = new Map<string, string>()
  let cursor: string | undefined
  do {
    const { items, paging } = await bulk.users(jobId, { ...(cursor && { cursor }) }, { retries: RETRIES })
    for (const { status: _status, messageId: _messageId, ...user } of items)
      shown.set(user.recipient, JSON.stringify(user))
    cursor = paging.more ? paging.cursor : undefined
  } while (cursor)
  let isNoted = false
  return (user) => {
    const text = shown.get(user.recipient)
    if (text === undefined) return undefined
    // The API leaves these out.
    const stated = Object.fromEntries(Object.entries(user).filter(([, value]) => value !== null))
    if (!isShownAs(stated, JSON.parse(text))) return 'other'
    if (!isNoted && text.includes(`"${secretMask}"`)) {
      isNoted = true
      terminal.progress.end()
      terminal.note('The API masks tokens: rows that differ from the job in a token only count as already in the job.')
    }
    return 'same'
  }
}

/** By content; a value that is masked is any value. Exported for the test. */
export function isShownAs(value: unknown, shown: unknown): boolean {
  if (shown === secretMask) return value !== undefined
  if (typeof value !== 'object' || typeof shown !== 'object' || value === null || shown === null) return value === shown
  const names = Object.keys(value)
  if (names.length !== Object.keys(shown).length) return false
  // The server reads an empty list as an empty object.
  if (names.length > 0 && Array.isArray(value) !== Array.isArray(shown)) return false
  return names.every((name) => Object.hasOwn(shown, name) && isShownAs(memberOf(value, name), memberOf(shown, name)))
}

const memberOf = (object: object, name: string) => (object as Record<string, unknown>)[name]

/** Two rows can have one recipient: the one with these data. */
const rowOf = (entries: readonly Entry[], refused: Record<string, unknown>) =>
  (
    entries.find(({ user }) => isDeepStrictEqual(user, refused)) ??
    entries.findLast(({ user }) => user.recipient === refused.recipient)
  )?.row

/** Once. An answer that was lost, or another process that continues this job, may have run it. */
export async function runJob(client: Postrider, jobId: string): Promise<void> {
  try {
    await client.bulk.run(jobId, { retries: RETRIES })
  } catch (error) {
    if (!isPostriderError(error, 'invalid_request')) throw error
    const { status } = await jobOf(client, jobId)
    if (status === 'CREATED') throw error
  }
}
