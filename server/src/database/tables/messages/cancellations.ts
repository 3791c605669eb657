/** Cancellations of messages: which ones wait, and the writes that end them, many rows a statement. */
import type { SelectQueryBuilder } from 'kysely'
import { timedId } from '../../../base/ids.ts'
import { ConflictError, type Engine, type Reader, type Statement } from '../../engine.ts'
import { expectRows, guardPlan, query, type Row, recordset, rows, rowsOf, typesOf } from '../../query.ts'
import { columnTypes, type Schema } from '../../schema.generated.ts'
import { outboxInsertChanged } from '../webhooks/webhook-outbox.ts'
import { canceledCounts } from './counts.ts'
import { byLiveId, endedRows } from './live-partition.ts'
import { type MessageFilter, matchingMessages, waitingForNotification } from './messages.ts'

/** The messages that a call names. */
export interface CancelChoice {
  ids?: readonly string[]
  filter: Omit<MessageFilter, 'cursor'>
}

/** Messages that have not ended and that no provider has accepted. */
async function cancelable<Selected>(
  engine: Reader,
  workspaceId: number,
  { ids, filter }: CancelChoice,
  all: SelectQueryBuilder<Schema, 'messages', Selected>,
) {
  if (ids?.length === 0) return undefined
  // Ids name messages whatever lists show.
  const matching = await matchingMessages(engine, workspaceId, all, ids ? { archived: true } : filter)
  let selection = matching?.where('due_at', 'is not', null).where('sent', 'is', null)
  if (ids) selection = selection?.where('id', 'in', [...ids])
  const { notificationId } = filter
  return selection && notificationId !== undefined
    ? waitingForNotification(engine, workspaceId, notificationId, selection)
    : selection
}

export interface CancelableCount {
  cancelable: number
  /** Those of them under a lease that has not expired: a node decides or delivers them. */
  leased: number
}

/** Counted up to `limit`. */
export async function countCancelable(
  engine: Reader,
  workspaceId: number,
  choice: CancelChoice,
  { limit, now }: { limit: number; now: number },
): Promise<CancelableCount> {
  const selection = await cancelable(
    engine,
    workspaceId,
    choice,
    query.selectFrom('messages').select(['lease', 'due_at']),
  )
  if (!selection) return { cancelable: 0, leased: 0 }
  const { sql: text, parameters } = selection.limit(limit).compile()
  const counted = await engine.run<CancelableCount>({
    text: `select count(*)::integer as cancelable,
        (count(*) filter (where lease is not null and due_at >= $${parameters.length + 1}::bigint))::integer as leased
      from (${text}) m`,
    values: [...parameters, now],
  })
  return counted.rows[0] ?? { cancelable: 0, leased: 0 }
}

/** The first of them, oldest first. */
export async function firstCancelable(engine: Reader, workspaceId: number, choice: CancelChoice, limit: number) {
  const all = query.selectFrom('messages').select(['id', 'status', 'recipient', 'event', 'enqueued', 'error'])
  const selection = await cancelable(engine, workspaceId, choice, all)
  return selection ? rows(engine, selection.orderBy('id').limit(limit)) : []
}

/** Ids, newest first: the messages that workers claim last. Those that a node works on come after all others. */
export async function cancelableIds(
  engine: Reader,
  workspaceId: number,
  choice: CancelChoice,
  { limit, now }: { limit: number; now: number },
): Promise<{ waiting: string[]; leased: string[] }> {
  const of = async (isLeased: boolean, most: number): Promise<string[]> => {
    if (most === 0) return []
    const selection = await cancelable(engine, workspaceId, choice, query.selectFrom('messages').select('id'))
    const narrowed = selection?.where((e) =>
      isLeased
        ? e.and([e('lease', 'is not', null), e('due_at', '>=', now)])
        : e.or([e('lease', 'is', null), e('due_at', '<', now)]),
    )
    return narrowed ? (await rows(engine, narrowed.orderBy('id', 'desc').limit(most))).map(({ id }) => id) : []
  }
  const waiting = await of(false, limit)
  return { waiting, leased: await of(true, limit - waiting.length) }
}

