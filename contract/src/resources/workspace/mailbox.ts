/** /mailbox: what the built-in sandbox kept instead of sending. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, moment, text } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'

export const mailboxPage = 25

export const MailboxItem = Type.Object(
  {
    id: Type.String({ description: 'The id of the kept item.' }),
    message_id: Type.String({ description: 'The message it belongs to.' }),
    channel: ChannelName,
    recipient: Type.String({ description: 'The recipient id.' }),
    received: moment('When it was kept.'),
    content: jsonObject('What a provider would have been given: the address and the words.'),
  },
  { title: 'MailboxItem', description: 'One thing the sandbox kept.' },
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
  description: 'The built-in sandbox: what it kept instead of sending.',
  operations: [
    operation({
      id: 'mailbox.list',
      origin: 'postrider',
      method: 'GET',
      path: '/mailbox',
      summary: 'List what the sandbox kept',
      description: 'Newest first.',
      query: Type.Object({
        ...pageQuery(mailboxPage),
        channel: Type.Optional(Type.Enum([...ChannelName.enum], { description: 'Only this channel.' })),
        recipient: Type.Optional(text('Only this recipient.')),
        message_id: Type.Optional(text('Only this message.')),
      }),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(MailboxItem, { maxItems: pageMax }) }) },
      example: { query: { recipient: 'user-7' }, reply: { paging: { more: false }, results: [record] } },
    }),
    operation({
      id: 'mailbox.get',
      origin: 'postrider',
      method: 'GET',
      path: '/mailbox/:id',
      summary: 'Get one kept item',
      params: Type.Object({ id: id('The id of the kept item.') }),
      replies: { 200: MailboxItem, 404: ErrorBody },
      example: { params: { id: record.id }, reply: record },
    }),
  ],
})
