/** /mailbox: messages captured by the built-in sandbox. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, text, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'

export const mailboxPage = 25

export const MailboxItem = Type.Object(
  {
    id: Type.String({ description: 'Mailbox item id.' }),
    message_id: Type.String({ description: 'Message id.' }),
    channel: ChannelName,
    recipient: Type.String({ description: 'The recipient id.' }),
    received: timestamp('Time of capture.'),
    content: jsonObject('Captured request: address and rendered content.'),
  },
  { title: 'MailboxItem', description: 'A message captured by the sandbox.' },
)
export type MailboxItem = Static<typeof MailboxItem>

const record = {
  id: '1-65f1a2b4-0781b2c3d4e5f60718293a4b',
  message_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
  channel: 'email',
  recipient: 'user-7',
  received: 1_710_334_644_120,
  content: { to: 'ada@example.com', subject: 'Welcome, Ada', text: 'Good to see you.' },
}

export default resource({
  name: 'mailbox',
  position: 300,
  title: 'Mailbox',
  description: 'The built-in sandbox, which captures messages instead of sending them.',
  operations: [
    operation({
      id: 'mailbox.list',
      origin: 'postrider',
      method: 'GET',
      path: '/mailbox',
      summary: 'List mailbox items',
      description: 'Newest first.',
      query: Type.Object({
        ...pageQuery(mailboxPage),
        channel: Type.Optional(Type.Enum([...ChannelName.enum], { description: 'Channel of the items.' })),
        recipient: Type.Optional(text('Recipient of the items.')),
        message_id: Type.Optional(text('Message of the items.')),
      }),
      replies: {
        200: Type.Object({
          paging: Paging,
          results: Type.Array(MailboxItem, { maxItems: pageMax }),
          channels: Type.Array(ChannelName, {
            description:
              'Channels that the sandbox serves now: those without an enabled integration; in production a channel that ever had one does not return.',
          }),
        }),
      },
      example: {
        query: { recipient: 'user-7' },
        reply: { paging: { more: false }, results: [record], channels: ['email', 'inbox'] },
      },
    }),
    operation({
      id: 'mailbox.get',
      origin: 'postrider',
      method: 'GET',
      path: '/mailbox/:id',
      summary: 'Get a mailbox item',
      params: Type.Object({ id: id('Mailbox item id.') }),
      replies: { 200: MailboxItem, 404: ErrorBody },
      example: { params: { id: record.id }, reply: record },
    }),
  ],
})
