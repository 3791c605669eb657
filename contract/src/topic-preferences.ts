/** /users/:user_id/preferences: what users want by topic, and what tenants set for them; the second generation of the API. */
import { Type } from 'typebox'
import { ErrorBody } from './errors.ts'
import { id } from './json.ts'
import { bulkTopicsMax, topicsMax } from './limits.ts'
import { operation } from './operation.ts'
import { Paging } from './paging.ts'
import {
  NamedTopicChoice,
  StoredTopicChoice,
  TopicChoice,
  TopicDefaultWrite,
  TopicPreference,
  TopicRefusal,
} from './preference.ts'

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

export const topicPreferenceOperations = [
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
] as const
