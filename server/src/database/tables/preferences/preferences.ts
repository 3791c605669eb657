/** Preferences of recipients: the document `{notifications, categories}` of the first API generation, and choices for topics. */
import type { Preference } from '@postrider/contract'
import { sql } from 'kysely'
import { isObject, type JsonObject } from '../../../base/json/json.ts'
import type { Reader, Result, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, recordset, rows, rowsOf, typesOf } from '../../query.ts'
import { preferencesOutboxInsert } from '../webhooks/webhook-outbox.ts'
import { type ChangeOrigin, changesInsertFrom, originJson, REMOVED } from './preference-changes.ts'

/** By whom and when preferences are changed. */
export interface ChangeContext {
  origin: ChangeOrigin
  now: number
}

/** Both maps exist, and may be empty. */
export interface PreferenceDocument {
  notifications: Record<string, Preference>
  categories: Record<string, Preference>
}

export interface StoredDocument {
  preferences: PreferenceDocument
  version: number
}

export async function findPreferences(
  engine: Reader,
  workspaceId: number,
  recipient: string,
): Promise<StoredDocument | undefined> {
  const selection = query.selectFrom('preferences').select(['preferences', 'version'])
  const row = await firstRow(
    engine,
    selection.where('workspace_id', '=', workspaceId).where('recipient', '=', recipient),
  )
  return row && { preferences: documentOf(row.preferences), version: row.version }
}

export function documentOf({ notifications, categories }: JsonObject): PreferenceDocument {
  return {
    notifications: mapOf(notifications),
    categories: mapOf(categories),
  }
}

/** Stored documents were validated when they were written. */
const mapOf = (map: unknown) => (isObject(map) ? (map as Record<string, Preference>) : {})

/** For the row of a document, in the columns of a change of it. */
const DOCUMENT_CHANGED = `'' as tenant_id, null::text as topic_id, null::text as status, null::boolean as has_custom_routing,
    null::jsonb as custom_routing, null::text as digest_schedule_id, preferences as document`

/** A document that stays as it is is not written, and appends no change. */
const putDocument = `with changed as (
    insert into preferences as p (workspace_id, recipient, preferences, version, updated)
    values ($1::smallint, $2::text, $3::jsonb, 1, $4::bigint)
    on conflict (workspace_id, recipient) do update set preferences = p.preferences || excluded.preferences,
      version = p.version + 1, updated = excluded.updated
    where p.preferences is distinct from p.preferences || excluded.preferences
    returning ${DOCUMENT_CHANGED}
  )
  ${changesInsertFrom('changed', '$5', 'c.document')}`

/** Replaces the given maps; an absent map is not changed. */
export function putPreferences(
  workspaceId: number,
  recipient: string,
  preferences: Partial<PreferenceDocument>,
  { origin, now }: ChangeContext,
): Statement[] {
  const ledger = originJson(workspaceId, recipient, origin, now)
  return [
    { text: putDocument, values: [workspaceId, recipient, JSON.stringify(preferences), now, ledger] },
    preferencesOutboxInsert(workspaceId, { userId: recipient }, now),
  ]
}

const insertDocument = `with changed as (
    insert into preferences (workspace_id, recipient, preferences, version, updated)
    values ($1::smallint, $2::text, $3::jsonb, $6::integer + 1, $4::bigint)
    on conflict do nothing returning ${DOCUMENT_CHANGED}
  )
  ${changesInsertFrom('changed', '$5', 'c.document')}`

const updateDocument = `with changed as (
    update preferences set preferences = $3::jsonb, version = version + 1, updated = $4::bigint
    where workspace_id = $1::smallint and recipient = $2::text and version = $6::integer
    returning ${DOCUMENT_CHANGED}
  )
  ${changesInsertFrom('changed', '$5', 'c.document')}`

/** Writes the successor of `version` (undefined: a new document); false on a conflict. */
export function writePreferences(
  workspaceId: number,
  recipient: string,
  { preferences, version }: { preferences: PreferenceDocument; version: number | undefined },
  { origin, now }: ChangeContext,
): Statement[] {
  const ledger = originJson(workspaceId, recipient, origin, now)
  const write: Statement = {
    text: version === undefined ? insertDocument : updateDocument,
    values: [workspaceId, recipient, JSON.stringify(preferences), now, ledger, version ?? 0],
  }
  return [expectRows(write), preferencesOutboxInsert(workspaceId, { userId: recipient }, now)]
}

