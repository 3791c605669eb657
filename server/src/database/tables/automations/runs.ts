/** Runs as they are read, listed and deleted; newest first, by id. */
import type { Selectable } from 'kysely'
import { timedIdFloor } from '../../../base/ids.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader } from '../../engine.ts'
import { firstRow, query, rows } from '../../query.ts'
import type { Schema } from '../../schema.generated.ts'
import { readableRun } from './live-runs.ts'

const short = ['id', 'status', 'source', 'template_id', 'created', 'updated', 'error'] as const

export type ShortRun = Selectable<Pick<Schema['runs'], (typeof short)[number]>>
export type RunRow = NonNullable<Awaited<ReturnType<typeof findRun>>>

export async function findRun(engine: Reader, workspaceId: number, id: string) {
  const found = query
    .selectFrom('runs')
    .select([...short, 'mode', 'due_at', 'depth', 'cancelation_token', 'automation', 'start', 'state'])
  const row = await firstRow(engine, found.where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row && readableRun(engine.tokens, workspaceId, row)
}

export interface RunFilter {
  status?: string
  templateId?: string
  /** Started by this run. */
  parentId?: string
  /** Milliseconds since the epoch: started then or later, and started before. */
  from?: number
  before?: number
  cursor?: string
}

export async function listRuns(
  engine: Reader,
  workspaceId: number,
  { status, templateId, parentId, from, before, cursor }: RunFilter,
  limit: number,
): Promise<Page<ShortRun>> {
  let found = query.selectFrom('runs').select(short).where('workspace_id', '=', workspaceId)
  if (status !== undefined) found = found.where('status', '=', status)
  if (templateId !== undefined) found = found.where('template_id', '=', templateId)
  if (parentId !== undefined) found = found.where('parent_id', '=', parentId)
  // By id, so that older partitions are not read.
  if (from !== undefined) found = found.where('id', '>=', timedIdFloor(from))
  if (before !== undefined) found = found.where('id', '<', timedIdFloor(before))
  if (cursor !== undefined) found = found.where('id', '<', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, found.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Deletes a bounded slice of ended runs with their steps, in weeks that a later run keeps. */
export async function dropRuns(engine: Engine, before: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `with old as materialized (select id from runs where id < $1 and due_at is null and updated < $3 limit $2),
          s as (delete from run_steps where run_id in (select id from old))
        delete from runs where id in (select id from old)`,
    values: [timedIdFloor(before), limit, before],
  })
  return affected
}
