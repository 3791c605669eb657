/** The messages of a person who is erased and the requests that name the person: read in slices and written back redacted. */
import type { Engine, Statement } from '../../engine.ts'
import { byKey, columnList, expectRows, guardPlan, type Row, recordset, rowsOf, typesOf } from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import { ERASURE_SOURCE } from '../messages/cancellations.ts'
import { canceledCounts } from '../messages/counts.ts'
import { outboxInsertFrom } from '../webhooks/webhook-outbox.ts'
import type { ErasureWork, LiveErasure } from './erasures.ts'

const READ = ['id', 'flushes', 'event', 'due_at', 'sent', 'tags', 'deliveries', 'events'] as const

export interface ErasableMessage extends Row<'messages', (typeof READ)[number]> {
  /** These are fields of the decision snapshot. */
  notification: unknown
  considered: unknown
  released: unknown
}

const FLUSH = ['message_id', 'flush', 'events'] as const

export type ErasableFlush = Row<'history', (typeof FLUSH)[number]>

const free = '(m.due_at is null or m.lease is null or m.due_at <= $3)'

const slice = `select ${columnList(READ, 'm')},
    m.pinned::json->'notification' as notification, m.pinned::json->'considered' as considered,
    m.pinned::json->'released' as released
  from messages m where m.workspace_id = $1 and m.recipient = $2 and ${free} order by m.id desc limit $4`

const flushes = `select ${columnList(FLUSH, 'h')} from json_array_elements_text($1::json) as r(id)
  join history h on ${byKey('h.message_id', 'r.id collate "C"')}`

/** A slice of the person's messages without a lease, and their history. */
export async function erasableMessages(
  engine: Engine,
  { workspace_id, person }: LiveErasure,
  now: number,
  limit: number,
): Promise<{ messages: ErasableMessage[]; history: ErasableFlush[] }> {
  const values = [workspace_id, person, now, limit]
  const { rows: messages } = await engine.run<ErasableMessage>({ text: slice, values })
  if (messages.length === 0) return { messages: [], history: [] }
  const ids = JSON.stringify(messages.map(({ id }) => id))
  const [, history] = await engine.batch([guardPlan, { text: flushes, values: [ids] }])
  return { messages, history: rowsOf<ErasableFlush>(history) }
}

/** Whether the person still has a message, leased or not. */
export async function hasMessages(engine: Engine, { workspace_id, person }: LiveErasure): Promise<boolean> {
  const { rows } = await engine.run({
    text: 'select 1 from messages where workspace_id = $1 and recipient = $2 limit 1',
    values: [workspace_id, person],
  })
  return rows.length > 0
}

const REDACTED = ['id', 'flushes', 'tags', 'input', 'pinned', 'deliveries', 'events'] as const

/** `flushes` as read: a message that was written since is left for the next slice. */
export interface ErasedMessage extends Row<'messages', (typeof REDACTED)[number]> {
  /** The id of the webhook event; null unless the message is canceled. */
  outbox_id: string | null
}

const written = `r as materialized (
    select * from ${recordset('$6', 'r', {
      ...typesOf('messages', REDACTED),
      outbox_id: columnTypes.webhook_deliveries.id,
    })}
  ),
  u as (
    update messages m set recipient = $9, due_at = null, lease = null, claims = 0, cancel_requested = false,
      cancel_source = null,
      status = case when r.outbox_id is null then m.status else 'CANCELED' end,
      canceled_at = case when r.outbox_id is null then m.canceled_at else $8::bigint end,
      error = null, trace_id = null, idempotency_key = null, tags = r.tags,
      input = r.input, pinned = r.pinned, deliveries = r.deliveries, events = r.events, flushes = m.flushes + 1
    -- A claim does not change the flush number: the lease is compared again.
    from r where ${byKey('m.id', 'r.id')} and m.flushes = r.flushes and (m.due_at is null or m.lease is null or m.due_at <= $8::bigint)
    returning m.id, m.workspace_id, m.flushes, m.deliveries, r.outbox_id
  ),
  -- Uses of its links that wait to be applied: their ids begin with that of the message.
  uses_gone as (
    delete from receipts t using u
    where t.id > (u.id || '-') collate "C" and t.id < (u.id || '-~') collate "C" and t.message_id = u.id
  ),
  dead_receipts_gone as (delete from receipts t using u where t.message_id = u.id and t.due_at is null),
  counted as (${canceledCounts('(select workspace_id, deliveries from u where outbox_id is not null) c', '$8::bigint')}),
  history_redacted as (
    update history h set events = e.events from u
    join ${recordset('$7', 'e', typesOf('history', FLUSH))} on e.message_id = u.id
    where ${byKey('h.message_id', 'e.message_id')} and ${byKey('h.flush', 'e.flush')}
  ),
  canceled as (
    insert into history (message_id, flush, workspace_id, events)
    select id, flushes, workspace_id, $10 from u where outbox_id is not null
  ),
  webhook_events as (${outboxInsertFrom(`(
    select outbox_id as id, workspace_id, 'message:updated' as type, id as message_id, null::text as payload,
      $8::bigint as at
    from u where outbox_id is not null) a`)})`

