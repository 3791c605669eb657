/** /tenants: written, shown, listed, deleted, and who is in them. */
import { tenantsPage } from '@postrider/contract'
import { notFound } from '../../base/errors.ts'
import { listTenantUsers } from '../../database/tables/tenants/memberships.ts'
import { findTenant } from '../../database/tables/tenants/tenants.ts'
import { type ResourceHandlers, success } from '../call.ts'
import { listPage } from '../paging.ts'
import { removeTenant, tenantNamed, tenantPage, writeTenant } from '../records/tenants.ts'
import { membership } from './memberships.ts'

export const tenants = {
  'tenants.list': async ({ query }, call) => {
    const page = await tenantPage(call, query, query.parent_tenant_id)
    return success(
      'tenants.list',
      listPage('/tenants', query, page, (tenant) => tenant),
    )
  },
  'tenants.get': async ({ params: { tenant_id } }, call) => success('tenants.get', await tenantNamed(call, tenant_id)),
  'tenants.put': async ({ params: { tenant_id }, body }, call) =>
    success('tenants.put', await writeTenant(call, tenant_id, body)),
  'tenants.delete': async ({ params: { tenant_id } }, call) => {
    await removeTenant(call, tenant_id)
    return success('tenants.delete', undefined)
  },
  'tenants.users': async ({ params: { tenant_id }, query }, { house, caller }) => {
    const { limit = tenantsPage, cursor = query.starting_after } = query
    if (!(await findTenant(house.engine, caller.workspaceId, tenant_id))) throw notFound('Tenant not found')
    const page = await listTenantUsers(house.engine, caller.workspaceId, tenant_id, cursor, limit)
    return success(
      'tenants.users',
      listPage(`/tenants/${encodeURIComponent(tenant_id)}/users`, query, page, membership),
    )
  },
} satisfies ResourceHandlers<'tenants'>
