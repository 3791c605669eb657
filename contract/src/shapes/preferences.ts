/** Preferences of a recipient by notification and category. */
import { type Static, Type } from 'typebox'
import { nullable, timestampText } from '../api/values.ts'
import { ChannelName, channels } from './channel.ts'
import { routingChannelsMax } from './routing.ts'

/** Preferences of a recipient, as JSON; they are read for every message. */
export const preferencesBytesMax = 64_000
/** Time-limited rules of one preference; one snooze is usual. */
export const preferenceRulesMax = 10

export const PreferenceStatus = Type.Enum(['OPTED_IN', 'OPTED_OUT', 'REQUIRED'], {
  title: 'PreferenceStatus',
  description: '`OPTED_IN`, `OPTED_OUT`, or `REQUIRED` (sent regardless of the choice of the recipient).',
})
export type PreferenceStatus = Static<typeof PreferenceStatus>

/** `banner` is a channel of older clients, stored without effect. */
export const PreferredChannel = Type.Enum([...channels, 'banner'], {
  title: 'PreferredChannel',
  description: 'A channel. `banner` is a channel of older clients, stored without effect.',
})

const start = Type.Optional(nullable(timestampText('Start of the rule. Default: immediately.')))

const Snooze = Type.Object(
  {
    type: Type.Optional(Type.Literal('snooze', { description: 'Kind of rule. Default: `snooze`.' })),
    start,
    until: Type.Optional(nullable(timestampText('End of the snooze. Without it the rule has no effect.'))),
  },
  {
    title: 'Snooze',
    description: 'Nothing is sent from its start until its end. Without an end it is stored without effect.',
  },
)

const OtherRule = Type.Object(
  {
    type: Type.Enum(['channel_preferences', 'status'], { description: 'Kind of rule, without effect.' }),
    start,
    until: Type.Optional(nullable(timestampText('End of the rule.'))),
  },
  { title: 'OtherRule', description: 'A rule of older clients, stored without effect.' },
)

export const Preference = Type.Object(
  {
    status: Type.Optional(PreferenceStatus),
    channel_preferences: Type.Optional(
      nullable(
        Type.Array(Type.Object({ channel: PreferredChannel }), {
          maxItems: routingChannelsMax,
          description: 'Channels to use, in order; empty: any channel.',
        }),
      ),
    ),
    rules: Type.Optional(
      nullable(
        Type.Array(Type.Union([Snooze, OtherRule]), {
          maxItems: preferenceRulesMax,
          description: 'Time-limited rules.',
        }),
      ),
    ),
  },
  { title: 'Preference', description: 'Preference of a recipient for one notification or category.' },
)
export type Preference = Static<typeof Preference>

export const Preferences = Type.Object(
  {
    notifications: Type.Optional(
      Type.Union([Type.Record(Type.String(), Preference), Type.Null()], {
        description: 'Preferences by notification id or event.',
      }),
    ),
    categories: Type.Optional(
      Type.Union([Type.Record(Type.String(), Preference), Type.Null()], { description: 'Preferences by category.' }),
    ),
  },
  { title: 'Preferences', description: 'Preferences of a recipient.' },
)
export type Preferences = Static<typeof Preferences>

export const channelList = (description: string) =>
  Type.Array(ChannelName, { maxItems: routingChannelsMax, description })
