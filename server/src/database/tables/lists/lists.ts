/** Lists, by id and by pattern, and their subscriptions. A deleted list keeps its subscriptions until it is restored or created again. */
import type { Preferences } from '@postrider/contract'
import { sql } from 'kysely'
import type { ListPattern } from '../../../base/list-pattern.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, guardPlan, query, type Row, recordset, rows, statement, typesOf } from '../../query.ts'

const columns = ['id', 'name', 'preferences', 'created', 'updated'] as const

export type ListRow = Row<'lists', (typeof columns)[number]>

const live = (workspaceId: number) =>
  query.selectFrom('lists').where('workspace_id', '=', workspaceId).where('deleted', 'is', null)

function matching(workspaceId: number, { wild, prefix, expression }: ListPattern) {
  if (!wild) return live(workspaceId).where('id', '=', prefix)
  const selection = live(workspaceId).where(sql<boolean>`id ~ ${expression}`)
  // The character after the dot is `/`: an index range between both holds every id with this prefix.
  return prefix === '' ? selection : selection.where('id', '>', prefix).where('id', '<', `${prefix.slice(0, -1)}/`)
}

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
  let selection = (pattern ? matching(workspaceId, pattern) : live(workspaceId)).select(columns)
  if (cursor !== undefined) selection = selection.where('id', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('id').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Ids of the lists that match a pattern, in order, starting at `from`. */
export async function listsMatching(
  engine: Reader,
  workspaceId: number,
  pattern: ListPattern,
  from: string,
  limit: number,
): Promise<string[]> {
  const selection = matching(workspaceId, pattern).where('id', '>=', from).select('id').orderBy('id').limit(limit)
  return (await rows(engine, selection)).map(({ id }) => id)
}

/** Creates or replaces a list; subscriptions stay unless it was deleted. Must affect a row where the list must be absent. */
export function putList(
  workspaceId: number,
  { id, name, preferences }: { id: string; name: string; preferences: Preferences | null },
  now: number,
  { mustBeAbsent }: { mustBeAbsent: boolean },
): Statement[] {
  const change = { name, preferences: preferences && JSON.stringify(preferences), updated: now }
  const insert = query.insertInto('lists').values({ workspace_id: workspaceId, id, ...change, created: now })
  const upsert = insert.onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doUpdateSet(change))
  const absent = mustBeAbsent ? [expectRows(makeAbsent(workspaceId, id, now))] : []
  return [...absent, ...openLists(workspaceId, [id], now), statement(upsert)]
}

/** Affects no row where the list exists; one that was deleted is locked. */
const makeAbsent = (workspaceId: number, id: string, now: number): Statement => ({
  text: `insert into lists (workspace_id, id, name, created, updated)
    values ($1::smallint, $2::text, $2::text, $3::bigint, $3::bigint)
    on conflict (workspace_id, id) do update set updated = lists.updated where lists.deleted is not null`,
  values: [workspaceId, id, now],
})

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
function openLists(workspaceId: number, ids: readonly string[], now: number): Statement[] {
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

export interface Subscriber {
  recipient: string
  preferences: Preferences | null
}

const ownSubscriptions = (workspaceId: number) =>
  query.selectFrom('list_subscriptions').where('workspace_id', '=', workspaceId)

/** Ordered by recipient; the caller has checked that the list is not deleted. */
export async function listSubscriptions(
  engine: Reader,
  workspaceId: number,
  listId: string,
  cursor: string | undefined,
  limit: number,
): Promise<Page<Subscriber & { created: number }>> {
  let selection = ownSubscriptions(workspaceId)
    .select(['recipient', 'preferences', 'created'])
    .where('list_id', '=', listId)
  if (cursor !== undefined) selection = selection.where('recipient', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('recipient').limit(limit + 1)), limit, ({ recipient }) => [
    recipient,
  ])
}

/** The lists of a recipient, ordered by id, with the preferences of each subscription. */
export async function listsOfRecipient(
  engine: Reader,
  workspaceId: number,
  recipient: string,
  cursor: string | undefined,
  limit: number,
): Promise<Page<ListRow>> {
  let selection = query
    .selectFrom('list_subscriptions as s')
    .innerJoin('lists as l', (join) =>
      join.onRef('l.workspace_id', '=', 's.workspace_id').onRef('l.id', '=', 's.list_id'),
    )
    .select(['l.id', 'l.name', 's.preferences', 'l.created', 'l.updated'])
    .where('s.workspace_id', '=', workspaceId)
    .where('s.recipient', '=', recipient)
    .where('l.deleted', 'is', null)
  if (cursor !== undefined) selection = selection.where('s.list_id', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('s.list_id').limit(limit + 1)), limit, ({ id }) => [id])
}

