/** Topics and the sections they stand in, as they are written and read. */
import { type Static, Type } from 'typebox'
import { digestExample, TopicDigest, TopicDigestWrite } from './digest.ts'
import { jsonObject, name, nullable } from './json.ts'
import { topicsMax } from './limits.ts'
import { channelList, PreferenceStatus } from './preference.ts'

const iso = (description: string) => Type.String({ description: `${description} ISO 8601.` })

const author = {
  created: iso('When it was created.'),
  creator: Type.String({ description: 'The key that created it.' }),
  updated: iso('When it last changed.'),
  updater: Type.String({ description: 'The key that last changed it.' }),
}
const recordId = Type.String({ description: 'The id.' })

const section = {
  name: name('Name for people.'),
  routing_options: Type.Optional(
    nullable(
      channelList('The channels its topics use that name none of their own, when `has_custom_routing` is true.'),
    ),
  ),
  has_custom_routing: Type.Optional(
    nullable(Type.Boolean({ description: 'Whether `routing_options` hold for its topics; false unless given.' })),
  ),
}

const AllowedPreference = Type.Enum(['snooze', 'channel_preferences'])
const allowedPreferences = (description: string) => Type.Array(AllowedPreference, { maxItems: 2, description })

const topic = {
  name: name('Name for people.'),
  default_status: PreferenceStatus,
  routing_options: Type.Optional(
    nullable(channelList('The channels for who chose none; empty: those of the notification.')),
  ),
  allowed_preferences: Type.Optional(
    nullable(allowedPreferences('What a page may offer to a recipient beside in and out; kept, not enforced.')),
  ),
  include_unsubscribe_header: Type.Optional(
    nullable(Type.Boolean({ description: 'Whether mails about it are to carry a list-unsubscribe header.' })),
  ),
  topic_data: Type.Optional(nullable(jsonObject('Anything else that is to be kept with it, at most 16 kB.'))),
  digest: Type.Optional(
    Type.Union([TopicDigestWrite, Type.Null()], {
      description: 'Events collected into one message. Left out: it stays as it is; null: there is none.',
    }),
  ),
}

export const TopicWrite = Type.Object(topic, { title: 'TopicWrite', description: 'A topic as it is written.' })
export type TopicWrite = Static<typeof TopicWrite>

export const Topic = Type.Object(
  {
    id: recordId,
    name: topic.name,
    default_status: PreferenceStatus,
    routing_options: channelList('The channels for who chose none; empty: those of the notification.'),
    allowed_preferences: allowedPreferences('What a page may offer to a recipient beside in and out.'),
    include_unsubscribe_header: Type.Boolean({ description: 'Whether mails about it are to carry such a header.' }),
    topic_data: jsonObject('What else is kept with it.'),
    digest: Type.Optional(TopicDigest),
    ...author,
  },
  { title: 'Topic', description: 'A subject that recipients can opt in to or out of.' },
)
export type Topic = Static<typeof Topic>

export const SectionWrite = Type.Object(section, {
  title: 'SectionWrite',
  description: 'A section as it is written.',
})
export type SectionWrite = Static<typeof SectionWrite>

export const Section = Type.Object(
  {
    id: recordId,
    name: section.name,
    routing_options: channelList('The channels of its topics that name none of their own.'),
    has_custom_routing: Type.Boolean({ description: 'Whether `routing_options` hold for its topics.' }),
    ...author,
    topics: Type.Array(Topic, { maxItems: topicsMax, description: 'Its topics, oldest first.' }),
  },
  { title: 'Section', description: 'A heading with its topics.' },
)
export type Section = Static<typeof Section>

export const topicExample: Topic = {
  id: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7',
  name: 'Orders',
  default_status: 'OPTED_IN',
  routing_options: ['email', 'push'],
  allowed_preferences: ['channel_preferences'],
  include_unsubscribe_header: false,
  topic_data: {},
  digest: digestExample,
  created: '2024-03-13T12:57:23.000Z',
  creator: 'key/backend',
  updated: '2024-03-13T12:57:23.000Z',
  updater: 'key/backend',
}

export const sectionExample: Section = {
  id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8',
  name: 'Shop',
  routing_options: [],
  has_custom_routing: false,
  created: '2024-03-13T12:57:23.000Z',
  creator: 'key/backend',
  updated: '2024-03-13T12:57:23.000Z',
  updater: 'key/backend',
  topics: [topicExample],
}
