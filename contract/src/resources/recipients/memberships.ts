/** /users/:user_id/tenants: the tenants of a user, each with a profile for messages in that tenant. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { lastPage, listPage, listPageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, optionalObject, tenantId } from '../../api/values.ts'

/** Memberships of one call: one statement of a few milliseconds. */
export const membershipsPutMax = 500

export const Membership = Type.Object(
  {
    user_id: Type.String({ description: 'The user id.' }),
    tenant_id: Type.String({ description: 'The tenant id.' }),
    type: Type.Literal('user', { description: 'Always `user`.' }),
    profile: jsonObject('Profile that is merged over the profile of the user in messages for this tenant.'),
  },
  { title: 'Membership', description: 'Membership of a user in a tenant.' },
)
export type Membership = Static<typeof Membership>

export const membershipExample = {
  user_id: 'user-7',
  tenant_id: 'acme',
  type: 'user',
  profile: { email: 'ada@acme.example' },
}

export const MembershipPage = listPage(Membership, 'MembershipPage', 'A page of memberships.')

export const membershipProfile = optionalObject(
  'Profile that is merged over the profile of the user in messages for this tenant. Default: unchanged, for an existing membership.',
)

export const userParams = Type.Object({ user_id: id('The user id.') })
const bothParams = Type.Object({ user_id: id('The user id.'), tenant_id: tenantId('The tenant id.') })
const user = { user_id: 'user-7' }
const both = { ...user, tenant_id: 'acme' }

export default resource({
  name: 'memberships',
  position: 120,
  title: 'Memberships',
  description: 'Memberships of users in tenants, each with its own profile.',
  operations: [
    operation({
      id: 'memberships.list',
      method: 'GET',
      path: '/users/:user_id/tenants',
      summary: 'List the tenants of a user',
      description: 'Ordered by id. Empty for a user without tenants and for an unknown user.',
      params: userParams,
      query: Type.Object(listPageQuery),
      replies: { 200: MembershipPage },
      example: {
        params: user,
        reply: { type: 'list', items: [membershipExample], url: '/users/user-7/tenants', ...lastPage },
      },
    }),
    operation({
      id: 'memberships.add',
      method: 'PUT',
      path: '/users/:user_id/tenants',
      summary: 'Add a user to tenants',
      description:
        'Adds all memberships or, if a tenant does not exist, none. Other memberships of the user are unchanged.',
      params: userParams,
      body: Type.Object({
        tenants: Type.Array(Type.Object({ tenant_id: tenantId('The tenant id.'), profile: membershipProfile }), {
          maxItems: membershipsPutMax,
          description: 'Tenants. If a tenant occurs twice, the last entry applies.',
        }),
      }),
      replies: { 204: null },
      example: { params: user, body: { tenants: [{ tenant_id: 'acme', profile: { email: 'ada@acme.example' } }] } },
    }),
    operation({
      id: 'memberships.clear',
      method: 'DELETE',
      path: '/users/:user_id/tenants',
      summary: 'Remove a user from every tenant',
      params: userParams,
      replies: { 204: null },
      example: { params: user },
    }),
    operation({
      id: 'memberships.put',
      method: 'PUT',
      path: '/users/:user_id/tenants/:tenant_id',
      summary: 'Add a user to a tenant',
      params: bothParams,
      body: Type.Object({ profile: membershipProfile }),
      bodyOptional: true,
      replies: { 204: null, 404: ErrorBody },
      example: { params: both, body: { profile: { email: 'ada@acme.example' } } },
    }),
    operation({
      id: 'memberships.remove',
      method: 'DELETE',
      path: '/users/:user_id/tenants/:tenant_id',
      summary: 'Remove a user from a tenant',
      description: 'Succeeds if the user is not a member.',
      params: bothParams,
      replies: { 204: null },
      example: { params: both },
    }),
  ],
})
