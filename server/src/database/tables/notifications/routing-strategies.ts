/** Stored routing strategies. */
import { sql } from 'kysely'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, type RowOf, recordset, rows, statement, typesOf } from '../../query.ts'

export type RoutingStrategyChange = Pick<RoutingStrategyRow, 'name' | 'description' | 'tags' | 'document'> & {
  author: string
  now: number
}

const live = (workspaceId: number) =>
  query
    .selectFrom('routing_strategies')
    .select(['id', 'name', 'description', 'document', 'created', 'updated', 'creator', 'updater'])
    .select(sql<string[]>`tags`.as('tags'))
    .where('workspace_id', '=', workspaceId)
    .where('archived', 'is', null)

export type RoutingStrategyRow = RowOf<typeof live>

export const findRoutingStrategy = (
  engine: Reader,
  workspaceId: number,
  id: string,
): Promise<RoutingStrategyRow | undefined> => firstRow(engine, live(workspaceId).where('id', '=', id))

/** Newest first. */
export async function listRoutingStrategies(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<RoutingStrategyRow>> {
  let selection = live(workspaceId)
  if (cursor !== undefined) {
    const [created, id] = decodeCursor(cursor, ['number', 'string'])
    selection = selection.where(sql<boolean>`(created, id) < (${created}, ${id})`)
  }
  const newest = selection
    .orderBy('created', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
  return pageOf(await rows(engine, newest), limit, ({ created, id }) => [created, id])
}

const written = ({ name, description, tags, document, author, now }: RoutingStrategyChange) => ({
  name,
  description,
  tags: JSON.stringify(tags),
  document: JSON.stringify(document),
  updated: now,
  updater: author,
})

/** Violates the key when the id is taken, also by an archived one. */
export function insertRoutingStrategy(workspaceId: number, id: string, change: RoutingStrategyChange): Statement[] {
  const { now, author } = change
  const row = { workspace_id: workspaceId, id, ...written(change), created: now, creator: author, archived: null }
  return [statement(query.insertInto('routing_strategies').values(row))]
}

/** Must affect a row; affects none when there is no such strategy. */
export function updateRoutingStrategy(workspaceId: number, id: string, change: RoutingStrategyChange): Statement[] {
  const update = query
    .updateTable('routing_strategies')
    .set(written(change))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('archived', 'is', null)
  return [expectRows(statement(update))]
}

/** Must affect a row; affects none while a notification uses it. */
export function archiveRoutingStrategy(workspaceId: number, id: string, author: string, now: number): Statement[] {
  return [
    expectRows({
      text: `update routing_strategies set archived = $4, updated = $4, updater = $3
        where workspace_id = $1 and id = $2 and archived is null and not exists (
          select from notifications n join notification_versions v on v.workspace_id = n.workspace_id
            and v.notification_id = n.id and v.version in (n.draft_version, n.published_version)
          where n.workspace_id = $1 and n.archived is null and v.payload->'routing'->>'strategy_id' = $2)`,
      values: [workspaceId, id, author, now],
    }),
  ]
}

export type RoutingStrategyInForce = Pick<RoutingStrategyRow, 'id' | 'name' | 'document'> & { workspace_id: number }

export async function routingStrategiesInForce(
  engine: Reader,
  requests: readonly { workspaceId: number; id: string }[],
): Promise<RoutingStrategyInForce[]> {
  const fields = typesOf('routing_strategies', ['workspace_id', 'id'])
  const { rows } = await engine.run<RoutingStrategyInForce>({
    text: `select s.workspace_id, s.id, s.name, s.document from ${recordset('$1', 'r', fields)}
      join routing_strategies s on s.workspace_id = r.workspace_id and s.id = r.id and s.archived is null`,
    values: [JSON.stringify(requests.map(({ workspaceId, id }) => ({ workspace_id: workspaceId, id })))],
    name: 'routing-strategies-in-force',
  })
  return rows
}
