/** Routing: the channels and providers of a message, and whether one or all of them are used. */
import { type Static, Type } from 'typebox'
import { conditionCharactersMax } from '../api/limits.ts'
import { id, nullable } from '../api/values.ts'
import { ChannelName } from './channel.ts'

/** Entries of an inline routing. */
export const routingChannelsMax = 20
/** Groups inside groups of a routing. */
export const routingDepthMax = 4

const optional = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))

export const RoutingMethod = Type.Enum(['single', 'all'], {
  description: '`single`: the first channel that succeeds. `all`: every channel.',
})

export const InlineRouting = Type.Object(
  {
    method: RoutingMethod,
    channels: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
      maxItems: routingChannelsMax,
      description: `Channels (${ChannelName.enum.join(', ')}) or providers, in order of preference.`,
    }),
  },
  { title: 'InlineRouting', description: 'Channels, and whether one or all of them are used.' },
)

export const NotificationRouting = Type.Union(
  [InlineRouting, Type.Object({ strategy_id: id('Id of a stored routing strategy.') })],
  { title: 'NotificationRouting', description: 'Inline routing, or the id of a stored strategy.' },
)
export type NotificationRouting = Static<typeof NotificationRouting>

export const condition = Type.String({
  maxLength: conditionCharactersMax,
  description: 'Condition: an expression over `data` and `profile` that must be true.',
})

export const ProviderName = Type.String({ minLength: 1, maxLength: 64 })
export const onlyProviders =
  'Providers to use, in order; the id or alias of an integration selects that integration only.'

export const ChannelRoute = Type.Object(
  {
    channel: Type.String({ minLength: 1, maxLength: 64, description: 'Channel or provider.' }),
    method: optional(RoutingMethod),
    providers: optional(Type.Array(ProviderName, { maxItems: routingChannelsMax, description: onlyProviders })),
    if: optional(condition),
  },
  { title: 'ChannelRoute', description: 'A channel with its own settings.' },
)

const NestedRouting = Type.Unsafe<{ method: 'single' | 'all'; channels: unknown[] }>({
  type: 'object',
  title: 'NestedRouting',
  description: 'A nested group: `{method, channels}`.',
  required: ['channels'],
  properties: {
    method: { enum: ['single', 'all'], description: '`single` or `all`. Default: `single`.' },
    channels: {
      type: 'array',
      maxItems: routingChannelsMax,
      items: {},
      description: 'Channels, providers or nested groups.',
    },
  },
})

export const MessageRouting = Type.Object(
  {
    method: optional(RoutingMethod),
    channels: optional(
      Type.Array(
        Type.Union([Type.String({ minLength: 1, maxLength: 64 }), ChannelRoute, NestedRouting], {
          description: 'A channel or provider by name, a channel with settings, or a nested group.',
        }),
        {
          maxItems: routingChannelsMax,
          description:
            'Channels in order of preference. Default: those of the notification, else every configured channel.',
        },
      ),
    ),
  },
  { title: 'MessageRouting', description: 'Channels, and whether one or all of them are used. Groups can be nested.' },
)
export type MessageRouting = Static<typeof MessageRouting>
