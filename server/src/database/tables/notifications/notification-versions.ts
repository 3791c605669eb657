/** Versions of notifications: immutable rows, and which of them is published. */
import type { JsonObject } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader, Statement } from '../../engine.ts'
import { firstRow, query, rows, statement } from '../../query.ts'
import { outboxInsert } from '../webhooks/webhook-outbox.ts'

export interface VersionRow {
  version: number
  payload: JsonObject
  created: number
  creator: string
}

export function findVersion(
  engine: Reader,
  workspaceId: number,
  id: string,
  version: number,
): Promise<VersionRow | undefined> {
  const found = query.selectFrom('notification_versions').select(['version', 'payload', 'created', 'creator'])
  return firstRow(
    engine,
    found.where('workspace_id', '=', workspaceId).where('notification_id', '=', id).where('version', '=', version),
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
  let found = query
    .selectFrom('notification_versions')
    .select(['version', 'published', 'creator'])
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', id)
    .where('published', 'is not', null)
    .$narrowType<{ published: number }>()
  if (cursor !== undefined) found = found.where('version', '<', decodeCursor(cursor, ['number'])[0])
  const newest = found.orderBy('version', 'desc').limit(limit + 1)
  return pageOf(await rows(engine, newest), limit, ({ version }) => [version])
}

/** The webhook event of a publication. */
export const publishedNews = (workspaceId: number, id: string, now: number): Statement =>
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
    .set({ published_version: version, updated: now, updater: author })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return [statement(mark), statement(point), publishedNews(workspaceId, id, now)]
}
