/** /tenants: written, shown, listed, deleted, and who is in them. */
import { tenantsPage } from '@postrider/contract'
import { notFound } from '../../base/errors.ts'
import { listTenantUsers } from '../../database/tables/tenants/memberships.ts'
import { findTenant } from '../../database/tables/tenants/tenants.ts'
import { success } from '../call.ts'
import type { ResourceHandlers } from '../outcome.ts'
import { listPage } from '../paging.ts'
import { removeTenant, tenantNamed, tenantPage, writeTenant } from '../records/tenants.ts'
import { membership } from './memberships.ts'

export const tenants = {
  'tenants.list': async ({ query }, ctx) => {
    const page = await tenantPage(ctx, query, query.parent_tenant_id)
    return success(
      'tenants.list',
      listPage('/tenants', query, page, (tenant) => tenant),
    )
  },
  'tenants.get': async ({ params: { tenant_id } }, ctx) => success('tenants.get', await tenantNamed(ctx, tenant_id)),
  'tenants.put': ({ params: { tenant_id }, body }, ctx) => {
    const { tenant, ...work } = writeTenant(ctx, tenant_id, body)
    return { ...work, reply: success('tenants.put', tenant) }
  },
  'tenants.delete': ({ params: { tenant_id } }, ctx) => ({
    reply: success('tenants.delete', undefined),
    ...removeTenant(ctx, tenant_id),
  }),
  'tenants.users': async ({ params: { tenant_id }, query }, { app, caller }) => {
    const { limit = tenantsPage, cursor = query.starting_after } = query
    if (!(await findTenant(app.database, caller.workspaceId, tenant_id))) throw notFound('Tenant not found')
    const page = await listTenantUsers(app.database, caller.workspaceId, tenant_id, cursor, limit)
    return success(
      'tenants.users',
      listPage(`/tenants/${encodeURIComponent(tenant_id)}/users`, query, page, membership),
    )
  },
} satisfies ResourceHandlers<'tenants'>
