/** Webhooks: endpoints of a workspace and the events to which they are subscribed. */
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement } from '../../query.ts'

export interface WebhookRow {
  id: string
  url: string
  /** Encrypted; null: requests are not signed. */
  secret: string | null
  types: string[]
  enabled: boolean
  version: number
  created: number
  updated: number
}

const own = (workspaceId: number) =>
  query
    .selectFrom('webhooks')
    .select(['id', 'url', 'secret', 'types', 'enabled', 'version', 'created', 'updated'])
    .where('workspace_id', '=', workspaceId)

/** Oldest first. */
export function listWebhooks(engine: Reader, workspaceId: number, limit: number): Promise<WebhookRow[]> {
  return rows(engine, own(workspaceId).orderBy('created').orderBy('id').limit(limit))
}

export function findWebhook(engine: Reader, workspaceId: number, id: string): Promise<WebhookRow | undefined> {
  return firstRow(engine, own(workspaceId).where('id', '=', id))
}

/** Must affect a row; affects none when the workspace has `max` of them already. */
export function insertWebhook(workspaceId: number, row: WebhookRow, max: number): Statement[] {
  const { id, url, secret, types, enabled, version, created, updated } = row
  const values = [workspaceId, id, url, secret, JSON.stringify(types), enabled, version, created, updated, max]
  const insert = {
    text: `insert into webhooks (workspace_id, id, url, secret, types, enabled, version, created, updated)
      select $1::smallint, $2, $3, $4, $5::jsonb, $6::boolean, $7::integer, $8::bigint, $9::bigint
      where (select count(*) from webhooks where workspace_id = $1::smallint) < $10::integer`,
    values,
  }
  return [expectRows(insert)]
}

/** Writes the successor of the row's version; false on a conflict. */
export function updateWebhook(
  workspaceId: number,
  { id, version, created: _created, ...row }: WebhookRow,
): Statement[] {
  const update = query
    .updateTable('webhooks')
    .set({ ...row, types: JSON.stringify(row.types), version: version + 1 })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('version', '=', version)
  return [expectRows(statement(update))]
}

/** Must affect a row; affects none when there was none. Its waiting calls are ended by `expireDeliveries`. */
export function deleteWebhook(workspaceId: number, id: string): Statement[] {
  const row = query.deleteFrom('webhooks').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [expectRows(statement(row))]
}
