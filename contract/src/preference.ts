/** What a recipient wants to receive: by notification and category, and by topic. */
import { type Static, Type } from 'typebox'
import { ChannelName, channels } from './channel.ts'
import { id, momentText, nullable } from './json.ts'
import { preferenceRulesMax, routingChannelsMax } from './limits.ts'

export const PreferenceStatus = Type.Enum(['OPTED_IN', 'OPTED_OUT', 'REQUIRED'], {
  title: 'PreferenceStatus',
  description: 'Whether it may be sent: `OPTED_IN`, `OPTED_OUT`, or `REQUIRED` (sent whatever the recipient chose).',
})
export type PreferenceStatus = Static<typeof PreferenceStatus>

/** `banner` is a channel of older clients: it is kept, and nothing is sent by it. */
const PreferredChannel = Type.Enum([...channels, 'banner'], {
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

const preferredChannels = (description: string) =>
  Type.Array(PreferredChannel, { maxItems: routingChannelsMax, description })

const choice = {
  status: PreferenceStatus,
  has_custom_routing: Type.Optional(
    nullable(Type.Boolean({ description: 'True: only the channels of `custom_routing` are used, in their order.' })),
  ),
  custom_routing: Type.Optional(nullable(preferredChannels('The channels that are wanted.'))),
}

const digestChoice = {
  digest_schedule_id: Type.Optional(
    nullable(id('The schedule of the digest of the topic. Left out: it stays as it is; null: the default one.')),
  ),
}

export const TopicDefaultWrite = Type.Object(choice, {
  title: 'TopicDefaultWrite',
  description: 'What holds for a topic where nobody has chosen.',
})
export type TopicDefaultWrite = Static<typeof TopicDefaultWrite>

export const TopicChoice = Type.Object(
  { ...choice, ...digestChoice },
  {
    title: 'TopicChoice',
    description: 'What is wanted of a topic.',
  },
)
export type TopicChoice = Static<typeof TopicChoice>

export const NamedTopicChoice = Type.Object(
  { topic_id: id('The topic id.'), ...choice, ...digestChoice },
  { title: 'NamedTopicChoice', description: 'What is wanted of a topic, with the topic.' },
)
export type NamedTopicChoice = Static<typeof NamedTopicChoice>

const stored = {
  status: PreferenceStatus,
  has_custom_routing: Type.Boolean({ description: 'Whether only the channels of `custom_routing` are used.' }),
  custom_routing: preferredChannels('The channels that are wanted, in order.'),
  digest_schedule_id: Type.Optional(
    Type.String({
      description: 'The schedule that was chosen for the digest of the topic; absent on the default one.',
    }),
  ),
}

export const StoredTopicChoice = Type.Object(
  { topic_id: Type.String({ description: 'The topic id.' }), ...stored },
  { title: 'StoredTopicChoice', description: 'What a user chose for a topic, as it is stored now.' },
)
export type StoredTopicChoice = Static<typeof StoredTopicChoice>

export const TopicRefusal = Type.Object(
  {
    topic_id: Type.String({ description: 'The topic id as it was sent.' }),
    reason: Type.String({ description: 'Why it cannot be stored.' }),
  },
  { title: 'TopicRefusal', description: 'A topic whose choice was not stored.' },
)
export type TopicRefusal = Static<typeof TopicRefusal>

export const TopicPreference = Type.Object(
  {
    topic_id: Type.String({ description: 'The topic id.' }),
    topic_name: Type.String({ description: 'Its name for people.' }),
    section_id: Type.String({ description: 'The section it stands in.' }),
    section_name: Type.String({ description: 'The name of the section.' }),
    default_status: PreferenceStatus,
    ...stored,
  },
  {
    title: 'TopicPreference',
    description:
      'What holds for a user and a topic: `status` is what the user chose, else `default_status`, which is that of the tenant, else that of the topic.',
  },
)
export type TopicPreference = Static<typeof TopicPreference>
