/** /preferences/sections/:section_id/topics: subjects that recipients can opt in to or out of. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { chosenId, id, isoTimestamp, jsonObject, name, nullable } from '../../api/values.ts'
import { channelList, PreferenceStatus } from '../../shapes/preferences.ts'
import { digestExample, digestWriteExample, TopicDigest, TopicDigestWrite } from '../../shapes/topic-digest.ts'

/** Topics of one workspace; preferences of a user are listed without pages, as in the public API. */
export const topicsMax = 500
/** Custom data of a topic, as JSON; every list of sections contains it. */
export const topicDataBytesMax = 16_000

export const authorship = {
  created: isoTimestamp('Time of creation.'),
  creator: Type.String({ description: 'API key that created the record.' }),
  updated: isoTimestamp('Time of the last change.'),
  updater: Type.String({ description: 'API key of the last change.' }),
}
const AllowedPreference = Type.Enum(['snooze', 'channel_preferences'])
const allowedPreferences = (description: string) => Type.Array(AllowedPreference, { maxItems: 2, description })

const topic = {
  name: name('Display name.'),
  default_status: PreferenceStatus,
  routing_options: Type.Optional(
    nullable(channelList('Channels for users without a choice; empty: the channels of the notification.')),
  ),
  allowed_preferences: Type.Optional(
    nullable(allowedPreferences('Further choices that a preference page can offer; stored, not enforced.')),
  ),
  include_unsubscribe_header: Type.Optional(
    nullable(
      Type.Boolean({ description: 'Whether emails on the topic get a List-Unsubscribe header. Default: true.' }),
    ),
  ),
  topic_data: Type.Optional(nullable(jsonObject('Custom data, at most 16 kB.'))),
  digest: Type.Optional(
    Type.Union([TopicDigestWrite, Type.Null()], {
      description: 'Digest of the topic; null removes it. Default: unchanged.',
    }),
  ),
}

export const TopicWrite = Type.Object(topic, {
  title: 'TopicWrite',
  description: 'A topic, in a request to replace it.',
})
export type TopicWrite = Static<typeof TopicWrite>

export const TopicCreate = Type.Object(
  { id: chosenId(), ...topic },
  { title: 'TopicCreate', description: 'A topic, in a request to create it.' },
)

export const Topic = Type.Object(
  {
    id: Type.String({ description: 'The topic id.' }),
    name: topic.name,
    default_status: PreferenceStatus,
    routing_options: channelList('Channels for users without a choice; empty: the channels of the notification.'),
    allowed_preferences: allowedPreferences('Further choices that a preference page can offer.'),
    include_unsubscribe_header: Type.Boolean({
      description: 'Whether emails on the topic get a List-Unsubscribe header.',
    }),
    topic_data: jsonObject('Custom data.'),
    digest: Type.Optional(TopicDigest),
    ...authorship,
  },
  { title: 'Topic', description: 'A subject that recipients can opt in to or out of.' },
)
export type Topic = Static<typeof Topic>

export const topicExample: Topic = {
  id: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7',
  name: 'Orders',
  default_status: 'OPTED_IN',
  routing_options: ['email', 'push'],
  allowed_preferences: ['channel_preferences'],
  include_unsubscribe_header: true,
  topic_data: {},
  digest: digestExample,
  created: '2024-03-13T12:57:23.000Z',
  creator: 'key/backend',
  updated: '2024-03-13T12:57:23.000Z',
  updater: 'key/backend',
}

const section = Type.Object({ section_id: id('The section id.') })
const params = Type.Object({ section_id: id('The section id.'), topic_id: id('The topic id.') })
const inSection = { section_id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8' }
export const topicParamsExample = { ...inSection, topic_id: topicExample.id }
const write = {
  name: 'Orders',
  default_status: 'OPTED_IN',
  routing_options: ['email', 'push'],
  digest: digestWriteExample,
}

export default resource({
  name: 'topics',
  position: 160,
  title: 'Topics',
  description: 'Subjects that recipients can opt in to or out of.',
  impersonal: true,
  operations: [
    operation({
      id: 'topics.list',
      method: 'GET',
      path: '/preferences/sections/:section_id/topics',
      summary: 'List the topics of a section',
      description: 'Oldest first.',
      params: section,
      replies: { 200: Type.Object({ results: Type.Array(Topic, { maxItems: topicsMax }) }), 404: ErrorBody },
      example: { params: inSection, reply: { results: [topicExample] } },
    }),
    operation({
      id: 'topics.create',
      method: 'POST',
      path: '/preferences/sections/:section_id/topics',
      recommendedPerMinute: 20,
      summary: 'Create a topic',
      audit: 'topic:created',
      description: 'An id is unique in the workspace, whatever the section.',
      params: section,
      body: TopicCreate,
      replies: { 200: Topic, 404: ErrorBody, 409: ErrorBody },
      example: { params: inSection, body: write, reply: topicExample },
    }),
    operation({
      id: 'topics.get',
      method: 'GET',
      path: '/preferences/sections/:section_id/topics/:topic_id',
      summary: 'Get a topic',
      params,
      replies: { 200: Topic, 404: ErrorBody },
      example: { params: topicParamsExample, reply: topicExample },
    }),
    operation({
      id: 'topics.replace',
      method: 'PUT',
      path: '/preferences/sections/:section_id/topics/:topic_id',
      summary: 'Replace a topic',
      audit: 'topic:updated',
      description: 'Omitted fields are cleared, except `digest`. Choices of users are unchanged.',
      params,
      body: TopicWrite,
      replies: { 200: Topic, 404: ErrorBody, 409: ErrorBody },
      example: { params: topicParamsExample, body: write, reply: topicExample },
    }),
    operation({
      id: 'topics.archive',
      method: 'DELETE',
      path: '/preferences/sections/:section_id/topics/:topic_id',
      summary: 'Archive a topic',
      audit: 'topic:archived',
      description:
        'The topic is hidden and its default no longer applies. Users who opted out still receive no messages on the topic.',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: topicParamsExample },
    }),
  ],
})
