/** What a recipient wants to receive: by notification and category, and by topic. */
import { type Static, Type } from 'typebox'
import { momentText, nullable } from '../api/values.ts'
import { ChannelName, channels } from './channel.ts'
import { routingChannelsMax } from './routing.ts'

/** The preferences of a recipient, by notification and category, as JSON. They are read for every message. */
export const preferencesBytesMax = 64_000
/** Limits in time of one preference; one snooze is the usual number. */
export const preferenceRulesMax = 10

export const PreferenceStatus = Type.Enum(['OPTED_IN', 'OPTED_OUT', 'REQUIRED'], {
  title: 'PreferenceStatus',
  description: 'Whether it may be sent: `OPTED_IN`, `OPTED_OUT`, or `REQUIRED` (sent whatever the recipient chose).',
})
export type PreferenceStatus = Static<typeof PreferenceStatus>

/** `banner` is a channel of older clients: it is kept, and nothing is sent by it. */
export const PreferredChannel = Type.Enum([...channels, 'banner'], {
  title: 'PreferredChannel',
  description: 'A channel. `banner` is one of older clients: it is kept, and nothing is sent by it.',
})

const start = Type.Optional(nullable(momentText('When it begins; absent: at once.')))

const Snooze = Type.Object(
  {
    type: Type.Optional(Type.Literal('snooze', { description: 'The kind; a rule without one is a snooze.' })),
    start,
    until: Type.Optional(nullable(momentText('When it ends. Left out: the rule has no effect.'))),
  },
  {
    title: 'Snooze',
    description: 'Nothing is sent from its start until its end. Without an end it is kept and has no effect.',
  },
)

const OtherRule = Type.Object(
  {
    type: Type.Enum(['channel_preferences', 'status'], { description: 'The kind. It has no effect.' }),
    start,
    until: Type.Optional(nullable(momentText('When it ends.'))),
  },
  { title: 'OtherRule', description: 'A kind that older clients write; kept, without an effect.' },
)

export const Preference = Type.Object(
  {
    status: Type.Optional(PreferenceStatus),
    channel_preferences: Type.Optional(
      nullable(
        Type.Array(Type.Object({ channel: PreferredChannel }), {
          maxItems: routingChannelsMax,
          description: 'Only these channels are used, in this order; empty: any.',
        }),
      ),
    ),
    rules: Type.Optional(
      nullable(
        Type.Array(Type.Union([Snooze, OtherRule]), {
          maxItems: preferenceRulesMax,
          description: 'Limits in time; a snooze silences from its start until its end.',
        }),
      ),
    ),
  },
  { title: 'Preference', description: 'What a recipient wants of one notification or category.' },
)
export type Preference = Static<typeof Preference>

export const Preferences = Type.Object(
  {
    notifications: Type.Optional(
      Type.Union([Type.Record(Type.String(), Preference), Type.Null()], {
        description: 'By notification id, or by the event it is sent with.',
      }),
    ),
    categories: Type.Optional(
      Type.Union([Type.Record(Type.String(), Preference), Type.Null()], { description: 'By category.' }),
    ),
  },
  { title: 'Preferences', description: 'What a recipient wants to receive.' },
)
export type Preferences = Static<typeof Preferences>

export const channelList = (description: string) =>
  Type.Array(ChannelName, { maxItems: routingChannelsMax, description })
