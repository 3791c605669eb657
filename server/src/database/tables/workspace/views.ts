/** Saved views of the dashboard. */
import type { JsonObject } from '../../../base/json/json.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, query, type Row, rows, statement } from '../../query.ts'

const COLUMNS = ['name', 'page', 'filters', 'created', 'updated'] as const

export type ViewRow = Row<'views', (typeof COLUMNS)[number]>

/** In the order of their names. */
export function listViews(
  engine: Reader,
  workspaceId: number,
  page: string | undefined,
  limit: number,
): Promise<ViewRow[]> {
  const all = query.selectFrom('views').select(COLUMNS).where('workspace_id', '=', workspaceId)
  return rows(engine, (page === undefined ? all : all.where('page', '=', page)).orderBy('name').limit(limit))
}

/** Gives the row. Must affect one; affects none when the workspace has `max` others already, or has it and must not. */
export const viewPut = (
  workspaceId: number,
  { name, page, filters, now }: { name: string; page: string; filters: JsonObject; now: number },
  { max, mustBeAbsent }: { max: number; mustBeAbsent: boolean },
): Statement =>
  expectRows({
    text: `insert into views as v (workspace_id, name, page, filters, created, updated)
      select $1::smallint, $2::text, $3, $4::jsonb, $5::bigint, $5::bigint
      where (select count(*) from views where workspace_id = $1::smallint and name <> $2::text) < $6::integer
      on conflict (workspace_id, name) do ${
        mustBeAbsent
          ? 'nothing'
          : 'update set page = excluded.page, filters = excluded.filters, updated = excluded.updated'
      }
      returning ${COLUMNS.map((column) => `v.${column}`).join(', ')}`,
    values: [workspaceId, name, page, JSON.stringify(filters), now, max],
  })

/** Must affect a row. */
export const viewDelete = (workspaceId: number, name: string): Statement =>
  expectRows(statement(query.deleteFrom('views').where('workspace_id', '=', workspaceId).where('name', '=', name)))
