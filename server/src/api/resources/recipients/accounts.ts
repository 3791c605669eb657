/** /accounts and the writes of /users: what tenants and memberships do, by the names that older clients use. */
import type { SuccessOf, Tenant } from '@postrider/contract'
import { listPage, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { putUser, unknownTenant } from './memberships.ts'
import { removeTenant, tenantNamed, tenantPage, writeTenant } from './tenants.ts'

const account = ({ parent_tenant_id, ...rest }: Tenant): SuccessOf<'accounts.get'> => ({
  ...rest,
  parent_account_id: parent_tenant_id,
})

const placeOf = ({ account_id, profile }: { account_id: string; profile?: Record<string, unknown> | null }) => ({
  tenantId: account_id,
  profile,
})

export const accounts = {
  'accounts.list': async ({ query }, ctx) => {
    const page = await tenantPage(ctx, query, query.parent_account_id)
    return success('accounts.list', listPage('/accounts', query, page, account))
  },
  'accounts.get': async ({ params: { account_id } }, ctx) =>
    success('accounts.get', account(await tenantNamed(ctx, account_id))),
  'accounts.put': ({ params: { account_id }, body: { parent_account_id = null, ...body } }, ctx) => {
    const { tenant, ...work } = writeTenant(
      ctx,
      account_id,
      { ...body, parent_tenant_id: parent_account_id },
      'parent_account_id',
    )
    return { ...work, reply: success('accounts.put', account(tenant)) }
  },
  'accounts.delete': ({ params: { account_id } }, ctx) => ({
    reply: success('accounts.delete', undefined),
    ...removeTenant(ctx, account_id),
  }),
  'accounts.putUser': ({ params: { user_id }, body: { profile, accounts: places } }, ctx) => ({
    reply: success('accounts.putUser', undefined),
    ...putUser(ctx, user_id, { places: (places ?? []).map(placeOf), profile }, unknownTenant),
  }),
  'accounts.addUser': ({ params: { user_id }, body }, ctx) => {
    const places = (Array.isArray(body) ? body : body.accounts).map(placeOf)
    return { reply: success('accounts.addUser', undefined), ...putUser(ctx, user_id, { places }, unknownTenant) }
  },
} satisfies ResourceHandlers<'accounts'>
