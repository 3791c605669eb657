/** Notifications, their immutable versions, checks of submissions and mapped events: a save adds a version; two numbers name draft and published one. */
import { sql } from 'kysely'
import { timedId } from '../../../base/ids.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import { isDuplicate, type Reader, type Statement } from '../../engine.ts'
import { expectRows, firstRow, query, type Row, type RowOf, rows, statement } from '../../query.ts'
import { outboxInsert, outboxInsertFrom } from '../webhooks/webhook-outbox.ts'

export type NotificationRow = RowOf<typeof live>

/** The input of a save. */
export interface NotificationSave {
  workspaceId: number
  id: string
  alias: string | null
  payload: JsonObject
  publish: boolean
  author: string
  now: number
}

const columns = [
  'id',
  'alias',
  'draft_version as draft',
  'published_version as published',
  'created',
  'updated',
  'creator',
  'updater',
] as const

const live = (workspaceId: number) =>
  query
    .selectFrom('notifications')
    .select(columns)
    .where('workspace_id', '=', workspaceId)
    .where('archived', 'is', null)

/** By id, else by alias. */
export async function findNotification(
  engine: Reader,
  workspaceId: number,
  name: string,
): Promise<NotificationRow | undefined> {
  const selection = live(workspaceId).where((e) => e.or([e('id', '=', name), e('alias', '=', name)]))
  return firstRow(engine, selection.orderBy(sql`id = ${name}`, 'desc').limit(1))
}

/** In its draft or in its published version. */
const usesStrategy = (id: string) =>
  sql<boolean>`exists (select from notification_versions s where s.workspace_id = notifications.workspace_id
    and s.notification_id = notifications.id and s.version in (notifications.draft_version, notifications.published_version)
    and s.payload->'routing'->>'strategy_id' = ${id})`

export type ListedNotification = NotificationRow & { payload: JsonObject }

/** Newest first, each with its current payload. */
export async function listNotifications(
  engine: Reader,
  workspaceId: number,
  filter: { cursor?: string; event?: string; strategy?: string },
  limit: number,
): Promise<Page<ListedNotification>> {
  let selection = live(workspaceId).select((e) =>
    e
      .selectFrom('notification_versions as v')
      .select('v.payload')
      .whereRef('v.workspace_id', '=', 'notifications.workspace_id')
      .whereRef('v.notification_id', '=', 'notifications.id')
      .where('v.version', '=', sql<number>`coalesce(notifications.published_version, notifications.draft_version)`)
      .as('payload'),
  )
  const { cursor, event, strategy } = filter
  if (strategy !== undefined) selection = selection.where(usesStrategy(strategy))
  if (event !== undefined) {
    const mapped = query.selectFrom('events').select('notification_id').where('workspace_id', '=', workspaceId)
    selection = selection.where('id', 'in', mapped.where('event', '=', event))
  }
  if (cursor !== undefined) {
    const [created, id] = decodeCursor(cursor, ['number', 'string'])
    selection = selection.where(sql<boolean>`(created, id) < (${created}, ${id})`)
  }
  const newest = selection
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
  return pageOf(await rows(engine, newest.$narrowType<{ payload: JsonObject }>()), limit, ({ created, id }) => [
    created,
    id,
  ])
}

function versionWrites(
  { workspaceId, id, payload, publish, author, now }: NotificationSave,
  version: number,
): Statement[] {
  const insert = query.insertInto('notification_versions').values({
    workspace_id: workspaceId,
    notification_id: id,
    version,
    payload: JSON.stringify(payload),
    created: now,
    creator: author,
    published: publish ? now : null,
  })
  return [statement(insert), ...(publish ? [publishedNews(workspaceId, id, now)] : [])]
}

export function insertNotification(save: NotificationSave): Statement[] {
  const { workspaceId, id, alias, publish, author, now } = save
  const insert = query.insertInto('notifications').values({
    workspace_id: workspaceId,
    id,
    alias,
    draft_version: 1,
    published_version: publish ? 1 : null,
    created: now,
    updated: now,
    creator: author,
    updater: author,
    archived: null,
  })
  return [statement(insert), ...versionWrites(save, 1)]
}

