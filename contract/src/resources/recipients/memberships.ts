/** /users/:user_id/tenants: which tenants a user is in, with a profile that counts there only. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { lastPage, listPage, listPageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, optionalObject, tenantId } from '../../api/values.ts'

/** Memberships written by one call: one statement of a few milliseconds. */
export const membershipsPutMax = 500

export const Membership = Type.Object(
  {
    user_id: Type.String({ description: 'The user.' }),
    tenant_id: Type.String({ description: 'The tenant.' }),
    type: Type.Literal('user', { description: 'Always `user`.' }),
    profile: jsonObject('What is merged over the profile of the user in messages for this tenant.'),
  },
  { title: 'Membership', description: 'A user in a tenant.' },
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
  'Merged over the profile of the user in messages for this tenant. Without it, the one of a membership that exists stays.',
)

export const userParams = Type.Object({ user_id: id('The user.') })
const bothParams = Type.Object({ user_id: id('The user.'), tenant_id: tenantId('The tenant.') })
const user = { user_id: 'user-7' }
const both = { ...user, tenant_id: 'acme' }

export default resource({
  name: 'memberships',
  position: 120,
  title: 'Memberships',
  description: 'Which users are in which tenants, each with a profile for there.',
  operations: [
    operation({
      id: 'memberships.list',
      method: 'GET',
      path: '/users/:user_id/tenants',
      summary: 'List the tenants of a user',
      description: 'In the order of their ids. A user who is in none, or unknown, has an empty list.',
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
      summary: 'Put a user into tenants',
      description: 'All of them or, when one does not exist, none. Other tenants of the user stay.',
      params: userParams,
      body: Type.Object({
        tenants: Type.Array(Type.Object({ tenant_id: tenantId('The tenant.'), profile: membershipProfile }), {
          maxItems: membershipsPutMax,
          description: 'The tenants. Of one named twice the last entry counts.',
        }),
      }),
      replies: { 204: null },
      example: { params: user, body: { tenants: [{ tenant_id: 'acme', profile: { email: 'ada@acme.example' } }] } },
    }),
    operation({
      id: 'memberships.clear',
      method: 'DELETE',
      path: '/users/:user_id/tenants',
      summary: 'Take a user out of every tenant',
      params: userParams,
      replies: { 204: null },
      example: { params: user },
    }),
    operation({
      id: 'memberships.put',
      method: 'PUT',
      path: '/users/:user_id/tenants/:tenant_id',
      summary: 'Put a user into a tenant',
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
      summary: 'Take a user out of a tenant',
      description: 'Succeeds as well when the user is not in it.',
      params: bothParams,
      replies: { 204: null },
      example: { params: both },
    }),
  ],
})
