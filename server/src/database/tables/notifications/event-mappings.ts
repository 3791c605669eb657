/** Event mappings: the notification that an event name selects. */
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement } from '../../query.ts'

export interface EventRow {
  event: string
  notificationId: string
}

const own = (workspaceId: number) =>
  query
    .selectFrom('events')
    .select(['event', 'notification_id as notificationId'])
    .where('workspace_id', '=', workspaceId)

export function listEvents(engine: Reader, workspaceId: number, limit: number): Promise<EventRow[]> {
  return rows(engine, own(workspaceId).orderBy('event').limit(limit))
}

export function findEvent(engine: Reader, workspaceId: number, event: string): Promise<EventRow | undefined> {
  return firstRow(engine, own(workspaceId).where('event', '=', event))
}

export function putEvent(workspaceId: number, row: EventRow, now: number): Statement[] {
  const change = { notification_id: row.notificationId, updated: now }
  const insert = query.insertInto('events').values({ workspace_id: workspaceId, event: row.event, ...change })
  const put = insert.onConflict((conflict) => conflict.columns(['workspace_id', 'event']).doUpdateSet(change))
  return [statement(put)]
}

/** Must affect a row; affects none when there was none. */
export function deleteEvent(workspaceId: number, event: string): Statement[] {
  const own = query.deleteFrom('events').where('workspace_id', '=', workspaceId).where('event', '=', event)
  return [expectRows(statement(own))]
}
