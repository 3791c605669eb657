/** Messages that are sent again: which ones can be, a page of them at a time, and which message replays which. */
import { timedIdFloor } from '../../../base/ids.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement } from '../../query.ts'
import { type MessageFilter, matchingMessages } from './messages.ts'
import { requestInputs } from './requests.ts'

/** The messages that a replay is for. */
export interface ReplayChoice {
  /** The notification of a message is the one it was decided with. */
  filter?: Omit<MessageFilter, 'cursor'>
  ids?: readonly string[]
  /** Only messages accepted before: those of the replay itself are later. */
  before: number
  /** Messages that were replayed already are replayed again. */
  includesReplayed?: boolean
}

/** Why a message is not replayed; null: it can be. */
const exclusion = ({ before, includesReplayed = false }: ReplayChoice) => `case
    when m.recipient ~ '^erased-[0-9a-f]{32}$'
      or exists (select from erasures e where e.workspace_id = m.workspace_id and e.person = m.recipient) then 'erased'
    when m.due_at is not null then 'in_progress'
    when m.request_id is not null and not exists (select from requests q where q.id = m.request_id) then 'content_expired'
    when exists (select from replayed_messages p where p.message_id = m.id
      ${/* Copies of this replay are as late as its request. */ includesReplayed ? `and p.replayed_as >= '${timedIdFloor(before)}'` : ''}) then 'already_replayed'
  end`

/** The chosen messages after an id, oldest first; undefined when there can be none. */
async function chosen(
  engine: Reader,
  workspaceId: number,
  { filter = {}, ids, before }: ReplayChoice,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<Required<Pick<Statement, 'text' | 'values'>> | undefined> {
  if (ids?.length === 0) return undefined
  const all = query.selectFrom('messages').select(['id', 'workspace_id', 'recipient', 'due_at', 'request_id'])
  // Ids name messages whatever lists show.
  const matching = await matchingMessages(engine, workspaceId, all, ids ? { archived: true } : filter)
  // Copies have the time of their replay in the id, and are made later.
  let found = matching?.where('id', '<', timedIdFloor(before)).where('enqueued', '<', before)
  if (ids) found = found?.where('id', 'in', [...ids])
  if (filter.notificationId !== undefined) found = found?.where('notification_id', '=', filter.notificationId)
  if (after !== undefined) found = found?.where('id', '>', after)
  if (!found) return undefined
  const { text, values = [] } = statement(found.orderBy('id').limit(limit))
  return { text, values }
}

export interface ReplayCount {
  /** Null: can be replayed. */
  reason: string | null
  count: number
  /** The first of them. */
  ids: string[]
}

/** Counts the chosen messages by what keeps them from being replayed, up to `limit` of them. */
export async function countReplayable(
  engine: Reader,
  workspaceId: number,
  choice: ReplayChoice,
  { limit, shown }: { limit: number; shown: number },
): Promise<ReplayCount[]> {
  const found = await chosen(engine, workspaceId, choice, { after: undefined, limit })
  if (!found) return []
  const { rows } = await engine.run<ReplayCount>({
    text: `with m as materialized (${found.text})
      select reason, count(*)::integer as count, json_agg(id order by id) filter (where position <= ${shown}) as ids
      from (select id, reason, row_number() over (partition by reason order by id) as position
        from (select m.id, ${exclusion(choice)} as reason from m) r) n
      group by reason order by reason`,
    values: found.values,
  })
  return rows
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

/** The next messages of a replay. `last` is the last one that was read; undefined after the last page. */
export async function replayableAfter(
  engine: Reader,
  workspaceId: number,
  choice: ReplayChoice,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<{ messages: Replayable[]; last: string | undefined }> {
  const found = await chosen(engine, workspaceId, choice, { after, limit })
  if (!found) return { messages: [], last: undefined }
  const page = await engine.run<{ id: string; reason: string | null }>({
    text: `with m as materialized (${found.text})
      select m.id, ${exclusion(choice)} as reason from m order by m.id`,
    values: found.values,
  })
  const last = page.rows.length < limit ? undefined : page.rows.at(-1)?.id
  const ids = page.rows.filter(({ reason }) => reason === null).map(({ id }) => id)
  if (ids.length === 0) return { messages: [], last }
  const read = query
    .selectFrom('messages')
    .select(['id', 'input', 'request_id', 'tags', 'trace_id', 'tenant_id'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .orderBy('id')
  const messages = await rows(engine, read)
  const requestIds = new Set(messages.flatMap(({ request_id }) => request_id ?? []))
  const inputs = requestIds.size === 0 ? [] : await requestInputs(engine, [...requestIds])
  const shared = new Map(inputs.map(({ id, input }) => [id, input]))
  return {
    messages: messages.map(({ request_id, input, ...rest }) => ({
      ...rest,
      input: engine.tokens.decryptText(workspaceId, input),
      shared: request_id === null ? undefined : shared.get(request_id),
    })),
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
  const found = query
    .selectFrom('requests')
    .select(['id', 'status', 'created', 'received', 'enqueued', 'failures', 'error', 'targets'])
  return firstRow(
    engine,
    found.where('workspace_id', '=', workspaceId).where('id', '=', id).where('kind', '=', 'replay'),
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

/** Ends a replay in progress. A step that a worker has started is not written any more. */
export const replayCancel = (workspaceId: number, id: string): Statement =>
  expectRows(
    statement(
      query
        .updateTable('requests')
        .set({ status: 'CANCELED', due_at: null, lease: null })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .where('kind', '=', 'replay')
        .where('status', '=', 'PROCESSING'),
    ),
  )

/** Deletes links of messages that are past retention; returns how many. */
export async function dropReplayLinks(engine: Engine, before: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `delete from replayed_messages where replayed_as in (
        select replayed_as from replayed_messages where replayed_as < $1 order by replayed_as limit $2)`,
    values: [timedIdFloor(before), limit],
  })
  return affected
}
