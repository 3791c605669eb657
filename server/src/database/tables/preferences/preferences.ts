/** Preferences of recipients: the document `{notifications, categories}` of the first API generation, and choices for topics. */
import type { Preference } from '@postrider/contract'
import { sql } from 'kysely'
import { isObject, type JsonObject } from '../../../base/json/json.ts'
import type { Reader, Result, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, recordset, rows, rowsOf, statement, typesOf } from '../../query.ts'
import { preferencesOutboxInsert } from '../webhooks/webhook-outbox.ts'

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
  const own = query.selectFrom('preferences').select(['preferences', 'version'])
  const found = await firstRow(engine, own.where('workspace_id', '=', workspaceId).where('recipient', '=', recipient))
  return found && { preferences: documentOf(found.preferences), version: found.version }
}

export function documentOf({ notifications, categories }: JsonObject): PreferenceDocument {
  return {
    notifications: mapOf(notifications),
    categories: mapOf(categories),
  }
}

/** Stored documents were validated when they were written. */
const mapOf = (map: unknown) => (isObject(map) ? (map as Record<string, Preference>) : {})

const row = (workspaceId: number, recipient: string, preferences: JsonObject, now: number) => ({
  workspace_id: workspaceId,
  recipient,
  preferences: JSON.stringify(preferences),
  version: 1,
  updated: now,
})

/** Replaces the given maps; an absent map is not changed. */
export function putPreferences(
  workspaceId: number,
  recipient: string,
  preferences: Partial<PreferenceDocument>,
  now: number,
): Statement[] {
  const insert = query.insertInto('preferences').values(row(workspaceId, recipient, preferences, now))
  const upsert = insert.onConflict((conflict) =>
    conflict.columns(['workspace_id', 'recipient']).doUpdateSet((e) => ({
      preferences: sql<string>`preferences.preferences || excluded.preferences`,
      version: e('preferences.version', '+', 1),
      updated: now,
    })),
  )
  return [statement(upsert), preferencesOutboxInsert(workspaceId, { userId: recipient }, now)]
}

/** Writes the successor of `version` (undefined: a new document); false on a conflict. */
export function writePreferences(
  workspaceId: number,
  recipient: string,
  { preferences, version }: { preferences: PreferenceDocument; version: number | undefined },
  now: number,
): Statement[] {
  const next = row(workspaceId, recipient, { ...preferences }, now)
  const write =
    version === undefined
      ? query
          .insertInto('preferences')
          .values(next)
          .onConflict((conflict) => conflict.doNothing())
      : query
          .updateTable('preferences')
          .set({ preferences: next.preferences, version: version + 1, updated: now })
          .where('workspace_id', '=', workspaceId)
          .where('recipient', '=', recipient)
          .where('version', '=', version)
  const outboxEntry = preferencesOutboxInsert(workspaceId, { userId: recipient }, now)
  return [expectRows(statement(write)), outboxEntry]
}

/** Deletes all preferences of a recipient, of both generations; for the commit that deletes the recipient. */
export function forgetPreferences(workspaceId: number, recipient: string): Statement[] {
  return [
    statement(
      query.deleteFrom('preferences').where('workspace_id', '=', workspaceId).where('recipient', '=', recipient),
    ),
    statement(
      query.deleteFrom('topic_preferences').where('workspace_id', '=', workspaceId).where('user_id', '=', recipient),
    ),
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
  const found = query
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
  return rows(engine, found.orderBy('name').orderBy('n.id').limit(limit))
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

/** Replaces the choices for the topics; each topic once. */
export function putChoices(chooser: Chooser, choices: readonly TopicChoiceRow[], now: number): Statement[] {
  const writes = puts(chooser, choices, now)
  return writes.length > 0 ? [...writes, preferencesEvent(chooser, choices.map(idOf), now)] : []
}

const idOf = ({ topicId }: TopicChoiceRow) => topicId

const preferencesEvent = (
  { workspaceId, userId, tenantId }: Chooser,
  topicIds: readonly string[],
  now: number,
): Statement => preferencesOutboxInsert(workspaceId, { userId, tenantId, topicIds }, now)

const CHOSEN = ['topic_id', 'status', 'has_custom_routing', 'custom_routing', 'digest_schedule_id'] as const

/** Written in the order of topics, so that concurrent calls for a user do not deadlock. */
const put = `insert into topic_preferences as p (workspace_id, user_id, tenant_id, topic_id, status, has_custom_routing,
    custom_routing, updated, digest_schedule_id)
  select $1::smallint, $2::text, $3::text, r.topic_id, r.status, r.has_custom_routing, r.custom_routing, $4::bigint,
    r.digest_schedule_id
  from ${recordset('$5', 'r', typesOf('topic_preferences', CHOSEN))}
  order by r.topic_id collate "C"
  on conflict (workspace_id, user_id, tenant_id, topic_id) do update set status = excluded.status,
    has_custom_routing = excluded.has_custom_routing, custom_routing = excluded.custom_routing,
    updated = excluded.updated,
    digest_schedule_id = case when jsonb_exists($6::jsonb, excluded.topic_id) then excluded.digest_schedule_id
      else p.digest_schedule_id end`

/** A choice without a digest schedule does not change the stored one. */
function puts(
  { workspaceId, userId, tenantId }: Chooser,
  choices: readonly TopicChoiceRow[],
  now: number,
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
  const values = [workspaceId, userId, tenantId, now, JSON.stringify(records), JSON.stringify(digested)]
  return [{ text: put, values }]
}

const own = ({ workspaceId, userId, tenantId }: Chooser) =>
  query
    .deleteFrom('topic_preferences')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('tenant_id', '=', tenantId)

/** Replaces all choices in one commit; returns the topics whose choice was removed. */
export function replaceChoices(chooser: Chooser, choices: readonly TopicChoiceRow[], now: number): Statement[] {
  const kept = choices.map(idOf)
  const others = kept.length > 0 ? own(chooser).where('topic_id', 'not in', kept) : own(chooser)
  return [statement(others.returning('topic_id')), ...puts(chooser, choices, now), preferencesEvent(chooser, kept, now)]
}

/** The topics whose choice a replacement removed, from its results. */
export const removedChoices = ([deleted]: readonly Result[]): string[] =>
  rowsOf<{ topic_id: string }>(deleted)
    .map(({ topic_id }) => topic_id)
    .sort()

/** Without a stored choice nothing is written, and no webhook event is created. */
export function deleteChoice(chooser: Chooser, topicId: string, now: number): Statement[] {
  const forget = statement(own(chooser).where('topic_id', '=', topicId))
  return [expectRows(forget), preferencesEvent(chooser, [topicId], now)]
}