/** The entity tag of a notification is the time of its last change: no two changes have the same. */
export const changedAt = (before: number, now: number): number => Math.max(before + 1, now)

const laterThanBefore = (now: number) => sql<number>`greatest(updated + 1, ${now}::bigint)`

/** A unique violation says that another save came first, or that the alias is taken (`isAliasTaken`). */
export function saveNotification(before: NotificationRow, save: NotificationSave): Statement[] {
  const { workspaceId, id, alias, publish, author, now } = save
  const version = before.draft + 1
  const update = query
    .updateTable('notifications')
    .set({ alias, draft_version: version, updated: laterThanBefore(now), updater: author })
    .$if(publish, (set) => set.set({ published_version: version }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  // The primary key of the version is the compare-and-set: of two saves the second one cannot insert it.
  return [...versionWrites(save, version), statement(update)]
}

/** Saves a published version and a draft that differs from it, in one commit. */
export function saveBoth(before: NotificationRow, published: NotificationSave, draft: NotificationSave): Statement[] {
  const { workspaceId, id, author, now } = draft
  const version = before.draft + 1
  const update = query
    .updateTable('notifications')
    .set({ draft_version: version + 1, published_version: version, updated: laterThanBefore(now), updater: author })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return [...versionWrites(published, version), ...versionWrites(draft, version + 1), statement(update)]
}

/** Whether a write failed because its alias is in use. */
export const isAliasTaken = (error: unknown): boolean =>
  isDuplicate(error) && error.message.includes('notifications_by_alias')

export function archiveNotification(workspaceId: number, id: string, author: string, now: number): Statement[] {
  const archive = query
    .updateTable('notifications')
    .set({ archived: now, updated: laterThanBefore(now), updater: author })
  return [statement(archive.where('workspace_id', '=', workspaceId).where('id', '=', id))]
}

const VERSION = ['version', 'payload', 'created', 'creator'] as const

export type VersionRow = Row<'notification_versions', (typeof VERSION)[number]>

export function findVersion(
  engine: Reader,
  workspaceId: number,
  id: string,
  version: number,
): Promise<VersionRow | undefined> {
  const selection = query.selectFrom('notification_versions').select(VERSION)
  return firstRow(
    engine,
    selection.where('workspace_id', '=', workspaceId).where('notification_id', '=', id).where('version', '=', version),
  )
}

/** Published versions, newest first. */
export async function listPublished(
  engine: Reader,
  workspaceId: number,
  id: string,
  cursor: string | undefined,
  limit: number,
): Promise<Page<{ version: number; published: number; creator: string }>> {
  let selection = query
    .selectFrom('notification_versions')
    .select(['version', 'published', 'creator'])
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', id)
    .where('published', 'is not', null)
    .$narrowType<{ published: number }>()
  if (cursor !== undefined) selection = selection.where('version', '<', decodeCursor(cursor, ['number'])[0])
  const newest = selection.orderBy('version', 'desc').limit(limit + 1)
  return pageOf(await rows(engine, newest), limit, ({ version }) => [version])
}

/** The webhook event of a publication. */
const publishedNews = (workspaceId: number, id: string, now: number): Statement =>
  outboxInsert([{ workspaceId, type: 'notification:published', data: { id, published_at: now } }], now)

/** The version must exist. */
export function publishVersion(
  workspaceId: number,
  id: string,
  version: number,
  author: string,
  now: number,
): Statement[] {
  const mark = query
    .updateTable('notification_versions')
    .set({ published: now })
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', id)
    .where('version', '=', version)
    .where('published', 'is', null)
  const point = query
    .updateTable('notifications')
    .set({ published_version: version, updated: laterThanBefore(now), updater: author })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return [statement(mark), statement(point), publishedNews(workspaceId, id, now)]
}

/** The checks of a submission are written and read as a whole. */
export interface SubmissionPlace {
  workspaceId: number
  notificationId: string
  submissionId: string
}

export async function findChecks(engine: Reader, place: SubmissionPlace): Promise<unknown[] | undefined> {
  const row = await firstRow(
    engine,
    query
      .selectFrom('notification_checks')
      .select('checks')
      .where('workspace_id', '=', place.workspaceId)
      .where('notification_id', '=', place.notificationId)
      .where('submission_id', '=', place.submissionId),
  )
  return row?.checks
}

// `xmax` is not 0 for an updated row.
const putText = `with put as (
    insert into notification_checks (workspace_id, notification_id, submission_id, checks, updated)
    values ($1::smallint, $2, $3, $4::jsonb, $5::bigint)
    on conflict (workspace_id, notification_id, submission_id)
      do update set checks = excluded.checks, updated = excluded.updated
    returning workspace_id, notification_id, submission_id, xmax = 0 as is_first
  )
  ${outboxInsertFrom(`(
    select $6::text as id, workspace_id, 'notification:submitted' as type, null::text as message_id, $5::bigint as at,
      json_build_object('id', notification_id, 'submission_id', submission_id)::text as payload
    from put where is_first
  ) a`)}`

/** Creates or replaces the checks. */
export function putChecks(
  { workspaceId, notificationId, submissionId }: SubmissionPlace,
  checks: readonly unknown[],
  now: number,
): Statement[] {
  const values = [workspaceId, notificationId, submissionId, JSON.stringify(checks), now, timedId(now)]
  return [{ text: putText, values, name: 'put-checks' }]
}

/** Must affect a row; affects none when there were none. */
export function deleteChecks(place: SubmissionPlace, now: number): Statement[] {
  const { workspaceId, notificationId, submissionId } = place
  const removal = query
    .deleteFrom('notification_checks')
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', notificationId)
    .where('submission_id', '=', submissionId)
  const data = { id: notificationId, submission_id: submissionId, canceled_at: now }
  const outboxEntry = outboxInsert([{ workspaceId, type: 'notification:submission_canceled', data }], now)
  return [expectRows(statement(removal)), outboxEntry]
}

export interface EventRow {
  event: string
  notificationId: string
}

const mappingsOf = (workspaceId: number) =>
  query
    .selectFrom('events')
    .select(['event', 'notification_id as notificationId'])
    .where('workspace_id', '=', workspaceId)

export function listEvents(engine: Reader, workspaceId: number, limit: number): Promise<EventRow[]> {
  return rows(engine, mappingsOf(workspaceId).orderBy('event').limit(limit))
}

/** Names that a send can have: events, and ids and aliases of published notifications. */
export async function sendableNames(engine: Reader, workspaceId: number, limit: number): Promise<string[]> {
  const published = live(workspaceId).where('published_version', 'is not', null).orderBy('id').limit(limit)
  const [events, notifications] = await Promise.all([listEvents(engine, workspaceId, limit), rows(engine, published)])
  return [
    ...events.map(({ event }) => event),
    ...notifications.flatMap(({ id, alias }) => (alias ? [id, alias] : [id])),
  ]
}

/** Names of the events that are mapped to it. */
export async function eventsOfNotification(
  engine: Reader,
  workspaceId: number,
  notificationId: string,
  limit: number,
): Promise<string[]> {
  const mapped = mappingsOf(workspaceId).where('notification_id', '=', notificationId)
  return (await rows(engine, mapped.orderBy('event').limit(limit))).map(({ event }) => event)
}

export function findEvent(engine: Reader, workspaceId: number, event: string): Promise<EventRow | undefined> {
  return firstRow(engine, mappingsOf(workspaceId).where('event', '=', event))
}

/** Must affect a row: with `mustBeAbsent` it affects none when the event is mapped. */
export function putEvent(
  workspaceId: number,
  row: EventRow,
  now: number,
  { mustBeAbsent }: { mustBeAbsent: boolean },
): Statement[] {
  const change = { notification_id: row.notificationId, updated: now }
  const insert = query.insertInto('events').values({ workspace_id: workspaceId, event: row.event, ...change })
  const put = insert.onConflict((conflict) => {
    const mapped = conflict.columns(['workspace_id', 'event'])
    return mustBeAbsent ? mapped.doNothing() : mapped.doUpdateSet(change)
  })
  return [expectRows(statement(put))]
}

/** Must affect a row; affects none when there was none. */
export function deleteEvent(workspaceId: number, event: string): Statement[] {
  const deletion = query.deleteFrom('events').where('workspace_id', '=', workspaceId).where('event', '=', event)
  return [expectRows(statement(deletion))]
}
