/** Digests: events are added in the commit of their message; a digest is listed, closed when due, and replaced by one message. */
import { jsonList, storableJson } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { type DeadLetter, defineQueue, dueRows, earliestRow, type Lease, type LeasedRow } from '../../leased-queue.ts'
import {
  byKey,
  columnList,
  guardPlan,
  query,
  type Row,
  recordset,
  rows,
  rowsOf,
  statement,
  typesOf,
} from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import { acceptedCounts } from '../messages/counts.ts'
import { type NewMessage, newColumns, newMessages, recordOf } from '../messages/live-messages.ts'
import { messageById } from '../messages/live-partition.ts'
import { outboxInsert } from '../webhooks/webhook-outbox.ts'

const CLAIMED = ['workspace_id', 'mode', 'topic_id', 'recipient', 'tenant_id', 'terms', 'counts', 'closed'] as const

/** A closed digest, with a lease. */
export type ClosedDigest = LeasedRow & Row<'digests', (typeof CLAIMED)[number]> & { closed: number }

/** The queue of digests. A claim closes them: the next event of a recipient opens another. */
export const digestQueue = defineQueue<ClosedDigest, { limit: number }>({
  name: 'digest',
  deadLettered: 'digest.dead_lettered',
  table: 'digests',
  columns: columnList(CLAIMED, 't'),
  due: `due as materialized (${dueRows('digests', { limit: ':limit' })})`,
  bounds: ({ limit }) => ({ limit }),
  earliest: (condition) => earliestRow('digests', condition('due_at')),
  poison: { suspectedAfter: 2 },
  backsOff: true,
  set: 'is_open = false, closed = coalesce(t.closed, :now)',
  // Its next message is another than the one that reported it.
  released: { where: 'true', set: 'closed = null' },
})

const EVENT = ['digest_id', 'category', 'position', 'rank', 'data'] as const

export type DigestEventRow = Row<'digest_events', (typeof EVENT)[number]>

/** The kept events of digests. */
export function eventsOfDigests(engine: Reader, ids: readonly string[]): Promise<DigestEventRow[]> {
  const selection = query.selectFrom('digest_events').select(EVENT)
  return rows(engine, selection.where('digest_id', 'in', [...ids]))
}

const replace = (change: string) => `with r as materialized (
    select * from ${newMessages('$1', 'r', { digest_id: columnTypes.digests.id, digest_lease: columnTypes.digests.lease })}),
  gone as (${change} where ${byKey('d.id', 'r.digest_id')} and d.lease = r.digest_lease returning d.id),
  i as (
    insert into messages (${newColumns()}) select ${newColumns('r')} from r
    where r.digest_id in (select id from gone) on conflict do nothing returning workspace_id, enqueued
  ),
  c as (${acceptedCounts('i')})
  select workspace_id from i`

const release = replace('delete from digests d using r')
const deadLetter = replace('update digests d set due_at = null, lease = null from r')

/** Replaces each digest by its message in one commit, unless its lease was lost. Returns the workspaces of the new messages. */
export async function releaseDigests(
  engine: Engine,
  released: readonly { digest: Lease; message: NewMessage }[],
): Promise<number[]> {
  const values = [jsonList(released.map(({ digest, message }) => replacement(digest, message)))]
  const { rows } = await engine.run<{ workspace_id: number }>({ text: release, values, name: 'release-digests' })
  return rows.map(({ workspace_id }) => workspace_id)
}

/** The digest waits for its release with its events; its message, which reports it, is given up, too. */
export async function deadLetterDigest(engine: Engine, letter: DeadLetter, message: NewMessage): Promise<number[]> {
  const [, , replaced] = await engine.batch([
    guardPlan,
    digestQueue.deadLetterInsert({ ...letter, messageId: message.id }),
    { text: deadLetter, values: [jsonList([replacement(letter, message)])] },
  ])
  return rowsOf<{ workspace_id: number }>(replaced).map(({ workspace_id }) => workspace_id)
}

const replacement = ({ id, lease }: Lease, message: NewMessage): string =>
  `${JSON.stringify({ digest_id: id, digest_lease: lease }).slice(0, -1)},${recordOf(message).slice(1)}`

/** Selects open digests: of a schedule, or of a recipient and a topic. */
export type WhichDigests = { scheduleId: string } | { topicId: string; recipient: string; tenantId: string }

/** Makes the digests due immediately. `mode`: only those of sends of that kind. */
export function makeDigestsDue(
  workspaceId: number,
  which: WhichDigests & { mode?: string | undefined },
  now: number,
): Statement[] {
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
  return [statement(which.mode === undefined ? some : some.where('mode', '=', which.mode))]
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
  query
    .selectFrom('digests')
    .select(record)
    .where('workspace_id', '=', workspaceId)
    .where('is_open', '=', true)
    .$narrowType<{ due_at: number }>()

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
  const selection = cursor === undefined ? all : all.where('id', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('id').limit(limit + 1)), limit, ({ id }) => [id])
}

/** An event to add. */
export interface NewDigestEvent {
  /** The id of the new digest, if none is open. */
  digestId: string
  workspaceId: number
  mode: string
  topicId: string
  recipient: string
  /** Empty without a tenant. */
  tenantId: string
  scheduleId: string
  dueAt: number
  /** JSON texts. */
  terms: string
  data: string
  /** `rank`: the highest are kept; `first` and `last`: by arrival. */
  categories: readonly { category: string; keep: number; order: 'first' | 'last' | 'rank'; rank: number | null }[]
}

/** The message about an event, which is never delivered. */
export interface DigestedMessage {
  id: string
  event: string
  runId: string | null
  input: string
  /** JSON array. */
  history: string
  lane: number
}

