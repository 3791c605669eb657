/** Effects of publishing a draft: recent messages, rendered with it and with the published version. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, nullable, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { RenderedContent } from '../../shapes/content.ts'
import { MessageStatus, Reason } from '../../shapes/status.ts'
import { NotificationInput } from './notifications.ts'

export const comparedPage = 100
export const comparedMax = 500
/** A reader looks at some of them. */
export const changedListed = 50

export const ComparedSide = Type.Object(
  {
    status: MessageStatus,
    reason: Type.Optional(Reason),
    error: Type.Optional(Type.String({ description: 'Why the message stops, or is not rendered.' })),
    route: Type.Array(
      Type.Object({
        channel: ChannelName,
        provider: Type.String({ description: 'The provider: `sendgrid`.' }),
        integration: Type.String({ description: 'The integration id.' }),
      }),
      { description: 'Candidates that are tried, in order.' },
    ),
    rendered: Type.Array(
      Type.Object({
        channel: ChannelName,
        provider: Type.String({ description: 'The provider: `sendgrid`.' }),
        content: Type.Optional(RenderedContent),
        error: Type.Optional(Type.String({ description: 'Error that prevents the request to the provider.' })),
      }),
      { description: 'Content of the candidates. `content` is absent when the reply would be too large with it.' },
    ),
  },
  { title: 'ComparedSide', description: 'A message as one of the versions makes it.' },
)
export type ComparedSide = Static<typeof ComparedSide>

export const ChangedMessage = Type.Object(
  {
    message_id: Type.String({ description: 'The message id.' }),
    recipient: Type.String({ description: 'The recipient id.' }),
    enqueued: timestamp('Time the message was accepted.'),
    differs: Type.Array(Type.Enum(['status', 'route', 'content']), {
      description:
        '`status`: the result of the decision; `route`: the candidates that are tried; `content`: what is rendered.',
    }),
    fails: Type.Boolean({
      description:
        'Whether a candidate cannot be rendered, or the message stops, and does not with the published version.',
    }),
    published: ComparedSide,
    draft: ComparedSide,
  },
  { title: 'ChangedMessage', description: 'A message that would be another one.' },
)
export type ChangedMessage = Static<typeof ChangedMessage>

export const NotificationChanges = Type.Object(
  {
    published: Type.String({ description: 'The published version: `v3`.' }),
    compared: Type.Integer({ minimum: 0, description: 'Messages that were compared.' }),
    changed: Type.Integer({ minimum: 0, description: 'Those among them that differ.' }),
    failed: Type.Integer({ minimum: 0, description: 'Those among the changed ones that fail.' }),
    oldest: nullable(timestamp('Time the oldest compared message was accepted; null for none.')),
    complete: Type.Boolean({
      description: 'False when the time for the comparison ran out before all messages were compared.',
    }),
    results: Type.Array(ChangedMessage, {
      maxItems: changedListed,
      description: 'Changed messages, newest first; those that fail go before the others.',
    }),
  },
  { title: 'NotificationChanges', description: 'Effects of publishing on recent messages.' },
)
export type NotificationChanges = Static<typeof NotificationChanges>

const content = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: 'Welcome aboard, {name}' },
    { type: 'text', content: 'Good to see you.' },
  ],
}

export default operationsOf('notifications', [
  operation({
    id: 'notifications.changes',
    origin: 'postrider',
    method: 'POST',
    path: '/notifications/:id/changes',
    access: 'key',
    summary: 'See what publishing would change',
    description:
      'Decides and renders the latest messages of the notification, of the last 24 hours, with its draft and with its published version, and compares both. Profiles, preferences, brands and integrations are those of now. Nothing is stored and no provider is called. Messages of erased recipients are left out.',
    params: Type.Object({ id: id('The notification id or its alias.') }),
    body: Type.Object(
      {
        notification: Type.Optional(NotificationInput),
        limit: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: comparedMax,
            description: `Messages that are compared. Default: ${comparedPage}.`,
          }),
        ),
      },
      { additionalProperties: false },
    ),
    bodyOptional: true,
    replies: { 200: NotificationChanges, 404: ErrorBody },
    example: {
      params: { id: 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA' },
      body: { notification: { name: 'Welcome', content }, limit: 50 },
      reply: { published: 'v1', compared: 0, changed: 0, failed: 0, oldest: null, complete: true, results: [] },
    },
  }),
])
