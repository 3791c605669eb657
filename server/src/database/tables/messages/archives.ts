/** Archives a message, or a request with all its present and future messages. */
import type { Result, Statement } from '../../engine.ts'
import { query, statement } from '../../query.ts'

export function archive(workspaceId: number, id: string): Statement[] {
  const requests = query.updateTable('requests').set({ archived: true })
  const messages = query.updateTable('messages').set({ archived: true })
  return [
    statement(requests.where('workspace_id', '=', workspaceId).where('id', '=', id)),
    statement(messages.where('workspace_id', '=', workspaceId).where('id', '=', id)),
  ]
}

/** From the results: false when the workspace has neither a request nor a message of this id. */
export const isArchived = (results: readonly Result[]): boolean => results.some(({ affected }) => affected > 0)
