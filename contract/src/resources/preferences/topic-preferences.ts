/** /users/:user_id/preferences: choices of users by topic, and defaults of tenants; the second generation of the API. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, nullable, timestamp } from '../../api/values.ts'
import { Preference, PreferenceStatus, PreferredChannel } from '../../shapes/preferences.ts'
import { routingChannelsMax } from '../../shapes/routing.ts'
import { topicsMax } from './topics.ts'

/** The limit of the public API. */
export const bulkTopicsMax = 50

const preferredChannels = (description: string) =>
  Type.Array(PreferredChannel, { maxItems: routingChannelsMax, description })

const choice = {
  status: PreferenceStatus,
  has_custom_routing: Type.Optional(
    nullable(Type.Boolean({ description: 'Whether only the channels of `custom_routing` are used, in order.' })),
  ),
  custom_routing: Type.Optional(nullable(preferredChannels('Channels to use, in order.'))),
}

const digestChoice = {
  digest_schedule_id: Type.Optional(
    nullable(id('Schedule of the digest of the topic; null for the default schedule. Default: unchanged.')),
  ),
}

export const TopicDefaultWrite = Type.Object(choice, {
  title: 'TopicDefaultWrite',
  description: 'Default for a topic, in a request.',
})
export type TopicDefaultWrite = Static<typeof TopicDefaultWrite>

export const TopicChoice = Type.Object(
  { ...choice, ...digestChoice },
  {
    title: 'TopicChoice',
    description: 'Choice for a topic, in a request.',
  },
)
export type TopicChoice = Static<typeof TopicChoice>

export const NamedTopicChoice = Type.Object(
  { topic_id: id('The topic id.'), ...choice, ...digestChoice },
  { title: 'NamedTopicChoice', description: 'Choice for a topic, with the topic id.' },
)
export type NamedTopicChoice = Static<typeof NamedTopicChoice>

const preferenceFields = {
  status: PreferenceStatus,
  has_custom_routing: Type.Boolean({ description: 'Whether only the channels of `custom_routing` are used.' }),
  custom_routing: preferredChannels('Channels to use, in order.'),
  digest_schedule_id: Type.Optional(
    Type.String({
      description: 'Schedule chosen for the digest of the topic; absent for the default schedule.',
    }),
  ),
}

export const StoredTopicChoice = Type.Object(
  { topic_id: Type.String({ description: 'The topic id.' }), ...preferenceFields },
  { title: 'StoredTopicChoice', description: 'Stored choice of a user for a topic.' },
)
export type StoredTopicChoice = Static<typeof StoredTopicChoice>

export const TopicError = Type.Object(
  {
    topic_id: Type.String({ description: 'Topic id, as sent.' }),
    reason: Type.String({ description: 'Reason why the choice cannot be stored.' }),
  },
  { title: 'TopicError', description: 'A choice that was not stored.' },
)
export type TopicError = Static<typeof TopicError>

export const TopicPreference = Type.Object(
  {
    topic_id: Type.String({ description: 'The topic id.' }),
    topic_name: Type.String({ description: 'Display name of the topic.' }),
    section_id: Type.String({ description: 'Section of the topic.' }),
    section_name: Type.String({ description: 'Display name of the section.' }),
    default_status: PreferenceStatus,
    ...preferenceFields,
  },
  {
    title: 'TopicPreference',
    description:
      'Preference of a user for a topic: `status` is the choice of the user, else `default_status`, which is the default of the tenant, else of the topic.',
  },
)
export type TopicPreference = Static<typeof TopicPreference>

export const preferenceChangesPage = 50
const changeSources = ['api', 'one_click', 'page', 'provider', 'erasure'] as const

export const PreferenceChange = Type.Object(
  {
    id: Type.String({ description: 'Id of the entry.' }),
    topic_id: Type.Optional(
      Type.String({
        description:
          'Topic of the choice; absent in a change of `preferences`, and for a recipient who unsubscribed at a provider.',
      }),
    ),
    tenant_id: Type.Optional(Type.String({ description: 'Tenant in which the choice applies; absent: everywhere.' })),
    status: Type.Optional(nullable(PreferenceStatus)),
    custom_routing: Type.Optional(
      Type.Array(PreferredChannel, { description: 'The only channels, in order; absent: no channels were chosen.' }),
    ),
    digest_schedule_id: Type.Optional(Type.String({ description: 'Schedule chosen for the digest of the topic.' })),
    preferences: Type.Optional(
      Type.Object(
        {
          notifications: Type.Record(Type.String(), Preference, { description: 'By notification id or event.' }),
          categories: Type.Record(Type.String(), Preference, { description: 'By category.' }),
        },
        { description: 'Preferences by notification and category after the change.' },
      ),
    ),
    source: Type.Enum([...changeSources], {
      description:
        'How it was changed. `api`: by a call. `one_click`: by the unsubscribe button of a mail program. `page`: on the page for recipients. `provider`: reported by a provider. `erasure`: removed with the user.',
    }),
    actor: Type.String({ description: 'API key (`key/backend`), provider (`provider/sendgrid`), or `recipient`.' }),
    message_id: Type.Optional(Type.String({ description: 'Message whose link or receipt it was.' })),
    ip: Type.Optional(Type.String({ description: 'Address of the browser or mail service.' })),
    user_agent: Type.Optional(Type.String({ description: 'Name of the browser or mail service.' })),
    created: timestamp('Time of the change.'),
  },
  {
    title: 'PreferenceChange',
    description:
      'An entry of the ledger of consent; a `status` of null removed the choice, so that its default applies.',
  },
)
export type PreferenceChange = Static<typeof PreferenceChange>

