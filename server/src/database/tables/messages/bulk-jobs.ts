/** Bulk jobs: requests whose users are added in parts before the job is run. */
import { decodeCursor, encodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader, Statement } from '../../engine.ts'
import {
  columnList,
  expectRows,
  firstRow,
  guardPlan,
  query,
  type Row,
  recordset,
  rowsOf,
  typesOf,
} from '../../query.ts'

interface Job {
  workspaceId: number
  id: string
}

const NEW = ['recipient', 'input', 'given'] as const

/** `input`: normalized, `given`: as written; both JSON texts. */
export type NewBulkUser = Row<'bulk_users', (typeof NEW)[number]>

/** Those of the users whom the job already has, with what was given of them. */
export async function usersAmong(
  engine: Reader,
  workspaceId: number,
  jobId: string,
  recipients: readonly string[],
): Promise<Map<string, unknown>> {
  // A subquery for each: a join may start with the users of the job and compare every pair.
  const text = `select recipient, given from (
      select r.recipient, (select u.given from bulk_users u
        where u.job_id = $1 and u.recipient = r.recipient and u.workspace_id = $3) as given
      from json_array_elements_text($2::json) as r(recipient)) g
    where given is not null`
  const values = [jobId, JSON.stringify(recipients), workspaceId]
  const [, result] = await engine.batch([guardPlan, { text, values, name: 'users-among' }])
  const users = rowsOf<{ recipient: string; given: string }>(result)
  return new Map(
    users.map(({ recipient, given: body }) => [recipient, engine.tokens.decrypt(workspaceId, JSON.parse(body))]),
  )
}

// Positions are assigned under the lock of the job's row, so that concurrent calls never share one.
const takePositions = `update requests set received = received + $3
  where id = $1 and workspace_id = $2 and kind = 'bulk' and status = 'CREATED'`
const insertUsers = `insert into bulk_users (job_id, position, workspace_id, ${columnList(NEW)})
  select q.id, q.received - $3 + r.n, q.workspace_id, ${columnList(NEW, 'r')}
  from requests q, ${recordset('$4', 'r', { n: 'integer', ...typesOf('bulk_users', NEW) })}
  where q.id = $1 and q.workspace_id = $2`

/**
 * The first must affect a row: there may be no such job that still takes users. A unique violation says that another
 * call added one of these users at the same time.
 */
export function addUsers(workspaceId: number, jobId: string, users: readonly NewBulkUser[]): Statement[] {
  const values = [jobId, workspaceId, users.length]
  const records = users.map((user, index) => ({ n: index + 1, ...user }))
  return [
    expectRows({ text: takePositions, values }),
    { text: insertUsers, values: [...values, JSON.stringify(records)] },
  ]
}

export type JobRow = NonNullable<Awaited<ReturnType<typeof findJob>>>

export function findJob(engine: Reader, workspaceId: number, id: string) {
  const selection = query
    .selectFrom('requests')
    .select(['id', 'mode', 'status', 'received', 'enqueued', 'failures', 'targets', 'progress'])
    .where('workspace_id', '=', workspaceId)
    .where('kind', '=', 'bulk')
  return firstRow(engine, selection.where('id', '=', id))
}

const SUMMARY = ['id', 'event', 'status', 'created', 'received', 'enqueued', 'failures', 'error'] as const

export type JobSummaryRow = Row<'requests', (typeof SUMMARY)[number]>

/** Greater than every id. */
const LAST = '~'

/** Newest first. The kind is a literal, so that the partial index of jobs fits every plan. */
export async function listJobs(
  engine: Reader,
  workspaceId: number,
  statuses: readonly string[] | undefined,
  cursor: string | undefined,
  limit: number,
): Promise<Page<JobSummaryRow>> {
  const before = cursor === undefined ? LAST : decodeCursor(cursor, ['string'])[0]
  const among = statuses ? 'and status in (select json_array_elements_text($4::json))' : ''
  const text = `select ${columnList(SUMMARY)} from requests
    where workspace_id = $1 and kind = 'bulk' and id < $2 ${among} order by id desc limit $3`
  const values = [workspaceId, before, limit + 1, ...(statuses ? [JSON.stringify(statuses)] : [])]
  const { rows } = await engine.run<JobSummaryRow>({ text, values })
  return pageOf(rows, limit, ({ id }) => [id])
}

/** Affects a row once: the job is due from now on, with these targets. */
export function runJob(
  workspaceId: number,
  id: string,
  { targets, notBefore }: { targets: string; notBefore: number | null },
  now: number,
): Statement[] {
  const run = {
    text: `update requests set status = 'PROCESSING', due_at = $3, targets = $4, not_before = $5
      where id = $1 and workspace_id = $2 and kind = 'bulk' and status = 'CREATED'`,
    values: [id, workspaceId, now, targets, notBefore],
  }
  return [expectRows(run)]
}

// The rows after a position up to a number of bytes, at least one; `total` counts all rows within the limit and shows
// whether more follow.
const boundedUsers = (columns: string, bytes: string) => `with page as (
    select position, ${columns}, sum(${bytes}) over (order by position) as bytes, count(*) over () as total,
      row_number() over (order by position) as n
    from (
      select * from bulk_users where job_id = $1 and workspace_id = $5 and position > $2 order by position limit $3
    ) u
  )
  select position, ${columns}, total::integer as total from page where n = 1 or bytes <= $4 order by position`

async function usersAfter<Row>(
  engine: Reader,
  text: string,
  { workspaceId, id }: Job,
  position: number,
  limit: number,
  bytes: number,
): Promise<{ rows: (Row & { position: number })[]; more: boolean }> {
  // One more than requested shows that more follow.
  const { rows } = await engine.run<Row & { position: number; total: number }>({
    text,
    values: [id, position, limit + 1, bytes, workspaceId],
  })
  const kept = rows.slice(0, limit)
  return { rows: kept, more: kept.length < (rows[0]?.total ?? 0) }
}

/** The normalized inputs, in the order in which users were added. */
export async function bulkInputsAfter(engine: Reader, job: Job, position: number, limit: number, bytes: number) {
  const text = boundedUsers('input', 'length(input)')
  const { rows, more } = await usersAfter<{ input: string }>(engine, text, job, position, limit, bytes)
  const readable = rows.map((row) => ({ ...row, input: engine.tokens.decryptText(job.workspaceId, row.input) }))
  return { rows: readable, more }
}

export type BulkUserRow = Row<'bulk_users', 'position' | 'recipient' | 'given'>

/** The users as written, a page of at most `bytes`. */
export async function listBulkUsers(
  engine: Reader,
  job: Job,
  cursor: string | undefined,
  limit: number,
  bytes: number,
): Promise<Page<BulkUserRow>> {
  const after = cursor === undefined ? 0 : decodeCursor(cursor, ['number'])[0]
  const text = boundedUsers('recipient, given', 'length(given)')
  const { rows, more } = await usersAfter<Omit<BulkUserRow, 'position'>>(engine, text, job, after, limit, bytes)
  const last = rows.at(-1)
  return more && last ? { rows, cursor: encodeCursor(last.position) } : { rows }
}
