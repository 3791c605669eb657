/** POST /notifications/preview: the content of a notification, as it would be rendered for a recipient. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, optionalObject, tenantId, text } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { RenderedContent } from '../../shapes/content.ts'
import { NotificationInput } from './notifications.ts'

/** Channels and providers of one preview. */
export const previewedMax = 20

export const NotificationPreviewRequest = Type.Object(
  {
    notification_id: Type.Optional(id('A stored notification: its id or alias, or an event that is mapped to it.')),
    version: Type.Optional(
      text(
        'With `notification_id`: `draft`, `published` or a version such as `v3`. Default: `published`, else `draft`.',
      ),
    ),
    notification: Type.Optional(NotificationInput),
    recipient: Type.Optional(id('A user, whose stored profile is used. Default: a sample user without a profile.')),
    profile: optionalObject('Profile values: merged over the stored profile, key by key.'),
    data: optionalObject('Values of the template variables.'),
    locale: Type.Optional(text('Locale of the content; it takes precedence over that of the profile.')),
    brand_id: Type.Optional(id('Brand. Default: that of the tenant, of the notification or of the workspace.')),
    tenant_id: Type.Optional(tenantId('Tenant in which it would be sent.')),
    channels: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: previewedMax,
        description: `Channels (${ChannelName.enum.join(', ')}), or providers for text in their markup. Default: those of its routing or its content, else email, sms, push and every other channel with an integration.`,
      }),
    ),
  },
  {
    title: 'NotificationPreviewRequest',
    description: 'A notification (`notification_id` or `notification`), and for whom it is rendered.',
    additionalProperties: false,
  },
)
export type NotificationPreviewRequest = Static<typeof NotificationPreviewRequest>

export const ChannelPreview = Type.Object(
  {
    channel: ChannelName,
    provider: Type.Optional(
      Type.String({
        description: 'Provider whose markup the text has; absent where no provider but the mailbox serves the channel.',
      }),
    ),
    content: RenderedContent,
    error: Type.Optional(
      Type.String({
        description: 'Why a message would fail. For a variable without a value, `content` shows `{name}`.',
      }),
    ),
  },
  { title: 'ChannelPreview', description: 'The content of a notification for one channel.' },
)
export type ChannelPreview = Static<typeof ChannelPreview>

export const NotificationPreview = Type.Object(
  {
    notification: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'The notification id.' }),
          version: Type.String({ description: '`draft` or a published version: `v3`.' }),
        },
        { description: 'The stored notification; absent for one of the request.' },
      ),
    ),
    locale: Type.Optional(Type.String({ description: 'Locale of the recipient; absent where there is none.' })),
    results: Type.Array(ChannelPreview, { description: 'The content by channel, in order.' }),
    missing: Type.Array(Type.String(), { description: 'Variables without a value, as they are written.' }),
    warnings: Type.Array(Type.String(), {
      description:
        'Mistakes, in words: variables without a value and other parts that are not rendered as written, each with its path, names of nothing, an email larger than Gmail shows.',
    }),
  },
  { title: 'NotificationPreview', description: 'A notification as it would be rendered for a recipient.' },
)
export type NotificationPreview = Static<typeof NotificationPreview>

export default operationsOf('notifications', [
  operation({
    id: 'notifications.preview',
    origin: 'postrider',
    computesReply: true,
    method: 'POST',
    path: '/notifications/preview',
    access: 'key',
    summary: 'Preview a notification',
    description:
      'Renders a stored notification, or one that is not stored, for a recipient and for each channel. Addresses, preferences, conditions and integrations do not stop it: `POST /explain` says what would become of a send. Links to unsubscribe are samples. Nothing is stored and no provider is called.',
    body: NotificationPreviewRequest,
    replies: { 200: NotificationPreview, 404: ErrorBody },
    example: {
      body: {
        notification: {
          name: 'Welcome',
          content: {
            version: '2022-01-01',
            elements: [
              { type: 'meta', title: 'Welcome, {name}' },
              { type: 'text', content: 'Good to see you.' },
            ],
          },
        },
        data: { name: 'Ada' },
        locale: 'en',
        channels: ['sms'],
      },
      reply: {
        locale: 'en',
        results: [
          {
            channel: 'sms',
            content: {
              html: '',
              title: 'Welcome, Ada',
              body: 'Good to see you.',
              subject: '',
              text: 'Good to see you.',
              blocks: [{ type: 'text', text: 'Good to see you.' }],
              sms: { encoding: 'GSM-7', segments: 1, characters: 16, units: 16 },
            },
          },
        ],
        missing: [],
        warnings: [],
      },
    },
  }),
])