const forgetDocument = `with changed as (
    delete from preferences where workspace_id = $1::smallint and recipient = $2::text
    returning '' as tenant_id, null::text as topic_id, null::text as status, null::boolean as has_custom_routing,
      null::jsonb as custom_routing, null::text as digest_schedule_id
  )
  ${changesInsertFrom('changed', '$3', `'{}'::jsonb`)}`

const forgetChoices = `with changed as (
    delete from topic_preferences where workspace_id = $1::smallint and user_id = $2::text returning ${REMOVED}
  )
  ${changesInsertFrom('changed', '$3')}`

/** Deletes all preferences of a recipient, of both generations; for the commit that deletes the recipient. */
export function forgetPreferences(workspaceId: number, recipient: string, { origin, now }: ChangeContext): Statement[] {
  const values = () => [workspaceId, recipient, originJson(workspaceId, recipient, origin, now)]
  return [
    { text: forgetDocument, values: values() },
    { text: forgetChoices, values: values() },
  ]
}

export interface PreferableNotification {
  id: string
  name: string
  category: string | null
  /** The default of its topic; null without a topic. */
  defaultStatus: string | null
}

/** The published notifications, ordered by name. */
export function preferableNotifications(
  engine: Reader,
  workspaceId: number,
  limit: number,
): Promise<PreferableNotification[]> {
  const selection = query
    .selectFrom('notifications as n')
    .innerJoin('notification_versions as v', (join) =>
      join
        .onRef('v.workspace_id', '=', 'n.workspace_id')
        .onRef('v.notification_id', '=', 'n.id')
        .onRef('v.version', '=', 'n.published_version'),
    )
    .leftJoin('preference_topics as t', (join) =>
      join
        .onRef('t.workspace_id', '=', 'n.workspace_id')
        .on(sql<boolean>`t.id = v.payload->'subscription'->>'topic_id'`)
        .on('t.archived', 'is', null),
    )
    .select([
      'n.id',
      sql<string>`v.payload->>'name'`.as('name'),
      sql<string | null>`v.payload->'settings'->>'category'`.as('category'),
      't.default_status as defaultStatus',
    ])
    .where('n.workspace_id', '=', workspaceId)
    .where('n.archived', 'is', null)
  return rows(engine, selection.orderBy('name').orderBy('n.id').limit(limit))
}

export interface TopicChoiceRow {
  topicId: string
  status: string
  hasCustomRouting: boolean
  customRouting: string[]
  /** Undefined: not changed; null: the default schedule. */
  digestScheduleId?: string | null
}

/** The user and the tenant of the choices; an empty `tenantId` applies everywhere. */
export interface Chooser {
  workspaceId: number
  userId: string
  tenantId: string
}

/** The choices that are stored in this tenant, and outside any, which have an empty `tenantId`. */
export function storedChoices(
  engine: Reader,
  { workspaceId, userId, tenantId }: Chooser,
): Promise<(TopicChoiceRow & { tenantId: string })[]> {
  const choices = query
    .selectFrom('topic_preferences')
    .select(['topic_id as topicId', 'tenant_id as tenantId', 'status'])
    .select(['has_custom_routing as hasCustomRouting', 'custom_routing as customRouting'])
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
  return rows(engine, choices.where('tenant_id', 'in', [...new Set(['', tenantId])]))
}

/** Replaces the choices for the topics; each topic once. */
export function putChoices(
  chooser: Chooser,
  choices: readonly TopicChoiceRow[],
  { origin, now }: ChangeContext,
): Statement[] {
  const writes = puts(chooser, choices, { origin, now })
  return writes.length > 0 ? [...writes, preferencesEvent(chooser, choices.map(idOf), { origin, now })] : []
}

const idOf = ({ topicId }: TopicChoiceRow) => topicId

/** A change by the recipient says so, and by which message. */
function preferencesEvent(
  { workspaceId, userId, tenantId }: Chooser,
  topicIds: readonly string[],
  { origin: { source, messageId }, now }: ChangeContext,
): Statement {
  const by = source === 'one_click' || source === 'page' ? { source, ...(messageId && { messageId }) } : {}
  return preferencesOutboxInsert(workspaceId, { userId, tenantId, topicIds, ...by }, now)
}

const CHOSEN = ['topic_id', 'status', 'has_custom_routing', 'custom_routing', 'digest_schedule_id'] as const

/**
 * Written in the order of topics, so that concurrent calls for a user do not deadlock. A choice is compared under the
 * lock of its row: one that stays as it is is not written, and appends no change.
 */