const CATEGORY = { ...typesOf('digest_events', ['category', 'rank']), keep: 'integer', '"order"': 'text' }

// The insert of the message decides whether the event is new. `trimmed` sees the rows before it, so one more may remain.
const keep = `with fresh as (
    insert into messages (id, workspace_id, lane, status, event, recipient, mode, enqueued, first_due, tenant_id, run_id,
      input, flushes, events)
    values ($1, $2, $3, 'DIGESTED', $4, $5, $6, $7, $7, nullif($8, ''), $9, $10, 1, $11)
    on conflict do nothing returning id, workspace_id, enqueued
  ),
  counted as (
    insert into message_counts (workspace_id, at, status, count)
    select workspace_id, enqueued - enqueued % 60000, s.status, 1
    from fresh, (values (null), ('DIGESTED')) as s(status)
  ),
  c as (select * from ${recordset('$12', 'c', CATEGORY)}),
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

/** Statements of the commit that brings the event; the same message id again adds nothing. */
export function digestEventInsert(event: NewDigestEvent, message: DigestedMessage, now: number): Statement[] {
  const { workspaceId } = event
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
  return [{ text: keep, values, name: 'keep-event' }, outboxInsert([{ workspaceId, messageId: message.id }], now)]
}

/** An event whose message was accepted before, and is `DIGESTED` at this flush number. */
export interface DigestedEvent extends NewDigestEvent {
  messageId: string
  flushes: number
}

// After the statement that records the messages, in its transaction: `xmin` shows which of them it wrote, so that lost
// leases and repeated commits add nothing. Digests are locked in one order; events are trimmed to the number shown.
const KEY = 'workspace_id, mode, topic_id, recipient, tenant_id'
const keepRecorded = `with e as materialized (
    select r.*, row_number() over (partition by ${KEY} order by n) as nth
    from ${recordset('$1', 'r', {
      ...{ n: 'integer', message_id: columnTypes.messages.id, flushes: columnTypes.messages.flushes },
      ...typesOf('digests', [
        'workspace_id',
        'mode',
        'topic_id',
        'recipient',
        'tenant_id',
        'schedule_id',
        'terms',
        'due_at',
      ]),
      ...typesOf('digest_events', ['digest_id', 'data']),
      categories: 'json',
    })}
    where (${messageById('true', 'r.message_id', "m.flushes = r.flushes and m.status = 'DIGESTED' and m.xmin = pg_current_xact_id()::xid")})
  ),
  c as materialized (
    select e.*, k.category, k.keep, k."order", k.rank
    from e, ${recordset('e.categories', 'k', CATEGORY)}
  ),
  g as (
    select ${KEY}, jsonb_object_agg(category, counted) as counts
    from (select ${KEY}, category, count(*) as counted from c group by ${KEY}, category) t group by ${KEY}
  ),
  d as (
    insert into digests as d (id, ${KEY}, schedule_id, terms, events, counts, opened, is_open, due_at)
    select (array_agg(digest_id order by nth))[1], ${KEY}, (array_agg(schedule_id order by nth desc))[1],
      (array_agg(terms order by nth desc))[1], count(*),
      (select g.counts from g where (${KEY.replaceAll(/\w+/g, 'g.$&')}) = (${KEY.replaceAll(/\w+/g, 'e.$&')})),
      $2::bigint, true, min(due_at)
    from e group by ${KEY} order by ${KEY}
    on conflict (${KEY}) where is_open do update set
      events = d.events + excluded.events, counts = added_counts(d.counts, excluded.counts), terms = excluded.terms,
      schedule_id = excluded.schedule_id, due_at = least(d.due_at, excluded.due_at)
    returning d.id, ${KEY.replaceAll(/\w+/g, 'd.$&')}, d.events
  ),
  p as materialized (
    select d.id as digest_id, c.category, c.keep, c."order", c.rank, c.data, c.workspace_id,
      d.events - max(c.nth) over (partition by d.id) + c.nth as position
    from d join c on (${KEY.replaceAll(/\w+/g, 'd.$&')}) = (${KEY.replaceAll(/\w+/g, 'c.$&')})
  ),
  q as materialized (
    select *, case "order" when 'first' then -position when 'last' then position else rank end as value from p
  ),
  trimmed as (
    delete from digest_events x using (select distinct digest_id, category, keep from q) t
    where x.digest_id = t.digest_id and x.category = t.category and x.position in (
      select o.position from digest_events o where o.digest_id = t.digest_id and o.category = t.category
      order by o.rank desc nulls last, o.position offset t.keep)
  )
  insert into digest_events (digest_id, category, position, workspace_id, rank, data)
  select digest_id, category, position, workspace_id, value, data
  from (
    select *, row_number() over (partition by digest_id, category order by value desc nulls last, position) as place from q
  ) ranked
  where place <= keep`

/** Follows `recordMessages` in its commit. */
export function digestEventsInsert(events: readonly DigestedEvent[], now: number): Statement {
  const records = events.map((event, n) => ({
    n,
    message_id: event.messageId,
    flushes: event.flushes,
    digest_id: event.digestId,
    workspace_id: event.workspaceId,
    mode: event.mode,
    topic_id: event.topicId,
    recipient: event.recipient,
    tenant_id: event.tenantId,
    schedule_id: event.scheduleId,
    terms: event.terms,
    due_at: event.dueAt,
    data: event.data,
    categories: event.categories,
  }))
  return { text: keepRecorded, values: [storableJson(JSON.stringify(records)), now], name: 'keep-recorded-events' }
}
