/** Archiving: a request with all its messages, those it has yet to make included, or one message. */
import type { Engine } from '../../engine.ts'
import { query, statement } from '../../query.ts'

/** False when the workspace has neither a request nor a message of this id. */
export async function archive(engine: Engine, workspaceId: number, id: string): Promise<boolean> {
  const requests = query.updateTable('requests').set({ archived: true })
  const messages = query.updateTable('messages').set({ archived: true })
  const results = await engine.batch([
    statement(requests.where('workspace_id', '=', workspaceId).where('id', '=', id)),
    statement(messages.where('workspace_id', '=', workspaceId).where('id', '=', id)),
  ])
  return results.some(({ affected }) => affected > 0)
}
