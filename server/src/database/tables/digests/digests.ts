/** Digests: listed, closed when due, and replaced by one message. */

import { jsonList } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { defineQueue, dueRows, earliestRow, type Lease, type LeasedRow } from '../../leased-queue.ts'
import { query, rows, statement } from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import { acceptedCounts } from '../messages/counts.ts'
import { type NewMessage, newColumns, newMessages, recordOf } from '../messages/live-messages.ts'

/** A closed digest, with a lease. */
export interface ClosedDigest extends LeasedRow {
  workspace_id: number
  mode: string
  topic_id: string
  recipient: string
  tenant_id: string
  terms: string
  counts: Record<string, number>
  closed: number
}

/** The queue of digests. A claim closes them: the next event of a recipient opens another. */
export const digestQueue = defineQueue<ClosedDigest, { limit: number }>({
  name: 'digest',
  deadLettered: 'digest.dead_lettered',
  table: 'digests',
  columns: 't.workspace_id, t.mode, t.topic_id, t.recipient, t.tenant_id, t.terms, t.counts, t.closed',
  due: `due as materialized (${dueRows('digests', { limit: ':limit' })})`,
  bounds: ({ limit }) => ({ limit }),
  earliest: (condition) => earliestRow('digests', condition('due_at')),
  poison: { suspectedAfter: 2 },
  backsOff: true,
  set: 'is_open = false, closed = coalesce(t.closed, :now)',
})

export interface StoredEvent {
  digest_id: string
  category: string
  position: number
  rank: number | null
  /** JSON text. */
  data: string
}

/** The kept events of digests. */
export function eventsOfDigests(engine: Reader, ids: readonly string[]): Promise<StoredEvent[]> {
  const found = query.selectFrom('digest_events').select(['digest_id', 'category', 'position', 'rank', 'data'])
  return rows(engine, found.where('digest_id', 'in', [...ids]))
}

const release = `with r as materialized (
    select * from ${newMessages('$1', 'r', { digest_id: columnTypes.digests.id, digest_lease: columnTypes.digests.lease })}),
  gone as (delete from digests d using r where d.id = r.digest_id and d.lease = r.digest_lease returning d.id),
  i as (
    insert into messages (${newColumns()}) select ${newColumns('r')} from r
    where r.digest_id in (select id from gone) on conflict do nothing returning workspace_id, enqueued
  ),
  c as (${acceptedCounts('i')})
  select workspace_id from i`

/** Replaces each digest by its message in one commit, unless its lease was lost. Returns the workspaces of the new messages. */
export async function releaseDigests(
  engine: Engine,
  released: readonly { digest: Lease; message: NewMessage }[],
): Promise<number[]> {
  const records = released.map(
    ({ digest: { id, lease }, message }) =>
      `${JSON.stringify({ digest_id: id, digest_lease: lease }).slice(0, -1)},${recordOf(message).slice(1)}`,
  )
  const values = [jsonList(records)]
  const { rows } = await engine.run<{ workspace_id: number }>({ text: release, values, name: 'release-digests' })
  return rows.map(({ workspace_id }) => workspace_id)
}

/** Selects open digests: of a schedule, or of a recipient and a topic. */
export type WhichDigests = { scheduleId: string } | { topicId: string; recipient: string; tenantId: string }

/** Makes the digests due immediately. */
export function makeDigestsDue(workspaceId: number, which: WhichDigests, now: number): Statement[] {
  const update = query
    .updateTable('digests')
    .set({ due_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('is_open', '=', true)
    .where('due_at', '>', now)
  const some =
    'scheduleId' in which
      ? update.where('schedule_id', '=', which.scheduleId)
      : update
          .where('topic_id', '=', which.topicId)
          .where('recipient', '=', which.recipient)
          .where('tenant_id', '=', which.tenantId)
  return [statement(some)]
}

const record = [
  'id',
  'topic_id',
  'recipient',
  'tenant_id',
  'schedule_id',
  'terms',
  'events',
  'counts',
  'opened',
  'due_at',
] as const

export type DigestRow = Awaited<ReturnType<typeof openDigests>>[number]

const open = (workspaceId: number) =>
  query.selectFrom('digests').select(record).where('workspace_id', '=', workspaceId).where('is_open', '=', true)

/** The open digests of a recipient, oldest first. */
export function openDigests(engine: Reader, workspaceId: number, recipient: string, limit: number) {
  return rows(engine, open(workspaceId).where('recipient', '=', recipient).orderBy('id').limit(limit))
}

/** The digests of a schedule, oldest first. */
export async function listDigests(
  engine: Reader,
  workspaceId: number,
  scheduleId: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<Page<DigestRow>> {
  const all = open(workspaceId).where('schedule_id', '=', scheduleId)
  const found = cursor === undefined ? all : all.where('id', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, found.orderBy('id').limit(limit + 1)), limit, ({ id }) => [id])
}
