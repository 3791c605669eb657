/** The job that sends: made or continued, filled with users, each of them once whatever is interrupted. */
import { isDeepStrictEqual } from 'node:util'
import { type BulkMessage, isPostriderError, type Postrider } from '@postrider/client'
import { existing, Failure } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import type { Failures } from '../../../rows/failures.ts'
import type { Row } from '../../../rows/read.ts'
import type { User, UserReader } from './users.ts'

/** As many as one call takes. */
export const USERS_MAX = 1_000
/** Half of what a body may hold, so that names and quotes have room. */
const BODY_BYTES_MAX = 3_000_000
/** A body has at most 120,000 members; each user brings a few of its own. */
const MEMBERS_MAX = 60_000
export const RETRIES = 6

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
  for (const part of byBody(entries)) await ingest(job, part)
}

export function* byBody(entries: readonly Entry[]): Generator<Entry[]> {
  let part: Entry[] = []
  let bytes = 0
  let members = 0
  for (const entry of entries) {
    const entryBytes = Buffer.byteLength(JSON.stringify(entry.user))
    const entryMembers = entry.row.values.length + 5
    if (part.length > 0 && (bytes + entryBytes > BODY_BYTES_MAX || members + entryMembers > MEMBERS_MAX)) {
      yield part
      part = []
      bytes = 0
      members = 0
    }
    part.push(entry)
    bytes += entryBytes
    members += entryMembers
  }
  if (part.length > 0) yield part
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
export async function compareRows(job: JobUsers): Promise<(batch: readonly Row[]) => Promise<void>> {
  const { count, failures, jobId } = job
  const dataOf = await usersOf(job)
  return async (batch) => {
    for (const row of batch) {
      count.rows += 1
      const read = job.read(row)
      if ('problem' in read) failures.add(row, read.problem)
      else if (isDeepStrictEqual(JSON.parse(dataOf.get(read.user.recipient) ?? 'null'), read.user.data ?? {}))
        count.present += 1
      else
        failures.add(row, `Not in the job ${plain(jobId)}, which runs once: send it without --job and with a new key`)
    }
  }
}

/** The data of the users of a job, as JSON, by recipient. */
async function usersOf({ client, jobId }: JobUsers): Promise<ReadonlyMap<string, string>> {
  const dataOf = new Map<string, string>()
  let cursor: string | undefined
  do {
    const { items, paging } = await client.bulk.users(jobId, { ...(cursor && { cursor }) }, { retries: RETRIES })
    for (const { recipient, data = {} } of items) dataOf.set(recipient, JSON.stringify(data))
    cursor = paging.more ? paging.cursor : undefined
  } while (cursor)
  return dataOf
}

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
