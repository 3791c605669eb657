/** Replies that are given again when a caller repeats a request with the same key. They are inserted with what they protect. */
import type { Engine } from '../engine.ts'
import { affected, firstRow, query } from '../query.ts'

export function storedReply(
  engine: Engine,
  workspaceId: number,
  route: string,
  key: string,
): Promise<{ status: number; reply: string } | undefined> {
  return firstRow(
    engine,
    query
      .selectFrom('idempotency_keys')
      .select(['status', 'reply'])
      .where('workspace_id', '=', workspaceId)
      .where('route', '=', route)
      .where('key', '=', key),
  )
}

/** A bounded slice of the expired ones; the count says whether there may be more. */
export function dropExpiredKeys(engine: Engine, now: number, rowsMax: number): Promise<number> {
  const expired = query
    .selectFrom('idempotency_keys')
    .select(['workspace_id', 'route', 'key'])
    .where('expires', '<=', now)
    .orderBy('expires')
    .limit(rowsMax)
  return affected(
    engine,
    query
      .deleteFrom('idempotency_keys')
      .where(({ eb, refTuple }) =>
        eb(refTuple('workspace_id', 'route', 'key'), 'in', expired.$asTuple('workspace_id', 'route', 'key')),
      ),
  )
}
