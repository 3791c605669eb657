/** Other rows that hold personal data: digests, mailbox, ledger of consent, stored replies, runs, inbound events, webhook deliveries, audit. */

import type { Engine } from '../../engine.ts'
import { columnList, type Row, recordset, typesOf } from '../../query.ts'
import type { ErasureWork, LiveErasure } from './erasures.ts'

/** A bounded slice of the person's digests; a worker that is about to release one finds no row. */
export const digestsWork = ({ workspace_id, person }: LiveErasure, limit: number): ErasureWork => ({
  ctes: `gone as (
    delete from digests where id in (
      select id from digests where workspace_id = $6 and recipient = $7 order by id limit $8)
    returning 1)`,
  counts: `jsonb_build_object('digests', (select count(*) from gone))`,
  values: [workspace_id, person, limit],
})

export async function hasDigests(engine: Engine, { workspace_id, person }: LiveErasure): Promise<boolean> {
  const { rows } = await engine.run({
    text: 'select 1 from digests where workspace_id = $1 and recipient = $2 limit 1',
    values: [workspace_id, person],
  })
  return rows.length > 0
}

/** A bounded slice of the person's messages in the sandbox. */
export const mailboxWork = ({ workspace_id, person }: LiveErasure, limit: number): ErasureWork => ({
  ctes: `gone as (
    delete from mailbox where id in (
      select id from mailbox where workspace_id = $6 and recipient = $7 order by id desc limit $8)
    returning 1)`,
  counts: `jsonb_build_object('mailbox', (select count(*) from gone))`,
  values: [workspace_id, person, limit],
})

export async function hasMailbox(engine: Engine, { workspace_id, person }: LiveErasure): Promise<boolean> {
  const { rows } = await engine.run({
    text: 'select 1 from mailbox where workspace_id = $1 and recipient = $2 limit 1',
    values: [workspace_id, person],
  })
  return rows.length > 0
}

/** A bounded slice of the person's entries: they stay as evidence, without the person. */
export const preferenceChangesWork = (
  { workspace_id, person, pseudonym }: LiveErasure,
  limit: number,
): ErasureWork => ({
  ctes: `gone as (
    update preference_changes set user_id = $9, document = null, ip = null, user_agent = null
    where workspace_id = $6 and id in (
      select id from preference_changes where workspace_id = $6 and user_id = $7 order by id limit $8)
    returning 1)`,
  counts: `jsonb_build_object('preferenceChanges', (select count(*) from gone))`,
  values: [workspace_id, person, limit, pseudonym],
})

export async function hasPreferenceChanges(engine: Engine, { workspace_id, person }: LiveErasure): Promise<boolean> {
  const { rows } = await engine.run({
    text: 'select 1 from preference_changes where workspace_id = $1 and user_id = $2 limit 1',
    values: [workspace_id, person],
  })
  return rows.length > 0
}

const REPLY = ['route', 'key', 'reply'] as const

export type SealedReply = Row<'idempotency_keys', (typeof REPLY)[number]>

/** In order, after the given key. */
export async function repliesAfter(
  engine: Engine,
  { workspace_id }: LiveErasure,
  after: { route: string; key: string },
  limit: number,
): Promise<SealedReply[]> {
  const { rows } = await engine.run<SealedReply>({
    text: `select ${columnList(REPLY)} from idempotency_keys where workspace_id = $1 and (route, key) > ($2, $3)
        order by route, key limit $4`,
    values: [workspace_id, after.route, after.key, limit],
  })
  return rows
}

const replyRows = recordset('$7', 'r', typesOf('idempotency_keys', REPLY))

export const repliesWork = ({ workspace_id }: LiveErasure, replies: readonly SealedReply[]): ErasureWork => ({
  ctes: `gone as (
    delete from idempotency_keys k using ${replyRows}
    where k.workspace_id = $6 and k.route = r.route and k.key = r.key and k.reply = r.reply
    returning 1)`,
  counts: `jsonb_build_object('keptReplies', (select count(*) from gone))`,
  values: [workspace_id, JSON.stringify(replies)],
})

export type Swept = 'runs' | 'inbound' | 'webhooks' | 'views' | 'audit'

interface Sweep {
  /** The column that orders the rows. */
  key: string
  /** The rows to search. */
  rows: string
  /** The size of the searched text of a row, where it may be large. */
  bytes?: string
  /** Common table expressions before `gone`. */
  first?: string
  /** The write: $6 workspace, $7 and $8 the bounds, $9 the person, $10 the pattern, $11 the pseudonym. */
  gone: string
  kind: string
}

