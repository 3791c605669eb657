/** Digests: the events that are kept for a recipient, closed when they are due, and replaced by one message. */
import { decodeCursor, type Page, pageOf } from '../cursor.ts'
import type { Commit, Engine, Statement } from '../engine.ts'
import { query, rows, statement } from '../query.ts'
import { announce } from './announcements.ts'
import { NEW_COLUMNS, NEW_RECORD, type NewMessage, recordOf } from './live-messages.ts'

/** One event as it is kept. */
export interface KeptEvent {
  /** The id of the digest that is opened for it, where none is open. */
  digestId: string
  workspaceId: number
  mode: string
  topicId: string
  recipient: string
  /** Empty outside any tenant. */
  tenantId: string
  scheduleId: string
  dueAt: number
  now: number
  /** JSON texts. */
  terms: string
  data: string
  /** By rank those are kept that rank highest; by order of arrival the earliest or the latest. */
  categories: readonly { category: string; keep: number; order: 'first' | 'last' | 'rank'; rank: number | null }[]
  /** What tells of it: a message that goes nowhere. */
  message: {
    id: string
    event: string
    runId: string | null
    input: string
    /** JSON array. */
    history: string
    lane: number
  }
}

// The message decides whether the event is new; `trimmed` sees what was there before, so that one too many may be left.
const keep = `with fresh as (
    insert into messages (id, workspace_id, lane, status, event, recipient, mode, enqueued, first_due, tenant_id, run_id,
      input, flushes)
    values ($1, $2, $3, 'DIGESTED', $4, $5, $6, $7, $7, nullif($8, ''), $9, $10, 1)
    on conflict (id) do nothing returning id
  ),
  told as (
    insert into history (message_id, flush, workspace_id, events) select id, 1, $2::smallint, $11 from fresh
  ),
  c as (select * from json_to_recordset($12::json) as c(category text, keep integer, "order" text, rank double precision)),
  d as (
    insert into digests as d (id, workspace_id, mode, topic_id, recipient, tenant_id, schedule_id, terms, events, counts,
      opened, is_open, due_at)
    select $13, $2::smallint, $6, $14, $5, $8, $15, $16, 1,
      (select jsonb_object_agg(category, 1) from c), $7::bigint, true, $17::bigint
    from fresh
    on conflict (workspace_id, mode, topic_id, recipient, tenant_id) where is_open do update set
      events = d.events + 1, counts = added_counts(d.counts, excluded.counts), terms = excluded.terms,
      schedule_id = excluded.schedule_id, due_at = least(d.due_at, excluded.due_at)
    returning d.id, d.events
  ),
  trimmed as (
    delete from digest_events e using d, c
    where e.digest_id = d.id and e.category = c.category and e.position in (
      select o.position from digest_events o where o.digest_id = d.id and o.category = c.category
      order by o.rank desc nulls last, o.position offset c.keep)
  )
  insert into digest_events (digest_id, category, position, workspace_id, rank, data)
  select d.id, c.category, d.events, $2::smallint,
    case c."order" when 'first' then -d.events when 'last' then d.events else c.rank end, $18
  from d, c`

/** For the commit of what brings the event; the same message id again keeps nothing twice. */
export function keepEvent(event: KeptEvent): Statement[] {
  const { message, workspaceId, now } = event
  const values = [
    message.id,
    workspaceId,
    message.lane,
    message.event,
    event.recipient,
    event.mode,
    now,
    event.tenantId,
    message.runId,
    message.input,
    message.history,
    JSON.stringify(event.categories),
    event.digestId,
    event.topicId,
    event.scheduleId,
    event.terms,
    event.dueAt,
    event.data,
  ]
  return [{ text: keep, values, name: 'keep-event' }, announce([{ workspaceId, messageId: message.id }], now)]
}

/** A digest that is closed and leased. */
export interface ClosedDigest {
  id: string
  workspace_id: number
  mode: string
  topic_id: string
  recipient: string
  tenant_id: string
  terms: string
  counts: Record<string, number>
  closed: number
}

/** Six: a minute becomes an hour. */
const DOUBLINGS_MAX = 6

