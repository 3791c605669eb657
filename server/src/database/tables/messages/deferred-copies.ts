/** Mails for copies that a mail server refused for now, kept until each copy was taken or given up. */
import type { Engine, Statement } from '../../engine.ts'
import { byKey, columnList, guardPlan, inLockOrder, type Row, recordset, rowsOf, typesOf } from '../../query.ts'
import type { ErasureWork, LiveErasure } from '../erasure/erasures.ts'
import { messageById } from './live-partition.ts'
import { type NewReceipt, receiptsInsertText, receiptsText } from './receipts.ts'

const COLUMNS = [
  ...(['message_id', 'n', 'workspace_id', 'recipient', 'integration', 'override', 'sender'] as const),
  ...(['addresses', 'mail', 'needs_utf8', 'at_most_once', 'attempts', 'due_at', 'ends'] as const),
]
const STORED = [...COLUMNS, 'in_flight' as const]

export type DeferredCopiesRow = Row<'deferred_copies', (typeof STORED)[number]>

/** Follows `recordMessages` in its commit: nothing is added where a lease was lost. `flushes`: as the record writes it. */
export const deferredCopiesInsert = (rows: readonly (DeferredCopiesRow & { flushes: number })[]): Statement => ({
  text: `insert into deferred_copies (${columnList(STORED)})
    select ${columnList(STORED)} from ${recordset('$1', 'r', { ...typesOf('deferred_copies', STORED), ...typesOf('messages', ['flushes']) })}
    where (${messageById('true', 'r.message_id', 'm.flushes = r.flushes and m.xmin = pg_current_xact_id()::xid')})
    on conflict do nothing`,
  values: [JSON.stringify(inLockOrder(rows.map((row) => ({ ...row, id: row.message_id }))))],
  name: 'insert-deferred-copies',
})

/** Due mails, which are due again at `until` unless a result is written before: their node may die. `in_flight`: one has. */
export async function claimDeferredCopies(
  engine: Engine,
  { now, until, limit }: { now: number; until: number; limit: number },
): Promise<DeferredCopiesRow[]> {
  const claim: Statement = {
    text: `update deferred_copies t set due_at = $2, attempts = t.attempts + 1, in_flight = true
      from (select message_id, n, in_flight from deferred_copies where due_at <= $1 order by due_at limit $3
        for update skip locked) d
      where ${byKey('t.message_id', 'd.message_id')} and ${byKey('t.n', 'd.n')}
      returning ${columnList(COLUMNS, 't')}, d.in_flight`,
    values: [now, until, limit],
    name: 'claim-deferred-copies',
  }
  const [, result] = await engine.batch([guardPlan, claim])
  return rowsOf<DeferredCopiesRow>(result).map((row) => ({
    ...row,
    override: row.override && engine.tokens.decryptText(row.workspace_id, row.override),
  }))
}

const AS_CLAIMED = 'message_id = $1 and n = $2 and attempts = $3'

const record = `with later as (
    update deferred_copies set addresses = $4::text[], due_at = $5::bigint, in_flight = false
    where ${AS_CLAIMED} and cardinality($4::text[]) > 0 returning 1),
  ended as (delete from deferred_copies where ${AS_CLAIMED} and cardinality($4::text[]) = 0 returning 1)
  ${receiptsInsertText('$6', '$7', 'exists (select from later) or exists (select from ended)')}`

export interface CopiesResult {
  /** Those that are tried again at `dueAt`. */
  later: readonly string[]
  dueAt: number
  /** They end the others. */
  receipts: readonly NewReceipt[]
}

/** Nothing is written for a mail that is not as it was claimed: another node has it. */
export const deferredCopiesRecord = (
  { message_id, n, attempts }: Pick<DeferredCopiesRow, 'message_id' | 'n' | 'attempts'>,
  { later, dueAt, receipts }: CopiesResult,
  now: number,
): Statement => ({
  text: record,
  values: [message_id, n, attempts, later, dueAt, receiptsText(receipts), now],
  name: 'record-deferred-copies',
})

/** Those of the integration that are due now wait until then. */
export const deferredCopiesRest = (
  { workspace_id, integration }: Pick<DeferredCopiesRow, 'workspace_id' | 'integration'>,
  now: number,
  until: number,
): Statement => ({
  text: 'update deferred_copies set due_at = $4 where workspace_id = $1 and integration = $2 and due_at <= $3',
  values: [workspace_id, integration, now, until],
  name: 'rest-deferred-copies',
})

/** Those of messages to the person. */
export const deferredCopiesWork = ({ workspace_id, person }: LiveErasure): ErasureWork => ({
  ctes: `gone as (delete from deferred_copies where workspace_id = $6 and recipient = $7 returning 1)`,
  counts: `jsonb_build_object('deferredCopies', (select count(*) from gone))`,
  values: [workspace_id, person],
})
