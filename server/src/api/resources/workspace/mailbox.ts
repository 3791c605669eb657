/** /mailbox: the messages that the built-in sandbox stored. */
import { type MailboxItem, mailboxPage } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { findMailboxMessage, listMailbox, type MailboxRow } from '../../../database/tables/messages/records.ts'
import { integratedChannels, listIntegrations } from '../../../database/tables/workspace/integrations.ts'
import { mailboxChannels } from '../../../integrations/mailbox-channels.ts'
import { environmentOf } from '../../authentication.ts'
import { type CallContext, paging, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

const item = ({ content, channel, ...row }: MailboxRow): MailboxItem => ({
  ...row,
  channel: channel as MailboxItem['channel'],
  content: JSON.parse(content),
})

/** A workspace has a handful. */
const INTEGRATIONS_MAX = 100

async function servedChannels({ database, providers }: CallContext['app'], workspaceId: number) {
  const [{ rows: integrations }, integrated] = await Promise.all([
    listIntegrations(database, workspaceId, undefined, INTEGRATIONS_MAX),
    environmentOf(workspaceId) === 'production' ? integratedChannels(database, workspaceId) : [],
  ])
  return mailboxChannels({ integrations, integrated, providers })
}

export const mailbox = {
  'mailbox.list': async ({ query: { message_id, limit = mailboxPage, ...query } }, { app, caller }) => {
    const filter = { ...query, ...(message_id === undefined ? {} : { messageId: message_id }) }
    const [page, channels] = await Promise.all([
      listMailbox(app.database, caller.workspaceId, filter, limit),
      servedChannels(app, caller.workspaceId),
    ])
    return success('mailbox.list', { paging: paging(page), results: page.rows.map(item), channels })
  },
  'mailbox.get': async ({ params: { id } }, { app, caller }) => {
    const row = await findMailboxMessage(app.database, caller.workspaceId, id)
    if (!row) throw notFound()
    return success('mailbox.get', item(row))
  },
} satisfies ResourceHandlers<'mailbox'>