const change = {
  id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b6-1',
  topic_id: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7',
  status: 'OPTED_OUT',
  custom_routing: ['email'],
  source: 'api',
  actor: 'key/backend',
  created: 1_710_334_643_000,
} satisfies PreferenceChange

const user = Type.Object({ user_id: id('The user id.') })
const userTopic = Type.Object({ user_id: id('The user id.'), topic_id: id('The topic id.') })
const tenantTopic = Type.Object({ tenant_id: id('The tenant id.'), topic_id: id('The topic id.') })
const inTenant = Type.Object({
  tenant_id: Type.Optional(id('Tenant in which the preferences apply. Default: outside any tenant.')),
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
const items = Type.Array(StoredTopicChoice, { description: 'Stored choices after the call.' })

export default operationsOf('preferences', [
  operation({
    id: 'preferences.topics',
    method: 'GET',
    path: '/users/:user_id/preferences',
    token: { scope: 'read:preferences', user: 'user_id' },
    summary: "List a user's preferences by topic",
    description: 'Every topic of the workspace with the preference of the user.',
    params: user,
    query: inTenant,
    replies: {
      200: Type.Object({
        paging: Paging,
        items: Type.Array(TopicPreference, { maxItems: topicsMax, description: 'One entry for each topic.' }),
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
    description:
      'Topics that are not listed revert to their default. A choice that cannot be stored rejects the whole call.',
    params: user,
    query: inTenant,
    body: topics(0, 'All choices of the user.'),
    replies: {
      200: Type.Object({
        items,
        deleted: Type.Array(Type.String(), { description: 'Ids of the topics that reverted to their default.' }),
      }),
      400: Type.Object(
        { ...ErrorBody.properties, errors: Type.Optional(Type.Array(TopicError)) },
        { title: 'TopicsRefused', description: 'Nothing was stored; `errors` lists every rejected topic.' },
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
    description:
      'Other topics are unchanged. Choices that cannot be stored are listed in `errors`; the others are stored.',
    params: user,
    query: inTenant,
    body: topics(1, 'Choices to store.'),
    replies: {
      200: Type.Object({ items, errors: Type.Array(TopicError, { description: 'Choices that were rejected.' }) }),
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
    description: '`OPTED_OUT` unsubscribes the user from the topic. Users cannot opt out of a required topic.',
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
    summary: "Delete a user's choice for a topic",
    description: 'The default applies again. Succeeds if there is no choice.',
    params: userTopic,
    query: inTenant,
    replies: { 204: null },
    example: { params: { user_id: 'user-7', topic_id: topicId } },
  }),
  operation({
    id: 'preferences.history',
    origin: 'postrider',
    method: 'GET',
    path: '/users/:user_id/preference-history',
    token: { scope: 'read:preferences', user: 'user_id' },
    summary: "List the changes of a user's preferences",
    description:
      'The ledger of consent, newest first: who changed what, when and from where. Entries are never changed; an erasure removes the user from them. `ip` and `user_agent` are cleared when the retention of messages is over.',
    params: user,
    query: Type.Object({ ...pageQuery(preferenceChangesPage), topic_id: Type.Optional(id('Only this topic.')) }),
    replies: {
      200: Type.Object({ paging: Paging, results: Type.Array(PreferenceChange, { maxItems: pageMax }) }),
    },
    example: { params: { user_id: 'user-7' }, reply: { paging: { more: false }, results: [change] } },
  }),
  operation({
    id: 'preferences.putTenantDefault',
    method: 'PUT',
    path: '/tenants/:tenant_id/default_preferences/items/:topic_id',
    summary: 'Set the default of a tenant for a topic',
    audit: 'tenant:updated',
    description: 'Applies in the tenant and its descendants to users without a choice.',
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
    description: 'Succeeds if there is no default.',
    params: tenantTopic,
    replies: { 204: null },
    example: { params: { tenant_id: 'acme', topic_id: topicId } },
  }),
])
