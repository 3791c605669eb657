/** /accounts and the writes of /users: what tenants and memberships do, by the names that older clients use. */
import type { SuccessOf, Tenant } from '@postrider/contract'
import { type ResourceHandlers, success } from '../call.ts'
import { listPage } from '../paging.ts'
import { putUser } from '../records/memberships.ts'
import { removeTenant, tenantNamed, tenantPage, writeTenant } from '../records/tenants.ts'
import { unknownTenant } from './memberships.ts'

const account = ({ parent_tenant_id, ...rest }: Tenant): SuccessOf<'accounts.get'> => ({
  ...rest,
  parent_account_id: parent_tenant_id,
})

const placeOf = ({ account_id, profile }: { account_id: string; profile?: Record<string, unknown> | null }) => ({
  tenantId: account_id,
  profile,
})

export const accounts = {
  'accounts.list': async ({ query }, call) => {
    const page = await tenantPage(call, query, query.parent_account_id)
    return success('accounts.list', listPage('/accounts', query, page, account))
  },
  'accounts.get': async ({ params: { account_id } }, call) =>
    success('accounts.get', account(await tenantNamed(call, account_id))),
  'accounts.put': async ({ params: { account_id }, body: { parent_account_id = null, ...body } }, call) => {
    const written = await writeTenant(call, account_id, { ...body, parent_tenant_id: parent_account_id })
    return success('accounts.put', account(written))
  },
  'accounts.delete': async ({ params: { account_id } }, call) => {
    await removeTenant(call, account_id)
    return success('accounts.delete', undefined)
  },
  'accounts.putUser': async ({ params: { user_id }, body: { profile, accounts: places } }, call) => {
    const missing = await putUser(call, user_id, (places ?? []).map(placeOf), profile)
    if (missing !== undefined) throw unknownTenant(missing)
    return success('accounts.putUser', undefined)
  },
  'accounts.addUser': async ({ params: { user_id }, body }, call) => {
    const places = Array.isArray(body) ? body : body.accounts
    const missing = await putUser(call, user_id, places.map(placeOf))
    if (missing !== undefined) throw unknownTenant(missing)
    return success('accounts.addUser', undefined)
  },
} satisfies ResourceHandlers<'accounts'>
