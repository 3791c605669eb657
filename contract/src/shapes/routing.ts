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

export const condition = Type.String({
  maxLength: conditionCharactersMax,
  description: 'Used only while this expression over `data` and `profile` is true.',
})

export const ProviderName = Type.String({ minLength: 1, maxLength: 64 })
export const onlyProviders = 'Only these providers, in this order; the id of an integration stands for that one alone.'

/** Entries nest; four levels are more than anybody draws. */
export const ChannelRoute = Type.Object(
  {
    channel: Type.String({ minLength: 1, maxLength: 64, description: 'A channel or a provider.' }),
    method: optional(RoutingMethod),
    providers: optional(Type.Array(ProviderName, { maxItems: routingChannelsMax, description: onlyProviders })),
    if: optional(condition),
  },
  { title: 'ChannelRoute', description: 'A channel with settings of its own.' },
)

const NestedRouting = Type.Unsafe<{ method: 'single' | 'all'; channels: unknown[] }>({
  type: 'object',
  title: 'NestedRouting',
  description: 'A group inside a group: `{method, channels}` again.',
  required: ['channels'],
  properties: {
    method: { enum: ['single', 'all'], description: 'As above; `single` when it is left out.' },
    channels: { type: 'array', maxItems: routingChannelsMax, items: {}, description: 'Entries as above.' },
  },
})

export const MessageRouting = Type.Object(
  {
    method: optional(RoutingMethod),
    channels: optional(
      Type.Array(
        Type.Union([Type.String({ minLength: 1, maxLength: 64 }), ChannelRoute, NestedRouting], {
          description: 'A channel or provider by name, one with settings, or a group.',
        }),
        {
          maxItems: routingChannelsMax,
          description:
            'The channels, in order. Left out or empty: those of the notification, else every configured one.',
        },
      ),
    ),
  },
  { title: 'MessageRouting', description: 'Which channels, and whether one or all of them. Groups may nest.' },
)
export type MessageRouting = Static<typeof MessageRouting>
