/** Event mappings: the notification an event name stands for. */
import type { Commit, Engine } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement, tryCommit } from '../../query.ts'

export interface EventRow {
  event: string
  notificationId: string
}

const own = (workspaceId: number) =>
  query
    .selectFrom('events')
    .select(['event', 'notification_id as notificationId'])
    .where('workspace_id', '=', workspaceId)

export function listEvents(engine: Engine, workspaceId: number, limit: number): Promise<EventRow[]> {
  return rows(engine, own(workspaceId).orderBy('event').limit(limit))
}

export function findEvent(engine: Engine, workspaceId: number, event: string): Promise<EventRow | undefined> {
  return firstRow(engine, own(workspaceId).where('event', '=', event))
}

export async function putEvent(commit: Commit, workspaceId: number, row: EventRow, now: number): Promise<void> {
  const change = { notification_id: row.notificationId, updated: now }
  const insert = query.insertInto('events').values({ workspace_id: workspaceId, event: row.event, ...change })
  const put = insert.onConflict((conflict) => conflict.columns(['workspace_id', 'event']).doUpdateSet(change))
  await commit([statement(put)])
}

/** False when there was none. */
export function deleteEvent(commit: Commit, workspaceId: number, event: string): Promise<boolean> {
  const own = query.deleteFrom('events').where('workspace_id', '=', workspaceId).where('event', '=', event)
  return tryCommit(commit, [expectRows(statement(own))])
}
