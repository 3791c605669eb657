/** /users/:user_id/tenants: a user put into tenants and taken out of them. */
import { tenantsPage } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { deleteMembership, deleteMemberships, listUserTenants } from '../../../database/tables/tenants/memberships.ts'
import { membershipRecord, writeMemberships } from '../../../tenants/memberships.ts'
import { listPage, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { warn } from '../../warnings.ts'

export const memberships = {
  'memberships.list': async ({ params: { user_id }, query }, { app, caller }) => {
    const { limit = tenantsPage, cursor = query.starting_after } = query
    const page = await listUserTenants(app.database, caller.workspaceId, user_id, cursor, limit)
    return success(
      'memberships.list',
      listPage(`/users/${encodeURIComponent(user_id)}/tenants`, query, page, membershipRecord),
    )
  },
  'memberships.add': ({ params: { user_id: userId }, body: { tenants } }, ctx) => {
    const { app, caller, now } = ctx
    const { workspaceId } = caller
    const memberships = tenants.map(({ tenant_id, profile }) => ({ tenantId: tenant_id, profile }))
    const { warnings, ...work } = writeMemberships(app.database, { workspaceId, userId, now, memberships })
    warn(ctx, ...warnings)
    return { reply: success('memberships.add', undefined), ...work }
  },
  'memberships.clear': ({ params: { user_id } }, { caller }) => ({
    reply: success('memberships.clear', undefined),
    writes: deleteMemberships(caller.workspaceId, user_id),
  }),
  'memberships.put': ({ params: { user_id: userId, tenant_id }, body }, ctx) => {
    const { app, caller, now } = ctx
    const { workspaceId } = caller
    const memberships = [{ tenantId: tenant_id, profile: body?.profile }]
    const write = { workspaceId, userId, now, memberships }
    const { warnings, ...work } = writeMemberships(app.database, write, () => notFound('Tenant not found'))
    warn(ctx, ...warnings)
    return { reply: success('memberships.put', undefined), ...work }
  },
  'memberships.remove': ({ params: { user_id, tenant_id } }, { caller }) => ({
    reply: success('memberships.remove', undefined),
    writes: deleteMembership(caller.workspaceId, user_id, tenant_id),
  }),
} satisfies ResourceHandlers<'memberships'>
