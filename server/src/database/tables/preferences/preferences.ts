/** Preferences of recipients in the first API generation: one document `{notifications, categories}` each. */
import type { Preference } from '@postrider/contract'
import { sql } from 'kysely'
import { isObject, type JsonObject } from '../../../base/json/json.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement } from '../../query.ts'
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
  const announcement = preferencesOutboxInsert(workspaceId, { userId: recipient }, now)
  return [expectRows(statement(write)), announcement]
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
