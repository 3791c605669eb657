/** /tenants: the customers of the caller whose users get messages, each with a profile and defaults of its own. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { lastPage, listPage, listPageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, name, nullable, optionalObject, tenantId } from '../../api/values.ts'
import { channels } from '../../shapes/channel.ts'
import { MembershipPage, membershipExample } from './memberships.ts'

/** Each of a tenant's properties and profile, as JSON: those of up to ten levels are read for one message. */
export const tenantBytesMax = 64_000
/** Levels of a tenant and those above it; organisations, regions, teams and projects need four. */
export const tenantLevelsMax = 10
/** Tenants below one that a send can reach: their ids stay within a few megabytes. */
export const tenantTreeMax = 100_000
/** Topics with a default of one tenant: they are written in one statement and shown with every record. */
export const tenantTopicsMax = 200

export const TopicDefault = Type.Object(
  {
    id: id('The topic id.'),
    status: Type.Enum(['OPTED_IN', 'OPTED_OUT', 'REQUIRED'], {
      description: 'What holds unless the user says otherwise.',
    }),
    has_custom_routing: Type.Optional(nullable(Type.Boolean({ description: 'True when `custom_routing` counts.' }))),
    custom_routing: Type.Optional(
      nullable(
        Type.Array(Type.Enum([...channels]), {
          maxItems: channels.length,
          description: 'The channels to use, in order.',
        }),
      ),
    ),
  },
  { title: 'TopicDefault', description: 'What a tenant wants for its users in one topic.' },
)
export type TopicDefault = Static<typeof TopicDefault>

export const DefaultPreferences = Type.Object(
  {
    items: Type.Optional(
      nullable(Type.Array(TopicDefault, { maxItems: tenantTopicsMax, description: 'One entry a topic.' })),
    ),
  },
  { title: 'DefaultPreferences', description: 'The topics for which a tenant has a default.' },
)

const bounded = `At most ${tenantBytesMax / 1_000} kB as JSON.`

/** What a tenant and an account are written with, beside their parent. */
export const tenantInput = {
  name: name('Name for people; templates have it as `{$.tenant.name}`.'),
  default_preferences: Type.Optional(
    Type.Union([DefaultPreferences, Type.Null()], {
      description: 'What holds for its users unless they say otherwise.',
    }),
  ),
  properties: optionalObject(`Values for templates: \`{$.tenant.plan}\`. ${bounded}`),
  user_profile: optionalObject(`Profile of each of its users, below what is stored for the user. ${bounded}`),
  brand_id: Type.Optional(nullable(id('Brand of messages sent for it, when the send names none.'))),
}

/** What both are shown with, beside their parent. */
export const tenantRecord = {
  id: Type.String({ description: 'The id.' }),
  name: Type.String({ description: 'Name for people.' }),
  properties: jsonObject('Values for templates.'),
  user_profile: jsonObject('Profile of each of its users.'),
  brand_id: nullable(Type.String({ description: 'Brand of messages sent for it; null for none.' })),
  default_preferences: Type.Object(
    {
      items: Type.Array(
        Type.Object(
          {
            id: Type.String({ description: 'The topic id.' }),
            status: Type.String({ description: 'What holds unless the user says otherwise.' }),
            has_custom_routing: Type.Boolean({ description: 'True when `custom_routing` counts.' }),
            custom_routing: Type.Array(Type.String(), { description: 'The channels to use, in order.' }),
          },
          { title: 'StoredTopicDefault', description: 'A default of a tenant.' },
        ),
        { description: 'One entry a topic.' },
      ),
    },
    { description: 'What holds for its users unless they say otherwise.' },
  ),
}

export const Tenant = Type.Object(
  {
    ...tenantRecord,
    parent_tenant_id: nullable(Type.String({ description: 'The tenant above it; null at the top.' })),
  },
  { title: 'Tenant', description: 'A customer of yours with its defaults.' },
)
export type Tenant = Static<typeof Tenant>

export const TenantInput = Type.Object(
  { ...tenantInput, parent_tenant_id: Type.Optional(nullable(tenantId('The tenant above it.'))) },
  { title: 'TenantInput', description: 'A tenant as it is written.' },
)
export type TenantInput = Static<typeof TenantInput>

const params = Type.Object({ tenant_id: tenantId('The tenant id.') })
const example = { tenant_id: 'acme' }

/** Without its parent. */
export const tenantExample = {
  id: 'acme',
  name: 'Acme',
  properties: { plan: 'gold' },
  user_profile: { locale: 'en-GB' },
  brand_id: null,
  default_preferences: { items: [] },
}
const tenant = { ...tenantExample, parent_tenant_id: null }

export default resource({
  name: 'tenants',
  position: 110,
  title: 'Tenants',
  description: 'Your customers: their place, profile, properties and defaults.',
  operations: [
    operation({
      id: 'tenants.list',
      method: 'GET',
      path: '/tenants',
      summary: 'List tenants',
      description: 'In the order of their ids.',
      query: Type.Object({
        ...listPageQuery,
        parent_tenant_id: Type.Optional(tenantId('Only those directly below this tenant.')),
      }),
      replies: { 200: listPage(Tenant, 'TenantPage', 'A page of tenants.') },
      example: { reply: { type: 'list', items: [tenant], url: '/tenants', ...lastPage } },
    }),
    operation({
      id: 'tenants.get',
      method: 'GET',
      path: '/tenants/:tenant_id',
      summary: 'Get a tenant',
      params,
      replies: { 200: Tenant, 404: ErrorBody },
      example: { params: example, reply: tenant },
    }),
    operation({
      id: 'tenants.put',
      method: 'PUT',
      path: '/tenants/:tenant_id',
      summary: 'Create or replace a tenant',
      audit: 'tenant:updated',
      description: `What is left out is taken away; its users stay. The tenant above it must exist. A tenant and those above it are at most ${tenantLevelsMax} levels, and none is above itself.`,
      params,
      body: TenantInput,
      replies: { 200: Tenant },
      example: {
        params: example,
        body: { name: 'Acme', properties: { plan: 'gold' }, user_profile: { locale: 'en-GB' } },
        reply: tenant,
      },
    }),
    operation({
      id: 'tenants.delete',
      method: 'DELETE',
      path: '/tenants/:tenant_id',
      summary: 'Delete a tenant',
      audit: 'tenant:deleted',
      description: 'Its users leave it and keep their profiles. A tenant above others is not deleted: 409.',
      params,
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'tenants.users',
      method: 'GET',
      path: '/tenants/:tenant_id/users',
      summary: 'List the users of a tenant',
      description: 'Those directly in it, in the order of their ids.',
      params,
      query: Type.Object(listPageQuery),
      replies: { 200: MembershipPage, 404: ErrorBody },
      example: {
        params: example,
        reply: { type: 'list', items: [membershipExample], url: '/tenants/acme/users', ...lastPage },
      },
    }),
  ],
})
