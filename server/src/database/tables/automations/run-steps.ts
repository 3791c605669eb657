/** What is kept of the steps of a run. */
import type { Selectable } from 'kysely'
import type { Reader } from '../../engine.ts'
import { query, rows } from '../../query.ts'
import type { Schema } from '../../schema.generated.ts'

export type RunStepRow = Selectable<Schema['run_steps']>

/** Those that were begun, in their order; an automation bounds how many. */
export function runSteps(engine: Reader, workspaceId: number, runId: string): Promise<RunStepRow[]> {
  const found = query.selectFrom('run_steps').selectAll().where('workspace_id', '=', workspaceId)
  return rows(engine, found.where('run_id', '=', runId).orderBy('position'))
}
