/** Lists, by id and by pattern. A deleted list keeps its subscriptions until it is restored or created again. */
import type { Preferences } from '@postrider/contract'
import { sql } from 'kysely'
import type { ListPattern } from '../../../base/list-pattern.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, guardPlan, query, rows, statement } from '../../query.ts'

export interface ListRow {
  id: string
  name: string
  preferences: Preferences | null
  created: number
  updated: number
}

const live = (workspaceId: number) =>
  query.selectFrom('lists').where('workspace_id', '=', workspaceId).where('deleted', 'is', null)

function matching(workspaceId: number, { wild, prefix, expression }: ListPattern) {
  if (!wild) return live(workspaceId).where('id', '=', prefix)
  const found = live(workspaceId).where(sql<boolean>`id ~ ${expression}`)
  // The character after the dot is `/`: an index range between both holds every id with this prefix.
  return prefix === '' ? found : found.where('id', '>', prefix).where('id', '<', `${prefix.slice(0, -1)}/`)
}

const columns = ['id', 'name', 'preferences', 'created', 'updated'] as const

export function findList(engine: Reader, workspaceId: number, id: string): Promise<ListRow | undefined> {
  return firstRow(engine, live(workspaceId).select(columns).where('id', '=', id))
}

/** Ordered by id. */
export async function listLists(
  engine: Reader,
  workspaceId: number,
  { cursor, pattern }: { cursor?: string | undefined; pattern?: ListPattern | undefined },
  limit: number,
): Promise<Page<ListRow>> {
  let found = (pattern ? matching(workspaceId, pattern) : live(workspaceId)).select(columns)
  if (cursor !== undefined) found = found.where('id', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, found.orderBy('id').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Ids of the lists that match a pattern, in order, starting at `from`. */
export async function listsMatching(
  engine: Reader,
  workspaceId: number,
  pattern: ListPattern,
  from: string,
  limit: number,
): Promise<string[]> {
  const found = matching(workspaceId, pattern).where('id', '>=', from).select('id').orderBy('id').limit(limit)
  return (await rows(engine, found)).map(({ id }) => id)
}

/** Creates or replaces a list; subscriptions stay unless it was deleted. */
export function putList(
  workspaceId: number,
  { id, name, preferences }: { id: string; name: string; preferences: Preferences | null },
  now: number,
): Statement[] {
  const change = { name, preferences: preferences && JSON.stringify(preferences), updated: now }
  const insert = query.insertInto('lists').values({ workspace_id: workspaceId, id, ...change, created: now })
  const upsert = insert.onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doUpdateSet(change))
  return [...openLists(workspaceId, [id], now), statement(upsert)]
}

/** Must affect a row; affects none when there is none. */
export function deleteList(workspaceId: number, id: string, now: number): Statement[] {
  const mark = query
    .updateTable('lists')
    .set({ deleted: now, updated: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
  return [expectRows(statement(mark))]
}

/** Must affect a row; affects none when there never was one; one that is not deleted stays as it is. */
export function restoreList(workspaceId: number, id: string, now: number): Statement[] {
  const revive = query
    .updateTable('lists')
    .set({ deleted: null, updated: sql<number>`case when deleted is null then updated else ${now}::bigint end` })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
  return [expectRows(statement(revive))]
}

/**
 * The first statements of a batch that writes to lists: creates or locks the lists in the order of their ids, which avoids
 * deadlocks. A deleted list is recreated without its subscriptions. New lists are named by their id.
 */
export function openLists(workspaceId: number, ids: readonly string[], now: number): Statement[] {
  const deleted = sql<boolean>`lists.deleted is not null`
  const gone = query
    .selectFrom('lists')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .where(deleted)
  const old = query
    .deleteFrom('list_subscriptions')
    .where('workspace_id', '=', workspaceId)
    // The array is evaluated first; a join may read the whole list to find that it is not deleted.
    .where(sql<boolean>`list_id = any(array(${gone}))`)
  const anew = query
    .updateTable('lists')
    .set((e) => ({ name: e.ref('id'), preferences: null, created: now, updated: now, deleted: null }))
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .where(deleted)
  // Without the guard, a list with most of the rows is found by a scan of the table.
  return [guardPlan, makeOrLock(workspaceId, ids, now), statement(old), statement(anew)]
}

/** An existing row is locked even though the condition of the update is never true. */
const makeOrLock = (workspaceId: number, ids: readonly string[], now: number): Statement => ({
  text: `insert into lists (workspace_id, id, name, created, updated)
    select $1::smallint, r.id, r.id, $2::bigint, $2::bigint from json_array_elements_text($3::json) as r(id)
    order by r.id collate "C"
    on conflict (workspace_id, id) do update set updated = lists.updated where false`,
  values: [workspaceId, now, JSON.stringify(ids)],
})
