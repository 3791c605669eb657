/** Stored replies as rows: one for each workspace, route and key, until it expires. */
import type { Engine, Reader, Statement } from '../../engine.ts'
import { countAffected, firstRow, query, statement } from '../../query.ts'

/** What a key stands for: the same key of another workspace or at another place is another key. */
export interface KeyPlace {
  workspaceId: number
  route: string
  key: string
}

const placeColumns = ['workspace_id', 'route', 'key'] as const

/** Undefined when there is none, or none any more. */
export function findReply(
  engine: Reader,
  { workspaceId, route, key }: KeyPlace,
  now: number,
): Promise<{ status: number; reply: string } | undefined> {
  return firstRow(
    engine,
    query
      .selectFrom('idempotency_keys')
      .select(['status', 'reply'])
      .where('workspace_id', '=', workspaceId)
      .where('route', '=', route)
      .where('key', '=', key)
      .where('expires', '>', now),
  )
}

/** Touches no row when the key is taken; waits for whoever is about to take it. */
export function replyInsert(
  { workspaceId, route, key }: KeyPlace,
  kept: { status: number; reply: string; expires: number },
  now: number,
): Statement {
  return statement(
    query
      .insertInto('idempotency_keys')
      .values({ workspace_id: workspaceId, route, key, ...kept })
      .onConflict((conflict) =>
        conflict.columns(placeColumns).doUpdateSet(kept).where('idempotency_keys.expires', '<=', now),
      ),
  )
}

/** A bounded slice of the expired ones; the count says whether there may be more. */
export function dropExpiredKeys(engine: Engine, now: number, rowsMax: number): Promise<number> {
  const expired = query
    .selectFrom('idempotency_keys')
    .select(placeColumns)
    .where('expires', '<=', now)
    .orderBy('expires')
    .limit(rowsMax)
  return countAffected(
    engine,
    query
      .deleteFrom('idempotency_keys')
      .where(({ eb, refTuple }) =>
        eb(refTuple('workspace_id', 'route', 'key'), 'in', expired.$asTuple('workspace_id', 'route', 'key')),
      ),
  )
}