/** One order for all statements that lock rows: those that meet wait for each other. */
const inOrder = (ids: readonly string[]) => [...ids].sort()

const namedById = `${byLiveId('m.id', 'r.id')} and (m.workspace_id = r.workspace_id) is true`

// The condition stands in the delete, so that a row that was claimed meanwhile is left to its lease.
const cancel = `with r as materialized (
    select * from ${recordset('$1', 'r', { ...typesOf('messages', ['id', 'workspace_id']), outbox_id: columnTypes.webhook_deliveries.id })}
  ),
  ${endedRows('m', {
    batch: 'r',
    where: `${namedById} and case when m.sent is null then m.lease is null or m.due_at < $2 else false end`,
    changes: {
      status: "'CANCELED'",
      canceled_at: '$2::bigint',
      due_at: 'null::bigint',
      lease: 'null',
      flushes: 'm.flushes + 1',
    },
    also: 'r.outbox_id',
  })},
  c as (${canceledCounts('m', '$2::bigint')}),
  h as (insert into history (message_id, flush, workspace_id, events) select id, flushes, workspace_id, $3 from m),
  a as (${outboxInsertChanged('$2')})
  select id from m`

/** The source of a cancellation because the person is erased. */
export const ERASURE_SOURCE = 'erasure'

/** Messages to cancel. `source`: who cancels them: `key/<name>`, `operator`. */
export interface CanceledRows {
  workspaceId: number
  ids: readonly string[]
  source: string
}

/**
 * Cancels those of the messages that are neither leased nor sent; returns their ids. `also` is written in the same
 * commit, and only when one is canceled.
 */
export async function cancelUnleased(
  engine: Engine,
  { workspaceId, ids, source }: CanceledRows,
  now: number,
  also: readonly Statement[] = [],
): Promise<string[]> {
  if (ids.length === 0) return []
  const events = JSON.stringify([{ type: 'CANCELED', ts: now, source }])
  const records = inOrder(ids).map((id) => ({ id, workspace_id: workspaceId, outbox_id: timedId(now) }))
  const values = [JSON.stringify(records), now, events]
  const write = expectRows({ text: cancel, values, name: 'cancel-messages' })
  try {
    const [, canceled] = await engine.batch([guardPlan, write, ...also])
    return rowsOf<{ id: string }>(canceled).map(({ id }) => id)
  } catch (error) {
    if (error instanceof ConflictError) return []
    throw error
  }
}

const request = `with r as materialized (select * from ${recordset('$1', 'r', typesOf('messages', ['id', 'workspace_id']))})
  update messages_live m set cancel_requested = $2::text is not null, cancel_source = $2 from r where ${namedById}`

/** Requests that lease holders stop; without a source it withdraws the request, so that a reply "too late" stays true. */
export async function requestCancel(
  engine: Engine,
  { workspaceId, ids }: Omit<CanceledRows, 'source'>,
  source: string | null,
): Promise<void> {
  const records = inOrder(ids).map((id) => ({ id, workspace_id: workspaceId }))
  const values = [JSON.stringify(records), source]
  await engine.batch([guardPlan, { text: request, values, name: 'request-cancel' }])
}

/** How far a message is from its end. */
export type CancelState = Row<'messages', 'id' | 'mode' | 'status' | 'due_at' | 'sent'>

/** Those of the messages that exist. */
export const cancelStates = async (
  engine: Reader,
  workspaceId: number,
  ids: readonly string[],
): Promise<CancelState[]> =>
  ids.length === 0
    ? []
    : rows(
        engine,
        query
          .selectFrom('messages')
          .select(['id', 'mode', 'status', 'due_at', 'sent'])
          .where('workspace_id', '=', workspaceId)
          .where('id', 'in', [...ids])
          .orderBy('id'),
      )
