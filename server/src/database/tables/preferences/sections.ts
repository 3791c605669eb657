/** Sections: the headings of topics, and the last published version of the preference page. */
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement } from '../../query.ts'

export interface SectionRow {
  id: string
  name: string
  routingOptions: readonly string[]
  hasCustomRouting: boolean
  created: number
  updated: number
  creator: string
  updater: string
}

export interface SectionChange {
  name: string
  routingOptions: readonly string[]
  hasCustomRouting: boolean
  author: string
  now: number
}

const live = (workspaceId: number) =>
  query
    .selectFrom('preference_sections')
    .select(['id', 'name', 'routing_options as routingOptions', 'has_custom_routing as hasCustomRouting'])
    .select(['created', 'updated', 'creator', 'updater'])
    .where('workspace_id', '=', workspaceId)
    .where('archived', 'is', null)

/** Oldest first. */
export function listSections(engine: Reader, workspaceId: number, limit: number): Promise<SectionRow[]> {
  return rows(engine, live(workspaceId).orderBy('created').orderBy('id').limit(limit))
}

export function findSection(engine: Reader, workspaceId: number, id: string): Promise<SectionRow | undefined> {
  return firstRow(engine, live(workspaceId).where('id', '=', id))
}

const changed = ({ name, routingOptions, hasCustomRouting, author, now }: SectionChange) => ({
  name,
  routing_options: JSON.stringify(routingOptions),
  has_custom_routing: hasCustomRouting,
  updated: now,
  updater: author,
})

/** Must affect a row; affects none when there are `most` of them. */
export function insertSection(workspaceId: number, id: string, change: SectionChange, most: number): Statement[] {
  const { name, routing_options, has_custom_routing } = changed(change)
  const insert = {
    text: `insert into preference_sections
        (workspace_id, id, name, routing_options, has_custom_routing, created, updated, creator, updater)
      select $1::smallint, $2, $3, $4::jsonb, $5::boolean, $6::bigint, $6::bigint, $7, $7
      where (select count(*) from preference_sections where workspace_id = $1 and archived is null) < $8::integer`,
    values: [workspaceId, id, name, routing_options, has_custom_routing, change.now, change.author, most],
  }
  return [expectRows(insert)]
}

/** Must affect a row; affects none when there is none. */
export function updateSection(workspaceId: number, id: string, change: SectionChange): Statement[] {
  const update = query.updateTable('preference_sections').set(changed(change)).where('workspace_id', '=', workspaceId)
  return [expectRows(statement(update.where('id', '=', id).where('archived', 'is', null)))]
}

/** Must affect a row; affects none when topics stand in it, or there is none. */
export function archiveSection(workspaceId: number, id: string, author: string, now: number): Statement[] {
  const archive = query
    .updateTable('preference_sections')
    .set({ archived: now, updated: now, updater: author })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('archived', 'is', null)
    .where('topics', '=', 0)
  return [expectRows(statement(archive))]
}

export interface PageRow {
  id: string
  version: number
  published: number
  publisher: string
}

/** The last published page. */
export function findPage(engine: Reader, workspaceId: number): Promise<PageRow | undefined> {
  const found = query.selectFrom('preference_pages').select(['id', 'version', 'published', 'publisher'])
  return firstRow(engine, found.where('workspace_id', '=', workspaceId))
}

/** Writes what follows on `version` (undefined: on nothing); affects none when another publishing came first. */
export function writePage(workspaceId: number, page: PageRow, version: number | undefined): Statement[] {
  const write =
    version === undefined
      ? query
          .insertInto('preference_pages')
          .values({ ...page, workspace_id: workspaceId })
          .onConflict((conflict) => conflict.doNothing())
      : query
          .updateTable('preference_pages')
          .set(page)
          .where('workspace_id', '=', workspaceId)
          .where('version', '=', version)
  return [expectRows(statement(write))]
}