const addedRows = recordset('$3', 'r', typesOf('list_subscriptions', ['list_id', 'recipient', 'preferences']))
const givenRows = recordset('$4', 'r', typesOf('list_subscriptions', ['recipient', 'preferences']))

/** Adds subscriptions, and lists that do not exist; absent preferences leave those of a subscription unchanged. No pair of list and recipient occurs twice. */
export function addSubscriptions(
  workspaceId: number,
  listIds: readonly string[],
  subscriptions: readonly (Subscriber & { listId: string })[],
  now: number,
): Statement[] {
  if (listIds.length === 0) return []
  const records = subscriptions.map(({ listId, ...subscriber }) => ({ list_id: listId, ...subscriber }))
  return [
    ...openLists(workspaceId, listIds, now),
    {
      text: `insert into list_subscriptions (workspace_id, list_id, recipient, preferences, created, updated)
        select $1::smallint, list_id, recipient, preferences, $2::bigint, $2::bigint
        from ${addedRows}
        order by list_id collate "C", recipient collate "C"
        on conflict (workspace_id, list_id, recipient) do update
        set preferences = excluded.preferences, updated = excluded.updated
        where excluded.preferences is not null
          and list_subscriptions.preferences is distinct from excluded.preferences`,
      values: [workspaceId, now, JSON.stringify(records)],
    },
  ]
}

/** Replaces the subscriptions of the list; unchanged rows are not written. No recipient may occur twice. */
export function replaceSubscriptions(
  workspaceId: number,
  listId: string,
  subscribers: readonly Subscriber[],
  now: number,
): Statement[] {
  return [
    ...openLists(workspaceId, [listId], now),
    {
      // `not in` uses a hash independent of the planner's estimates; a join may become nested loops.
      text: `with given as materialized (
          select recipient, preferences from ${givenRows}
        ), gone as (
          delete from list_subscriptions
          where workspace_id = $1 and list_id = $2 and recipient not in (select recipient from given)
        )
        insert into list_subscriptions (workspace_id, list_id, recipient, preferences, created, updated)
        select $1::smallint, $2::text, recipient, preferences, $3::bigint, $3::bigint from given
        order by recipient collate "C"
        on conflict (workspace_id, list_id, recipient) do update
        set preferences = excluded.preferences, updated = excluded.updated
        where list_subscriptions.preferences is distinct from excluded.preferences`,
      values: [workspaceId, listId, now, JSON.stringify(subscribers)],
    },
  ]
}

/** Removes the subscription unless the list is deleted: it has no subscriptions then, and a restored list has them back. */
export function subscriptionDelete(workspaceId: number, listId: string, recipient: string): Statement {
  const list = query.selectFrom('lists').select('id').where('workspace_id', '=', workspaceId).where('id', '=', listId)
  return statement(
    query
      .deleteFrom('list_subscriptions')
      .where('workspace_id', '=', workspaceId)
      .where('list_id', '=', listId)
      .where('recipient', '=', recipient)
      .where((e) => e.exists(list.where('deleted', 'is', null))),
  )
}

/** Must affect a row; affects none when there was no such subscription. */
export const removeSubscription = (workspaceId: number, listId: string, recipient: string): Statement[] => [
  expectRows(subscriptionDelete(workspaceId, listId, recipient)),
]

/** Also from deleted lists: a restored list must not subscribe a recipient who left all lists. */
export function removeSubscriptionsOf(workspaceId: number, recipient: string): Statement[] {
  const gone = query.deleteFrom('list_subscriptions').where('workspace_id', '=', workspaceId)
  return [statement(gone.where('recipient', '=', recipient))]
}

/** The next recipients of the lists, each once, in order, with their first list. Reads at most `limit` rows a list. */
export async function listRecipients(
  engine: Reader,
  workspaceId: number,
  listIds: readonly string[],
  after: string | undefined,
  limit: number,
): Promise<{ recipient: string; listId: string }[]> {
  const result = await engine.run<{ recipient: string; listId: string }>({
    text: `select distinct on (s.recipient) s.recipient, l.id as "listId"
      from json_array_elements_text($2::json) with ordinality as g(id, place)
      join lists l on l.workspace_id = $1 and l.id = g.id and l.deleted is null
      cross join lateral (
        select recipient from list_subscriptions
        where workspace_id = $1 and list_id = l.id and recipient > $3 order by recipient limit $4
      ) s
      order by s.recipient, g.place limit $4`,
    values: [workspaceId, JSON.stringify(listIds), after ?? '', limit],
  })
  return result.rows
}
