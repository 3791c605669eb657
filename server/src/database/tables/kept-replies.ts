/** Replies kept for an `Idempotency-Key`: claimed before the work, filled in after it. */
import type { Engine } from '../engine.ts'
import { affected, firstRow, query } from '../query.ts'

export interface KeyPlace {
  workspaceId: number
  /** Method and path. */
  route: string
  key: string
}

/** A key whose call has not ended yet has this status. */
const IN_FLIGHT = 0

/** `claimed` until `until`: the caller does the work. Otherwise what the key already stands for. */
export async function claimKey(
  engine: Engine,
  { workspaceId, route, key }: KeyPlace,
  now: number,
  until: number,
): Promise<'claimed' | 'in_flight' | { status: number; reply: string }> {
  const fresh = { expires: until, status: IN_FLIGHT, reply: '' }
  const claim = query
    .insertInto('idempotency_keys')
    .values({ workspace_id: workspaceId, route, key, ...fresh })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_id', 'route', 'key'])
        .doUpdateSet(fresh)
        .where('idempotency_keys.expires', '<=', now),
    )
  if ((await affected(engine, claim)) > 0) return 'claimed'
  const kept = query
    .selectFrom('idempotency_keys')
    .select(['status', 'reply'])
    .where('workspace_id', '=', workspaceId)
    .where('route', '=', route)
    .where('key', '=', key)
  const row = await firstRow(engine, kept)
  return row && row.status !== IN_FLIGHT ? row : 'in_flight'
}

export async function keepReply(
  engine: Engine,
  { workspaceId, route, key }: KeyPlace,
  status: number,
  reply: string,
  expires: number,
): Promise<void> {
  const keep = query.updateTable('idempotency_keys').set({ status, reply, expires })
  await affected(engine, keep.where('workspace_id', '=', workspaceId).where('route', '=', route).where('key', '=', key))
}

export async function releaseKey(engine: Engine, { workspaceId, route, key }: KeyPlace): Promise<void> {
  const release = query.deleteFrom('idempotency_keys').where('workspace_id', '=', workspaceId)
  await affected(engine, release.where('route', '=', route).where('key', '=', key).where('status', '=', IN_FLIGHT))
}