const close = `with picked as materialized (
    select id from digests where due_at <= $1 order by due_at limit $4 for update skip locked)
  update digests d set is_open = false, closed = coalesce(d.closed, $1), lease = $2,
    due_at = $1 + $3::bigint * (1 << least(d.claims, ${DOUBLINGS_MAX})), claims = least(d.claims + 1, 1000)
  from picked where d.id = picked.id
  returning d.id, d.workspace_id, d.mode, d.topic_id, d.recipient, d.tenant_id, d.terms, d.counts, d.closed`

/** From here on its recipient's next event opens another one. What ends its worker is tried again, ever more seldom. */
export async function closeDigests(
  engine: Engine,
  { now, leaseMs, lease, limit }: { now: number; leaseMs: number; lease: string; limit: number },
): Promise<ClosedDigest[]> {
  const { rows } = await engine.run<ClosedDigest>(
    { text: close, values: [now, lease, leaseMs, limit], name: 'close-digests' },
    'claim',
  )
  return rows
}

export interface StoredEvent {
  digest_id: string
  category: string
  position: number
  rank: number | null
  /** JSON text. */
  data: string
}

/** What is kept of their events. */
export function eventsOfDigests(engine: Engine, ids: readonly string[]): Promise<StoredEvent[]> {
  const found = query.selectFrom('digest_events').select(['digest_id', 'category', 'position', 'rank', 'data'])
  return rows(engine, found.where('digest_id', 'in', [...ids]), 'claim')
}

const release = `with r as materialized (
    select * from json_to_recordset($1::json) as r(digest_id text, ${NEW_RECORD})),
  gone as (delete from digests d using r where d.id = r.digest_id and d.lease = $2 returning d.id)
  insert into messages (${NEW_COLUMNS}) select ${NEW_COLUMNS.replaceAll(/\w+/g, 'r.$&')} from r
  where r.digest_id in (select id from gone) on conflict (id) do nothing`

/** Each digest gives way to its message in one commit; one whose lease was lost is left alone. */
export async function releaseDigests(
  engine: Engine,
  released: readonly { digestId: string; message: NewMessage }[],
  lease: string,
): Promise<void> {
  const records = released.map(
    ({ digestId, message }) => `{"digest_id":${JSON.stringify(digestId)},${recordOf(message).slice(1)}`,
  )
  await engine.run({ text: release, values: [`[${records.join(',')}]`, lease], name: 'release-digests' }, 'record')
}

/** When the next digest comes due; undefined when there is none. */
export async function nextDigestDue(engine: Engine): Promise<number | undefined> {
  const { rows } = await engine.run<{ due: number | null }>(
    { text: 'select min(due_at) as due from digests', values: [], name: 'next-digest-due' },
    'claim',
  )
  return rows[0]?.due ?? undefined
}

/** Which open digests: of a schedule, or of a recipient about a topic. */
export type WhichDigests = { scheduleId: string } | { topicId: string; recipient: string; tenantId: string }

/** They come due at once. */
export async function hastenDigests(
  commit: Commit,
  workspaceId: number,
  which: WhichDigests,
  now: number,
): Promise<void> {
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
  await commit([statement(some)])
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

/** Of a recipient, oldest first. */
export function openDigests(engine: Engine, workspaceId: number, recipient: string, limit: number) {
  return rows(engine, open(workspaceId).where('recipient', '=', recipient).orderBy('id').limit(limit))
}

/** Of a schedule, oldest first. */
export async function listDigests(
  engine: Engine,
  workspaceId: number,
  scheduleId: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<Page<DigestRow>> {
  const all = open(workspaceId).where('schedule_id', '=', scheduleId)
  const found = cursor === undefined ? all : all.where('id', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, found.orderBy('id').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Only where the owner of every lease is known to be dead; what may have ended it several times keeps its lease. */
export async function voidDigestLeases(engine: Engine, now: number): Promise<void> {
  await engine.run(
    { text: 'update digests set lease = null, due_at = $1 where lease is not null and claims < 3', values: [now] },
    'claim',
  )
}
