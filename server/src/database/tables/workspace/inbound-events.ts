/** Inbound events of callers, each stored once under the caller's id. */
import type { JsonObject } from '../../../base/json/json.ts'
import type { Engine, Statement } from '../../engine.ts'
import { countAffected, expectRows, query, statement } from '../../query.ts'

export interface InboundEventRow {
  messageId: string
  event: string
  userId: string | null
  properties: JsonObject
  received: number
}

/** It must affect a row: the id may have been used before, by a key of the same kind. */
export function insertInboundEvent(workspaceId: number, mode: string, row: InboundEventRow): Statement[] {
  const { messageId, event, userId, properties, received } = row
  const insert = query.insertInto('inbound_events').values({
    workspace_id: workspaceId,
    message_id: mode === 'live' ? messageId : `${mode} ${messageId}`,
    event,
    user_id: userId,
    properties: JSON.stringify(properties),
    received,
  })
  return [expectRows(statement(insert.onConflict((conflict) => conflict.doNothing())))]
}

/** Deletes a bounded slice of older rows; returns their number. */
export function dropInboundEvents(engine: Engine, before: number, limit: number): Promise<number> {
  const old = query.selectFrom('inbound_events').select(['workspace_id', 'message_id']).where('received', '<', before)
  return countAffected(
    engine,
    query
      .deleteFrom('inbound_events')
      .where(({ eb, refTuple }) =>
        eb(
          refTuple('workspace_id', 'message_id'),
          'in',
          old.orderBy('received').limit(limit).$asTuple('workspace_id', 'message_id'),
        ),
      ),
  )
}
