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
import { success } from '../call.ts'
import type { ResourceHandlers } from '../outcome.ts'
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
  'memberships.list': async ({ params: { user_id }, query }, { app, caller }) => {
    const { limit = tenantsPage, cursor = query.starting_after } = query
    const page = await listUserTenants(app.database, caller.workspaceId, user_id, cursor, limit)
    return success(
      'memberships.list',
      listPage(`/users/${encodeURIComponent(user_id)}/tenants`, query, page, membership),
    )
  },
  'memberships.add': ({ params: { user_id }, body: { tenants } }, ctx) => {
    const places = tenants.map(({ tenant_id, profile }) => ({ tenantId: tenant_id, profile }))
    return { reply: success('memberships.add', undefined), ...putUser(ctx, user_id, { places }, unknownTenant) }
  },
  'memberships.clear': ({ params: { user_id } }, { caller }) => ({
    reply: success('memberships.clear', undefined),
    writes: deleteMemberships(caller.workspaceId, user_id),
  }),
  'memberships.put': ({ params: { user_id, tenant_id }, body }, ctx) => {
    const places = [{ tenantId: tenant_id, profile: body?.profile }]
    const work = putUser(ctx, user_id, { places }, () => notFound('Tenant not found'))
    return { reply: success('memberships.put', undefined), ...work }
  },
  'memberships.remove': ({ params: { user_id, tenant_id } }, { caller }) => ({
    reply: success('memberships.remove', undefined),
    writes: deleteMembership(caller.workspaceId, user_id, tenant_id),
  }),
} satisfies ResourceHandlers<'memberships'>
