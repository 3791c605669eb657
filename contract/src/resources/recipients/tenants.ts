/** /tenants: your customers, each with a profile and defaults for its users. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { lastPage, listPage, listPageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, name, nullable, optionalObject, tenantId } from '../../api/values.ts'
import { channels } from '../../shapes/channel.ts'
import { MembershipPage, membershipExample } from './memberships.ts'

/** Properties or user profile of a tenant, as JSON; up to ten levels are read for one message. */
export const tenantBytesMax = 64_000
/** Levels of a tenant and its ancestors; organizations, regions, teams and projects need four. */
export const tenantLevelsMax = 10
/** Descendants of a tenant that a send can reach: their ids take a few megabytes. */
export const tenantTreeMax = 100_000
/** Topic defaults of one tenant: they are written in one statement and returned with every record. */
export const tenantTopicsMax = 200

export const TopicDefault = Type.Object(
  {
    id: id('The topic id.'),
    status: Type.Enum(['OPTED_IN', 'OPTED_OUT', 'REQUIRED'], {
      description: 'Default status for users without a choice.',
    }),
    has_custom_routing: Type.Optional(nullable(Type.Boolean({ description: 'Whether `custom_routing` applies.' }))),
    custom_routing: Type.Optional(
      nullable(
        Type.Array(Type.Enum([...channels]), {
          maxItems: channels.length,
          description: 'Channels to use, in order.',
        }),
      ),
    ),
  },
  { title: 'TopicDefault', description: 'Default of a tenant for one topic.' },
)
export type TopicDefault = Static<typeof TopicDefault>

export const DefaultPreferences = Type.Object(
  {
    items: Type.Optional(
      nullable(Type.Array(TopicDefault, { maxItems: tenantTopicsMax, description: 'One entry for each topic.' })),
    ),
  },
  { title: 'DefaultPreferences', description: 'Topic defaults of a tenant.' },
)

const bounded = `At most ${tenantBytesMax / 1_000} kB as JSON.`

/** The fields of a tenant or account in a request, without the parent. */
export const tenantInput = {
  name: name('Display name; available in templates as `{$.tenant.name}`.'),
  default_preferences: Type.Optional(
    Type.Union([DefaultPreferences, Type.Null()], {
      description: 'Topic defaults for its users.',
    }),
  ),
  properties: optionalObject(`Values for templates: \`{$.tenant.plan}\`. ${bounded}`),
  user_profile: optionalObject(
    `Default profile of its users; the stored profile of a user is merged over it. ${bounded}`,
  ),
  brand_id: Type.Optional(nullable(id('Default brand of messages for this tenant.'))),
}

/** The fields of a tenant or account in a reply, without the parent. */
export const tenantRecord = {
  id: Type.String({ description: 'The tenant id.' }),
  name: Type.String({ description: 'Display name.' }),
  properties: jsonObject('Values for templates.'),
  user_profile: jsonObject('Default profile of its users.'),
  brand_id: nullable(Type.String({ description: 'Default brand of messages for this tenant; null for none.' })),
  default_preferences: Type.Object(
    {
      items: Type.Array(
        Type.Object(
          {
            id: Type.String({ description: 'The topic id.' }),
            status: Type.String({ description: 'Default status for users without a choice.' }),
            has_custom_routing: Type.Boolean({ description: 'Whether `custom_routing` applies.' }),
            custom_routing: Type.Array(Type.String(), { description: 'Channels to use, in order.' }),
          },
          { title: 'StoredTopicDefault', description: 'A stored topic default of a tenant.' },
        ),
        { description: 'One entry for each topic.' },
      ),
    },
    { description: 'Topic defaults for its users.' },
  ),
}

export const Tenant = Type.Object(
  {
    ...tenantRecord,
    parent_tenant_id: nullable(Type.String({ description: 'Id of the parent tenant; null at the top level.' })),
  },
  { title: 'Tenant', description: 'A customer of yours, with its defaults.' },
)
export type Tenant = Static<typeof Tenant>

export const TenantInput = Type.Object(
  { ...tenantInput, parent_tenant_id: Type.Optional(nullable(tenantId('Id of the parent tenant.'))) },
  { title: 'TenantInput', description: 'A tenant, in a request.' },
)
export type TenantInput = Static<typeof TenantInput>

const params = Type.Object({ tenant_id: tenantId('The tenant id.') })
const example = { tenant_id: 'acme' }

/** A tenant or account without its parent. */
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
  description: 'Your customers: hierarchy, user profiles, properties and defaults.',
  operations: [
    operation({
      id: 'tenants.list',
      method: 'GET',
      path: '/tenants',
      summary: 'List tenants',
      description: 'Ordered by id.',
      query: Type.Object({
        ...listPageQuery,
        parent_tenant_id: Type.Optional(tenantId('Parent tenant of the tenants to list.')),
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
      description: `Omitted fields are cleared; its users are unchanged. The parent must exist. A tenant and its ancestors form at most ${tenantLevelsMax} levels, without cycles.`,
      preconditions: ['absent'],
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
      description: 'Removes its memberships; profiles of users are unchanged. A tenant with child tenants returns 409.',
      params,
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'tenants.users',
      method: 'GET',
      path: '/tenants/:tenant_id/users',
      summary: 'List the users of a tenant',
      description: 'Direct members only, ordered by id.',
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
