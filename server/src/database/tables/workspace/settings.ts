/** Settings of a workspace. */

import type { JsonObject } from '../../../base/json/json.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, statement } from '../../query.ts'

export interface WorkspaceSettings {
  hold_misconfigured: boolean
}

export async function workspaceSettings(engine: Reader, workspaceId: number): Promise<WorkspaceSettings> {
  const selection = query.selectFrom('workspaces').select('hold_misconfigured').where('id', '=', workspaceId)
  return (await firstRow(engine, selection)) ?? { hold_misconfigured: false }
}

export const settingsUpdate = (workspaceId: number, settings: WorkspaceSettings): Statement =>
  statement(query.updateTable('workspaces').set(settings).where('id', '=', workspaceId))

/** How messages are tracked, by channel; empty where nothing was ever set. */
export async function trackingSettings(engine: Reader, workspaceId: number): Promise<JsonObject> {
  const row = await firstRow<{ tracking: JsonObject | null }>(
    engine,
    query.selectFrom('workspaces').select('tracking').where('id', '=', workspaceId),
  )
  return row?.tracking ?? {}
}

export const trackingUpdate = (workspaceId: number, tracking: JsonObject): Statement =>
  expectRows(
    statement(
      query
        .updateTable('workspaces')
        .set({ tracking: JSON.stringify(tracking) })
        .where('id', '=', workspaceId),
    ),
  )
