/** /tenants: written, shown, listed, deleted, and who is in them. */
import { type Tenant, tenantsPage } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import type { Page } from '../../../database/cursor.ts'
import { listTenantUsers } from '../../../database/tables/tenants/memberships.ts'
import { findTenant, listTenants } from '../../../database/tables/tenants/tenants.ts'
import { membershipRecord } from '../../../tenants/memberships.ts'
import { removeTenant, tenantRecords, writeTenant } from '../../../tenants/tenants.ts'
import { type CallContext, listPage, success } from '../../call.ts'
import { warnOfTenant } from '../../missing-references.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { existsAlready, resourceNamed } from '../../preconditions.ts'
import { warn } from '../../warnings.ts'

export const tenants = {
  'tenants.list': async ({ query }, ctx) => {
    const page = await tenantPage(ctx, query, query.parent_tenant_id)
    return success(
      'tenants.list',
      listPage('/tenants', query, page, (tenant) => tenant),
    )
  },
  'tenants.get': async ({ params: { tenant_id } }, ctx) => success('tenants.get', await tenantNamed(ctx, tenant_id)),
  'tenants.put': async ({ params: { tenant_id: id }, body: input }, ctx) => {
    const { app, caller, now, preconditions } = ctx
    const { workspaceId } = caller
    const { mustBeAbsent } = preconditions
    const write = { workspaceId, id, input, now, parentField: 'parent_tenant_id', mustBeAbsent }
    const { tenant, warnings, onConflict, ...work } = writeTenant(app.database, write)
    warn(ctx, ...warnings)
    await warnOfTenant(ctx, input)
    return {
      ...work,
      async onConflict(error) {
        const exists = mustBeAbsent && (await findTenant(app.database, workspaceId, id))
        return exists ? existsAlready(resourceNamed('tenant', id)) : onConflict(error)
      },
      reply: success('tenants.put', tenant),
    }
  },
  'tenants.delete': ({ params: { tenant_id } }, { caller }) => ({
    reply: success('tenants.delete', undefined),
    ...removeTenant(caller.workspaceId, tenant_id),
  }),
  'tenants.users': async ({ params: { tenant_id }, query }, { app, caller }) => {
    const { limit = tenantsPage, cursor = query.starting_after } = query
    if (!(await findTenant(app.database, caller.workspaceId, tenant_id))) throw notFound('Tenant not found')
    const page = await listTenantUsers(app.database, caller.workspaceId, tenant_id, cursor, limit)
    return success(
      'tenants.users',
      listPage(`/tenants/${encodeURIComponent(tenant_id)}/users`, query, page, membershipRecord),
    )
  },
} satisfies ResourceHandlers<'tenants'>

export async function tenantNamed({ app: { database }, caller }: CallContext, id: string): Promise<Tenant> {
  const row = await findTenant(database, caller.workspaceId, id)
  const [tenant] = row ? await tenantRecords(database, caller.workspaceId, [row]) : []
  if (!tenant) throw notFound('Tenant not found')
  return tenant
}

export interface TenantQuery {
  limit?: number
  cursor?: string
  starting_after?: string
}

export async function tenantPage(
  { app: { database }, caller }: CallContext,
  { limit = tenantsPage, cursor, starting_after }: TenantQuery,
  parentId: string | undefined,
): Promise<Page<Tenant>> {
  const filter = { cursor: cursor ?? starting_after, parentId }
  const page = await listTenants(database, caller.workspaceId, filter, limit)
  return { ...page, rows: await tenantRecords(database, caller.workspaceId, page.rows) }
}
