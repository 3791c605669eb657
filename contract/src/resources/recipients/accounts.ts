/** /accounts and writes of /users: tenants and memberships under the names of older clients. */
import { Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { lastPage, listPage, listPageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { nullable, optionalObject, tenantId } from '../../api/values.ts'
import { membershipProfile, membershipsPutMax, userParams } from './memberships.ts'
import { tenantExample, tenantInput, tenantRecord } from './tenants.ts'

export const Account = Type.Object(
  {
    ...tenantRecord,
    parent_account_id: nullable(Type.String({ description: 'Id of the parent tenant; null at the top level.' })),
  },
  { title: 'Account', description: 'A tenant, under the name of older clients.' },
)

const AccountInput = Type.Object(
  { ...tenantInput, parent_account_id: Type.Optional(nullable(tenantId('Id of the parent tenant.'))) },
  { title: 'AccountInput', description: 'A tenant, in a request of older clients.' },
)

const accounts = Type.Array(Type.Object({ account_id: tenantId('The tenant id.'), profile: membershipProfile }), {
  maxItems: membershipsPutMax,
  description: 'Tenants of the user. Other memberships are unchanged.',
})

const params = Type.Object({ account_id: tenantId('The tenant id.') })
const example = { account_id: 'acme' }
const account = { ...tenantExample, parent_account_id: null }
const user = { user_id: 'user-7' }

export default resource({
  name: 'accounts',
  position: 130,
  title: 'Accounts',
  description: 'Tenants under the names of older clients.',
  operations: [
    operation({
      id: 'accounts.list',
      method: 'GET',
      path: '/accounts',
      summary: 'List tenants (as accounts)',
      query: Type.Object({
        ...listPageQuery,
        parent_account_id: Type.Optional(tenantId('Parent tenant of the tenants to list.')),
      }),
      replies: { 200: listPage(Account, 'AccountPage', 'A page of tenants.') },
      example: { reply: { type: 'list', items: [account], url: '/accounts', ...lastPage } },
    }),
    operation({
      id: 'accounts.get',
      method: 'GET',
      path: '/accounts/:account_id',
      summary: 'Get a tenant (as an account)',
      params,
      replies: { 200: Account, 404: ErrorBody },
      example: { params: example, reply: account },
    }),
    operation({
      id: 'accounts.put',
      method: 'PUT',
      path: '/accounts/:account_id',
      summary: 'Create or replace a tenant (as an account)',
      audit: 'tenant:updated',
      params,
      body: AccountInput,
      replies: { 200: Account },
      example: { params: example, body: { name: 'Acme' }, reply: account },
    }),
    operation({
      id: 'accounts.delete',
      method: 'DELETE',
      path: '/accounts/:account_id',
      summary: 'Delete a tenant (as an account)',
      audit: 'tenant:deleted',
      params,
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'accounts.putUser',
      method: 'PUT',
      path: '/users/:user_id',
      summary: 'Write the profile and tenants of a user',
      description: 'Replaces the profile, if present, and adds the user to the tenants, all or nothing.',
      params: userParams,
      body: Type.Object({
        profile: optionalObject('Profile of the user.'),
        accounts: Type.Optional(nullable(accounts)),
      }),
      replies: { 204: null },
      example: { params: user, body: { profile: { email: 'ada@example.com' }, accounts: [{ account_id: 'acme' }] } },
    }),
    operation({
      id: 'accounts.addUser',
      method: 'PUT',
      path: '/users/:user_id/accounts',
      summary: 'Add a user to tenants (as accounts)',
      params: userParams,
      description: 'The body is an array, or an object with `accounts`.',
      body: Type.Union([accounts, Type.Object({ accounts })]),
      replies: { 204: null },
      example: { params: user, body: { accounts: [{ account_id: 'acme' }] } },
    }),
  ],
})
