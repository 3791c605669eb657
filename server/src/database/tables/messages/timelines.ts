/** A message with all of its stored data, for its timeline and explanation. */
import type { Engine } from '../../engine.ts'
import { firstRow, query, rows } from '../../query.ts'
import { readableMessage } from './live-messages.ts'

export async function readTimelineRow(engine: Engine, workspaceId: number, id: string) {
  const row = await firstRow(
    engine,
    query
      .selectFrom('messages')
      .select([
        'id',
        'workspace_id',
        'status',
        'event',
        'recipient',
        'list_id',
        'notification_id',
        'mode',
        'enqueued',
        'first_due',
        'due_at',
        'error',
        'reason',
        'input',
        'pinned',
        'deliveries',
        'events',
        'request_id',
      ])
      .where('id', '=', id)
      .where('workspace_id', '=', workspaceId),
  )
  return row && readableMessage(engine.tokens, workspaceId, row)
}

export type TimelineRow = NonNullable<Awaited<ReturnType<typeof readTimelineRow>>>

/** The JSON arrays of its flushes, in order, except the first one, which is in the message's row. */
export async function messageEvents(engine: Engine, workspaceId: number, id: string): Promise<string[]> {
  const found = await rows(
    engine,
    query
      .selectFrom('history')
      .select('events')
      .where('message_id', '=', id)
      .where('workspace_id', '=', workspaceId)
      .orderBy('flush'),
  )
  return found.map(({ events }) => events)
}
