/** Messages as the API reads, lists and archives them; newest first by id, whose order is that of time. */
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { timedIdFloor } from '../../../base/ids.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Result, Statement } from '../../engine.ts'
import { firstRow, guardPlan, query, type Row, recordset, rows, rowsOf, statement, typesOf } from '../../query.ts'
import type { Schema } from '../../schema.generated.ts'
import {
  type AddressMatch,
  type AddressPart,
  addressMatch,
  addressParts,
  matchesAddress,
  type SearchedAddress,
} from './addresses.ts'
import { eventsLeadingTo, mapEvents } from './facts.ts'
import { readableMessage } from './live-messages.ts'
import { messageById } from './live-partition.ts'
import { usedAmong } from './records.ts'

export interface MessageFilter {
  /** The message names it, was sent to it, or is for a user who has it. */
  address?: SearchedAddress
  archived?: boolean
  cursor?: string
  /** Later ids than this one, oldest first, up to those of a time. */
  after?: { id: string; until: number }
  /** Any of these channels was tried. */
  channels?: readonly string[]
  /** Milliseconds since the epoch; later, and earlier ones only. */
  enqueuedAfter?: number
  enqueuedBefore?: number
  /** A part of the error, in any case. */
  error?: string
  event?: string
  /** Any of these. */
  findings?: readonly string[]
  listId?: string
  /** The id of a message, or of its request. */
  messageId?: string
  notificationId?: string
  /** Any of these; the same for the next three filters. */
  providers?: readonly string[]
  reasons?: readonly string[]
  /** None of these. */
  exceptReasons?: readonly string[]
  statuses?: readonly string[]
  tags?: readonly string[]
  recipient?: string
  /** No provider has accepted it, and a delivery waits for another attempt. */
  retrying?: boolean
  runId?: string
  tenantId?: string
  traceId?: string
}

const columns = [
  'id',
  'status',
  'recipient',
  'event',
  'notification_id',
  'enqueued',
  'sent',
  'delivered',
  'opened',
  'clicked',
  'canceled_at',
  'error',
  'reason',
  'reason_code',
  'findings',
  'tags',
  'list_id',
  'list_message_id',
  'run_id',
  'job_id',
  'idempotency_key',
  'archived',
] as const

export type MessageRow = Selectable<Pick<Schema['messages'], (typeof columns)[number]>>
export type MessageRowWithDeliveries = MessageRow & { deliveries: string | null }

