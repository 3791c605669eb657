/** Messages that wait for a repair of an integration, and the repairs: chosen, and released where nothing changed them since. */
import type { Candidate } from '@postrider/contract'
import type { SelectQueryBuilder } from 'kysely'
import { jsonList } from '../../../base/json/json.ts'
import type { Engine, Reader, Result, Statement } from '../../engine.ts'
import {
  columnList,
  expectRows,
  guardPlan,
  query,
  type Row,
  recordset,
  rows,
  rowsOf,
  statement,
  typesOf,
} from '../../query.ts'
import { columnTypes, type Schema } from '../../schema.generated.ts'
import { outboxInsertFrom } from '../webhooks/webhook-outbox.ts'
import { byLiveId } from './live-partition.ts'
import { type MessageFilter, matchingMessages } from './messages.ts'

/** Counted up to here: some 25 ms. */
const COUNTED_MAX = 25_000

export const countHeld = (engine: Reader, workspaceId: number): Promise<number> =>
  countWaiting(engine, workspaceId, 'HELD')

/** Messages that have not ended, with this status. */
export async function countWaiting(engine: Reader, workspaceId: number, status: 'HELD' | 'DELAYED'): Promise<number> {
  return waitingCount(await engine.run(waitingSelect(workspaceId, status)))
}

export const waitingCount = (result: Result | undefined): number => rowsOf<{ waiting: number }>(result)[0]?.waiting ?? 0

/** `waitingCount` reads its row. */
export const waitingSelect = (workspaceId: number, status: 'HELD' | 'DELAYED'): Statement => ({
  text: `select count(*)::integer as waiting from (
      select from messages_live where workspace_id = $1 and status = $2 limit ${COUNTED_MAX}) m`,
  values: [workspaceId, status],
  name: 'count-waiting',
})

const WAITING = ['id', 'status', 'flushes', 'due_at', 'deliveries'] as const

/** A message without a lease that is due later. */
export interface WaitingMessage extends Row<'messages', Exclude<(typeof WAITING)[number], 'due_at'>> {
  due_at: number
}

/** The held messages that a call names. */
export interface HeldChoice {
  ids?: readonly string[]
  filter: Omit<MessageFilter, 'cursor'>
  /** Only messages after this one. */
  after?: string
}

/** Held messages, oldest first. */
export async function heldMessages(
  engine: Reader,
  workspaceId: number,
  choice: HeldChoice,
  limit: number,
): Promise<WaitingMessage[]> {
  const selection = await chosen(engine, workspaceId, choice, query.selectFrom('messages').select([...WAITING]))
  return selection ? ((await rows(engine, selection.orderBy('id').limit(limit))) as WaitingMessage[]) : []
}

