/** What a batch of messages needs to know, one query per kind. */
import type { JsonObject } from '../../base/merge.ts'
import type { Engine } from '../engine.ts'
import { firstRow, query, rows } from '../query.ts'

export interface MappingRow {
  workspace_id: number
  event: string
  draft: boolean
  notification_id: string
  draft_version: number | null
  published_version: number | null
}

/** An event leads to what it is mapped to, else to the notification with that id, else with that alias. */
export async function mapEvents(
  engine: Engine,
  asked: readonly { workspaceId: number; event: string; mode: string }[],
): Promise<MappingRow[]> {
  const records = asked.map(({ workspaceId, event, mode }) => ({ w: workspaceId, event, draft: mode === 'draft' }))
  const { rows } = await engine.run<MappingRow>({
    text: `select r.w as workspace_id, r.event, r.draft, coalesce(e.notification_id, i.id, a.id) as notification_id,
        coalesce(i.draft_version, a.draft_version) as draft_version,
        coalesce(i.published_version, a.published_version) as published_version
      from json_to_recordset($1::json) as r(w smallint, event text, draft boolean)
      left join events e on e.workspace_id = r.w and e.event = r.event
      left join notifications i on i.workspace_id = r.w and i.id = coalesce(e.notification_id, r.event)
        and i.archived is null
      left join notifications a on a.workspace_id = r.w and a.alias = coalesce(e.notification_id, r.event)
        and a.archived is null and i.id is null
      where coalesce(e.notification_id, i.id, a.id) is not null`,
    values: [JSON.stringify(records)],
    name: 'map-events',
  })
  return rows
}

export async function notificationPayload(
  engine: Engine,
  workspaceId: number,
  id: string,
  version: number,
): Promise<JsonObject | undefined> {
  const found = await firstRow(
    engine,
    query
      .selectFrom('notification_versions')
      .select('payload')
      .where('workspace_id', '=', workspaceId)
      .where('notification_id', '=', id)
      .where('version', '=', version),
  )
  return found?.payload
}

export interface IntegrationRow {
  id: string
  provider: string
  channel: string | null
  title: string
  enabled: boolean
  priority: number
  settings: JsonObject
  secrets: string | null
}

/** In the order they are tried: by priority, then the older first. */
export function workspaceIntegrations(engine: Engine, workspaceId: number): Promise<IntegrationRow[]> {
  return rows(
    engine,
    query
      .selectFrom('integrations')
      .select(['id', 'provider', 'channel', 'title', 'enabled', 'priority', 'settings', 'secrets'])
      .where('workspace_id', '=', workspaceId)
      .orderBy('priority')
      .orderBy('created')
      .orderBy('id'),
  )
}

export async function storedProfiles(
  engine: Engine,
  asked: readonly { workspace_id: number; recipient: string }[],
): Promise<{ workspace_id: number; id: string; profile: JsonObject }[]> {
  const { rows } = await engine.run<{ workspace_id: number; id: string; profile: JsonObject }>({
    text: `select p.workspace_id, p.id, p.profile from json_to_recordset($1::json) as r(w smallint, id text)
      join profiles p on p.workspace_id = r.w and p.id = r.id`,
    values: [JSON.stringify(asked.map(({ workspace_id, recipient }) => ({ w: workspace_id, id: recipient })))],
    name: 'stored-profiles',
  })
  return rows
}