const walked = (key: string) => `workspace_id = $6 and ${key} > $7 and ($8::text is null or ${key} <= $8)`

const sweeps: Record<Swept, Sweep> = {
  // A run that names the person is canceled even if it is leased, and redacted with its steps and its batch items, whose
  // positions stay.
  runs: {
    key: 'id',
    rows: 'runs where workspace_id = $1',
    bytes: 'octet_length(automation) + octet_length(start) + coalesce(octet_length(state), 0)',
    first: `named as materialized (
        select id from runs r where ${walked('id')} and (start ~ $10 or automation ~ $10 or state ~ $10
          or exists (select 1 from run_steps s where s.run_id = r.id and s.result ~ $10))),
      steps_bare as (
        update run_steps set result = null, reason = null,
          status = case when status in ('WAITING', 'PROCESSING') then 'CANCELED' else status end
        where run_id in (select id from named)),
      items_bare as (update batch_items set item = '{}' where run_id in (select id from named) and item <> '')`,
    gone: `update runs set status = case when due_at is null then status else 'CANCELED' end, due_at = null,
        lease = null, cancelation_token = null, automation = '{"steps":[]}', start = '{"context":{}}', state = null,
        error = null
      where id in (select id from named) and $9::text is not null and $11::text is not null returning 1`,
    kind: 'automationRuns',
  },
  inbound: {
    key: 'message_id',
    rows: 'inbound_events where workspace_id = $1',
    gone: `delete from inbound_events where ${walked('message_id')}
      and (user_id = $9 or (user_id is null and properties::text ~ $10)) and $11::text is not null returning 1`,
    kind: 'inboundEvents',
  },
  webhooks: {
    key: 'id',
    rows: `webhook_deliveries
      where workspace_id = $1 and (payload is not null or reply_body is not null or lease is not null)`,
    // A receiver may repeat what it was sent. An attempt that goes on loses its lease, so that its reply is not stored.
    first: `unsaid as (
        update webhook_deliveries d set reply_body = null, lease = null
        where ${walked('id')} and (reply_body is not null or lease is not null) and message_id is not null
          and exists (select from messages m where m.id = d.message_id and m.workspace_id = d.workspace_id
            and m.recipient = $11))`,
    gone: `delete from webhook_deliveries where ${walked('id')} and payload is not null
      and payload ~ $10 and $9::text is not null and $11::text is not null returning 1`,
    kind: 'webhookDeliveries',
  },
  views: {
    key: 'name',
    rows: 'views where workspace_id = $1',
    gone: `delete from views where ${walked('name')} and (filters::text ~ $10 or position($9 in name) > 0)
      and $11::text is not null returning 1`,
    kind: 'views',
  },
  audit: {
    key: 'id',
    rows: 'audit_events where workspace_id = $1',
    // Event names, keys and notifications are targets too, and may equal the person's id.
    gone: `update audit_events set target = $11 where ${walked('id')} and target = $9
      and type ~ '^(user|profile|recipient|member)' and $10::text is not null returning 1`,
    kind: 'auditEvents',
  },
}

/** Text that one statement searches: some 100 ms. */
const BYTES_MAX = 16 * 1_048_576

/** The last key of the next page: `limit` rows, or fewer large ones; undefined when no more follow. */
export async function sweptUpTo(
  engine: Engine,
  swept: Swept,
  { workspace_id, place }: LiveErasure,
  limit: number,
): Promise<string | undefined> {
  const { key, rows, bytes = '0' } = sweeps[swept]
  const result = await engine.run<{ last: string }>({
    text: `select last from (
          select last, row_number() over w as place, sum(bytes) over w as sum
          from (select ${key} as last, ${bytes} as bytes from ${rows} and ${key} > $2 order by ${key} limit $3) d
          window w as (order by last)) e
        where place = $3 or sum >= $4 order by last limit 1`,
    values: [workspace_id, place ?? '', limit, BYTES_MAX],
  })
  return result.rows[0]?.last
}

/** `pattern` finds the person in a JSON text. */
export function sweepWork(
  swept: Swept,
  { workspace_id, place, person, pseudonym }: LiveErasure,
  last: string | undefined,
  pattern: string,
): ErasureWork {
  const { first, gone, kind } = sweeps[swept]
  return {
    ctes: `${first ? `${first}, ` : ''}gone as (${gone})`,
    counts: `jsonb_build_object('${kind}', (select count(*) from gone))`,
    values: [workspace_id, place ?? '', last ?? null, person, pattern, pseudonym],
  }
}
