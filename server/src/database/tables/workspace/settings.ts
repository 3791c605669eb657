/** Settings of a workspace. */
import type { Reader, Statement } from '../../engine.ts'
import { firstRow, query, statement } from '../../query.ts'

export interface WorkspaceSettings {
  hold_misconfigured: boolean
}

export async function workspaceSettings(engine: Reader, workspaceId: number): Promise<WorkspaceSettings> {
  const found = query.selectFrom('workspaces').select('hold_misconfigured').where('id', '=', workspaceId)
  return (await firstRow(engine, found)) ?? { hold_misconfigured: false }
}

export const settingsUpdate = (workspaceId: number, settings: WorkspaceSettings): Statement =>
  statement(query.updateTable('workspaces').set(settings).where('id', '=', workspaceId))

/** Releases held messages of every integration: the workspace holds none any more. */
export const releaseAll = (workspaceId: number, now: number): Statement =>
  statement(query.updateTable('integrations').set({ release_held: now }).where('workspace_id', '=', workspaceId))