const put = `with changed as (
    insert into topic_preferences as p (workspace_id, user_id, tenant_id, topic_id, status, has_custom_routing,
      custom_routing, updated, digest_schedule_id)
    select $1::smallint, $2::text, $3::text, r.topic_id, r.status, r.has_custom_routing, r.custom_routing, $4::bigint,
      r.digest_schedule_id
    from ${recordset('$5', 'r', typesOf('topic_preferences', CHOSEN))}
    order by r.topic_id collate "C"
    on conflict (workspace_id, user_id, tenant_id, topic_id) do update set status = excluded.status,
      has_custom_routing = excluded.has_custom_routing, custom_routing = excluded.custom_routing,
      updated = excluded.updated,
      digest_schedule_id = case when jsonb_exists($6::jsonb, excluded.topic_id) then excluded.digest_schedule_id
        else p.digest_schedule_id end
    where (p.status, p.has_custom_routing, p.custom_routing) is distinct from
        (excluded.status, excluded.has_custom_routing, excluded.custom_routing)
      or (jsonb_exists($6::jsonb, excluded.topic_id) and p.digest_schedule_id is distinct from excluded.digest_schedule_id)
    returning tenant_id, topic_id, status, has_custom_routing, custom_routing, digest_schedule_id
  )
  ${changesInsertFrom('changed', '$7')}`

/** A choice without a digest schedule does not change the stored one. */
function puts(
  { workspaceId, userId, tenantId }: Chooser,
  choices: readonly TopicChoiceRow[],
  { origin, now }: ChangeContext,
): Statement[] {
  if (choices.length === 0) return []
  const records = choices.map(({ topicId, status, hasCustomRouting, customRouting, digestScheduleId = null }) => ({
    topic_id: topicId,
    status,
    has_custom_routing: hasCustomRouting,
    custom_routing: customRouting,
    digest_schedule_id: digestScheduleId,
  }))
  const digested = choices.filter(({ digestScheduleId }) => digestScheduleId !== undefined).map(idOf)
  const ledger = originJson(workspaceId, userId, origin, now)
  const values = [workspaceId, userId, tenantId, now, JSON.stringify(records), JSON.stringify(digested), ledger]
  return [{ text: put, values }]
}

/** The choices of `$4`, or with `not` the others. */
const removeChoices = (not: '' | 'not') => `with changed as (
    delete from topic_preferences
    where workspace_id = $1::smallint and user_id = $2::text and tenant_id = $3::text
      and ${not} jsonb_exists($4::jsonb, topic_id)
    returning ${REMOVED}
  )
  ${changesInsertFrom('changed', '$5')} returning topic_id`

const removal = (
  not: '' | 'not',
  { workspaceId, userId, tenantId }: Chooser,
  topicIds: readonly string[],
  { origin, now }: ChangeContext,
): Statement => ({
  text: removeChoices(not),
  values: [workspaceId, userId, tenantId, JSON.stringify(topicIds), originJson(workspaceId, userId, origin, now)],
})

/** Replaces all choices in one commit; returns the topics whose choice was removed. */
export function replaceChoices(
  chooser: Chooser,
  choices: readonly TopicChoiceRow[],
  change: ChangeContext,
): Statement[] {
  const kept = choices.map(idOf)
  const others = removal('not', chooser, kept, change)
  return [others, ...puts(chooser, choices, change), preferencesEvent(chooser, kept, change)]
}

/** The topics whose choice a replacement removed, from its results. */
export const removedChoices = ([deleted]: readonly Result[]): string[] =>
  rowsOf<{ topic_id: string }>(deleted)
    .map(({ topic_id }) => topic_id)
    .sort()

/** Without a stored choice nothing is written, and no webhook event is created. */
export function deleteChoice(chooser: Chooser, topicId: string, change: ChangeContext): Statement[] {
  const forget = removal('', chooser, [topicId], change)
  return [expectRows(forget), preferencesEvent(chooser, [topicId], change)]
}

/** Choices to write and to remove in one commit; a removed one that is not stored is no conflict. */
export function changeChoices(
  chooser: Chooser,
  { put: choices, remove }: { put: readonly TopicChoiceRow[]; remove: readonly string[] },
  change: ChangeContext,
): Statement[] {
  const topicIds = [...choices.map(idOf), ...remove]
  if (topicIds.length === 0) return []
  return [
    ...puts(chooser, choices, change),
    ...(remove.length > 0 ? [removal('', chooser, remove, change)] : []),
    preferencesEvent(chooser, topicIds, change),
  ]
}