export async function findMessage(
  engine: Reader,
  workspaceId: number,
  id: string,
): Promise<MessageRowWithDeliveries | undefined> {
  const selection = query.selectFrom('messages').select([...columns, 'deliveries'])
  const row = await firstRow(engine, selection.where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row && (await withNotifications(engine, workspaceId, [row]))[0]
}

/** Statuses of messages that may be undecided: the decision writes the notification. */
const undecided: ReadonlySet<string> = new Set(['ENQUEUED', 'DELAYED', 'CANCELED'])

/** An undecided message shows the notification that its event selects now. */
async function withNotifications<Row extends MessageRow>(
  engine: Reader,
  workspaceId: number,
  messageRows: Row[],
): Promise<Row[]> {
  const isOpen = ({ notification_id, event, status }: Row) =>
    notification_id === null && event !== '' && undecided.has(status)
  const events = new Set(messageRows.filter(isOpen).map(({ event }) => event))
  if (events.size === 0) return messageRows
  const mapped = await mapEvents(
    engine,
    [...events].map((event) => ({ workspaceId, event, mode: 'live' })),
  )
  const byEvent = new Map(mapped.map(({ event, notification_id }) => [event, notification_id]))
  return messageRows.map((row) => (isOpen(row) ? { ...row, notification_id: byEvent.get(row.event) ?? null } : row))
}

/** Larger inputs are not read for a list. */
const LISTED_INPUT_MAX = 64 * 1024

/**
 * Columns that the API does not show as they are, null where they do not apply. `due_at`: until when the message waits,
 * if no node works on it. `input`: JSON, of a recipient whose id has the prefix. `events`: JSON of those of a canceled
 * message that were written last. `paused`: since when its request is paused.
 */
export type MessageContext = Row<'messages', 'id' | 'due_at' | 'events'> & {
  input: string | null
  paused: number | null
  paused_by: string | null
}

export async function messageContexts(
  engine: Reader,
  workspaceId: number,
  ids: readonly string[],
  recipientPrefix: string,
): Promise<MessageContext[]> {
  if (ids.length === 0) return []
  const hasInput = sql`starts_with(m.recipient, ${recipientPrefix}) and octet_length(m.input) <= ${LISTED_INPUT_MAX}`
  const lastEvents = sql`select h.events from history h
    where h.message_id = m.id and h.workspace_id = m.workspace_id order by h.flush desc limit 1`
  const selection = query
    .selectFrom('messages as m')
    .leftJoin('requests as q', (join) =>
      join.onRef('q.id', '=', 'm.request_id').on('q.stopped', '=', 'paused').on('m.due_at', 'is not', null),
    )
    .select([
      'm.id',
      'q.stopped_at as paused',
      'q.stopped_by as paused_by',
      sql<number | null>`case when m.lease is null then m.due_at end`.as('due_at'),
      sql<string | null>`case when ${hasInput} then m.input end`.as('input'),
      sql<string | null>`case when m.status = 'CANCELED' then coalesce((${lastEvents}), m.events) end`.as('events'),
    ])
    .where('m.workspace_id', '=', workspaceId)
    .where('m.id', 'in', [...ids])
  return rows(engine, selection)
}

/** The input as JSON text; for a message of a request its own part. */
export async function messageInput(engine: Reader, workspaceId: number, id: string) {
  const selection = query.selectFrom('messages').select(['input', 'request_id', 'tags', 'trace_id', 'tenant_id'])
  const row = await firstRow(engine, selection.where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row && { ...row, input: engine.tokens.decryptText(workspaceId, row.input) }
}

/** The brand of a decided message, of its mail where that has another one; undefined: it needs none, or there is no message. */
export async function brandOfMessage(engine: Reader, workspaceId: number, id: string): Promise<string | undefined> {
  const brand = sql<
    string | null
  >`coalesce(pinned::json->'channelBrands'->'email'->>'id', pinned::json->'brand'->>'id')`
  const selection = query.selectFrom('messages').select(brand.as('brand'))
  const row = await firstRow(engine, selection.where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row?.brand ?? undefined
}

const COMPARED = [
  ...(['id', 'workspace_id', 'recipient', 'list_id', 'mode', 'enqueued', 'first_due', 'input', 'request_id'] as const),
]
export type ComparableMessage = Row<'messages', (typeof COMPARED)[number]>

/** Decided messages of the notification, newest first, without those of erased recipients, which have no data. */
export function comparableMessages(
  engine: Reader,
  workspaceId: number,
  bounds: { notificationId: string; since: number; before: string | undefined; limit: number },
): Promise<ComparableMessage[]> {
  let selection = query
    .selectFrom('messages')
    .select(COMPARED)
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', bounds.notificationId)
    .where('id', '>=', timedIdFloor(bounds.since))
    .where(sql<boolean>`recipient !~ '^erased-[0-9a-f]{32}$'`)
  if (bounds.before !== undefined) selection = selection.where('id', '<', bounds.before)
  return rows(engine, selection.orderBy('id', 'desc').limit(bounds.limit))
}

export type RoutedMessage = ComparableMessage & Row<'messages', 'pinned' | 'deliveries'>

export interface RoutedSearch {
  integrationId: string
  /** Only earlier ids. */
  before: string | undefined
  /** Messages that are looked at. */
  limit: number
}

/** The tag of a message that tests an integration, and takes no other. */
export const TEST_TAG = 'provider-test'

/** The ids of the newest messages, and which of them name the integration in their decision. Without tests and those of erased recipients and mock keys. */
export function decidedWith(
  engine: Reader,
  workspaceId: number,
  { integrationId, before, limit }: RoutedSearch,
): Promise<{ id: string; matches: boolean }[]> {
  const named = `%${literal(`"integration":${JSON.stringify(integrationId)}`)}%`
  const matches = sql<boolean>`coalesce(pinned like ${named}, false) and mode <> 'mock'
    and recipient !~ '^erased-[0-9a-f]{32}$' and not coalesce(${anyOf([TEST_TAG])}, false)`
  let selection = query
    .selectFrom('messages')
    .select(['id', matches.as('matches')])
    .where('workspace_id', '=', workspaceId)
  if (before !== undefined) selection = selection.where('id', '<', before)
  return rows(engine, selection.orderBy('id', 'desc').limit(limit))
}

/** Newest first. */
export function routedMessages(engine: Reader, workspaceId: number, ids: readonly string[]): Promise<RoutedMessage[]> {
  const selection = query
    .selectFrom('messages')
    .select([...COMPARED, 'pinned', 'deliveries'])
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', [...ids])
  return rows(engine, selection.orderBy('id', 'desc'))
}

/** When the latest decided message of the notification was accepted. */
export async function latestMessage(
  engine: Reader,
  workspaceId: number,
  notificationId: string,
): Promise<number | undefined> {
  const ofNotification = query
    .selectFrom('messages')
    .select('enqueued')
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', notificationId)
  return (await firstRow(engine, ofNotification.orderBy('id', 'desc').limit(1)))?.enqueued
}

/** Messages of any workspace; at most one row for each key. */
export async function findMessages(
  engine: Engine,
  requests: readonly { workspace_id: number; message_id: string }[],
): Promise<MessageRowWithDeliveries[]> {
  const finding = {
    text: `select distinct on (m.id) ${[...columns, 'deliveries'].map((column) => `m.${column}`).join(', ')}
      from ${recordset('$1', 'r', typesOf('receipts', ['workspace_id', 'message_id']))}
      cross join lateral (${messageById('*', 'r.message_id', '(m.workspace_id = r.workspace_id) is true')}) m`,
    values: [JSON.stringify(requests)],
    name: 'find-messages',
  }
  const [, result] = await engine.batch([guardPlan, finding])
  return rowsOf<MessageRowWithDeliveries>(result)
}

/** Those of the ids that exist. */
export async function messagesAmong(engine: Reader, workspaceId: number, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const selection = query.selectFrom('messages').select('id').where('workspace_id', '=', workspaceId)
  return (await rows(engine, selection.where('id', 'in', [...ids]))).map(({ id }) => id)
}

export async function listMessages(
  engine: Reader,
  workspaceId: number,
  { address, ...filter }: MessageFilter,
  limit: number,
  withDeliveries = false,
): Promise<Page<MessageRow & Partial<MessageRowWithDeliveries>>> {
  const all = query
    .selectFrom('messages')
    .select(columns)
    .$if(withDeliveries, (messages) => messages.select('deliveries'))
  const matching = await matchingMessages(engine, workspaceId, all, filter)
  if (!matching) return pageOf([], limit, ({ id }) => [id])
  const { notificationId } = filter
  const match = address && (await addressMatch(engine, workspaceId, address))
  const slice: Slice = { order: filter.after ? 'asc' : 'desc', limit: limit + 1, ...(match && { match }) }
  const selection =
    notificationId === undefined
      ? firstOf(matching, slice)
      : ofNotification(
          matching,
          { notificationId, events: await eventsLeadingTo(engine, workspaceId, notificationId) },
          slice,
        )
  const page = pageOf(await rows(engine, selection), limit, ({ id }) => [id])
  return { ...page, rows: await withNotifications(engine, workspaceId, page.rows) }
}

type MessagesQuery<Row> = SelectQueryBuilder<Schema, 'messages', Row>
type Messages = MessagesQuery<MessageRow & Partial<MessageRowWithDeliveries>>

/** Applies the filter, except for the notification; undefined when no message can match. */
export async function matchingMessages<Row>(
  engine: Reader,
  workspaceId: number,
  all: MessagesQuery<Row>,
  filter: MessageFilter,
): Promise<MessagesQuery<Row> | undefined> {
  const providers = filter.providers?.length ? await usedAmong(engine, workspaceId, filter.providers) : undefined
  if (providers?.length === 0) return undefined
  const tagged = filter.tags?.length ? await rarelyTagged(engine, workspaceId, filter.tags) : undefined
  if (tagged?.length === 0) return undefined
  const match = filter.address && (await addressMatch(engine, workspaceId, filter.address))
  const ofWorkspace = all.where('workspace_id', '=', workspaceId)
  const ofAddress = match ? ofWorkspace.where(matchesAddress(match)) : ofWorkspace
  return narrowed(
    tagged ? ofAddress.where('id', 'in', tagged) : ofAddress,
    providers ? { ...filter, providers } : filter,
  )
}

interface Slice {
  order: 'asc' | 'desc'
  limit: number
  match?: AddressMatch
}

/** Each part of the messages of an address is read in the order of its index; `union` has a message of two parts once. */
function firstOf(messages: Messages, { order, limit, match }: Slice) {
  const first = (all: Messages) => all.orderBy('id', order).limit(limit)
  if (!match) return first(messages)
  const of = ({ values, condition }: AddressPart) =>
    query
      .selectFrom(values.as<'part'>(sql`part(value)`))
      .crossJoinLateral(first(messages.where(condition)).as('messages'))
      .selectAll('messages')
  const { ofUsers, ofAddresses } = addressParts(match)
  const all = ofAddresses.reduce((others, part) => others.union(of(part)), of(ofUsers))
  return query.selectFrom(all.as('messages')).selectAll().orderBy('id', order).limit(limit)
}

/** Undecided messages belong to the notification that they show. Each half uses its own index. */
function ofNotification(
  messages: Messages,
  { notificationId, events }: { notificationId: string; events: readonly string[] },
  slice: Slice,
) {
  const { order, limit } = slice
  const decided = firstOf(messages.where('notification_id', '=', notificationId), slice)
  if (events.length === 0) return decided
  const open = messages
    .where('notification_id', 'is', null)
    .where('event', 'in', [...events])
    .where('status', 'in', [...undecided])
  return query
    .selectFrom(decided.as('decided'))
    .selectAll()
    .unionAll(query.selectFrom(firstOf(open, slice).as('undecided')).selectAll())
    .orderBy('id', order)
    .limit(limit)
}

/** Live messages of the notification, those that show it before they are decided among them: few enough for one condition. */
export async function waitingForNotification<Row>(
  engine: Reader,
  workspaceId: number,
  notificationId: string,
  messages: MessagesQuery<Row>,
): Promise<MessagesQuery<Row>> {
  const events = await eventsLeadingTo(engine, workspaceId, notificationId)
  return messages.where((e) => {
    const decided = e('notification_id', '=', notificationId)
    return events.length === 0
      ? decided
      : e.or([
          decided,
          e.and([e('notification_id', 'is', null), e('event', 'in', [...events]), e('status', 'in', [...undecided])]),
        ])
  })
}

/** Above this number, a scan of the newest messages finds a page of tagged ones. */
const RARE_MAX = 1_000
const byTagIndexOnly: Statement = {
  text: 'set local enable_seqscan = off; set local enable_indexscan = off; set local enable_indexonlyscan = off',
}

/** The ids of all messages with any of the tags; undefined when there are many. The planner takes rare tags for common. */
async function rarelyTagged(engine: Reader, workspaceId: number, tags: readonly string[]) {
  const tagged = query
    .selectFrom('messages')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(anyOf(tags))
    .limit(RARE_MAX + 1)
  const [, result] = await engine.batch([byTagIndexOnly, statement(tagged)])
  const ids = (result?.rows ?? []).map(({ id }) => String(id))
  return ids.length > RARE_MAX ? undefined : ids
}

const anyOf = (tags: readonly string[]) => sql<boolean>`tags && ${sql.val([...tags])}::text[]`

function narrowed<Row>(all: MessagesQuery<Row>, filter: MessageFilter): MessagesQuery<Row> {
  let selection = all
  const equal = {
    event: filter.event,
    recipient: filter.recipient,
    list_id: filter.listId,
    run_id: filter.runId,
    tenant_id: filter.tenantId,
  }
  for (const [column, value] of Object.entries(equal))
    if (value !== undefined) selection = selection.where(column as keyof typeof equal, '=', value)
  if (!filter.archived)
    selection = selection.where('archived', '=', false).where(({ not, exists }) => not(exists(archivedRequest)))
  if (filter.cursor !== undefined) selection = selection.where('id', '<', decodeCursor(filter.cursor, ['timedId'])[0])
  if (filter.after)
    selection = selection.where('id', '>', filter.after.id).where('id', '<', timedIdFloor(filter.after.until))
  const { enqueuedAfter, enqueuedBefore, messageId, traceId, statuses, tags, providers, channels, reasons } = filter
  // By id, so that other partitions are pruned.
  if (enqueuedBefore !== undefined) selection = selection.where('id', '<', timedIdFloor(enqueuedBefore))
  if (enqueuedAfter !== undefined) selection = selection.where('id', '>=', timedIdFloor(enqueuedAfter + 1))
  if (messageId !== undefined)
    selection = selection.where((e) =>
      e.or([e('id', '=', messageId), e('request_id', '=', messageId), e('list_message_id', '=', messageId)]),
    )
  if (traceId !== undefined)
    selection = selection.where((e) =>
      e.or([e('trace_id', '=', traceId), e('request_id', '=', traceId), e('id', '=', traceId)]),
    )
  if (statuses?.length) selection = selection.where('status', 'in', [...statuses])
  // Only live messages are retried: the others are pruned by `due_at`. Constants, as `messages_live_retrying` has them:
  // the planner uses a partial index only for a condition that it can prove.
  if (filter.retrying)
    selection = selection
      .where('due_at', 'is not', null)
      .where('status', '=', sql.lit('ROUTED'))
      .where('deliveries', 'like', sql.lit('%"nextAt":%'))
  // Strict, so that the planner can prove the condition of `messages_with_findings`.
  if (filter.findings?.length)
    selection = selection.where(sql<boolean>`findings && ${sql.val([...filter.findings])}::text[]`)
  if (reasons?.length) selection = selection.where('reason', 'in', [...reasons])
  if (filter.exceptReasons?.length) {
    const left = [...filter.exceptReasons]
    selection = selection.where((e) => e.or([e('reason', 'is', null), e('reason', 'not in', left)]))
  }
  if (filter.error !== undefined) selection = selection.where('error', 'ilike', `%${literal(filter.error)}%`)
  if (tags?.length) selection = selection.where(anyOf(tags))
  for (const [field, values] of Object.entries({ provider: providers, channel: channels }))
    if (values?.length)
      selection = selection.where((e) =>
        e.or(values.map((value) => e('deliveries', 'like', deliveryWith(field, value)))),
      )
  return selection
}

/** A request is archived as one row, however many messages it makes. */
const archivedRequest = query
  .selectFrom('requests')
  .select(sql.lit(1).as('one'))
  .whereRef('requests.id', '=', sql.ref('messages.request_id'))
  .where('requests.archived', '=', true)

/** The column is JSON as `JSON.stringify` writes it. */
const deliveryWith = (field: string, value: string) => `%"${field}":${literal(JSON.stringify(value))}%`

/** Without wildcards of `like`. */
const literal = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/** The statuses of existing messages. */
export async function statusesOf(engine: Engine, workspaceId: number, ids: readonly string[]) {
  if (ids.length === 0) return []
  const selection = query.selectFrom('messages').select(['id', 'status']).where('workspace_id', '=', workspaceId)
  return rows(engine, selection.where('id', 'in', [...ids]))
}

/** Archives a message, or a request with all its present and future messages. */
export function archive(workspaceId: number, id: string): Statement[] {
  const requests = query.updateTable('requests').set({ archived: true })
  const messages = query.updateTable('messages').set({ archived: true })
  const message = messages.where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [
    statement(requests.where('workspace_id', '=', workspaceId).where('id', '=', id)),
    statement(message),
    // The message may have ended while the update waited for its row: now it has another.
    statement(message.where('archived', '=', false)),
  ]
}

/** From the results: false when the workspace has neither a request nor a message of this id. */
export const isArchived = (results: readonly Result[]): boolean => results.some(({ affected }) => affected > 0)

/** A message with all of its stored data, for its timeline and explanation. */
export async function readTimelineRow(engine: Engine, workspaceId: number, id: string) {
  const row = await firstRow(
    engine,
    query
      .selectFrom('messages')
      .select([
        'id',
        'workspace_id',
        'status',
        'event',
        'recipient',
        'list_id',
        'notification_id',
        'mode',
        'enqueued',
        'first_due',
        'due_at',
        'error',
        'reason',
        'input',
        'pinned',
        'deliveries',
        'events',
        'request_id',
      ])
      .where('id', '=', id)
      .where('workspace_id', '=', workspaceId),
  )
  return row && readableMessage(engine.tokens, workspaceId, row)
}

export type TimelineRow = NonNullable<Awaited<ReturnType<typeof readTimelineRow>>>

/** The JSON arrays of its flushes, in order, except the first one, which is in the message's row. */
export async function messageEvents(engine: Engine, workspaceId: number, id: string): Promise<string[]> {
  const row = await rows(
    engine,
    query
      .selectFrom('history')
      .select('events')
      .where('message_id', '=', id)
      .where('workspace_id', '=', workspaceId)
      .orderBy('flush'),
  )
  return row.map(({ events }) => events)
}
