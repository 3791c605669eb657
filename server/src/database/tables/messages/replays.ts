/** Messages that are sent again: which ones can be, those that a replay was confirmed for, and which message replays which. */
import { timedIdFloor } from '../../../base/ids.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, guardPlan, query, rows, rowsOf, statement } from '../../query.ts'
import { messageById } from './live-partition.ts'
import { type MessageFilter, matchingMessages } from './messages.ts'
import { requestInputs } from './requests.ts'

/** Messages that match and cannot be replayed are read as well: up to so many. */
const EXCLUDED_MAX = 100_001

/** The messages that a replay is for. */
export interface ReplayChoice {
  /** The notification of a message is the one it was decided with. */
  filter?: Omit<MessageFilter, 'cursor'>
  ids?: readonly string[]
  /** Only messages accepted before. */
  before: number
  /** Messages that were replayed already are replayed again. */
  includesReplayed?: boolean
}

const ERASED = `m.recipient ~ '^erased-[0-9a-f]{32}$'
      or exists (select from erasures e where e.workspace_id = m.workspace_id and e.person = m.recipient)`
const CONTENT_EXPIRED = 'm.request_id is not null and not exists (select from requests q where q.id = m.request_id)'

/** Copies that went out are no originals: a call that is repeated matches them, too. */
const ALREADY_REPLAYED = `exists (select from replayed_messages p where p.message_id = m.id)
      or m.status in ('SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'SIMULATED', 'DIGESTED')
        and exists (select from replayed_messages p where p.replayed_as = m.id)`

/** Why a message is not replayed; null: it can be. */
const exclusion = ({ includesReplayed = false }: ReplayChoice) => `case
    when ${ERASED} then 'erased'
    when m.due_at is not null then 'in_progress'
    when ${CONTENT_EXPIRED} then 'content_expired'
    ${includesReplayed ? '' : `when ${ALREADY_REPLAYED} then 'already_replayed'`}
  end`

/** The chosen messages, oldest first; undefined when there can be none. */
async function chosen(
  engine: Reader,
  workspaceId: number,
  { filter = {}, ids, before }: ReplayChoice,
  limit: number,
): Promise<Required<Pick<Statement, 'text' | 'values'>> | undefined> {
  if (ids?.length === 0) return undefined
  const all = query.selectFrom('messages').select(['id', 'workspace_id', 'recipient', 'status', 'due_at', 'request_id'])
  // Ids name messages whatever lists show.
  const matching = await matchingMessages(engine, workspaceId, all, ids ? { archived: true } : filter)
  let selection = matching?.where('id', '<', timedIdFloor(before)).where('enqueued', '<', before)
  if (ids) selection = selection?.where('id', 'in', [...ids])
  if (filter.notificationId !== undefined) selection = selection?.where('notification_id', '=', filter.notificationId)
  if (!selection) return undefined
  const { text, values = [] } = statement(selection.orderBy('id').limit(limit))
  return { text, values }
}

export interface ReplayCount {
  /** Null: can be replayed. */
  reason: string | null
  count: number
  /** The first of them. */
  ids: string[]
  /** A digest of all of their ids. */
  set: string
}

/** Empty for none. Two lists of ids are compared by it; it guards nothing. */
const setOf = (id: string) => `md5(string_agg(${id}, ',' order by ${id}))`

/** Counts the chosen messages by what keeps them from being replayed, up to `limit` of them. */
export async function countReplayable(
  engine: Reader,
  workspaceId: number,
  choice: ReplayChoice,
  { limit, shown }: { limit: number; shown: number },
): Promise<ReplayCount[]> {
  const selection = await chosen(engine, workspaceId, choice, limit)
  if (!selection) return []
  const { rows } = await engine.run<ReplayCount>({
    text: `with m as materialized (${selection.text})
      select reason, count(*)::integer as count, json_agg(id order by id) filter (where position <= ${shown}) as ids,
        ${setOf('id')} as set
      from (select id, reason, row_number() over (partition by reason order by id) as position
        from (select m.id, ${exclusion(choice)} as reason from m) r) n
      group by reason order by reason`,
    values: selection.values,
  })
  return rows
}

/**
 * The messages that can be replayed, as the ones that the replay sends: later changes of their state are of no account.
 * It must affect a row, which it does not when there are not as many as were confirmed, or others than those of `set`.
 */
export async function originalsInsert(
  engine: Reader,
  workspaceId: number,
  choice: ReplayChoice,
  { requestId, confirmed, set }: { requestId: string; confirmed: number; set?: string },
): Promise<Statement> {
  const selection = await chosen(engine, workspaceId, choice, confirmed + EXCLUDED_MAX)
  if (!selection) return expectRows({ text: 'select 1 as is_confirmed where $1::integer = 0', values: [confirmed] })
  const [request, count, ids] = [1, 2, 3].map((n) => `$${selection.values.length + n}`)
  return expectRows({
    text: `with m as materialized (${selection.text}),
      o as (
        insert into replay_originals (request_id, message_id)
        select ${request}::text, id from (select m.id, ${exclusion(choice)} as reason from m) r where reason is null
        returning message_id
      )
      select 1 as is_confirmed from o
      having count(*) = ${count}::integer and coalesce(coalesce(${setOf('message_id')}, '') = ${ids}::text, true)`,
    values: [...selection.values, requestId, confirmed, set ?? null],
  })
}

/** A final message with its input, as JSON texts: its own, and the part that the messages of its request share. */
export interface Replayable {
  id: string
  input: string
  shared: string | undefined
  tags: string[] | null
  trace_id: string | null
  tenant_id: string | null
}

/** Why a message that was confirmed is not replayed. */
export type LaterExclusion = 'not_found' | 'erased' | 'content_expired'

