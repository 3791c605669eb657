/** Stored replies: one row for each workspace, route and idempotency key, until it expires. */
import type { Engine, Reader, Statement } from '../../engine.ts'
import { countAffected, firstRow, query, statement } from '../../query.ts'

/** The scope of a key: equal keys of other workspaces or routes are independent. */
export interface KeyPlace {
  workspaceId: number
  route: string
  key: string
}

const placeColumns = ['workspace_id', 'route', 'key'] as const

/** Undefined without a stored reply, or after its expiry. */
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

/** Affects no row when the key has a reply; waits for a concurrent insert of the same key. */
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

/** Deletes a bounded slice of expired rows; returns their number. */
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
