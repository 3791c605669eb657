/** /mailbox: the messages that the built-in sandbox stored. */
import { type MailboxItem, mailboxPage } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { findMailboxMessage, listMailbox, type MailboxRow } from '../../../database/tables/messages/records.ts'
import { paging, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

const item = ({ content, channel, ...row }: MailboxRow): MailboxItem => ({
  ...row,
  channel: channel as MailboxItem['channel'],
  content: JSON.parse(content),
})

export const mailbox = {
  'mailbox.list': async ({ query: { message_id, limit = mailboxPage, ...query } }, { app, caller }) => {
    const filter = { ...query, ...(message_id === undefined ? {} : { messageId: message_id }) }
    const page = await listMailbox(app.database, caller.workspaceId, filter, limit)
    return success('mailbox.list', { paging: paging(page), results: page.rows.map(item) })
  },
  'mailbox.get': async ({ params: { id } }, { app, caller }) => {
    const row = await findMailboxMessage(app.database, caller.workspaceId, id)
    if (!row) throw notFound()
    return success('mailbox.get', item(row))
  },
} satisfies ResourceHandlers<'mailbox'>