const originals = `select o.message_id as id, case
      when m.id is null then 'not_found'
      when ${ERASED} then 'erased'
      when ${CONTENT_EXPIRED} then 'content_expired'
    end as reason
  from (select message_id from replay_originals where request_id = $1 and message_id > $2 order by message_id limit $3) o
  left join lateral (${messageById('*', 'o.message_id', '(m.workspace_id = $4) is true')}) m on true
  order by o.message_id`

export interface OriginalsPage {
  messages: Replayable[]
  excluded: LaterExclusion[]
  /** The last one that was read; undefined after the last page. */
  last: string | undefined
}

/** The next messages that the replay was confirmed for. */
export async function originalsAfter(
  engine: Engine,
  { id: requestId, workspace_id: workspaceId }: { id: string; workspace_id: number },
  { after, limit }: { after: string | undefined; limit: number },
): Promise<OriginalsPage> {
  // One more says whether this page is the last one.
  const values = [requestId, after ?? '', limit + 1, workspaceId]
  const [, result] = await engine.batch([guardPlan, { text: originals, values, name: 'originals-after' }])
  const read = rowsOf<{ id: string; reason: LaterExclusion | null }>(result)
  const page = read.slice(0, limit)
  const excluded = page.flatMap(({ reason }) => reason ?? [])
  const last = read.length > limit ? page.at(-1)?.id : undefined
  const ids = page.filter(({ reason }) => reason === null).map(({ id }) => id)
  if (ids.length === 0) return { messages: [], excluded, last }
  const reading = query
    .selectFrom('messages')
    .select(['id', 'input', 'request_id', 'tags', 'trace_id', 'tenant_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .orderBy('id')
  const messages = await rows(engine, reading)
  const requestIds = new Set(messages.flatMap(({ request_id }) => request_id ?? []))
  const inputs = requestIds.size === 0 ? [] : await requestInputs(engine, [...requestIds])
  const shared = new Map(inputs.map(({ id, input }) => [id, input]))
  return {
    messages: messages.map(({ request_id, input, ...rest }) => ({
      ...rest,
      input: engine.tokens.decryptText(workspaceId, input),
      shared: request_id === null ? undefined : shared.get(request_id),
    })),
    excluded,
    last,
  }
}

/** The fields of these messages that a plan shows. */
export const replaySummaries = async (engine: Reader, workspaceId: number, ids: readonly string[]) =>
  ids.length === 0
    ? []
    : rows(
        engine,
        query
          .selectFrom('messages')
          .select(['id', 'status', 'recipient', 'event', 'enqueued', 'error'])
          .where('workspace_id', '=', workspaceId)
          .where('id', 'in', [...ids])
          .orderBy('id'),
      )

/** A message shows this many of those that replay it. */
const SHOWN_MAX = 10

/** The message that this one replays, and those that replay it. */
export async function replayLinks(
  engine: Reader,
  workspaceId: number,
  id: string,
): Promise<{ replayOf?: string; replayedAs?: string[] }> {
  const { rows } = await engine.run<{ message_id: string; replayed_as: string }>({
    text: `(select message_id, replayed_as from replayed_messages where replayed_as = $2 and workspace_id = $1)
      union all
      (select message_id, replayed_as from replayed_messages where message_id = $2 and workspace_id = $1
        order by replayed_as limit ${SHOWN_MAX})`,
    values: [workspaceId, id],
    name: 'replay-links',
  })
  const origin = rows.find(({ replayed_as }) => replayed_as === id)?.message_id
  const replayedAs = rows.filter(({ message_id }) => message_id === id).map(({ replayed_as }) => replayed_as)
  return { ...(origin !== undefined && { replayOf: origin }), ...(replayedAs.length > 0 && { replayedAs }) }
}

export function findReplay(engine: Reader, workspaceId: number, id: string) {
  const selection = query
    .selectFrom('requests')
    .select(['id', 'status', 'created', 'received', 'enqueued', 'failures', 'error', 'targets', 'progress'])
  return firstRow(
    engine,
    selection.where('workspace_id', '=', workspaceId).where('id', '=', id).where('kind', '=', 'replay'),
  )
}

const IN_PROGRESS = `select id from requests
  where workspace_id = $1 and kind = 'replay' and status = 'PROCESSING' and due_at is not null limit 1`

/** The id of the replay in progress: a workspace has one at a time. */
export async function replayInProgress(engine: Reader, workspaceId: number): Promise<string | undefined> {
  const { rows } = await engine.run<{ id: string }>({ text: IN_PROGRESS, values: [workspaceId] })
  return rows[0]?.id
}

/** Before the insert of a replay, in its transaction: a conflict when another one is in progress, on any node. */
export const onlyReplay = (workspaceId: number): Statement[] => [
  // The next statement reads what the holder of the lock before has committed.
  { text: 'select id from workspaces where id = $1 for no key update', values: [workspaceId] },
  expectRows({ text: `select 1 as is_free where not exists (${IN_PROGRESS})`, values: [workspaceId] }),
]

/** Deletes the lists of replays that have ended, a bounded slice; returns how many rows. */
export async function dropOriginals(engine: Engine, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `delete from replay_originals where (request_id, message_id) in (
        select o.request_id, o.message_id from replay_originals o
        where not exists (select from requests q where q.id = o.request_id and q.status = 'PROCESSING') limit $1)`,
    values: [limit],
  })
  return affected
}

/** Deletes links of messages that are past retention; returns how many. */
export async function dropReplayLinks(engine: Engine, before: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `delete from replayed_messages where replayed_as in (
        select replayed_as from replayed_messages where replayed_as < $1 order by replayed_as limit $2)`,
    values: [timedIdFloor(before), limit],
  })
  return affected
}
