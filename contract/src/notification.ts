/** A notification (a template) as it is written, read and listed. */
import { type Static, Type } from 'typebox'
import { ChannelName } from './channel.ts'
import { ContentInput, NotificationContent } from './content.ts'
import { id, moment, name, nullable, text } from './json.ts'
import { conditionCharactersMax, routingChannelsMax, tagCharactersMax, tagsMax } from './limits.ts'

export const RoutingMethod = Type.Enum(['single', 'all'], {
  description: '`single`: the first channel that works. `all`: every channel.',
})

export const InlineRouting = Type.Object(
  {
    method: RoutingMethod,
    channels: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: routingChannelsMax,
      description: `Channels (${ChannelName.enum.join(', ')}) or providers, in order.`,
    }),
  },
  { title: 'InlineRouting', description: 'Which channels, and whether one or all of them.' },
)

export const NotificationRouting = Type.Union(
  [InlineRouting, Type.Object({ strategy_id: id('A stored routing strategy.') })],
  { title: 'NotificationRouting', description: 'Routing written here, or a stored strategy by id.' },
)
export type NotificationRouting = Static<typeof NotificationRouting>

export const NotificationSettings = Type.Object(
  {
    delivery_policy: Type.Optional(
      Type.Enum(['default', 'at_most_once'], {
        description:
          '`default`: an interrupted attempt is repeated. `at_most_once`: it is not, for one-time codes and the like.',
      }),
    ),
    on_missing_variable: Type.Optional(
      Type.Enum(['keep', 'fail'], {
        description: '`keep`: `{name}` stays as written. `fail`: the message is not sent.',
      }),
    ),
    category: Type.Optional(
      name('The category it belongs to: recipients can have preferences for all of it, under this name.'),
    ),
    if: Type.Optional(
      Type.String({ maxLength: conditionCharactersMax, description: 'Sent only while this expression is true.' }),
    ),
  },
  {
    title: 'NotificationSettings',
    description: 'How the notification behaves. Settings not named here are refused.',
    // A misspelt `delivery_policy` would send a one-time code twice.
    additionalProperties: false,
  },
)
export type NotificationSettings = Static<typeof NotificationSettings>

export const NotificationState = Type.Enum(['DRAFT', 'PUBLISHED'], {
  title: 'NotificationState',
  description: '`PUBLISHED` publishes what is written at once; `DRAFT` keeps it for keys of the kind `draft`.',
})
export type NotificationState = Static<typeof NotificationState>

const shared = {
  name: name('Name for people.'),
  tags: Type.Array(Type.String({ minLength: 1, maxLength: tagCharactersMax }), {
    maxItems: tagsMax,
    description: 'Tags to find it by.',
  }),
  brand: Type.Union([Type.Object({ id: id('The brand id.') }), Type.Null()], {
    description: 'Brand to render with; null for the default of the workspace.',
  }),
  subscription: Type.Union([Type.Object({ topic_id: id('The topic id.') }), Type.Null()], {
    description: 'The topic recipients can opt out of; null for none.',
  }),
  routing: Type.Union([NotificationRouting, Type.Null()], {
    description: 'Null tries the channels of the content, else every channel in the default order.',
  }),
}

export const NotificationInput = Type.Object(
  {
    name: shared.name,
    content: ContentInput,
    tags: Type.Optional(shared.tags),
    brand: Type.Optional(shared.brand),
    subscription: Type.Optional(shared.subscription),
    routing: Type.Optional(shared.routing),
    alias: Type.Optional(nullable(id('A second name to send it by.'))),
    settings: Type.Optional(NotificationSettings),
  },
  { title: 'NotificationInput', description: 'A notification as it is written.' },
)
export type NotificationInput = Static<typeof NotificationInput>

export const NotificationWrite = Type.Object(
  { notification: NotificationInput, state: Type.Optional(NotificationState) },
  { title: 'NotificationWrite', description: 'A notification and whether it is published at once.' },
)
export type NotificationWrite = Static<typeof NotificationWrite>

const record = {
  id: Type.String({ description: 'The notification id.' }),
  state: NotificationState,
  created: moment('When it was created.'),
  creator: Type.String({ description: 'The key that created it.' }),
  updated: Type.Optional(moment('When it last changed.')),
  updater: Type.Optional(Type.String({ description: 'The key that last changed it.' })),
}

export const Notification = Type.Object(
  {
    ...record,
    ...shared,
    content: NotificationContent,
    alias: Type.Optional(Type.String({ description: 'A second name to send it by.' })),
    settings: NotificationSettings,
    version: Type.String({ description: 'The version shown: `draft`, or a published one such as `v3`.' }),
  },
  { title: 'Notification', description: 'A notification with its content.' },
)
export type Notification = Static<typeof Notification>

export const NotificationSummary = Type.Object(
  {
    ...record,
    name: shared.name,
    alias: Type.Optional(Type.String({ description: 'A second name to send it by.' })),
    title: Type.String({ description: 'The name again, as older clients read it.' }),
    created_at: moment('`created` again, as older clients read it.'),
    updated_at: moment('`updated` again, as older clients read it; `created` when it never changed.'),
    routing: Type.Object(
      {
        method: RoutingMethod,
        channels: Type.Array(Type.String(), { description: 'The channels in order.' }),
      },
      { description: 'The routing in force.' },
    ),
    tags: Type.Union(
      [
        Type.Array(Type.String()),
        Type.Object({
          data: Type.Array(
            Type.Object({
              id: Type.String({ description: 'The tag.' }),
              name: Type.String({ description: 'The tag.' }),
            }),
          ),
        }),
        Type.Null(),
      ],
      { description: 'The tags.' },
    ),
    topic_id: Type.Union([Type.String(), Type.Null()], { description: 'The topic; null for none.' }),
    note: Type.Optional(text('A note of its author.')),
  },
  { title: 'NotificationSummary', description: 'A notification as lists show it.' },
)
export type NotificationSummary = Static<typeof NotificationSummary>

export const NotificationVersion = Type.Object(
  {
    version: Type.String({ description: '`draft`, or a published version such as `v3`.' }),
    created: moment('When it was published or, for the draft, last changed.'),
    creator: Type.String({ description: 'The key that made it.' }),
    has_changes: Type.Optional(
      Type.Boolean({ description: 'Of the draft: whether it differs from what is published.' }),
    ),
  },
  { title: 'NotificationVersion', description: 'One version of a notification.' },
)
export type NotificationVersion = Static<typeof NotificationVersion>
