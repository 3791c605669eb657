/** Settings of a workspace. */

import { missingVariableChoices, type OnMissingVariable } from '@postrider/contract'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, statement } from '../../query.ts'

export interface WorkspaceSettings {
  hold_misconfigured: boolean
  on_missing_variable: OnMissingVariable
}

export async function workspaceSettings(engine: Reader, workspaceId: number): Promise<WorkspaceSettings> {
  const row = await firstRow(
    engine,
    query.selectFrom('workspaces').select(['hold_misconfigured', 'on_missing_variable']).where('id', '=', workspaceId),
  )
  return { hold_misconfigured: row?.hold_misconfigured ?? false, on_missing_variable: onMissing(row) }
}

/** A choice that only a newer version has counts as the default. */
export const onMissing = (row: { on_missing_variable: string } | undefined): OnMissingVariable =>
  missingVariableChoices.find((choice) => choice === row?.on_missing_variable) ?? 'keep'

/** At least one of them. */
export const settingsUpdate = (workspaceId: number, settings: Partial<WorkspaceSettings>): Statement =>
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
