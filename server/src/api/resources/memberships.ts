/** /users/:user_id/tenants: a user put into tenants and taken out of them. */
import { type Membership, tenantsPage } from '@postrider/contract'
import { invalidRequest, notFound } from '../../base/errors.ts'
import { quoted } from '../../base/quote.ts'
import {
  deleteMembership,
  deleteMemberships,
  listUserTenants,
  type MembershipRow,
} from '../../database/tables/tenants/memberships.ts'
import { type ResourceHandlers, success } from '../call.ts'
import { listPage } from '../paging.ts'
import { putUser } from '../records/memberships.ts'

export const membership = ({ userId, tenantId, profile }: MembershipRow): Membership => ({
  user_id: userId,
  tenant_id: tenantId,
  type: 'user',
  profile,
})

export const unknownTenant = (id: string) => invalidRequest(`Unknown tenant ${quoted(id)}`)

export const memberships = {
  'memberships.list': async ({ params: { user_id }, query }, { house, caller }) => {
    const { limit = tenantsPage, cursor = query.starting_after } = query
    const page = await listUserTenants(house.engine, caller.workspaceId, user_id, cursor, limit)
    return success(
      'memberships.list',
      listPage(`/users/${encodeURIComponent(user_id)}/tenants`, query, page, membership),
    )
  },
  'memberships.add': async ({ params: { user_id }, body: { tenants } }, call) => {
    const places = tenants.map(({ tenant_id, profile }) => ({ tenantId: tenant_id, profile }))
    const missing = await putUser(call, user_id, places)
    if (missing !== undefined) throw unknownTenant(missing)
    return success('memberships.add', undefined)
  },
  'memberships.clear': async ({ params: { user_id } }, { house, caller }) => {
    await deleteMemberships(house.engine, caller.workspaceId, user_id)
    return success('memberships.clear', undefined)
  },
  'memberships.put': async ({ params: { user_id, tenant_id }, body }, call) => {
    const missing = await putUser(call, user_id, [{ tenantId: tenant_id, profile: body?.profile }])
    if (missing !== undefined) throw notFound('Tenant not found')
    return success('memberships.put', undefined)
  },
  'memberships.remove': async ({ params: { user_id, tenant_id } }, { house, caller }) => {
    await deleteMembership(house.engine, caller.workspaceId, user_id, tenant_id)
    return success('memberships.remove', undefined)
  },
} satisfies ResourceHandlers<'memberships'>