/** Messages that were not sent yet are canceled. */
export function messagesWork(
  { pseudonym }: LiveErasure,
  messages: readonly ErasedMessage[],
  history: readonly ErasableFlush[],
  now: number,
): ErasureWork {
  return {
    ctes: written,
    counts: `jsonb_build_object('messages', (select count(*) from u),
      'canceledMessages', (select count(outbox_id) from u))`,
    values: [
      JSON.stringify(messages),
      JSON.stringify(history),
      now,
      pseudonym,
      JSON.stringify([{ type: 'CANCELED', ts: now, source: ERASURE_SOURCE }]),
    ],
  }
}

/** A request without a lease keeps its due time. */
const released = (now: string) => `case when lease is null then due_at else least(due_at, ${now}::bigint) end`

/** Revokes the leases of requests: a worker that read recipients before the person was removed cannot write them. */
export const fenceWork = ({ workspace_id }: LiveErasure, now: number): ErasureWork => ({
  ctes: `fenced as (
    update requests set lease = null, due_at = ${released('$7')}, claims = greatest(claims - 1, 0)
    where workspace_id = $6 and due_at is not null and lease is not null)`,
  counts: `'{}'`,
  values: [workspace_id, now],
})

const NAMING = ['id', 'due_at', 'input', 'targets', 'progress'] as const

export type NamingRequest = Row<'requests', (typeof NAMING)[number]>

const page = `with page as (
    select id, targets, progress from requests where workspace_id = $1 and id > $2 order by id limit $5)
  select (select id from page order by id offset $5 - 1) as last,
    (select min(id) from page where position($3 in targets) > 0
      or exists (select 1 from json_array_elements_text($4::json) as p(place) where position(place in progress) > 0)
    ) as naming`

/** The first of the next `limit` requests after `place` that holds the person; `last` ends the page, undefined the list. */
export async function nextNamingRequest(
  engine: Engine,
  { workspace_id, person, place }: LiveErasure,
  limit: number,
): Promise<{ naming?: NamingRequest; last?: string }> {
  const id = JSON.stringify(person)
  // The cursor of an expansion is the last recipient, or a JSON text with it.
  const places = [`"after":${id}`, JSON.stringify(`"after":${id}`).slice(1, -1)]
  const values = [workspace_id, place ?? '', `"recipient":${id}`, JSON.stringify(places), limit]
  const result = await engine.run<{ naming: string | null; last: string | null }>({
    text: page,
    values,
    name: 'requests-naming',
  })
  const { naming, last } = result.rows[0] ?? { naming: null, last: null }
  if (naming === null) return last === null ? {} : { last }
  const whole = await engine.run<NamingRequest>({
    text: `select ${columnList(NAMING)} from requests where id = $1`,
    values: [naming],
  })
  const [request] = whole.rows
  return { last: naming, ...(request && { naming: request }) }
}

/** Deletes the person from bulk jobs after `place` up to `last`, and revokes their leases: users are read again. */
export const bulkUsersWork = (
  { workspace_id, person, place }: LiveErasure,
  last: string | undefined,
  /** It is rewritten in the same commit. */
  naming: string | undefined,
  now: number,
): ErasureWork => ({
  ctes: `gone as (
    delete from bulk_users b using requests q
    where q.workspace_id = $6 and q.kind = 'bulk' and q.id > $7 and ($8::text is null or q.id <= $8)
      and b.job_id = q.id and b.recipient = $9
    returning b.job_id
  ),
  fenced as (
    update requests set lease = null, due_at = ${released('$10')}
    where id in (select job_id from gone) and id is distinct from $11 and due_at is not null)`,
  counts: `jsonb_build_object('bulkUsers', (select count(*) from gone))`,
  values: [workspace_id, place ?? '', last ?? null, person, now, naming ?? null],
})

/** Conflicts when the request was written since it was read. */
export function requestRewrite(
  before: NamingRequest,
  { input, targets, progress }: Omit<NamingRequest, 'id' | 'due_at'>,
  now: number,
): Statement {
  return expectRows({
    text: `update requests set input = $2, targets = $3, progress = $4, lease = null, due_at = ${released('$5')}
      where id = $1 and targets = $6 and progress is not distinct from $7`,
    values: [before.id, input, targets, progress, now, before.targets, before.progress],
  })
}
