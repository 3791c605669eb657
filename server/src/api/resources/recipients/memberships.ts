/** /users/:user_id/tenants: a user put into tenants and taken out of them. */
import { type Membership, tenantsPage } from '@postrider/contract'
import { type CallerError, invalidRequest, notFound } from '../../../base/errors.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { quoted } from '../../../base/quote.ts'
import { isBrokenReference, type Statement } from '../../../database/engine.ts'
import {
  deleteMembership,
  deleteMemberships,
  listUserTenants,
  type MembershipRow,
  type NewMembership,
  putMemberships,
} from '../../../database/tables/tenants/memberships.ts'
import { existingTenants } from '../../../database/tables/tenants/tenants.ts'
import { profileReplacement } from '../../../database/tables/users/users.ts'
import { boundedProfile } from '../../../recipients/document.ts'
import { type CallContext, listPage, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

export const membership = ({ userId, tenantId, profile }: MembershipRow): Membership => ({
  user_id: userId,
  tenant_id: tenantId,
  type: 'user',
  profile,
})

export const unknownTenant = (id: string) => invalidRequest(`Unknown tenant ${quoted(id)}`, { code: 'unknown_tenant' })

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

/** The membership in one tenant, as a call has it. */
export interface Place {
  tenantId: string
  profile?: JsonObject | null | undefined
}

/** The last entry of a tenant counts. `unknown`: the error that names a tenant that does not exist. */
export function putUser(
  { app, caller, now }: CallContext,
  userId: string,
  { places, profile }: { places: readonly Place[]; profile?: JsonObject | null | undefined },
  unknown: (tenantId: string) => CallerError,
) {
  const { database } = app
  const byTenant = new Map<string, NewMembership>()
  for (const { tenantId, profile: own } of places)
    byTenant.set(tenantId, { tenantId, ...(own ? { profile: boundedProfile(own) } : {}) })
  const writes: Statement[] = [
    ...(profile ? [profileReplacement(database.tokens, caller.workspaceId, userId, boundedProfile(profile), now)] : []),
    ...putMemberships(database.tokens, caller.workspaceId, userId, [...byTenant.values()], now),
  ]
  const onConflict = async (error: Error) => {
    if (!isBrokenReference(error)) return undefined
    const named = [...byTenant.keys()]
    const existing = new Set(await existingTenants(database, caller.workspaceId, named))
    // One that was made meanwhile is there for the next try.
    return unknown(named.find((id) => !existing.has(id)) ?? named[0] ?? '')
  }
  return { writes, onConflict }
}
