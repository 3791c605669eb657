/** Cancels a message from outside its pipeline: the lease is the fence. */
import { timedId } from '../../../base/ids.ts'
import type { Engine } from '../../engine.ts'
import { countAffected, firstRow, query } from '../../query.ts'
import { outboxInsertChanged } from '../webhooks/webhook-outbox.ts'

/** True when the message was neither leased nor sent, and is now canceled. */
export async function cancelUnleased(engine: Engine, workspaceId: number, id: string, now: number): Promise<boolean> {
  const events = JSON.stringify([{ type: 'CANCELED', ts: now }])
  const { rows } = await engine.run({
    text: `with m as (
          update messages set status = 'CANCELED', canceled_at = $3, due_at = null, lease = null, flushes = flushes + 1
          where id = $1 and workspace_id = $2 and due_at is not null and sent is null
            and (lease is null or due_at < $3)
          returning id, workspace_id, flushes
        ),
        h as (insert into history (message_id, flush, workspace_id, events) select id, flushes, workspace_id, $4 from m),
        a as (${outboxInsertChanged('$5', '$3')})
        select id from m`,
    values: [id, workspaceId, now, events, timedId(now)],
  })
  return rows.length > 0
}

/** Requests that the lease holder stops, or withdraws the request, so that a reply "too late" stays true. */
export function requestCancel(engine: Engine, workspaceId: number, id: string, wanted: boolean): Promise<number> {
  return countAffected(
    engine,
    query
      .updateTable('messages')
      .set({ cancel_requested: wanted })
      .where('id', '=', id)
      .where('workspace_id', '=', workspaceId)
      .where('due_at', 'is not', null),
  )
}

export function standing(
  engine: Engine,
  workspaceId: number,
  id: string,
): Promise<{ status: string; due_at: number | null; lease: string | null; sent: number | null } | undefined> {
  return firstRow(
    engine,
    query
      .selectFrom('messages')
      .select(['status', 'due_at', 'lease', 'sent'])
      .where('id', '=', id)
      .where('workspace_id', '=', workspaceId),
  )
}
