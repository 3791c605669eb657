/** The messages of the built-in sandbox, newest first. */
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader } from '../../engine.ts'
import { firstRow, query, rows } from '../../query.ts'
import type { Schema } from '../../schema.generated.ts'

export type MailboxRow = Omit<Schema['mailbox'], 'workspace_id'>

export interface MailboxFilter {
  cursor?: string
  channel?: string
  recipient?: string
  messageId?: string
}

const own = (workspaceId: number) =>
  query
    .selectFrom('mailbox')
    .select(['id', 'message_id', 'channel', 'recipient', 'received', 'content'])
    .where('workspace_id', '=', workspaceId)

export function findMailboxMessage(engine: Reader, workspaceId: number, id: string): Promise<MailboxRow | undefined> {
  return firstRow(engine, own(workspaceId).where('id', '=', id))
}

export async function listMailbox(
  engine: Reader,
  workspaceId: number,
  { cursor, channel, recipient, messageId }: MailboxFilter,
  limit: number,
): Promise<Page<MailboxRow>> {
  let found = own(workspaceId)
  if (cursor !== undefined) found = found.where('id', '<', decodeCursor(cursor, ['string'])[0])
  if (channel !== undefined) found = found.where('channel', '=', channel)
  if (recipient !== undefined) found = found.where('recipient', '=', recipient)
  if (messageId !== undefined) found = found.where('message_id', '=', messageId)
  const newest = found.orderBy('id', 'desc').limit(limit + 1)
  return pageOf(await rows(engine, newest), limit, ({ id }) => [id])
}