/** How many held messages there are, up to `limit` of them, and the first ones. */
export async function planRelease(
  engine: Reader,
  workspaceId: number,
  choice: HeldChoice,
  { limit, shown }: { limit: number; shown: number },
) {
  const all = query.selectFrom('messages').select(['id', 'recipient', 'event', 'enqueued', 'error'])
  const selection = await chosen(engine, workspaceId, choice, all)
  if (!selection) return { count: 0, messages: [] }
  const counted = query
    .selectFrom(selection.limit(limit).as('held'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
  const [counts, messages] = await Promise.all([
    rows(engine, counted),
    rows(engine, selection.orderBy('id').limit(shown)),
  ])
  return { count: Number(counts[0]?.count ?? 0), messages }
}

async function chosen<Selected>(
  engine: Reader,
  workspaceId: number,
  { ids, filter, after }: HeldChoice,
  all: SelectQueryBuilder<Schema, 'messages', Selected>,
) {
  // Held messages are released whatever lists show.
  const matching = await matchingMessages(engine, workspaceId, all, {
    ...(ids ? {} : filter),
    ...{ archived: true, statuses: ['HELD'] },
  })
  let selection = matching?.where('due_at', 'is not', null).where('lease', 'is', null)
  if (ids) selection = selection?.where('id', 'in', [...ids])
  if (after !== undefined) selection = selection?.where('id', '>', after)
  if (filter.notificationId !== undefined) selection = selection?.where('notification_id', '=', filter.notificationId)
  return selection
}

const RELEASED = ['id', 'flushes', 'status', 'due_at', 'deliveries', 'events'] as const

/** A message that goes on; written only while it is as it was read. */
export interface ReleasedMessage extends Row<'messages', 'id' | 'flushes' | 'status'> {
  due_at: number
  /** The id of its webhook event; null when the status is as before. */
  outbox_id: string | null
  /** Raw JSON, spliced into the parameter as it is. */
  deliveries: string | null
  events: string
}

const release = `with r as materialized (
    select * from ${recordset('$1', 'r', { ...typesOf('messages', RELEASED), outbox_id: columnTypes.webhook_deliveries.id })}
  ),
  u as (
    update messages_live m set status = r.status, due_at = r.due_at, deliveries = r.deliveries, flushes = m.flushes + 1
    from r where ${byLiveId('m.id', 'r.id')} and m.flushes = r.flushes and m.lease is null
    returning m.id, m.workspace_id, m.flushes, r.events, r.outbox_id
  ),
  h as (
    insert into history (message_id, flush, workspace_id, events) select id, flushes, workspace_id, events from u
  ),
  o as (${outboxInsertFrom(`(
    select outbox_id as id, workspace_id, 'message:updated' as type, id as message_id, null::text as payload, $2::bigint as at
    from u where outbox_id is not null
  ) a`)})
  select count(*)::integer as released from u having $3::integer is null or count(*) = $3::integer`

function releaseOf(released: readonly ReleasedMessage[], now: number, expected: number | null): Statement {
  const records = released.map(
    ({ deliveries, events, ...columns }) =>
      `${JSON.stringify(columns).slice(0, -1)},"deliveries":${deliveries},"events":${events}}`,
  )
  return { text: release, values: [jsonList(records), now, expected], name: 'release-messages' }
}

/** Releases all of them: it must affect a row, which it does not when one of them was written since it was read. */
export const releaseMessages = (released: readonly ReleasedMessage[], now: number): Statement[] => [
  guardPlan,
  expectRows(releaseOf(released, now, released.length)),
]

/** The mark of a repair: the first pass comes when every node has read what has changed. */
export const repairMark = (now: number) => ({
  release_held: now,
  release_due: now + CONFIG_AGE_MS,
  release_after: null,
  release_pass: 0,
})

/** The passes of a release that no repair began, but the end of holding: theirs are these and those of a repair. */
export const HOLD_ENDED_PASS = 3

/** Calls that began so soon after a change may have used the settings before it. */
export const CONFIG_AGE_MS = 2_000

/** A repaired integration, leased to this node until `release_due`. */
export type Repair = Row<'integrations', 'workspace_id' | 'id' | 'created' | 'release_after' | 'release_pass'> & {
  /** Null: every channel of its provider. */
  channel: string | null
  provider: string
  release_held: number
  release_due: number
}

const REPAIR = [
  'workspace_id',
  'id',
  'provider',
  'channel',
  'created',
  'release_held',
  'release_due',
  'release_after',
  'release_pass',
] as const

const claim = `update integrations i set release_due = $2::bigint
  from (
    select workspace_id, id from integrations where release_held is not null and release_due <= $1
    order by release_due limit 1 for update skip locked
  ) d
  where i.workspace_id = d.workspace_id and i.id = d.id returning ${columnList(REPAIR, 'i')}`

/** The repair whose next step has been due for the longest time. */
export async function claimRepair(engine: Engine, now: number, until: number): Promise<Repair | undefined> {
  const { rows } = await engine.run<Repair>({ text: claim, values: [now, until], name: 'claim-repair' })
  return rows[0]
}

/** Bounded by the messages that are read, whatever they wait for. */
const page = `with page as materialized (
    select ${columnList(WAITING)}, lease, pinned from messages_live
    where workspace_id = $1 and id > $2 order by id limit $3
  )
  select id, status, flushes, due_at, case when lease is null then deliveries end as deliveries,
    case when lease is null and status = 'HELD' then pinned::json->'considered' end as considered,
    lease is null and (status = 'HELD' or deliveries is not null) as may_wait
  from page order by id`

/** With the candidates of its decision, where it is held and has some. */
export interface WaitingForRepair extends WaitingMessage {
  considered: readonly Pick<Candidate, 'channel' | 'integration' | 'reason'>[] | null
}

/** The next live messages of a repair: those that may wait for it, and the last one that was read. */
export async function messagesAfter(
  engine: Engine,
  { workspace_id, release_after }: Repair,
  limit: number,
): Promise<{ waiting: WaitingForRepair[]; last: string | undefined }> {
  const values = [workspace_id, release_after ?? '', limit]
  const [, result] = await engine.batch([guardPlan, { text: page, values, name: 'messages-of-repair' }])
  const read = rowsOf<WaitingForRepair & { may_wait: boolean }>(result)
  return {
    waiting: read.filter(({ may_wait }) => may_wait),
    last: read.length < limit ? undefined : read.at(-1)?.id,
  }
}

/** The position of a release after a step; undefined when the last pass has ended. */
export type ReleasePosition = Pick<Repair, 'release_after' | 'release_due' | 'release_pass'>

/** The messages and the position in one commit; returns how many were released. A repair since then keeps its own position. */
export async function releaseStep(
  engine: Engine,
  { workspace_id, id, release_held, release_due }: Repair,
  released: readonly ReleasedMessage[],
  next: ReleasePosition | undefined,
  now: number,
): Promise<number> {
  const position = next ?? { release_held: null, release_due: null, release_after: null, release_pass: 0 }
  const progress = query
    .updateTable('integrations')
    .set(position)
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('release_held', '=', release_held)
    .where('release_due', '=', release_due)
  const [, result] = await engine.batch([guardPlan, releaseOf(released, now, null), statement(progress)])
  return rowsOf<{ released: number }>(result)[0]?.released ?? 0
}

/** Marks an integration as repaired: messages that wait for it are released. */
export const repairedMark = (workspaceId: number, id: string, now: number): Statement =>
  statement(
    query.updateTable('integrations').set(repairMark(now)).where('workspace_id', '=', workspaceId).where('id', '=', id),
  )

/** Marks every integration, none of which is repaired by it: the workspace holds no messages any more. */
export const holdEndedMark = (workspaceId: number, now: number): Statement => {
  const mark = { ...repairMark(now), release_pass: HOLD_ENDED_PASS }
  return statement(query.updateTable('integrations').set(mark).where('workspace_id', '=', workspaceId))
}
