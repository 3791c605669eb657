/** /users/:user_id/preferences: what users want by topic, and what tenants set for them; the second generation of the API. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { Paging } from '../../api/paging.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, nullable } from '../../api/values.ts'
import { PreferenceStatus, PreferredChannel } from '../../shapes/preferences.ts'
import { routingChannelsMax } from '../../shapes/routing.ts'
import { topicsMax } from './topics.ts'

/** Choices of one bulk call, as in the public API. */
export const bulkTopicsMax = 50

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

const user = Type.Object({ user_id: id('The user id.') })
const userTopic = Type.Object({ user_id: id('The user id.'), topic_id: id('The topic id.') })
const tenantTopic = Type.Object({ tenant_id: id('The tenant id.'), topic_id: id('The topic id.') })
const inTenant = Type.Object({
  tenant_id: Type.Optional(id('What holds for the user in this tenant; absent: what holds everywhere.')),
})

const topicId = 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7'
const chosen = { status: 'OPTED_OUT', has_custom_routing: true, custom_routing: ['email'] }
const topic = {
  topic_id: topicId,
  topic_name: 'Orders',
  section_id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8',
  section_name: 'Shop',
  default_status: 'OPTED_IN',
  ...chosen,
}

const topics = (minItems: number, description: string) =>
  Type.Object({ topics: Type.Array(NamedTopicChoice, { minItems, maxItems: bulkTopicsMax, description }) })
const items = Type.Array(StoredTopicChoice, { description: 'The choices as they are stored now.' })

export default operationsOf('preferences', [
  operation({
    id: 'preferences.topics',
    method: 'GET',
    path: '/users/:user_id/preferences',
    token: { scope: 'read:preferences', user: 'user_id' },
    summary: "List a user's preferences by topic",
    description: 'Every topic of the workspace with what holds for the user.',
    params: user,
    query: inTenant,
    replies: {
      200: Type.Object({
        paging: Paging,
        items: Type.Array(TopicPreference, { maxItems: topicsMax, description: 'One for each topic.' }),
      }),
    },
    example: { params: { user_id: 'user-7' }, reply: { paging: { more: false }, items: [topic] } },
  }),
  operation({
    id: 'preferences.replaceTopics',
    method: 'PUT',
    path: '/users/:user_id/preferences',
    token: { scope: 'write:preferences', user: 'user_id' },
    summary: "Replace a user's choices for all topics",
    description: 'Topics that are not listed go back to their default. One that cannot be stored refuses all.',
    params: user,
    query: inTenant,
    body: topics(0, 'All choices of the user.'),
    replies: {
      200: Type.Object({
        items,
        deleted: Type.Array(Type.String(), { description: 'The topics that went back to their default.' }),
      }),
      400: Type.Object(
        { ...ErrorBody.properties, errors: Type.Optional(Type.Array(TopicRefusal)) },
        { title: 'TopicsRefused', description: 'Nothing was stored; `errors` names every topic at fault.' },
      ),
    },
    example: {
      params: { user_id: 'user-7' },
      body: { topics: [{ topic_id: topicId, ...chosen }] },
      reply: { items: [{ topic_id: topicId, ...chosen }], deleted: [] },
    },
  }),
  operation({
    id: 'preferences.updateTopics',
    method: 'POST',
    path: '/users/:user_id/preferences',
    token: { scope: 'write:preferences', user: 'user_id' },
    summary: "Store a user's choices for some topics",
    description: 'Other topics stay as they are. What cannot be stored is named in `errors`, the rest is stored.',
    params: user,
    query: inTenant,
    body: topics(1, 'The choices to store.'),
    replies: {
      200: Type.Object({ items, errors: Type.Array(TopicRefusal, { description: 'The topics that were refused.' }) }),
    },
    example: {
      params: { user_id: 'user-7' },
      body: { topics: [{ topic_id: topicId, ...chosen }] },
      reply: { items: [{ topic_id: topicId, ...chosen }], errors: [] },
    },
  }),
  operation({
    id: 'preferences.topic',
    method: 'GET',
    path: '/users/:user_id/preferences/:topic_id',
    token: { scope: 'read:preferences', user: 'user_id' },
    summary: "Get a user's preference for a topic",
    params: userTopic,
    query: inTenant,
    replies: { 200: Type.Object({ topic: TopicPreference }), 404: ErrorBody },
    example: { params: { user_id: 'user-7', topic_id: topicId }, reply: { topic } },
  }),
  operation({
    id: 'preferences.putTopic',
    method: 'PUT',
    path: '/users/:user_id/preferences/:topic_id',
    token: { scope: 'write:preferences', user: 'user_id' },
    summary: "Store a user's choice for a topic",
    description: 'A topic that is required cannot be opted out of.',
    params: userTopic,
    query: inTenant,
    body: Type.Object({ topic: TopicChoice }),
    replies: {
      200: Type.Object({ message: Type.Literal('success', { description: 'Always `success`.' }) }),
      404: ErrorBody,
    },
    example: {
      params: { user_id: 'user-7', topic_id: topicId },
      body: { topic: chosen },
      reply: { message: 'success' },
    },
  }),
  operation({
    id: 'preferences.deleteTopic',
    method: 'DELETE',
    path: '/users/:user_id/preferences/:topic_id',
    token: { scope: 'write:preferences', user: 'user_id' },
    summary: "Take a user's choice for a topic back",
    description: 'The default holds again. Succeeds as well where nothing was chosen.',
    params: userTopic,
    query: inTenant,
    replies: { 204: null },
    example: { params: { user_id: 'user-7', topic_id: topicId } },
  }),
  operation({
    id: 'preferences.putTenantDefault',
    method: 'PUT',
    path: '/tenants/:tenant_id/default_preferences/items/:topic_id',
    summary: 'Set the default of a tenant for a topic',
    audit: 'tenant:updated',
    description: 'It holds in the tenant and in tenants below it for users who chose nothing.',
    params: tenantTopic,
    body: TopicDefaultWrite,
    replies: { 204: null, 404: ErrorBody },
    example: { params: { tenant_id: 'acme', topic_id: topicId }, body: chosen },
  }),
  operation({
    id: 'preferences.deleteTenantDefault',
    method: 'DELETE',
    path: '/tenants/:tenant_id/default_preferences/items/:topic_id',
    summary: 'Remove the default of a tenant for a topic',
    audit: 'tenant:updated',
    description: 'Succeeds as well where there is none.',
    params: tenantTopic,
    replies: { 204: null },
    example: { params: { tenant_id: 'acme', topic_id: topicId } },
  }),
])
