/** Memberships of users in tenants, as the API writes and shows them. */
import type { Membership } from '@postrider/contract'
import { type CallerError, invalidRequest } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { quoted } from '../base/quote.ts'
import { isBrokenReference, type Reader, type Statement } from '../database/engine.ts'
import { type MembershipRow, type NewMembership, putMemberships } from '../database/tables/tenants/memberships.ts'
import { existingTenants } from '../database/tables/tenants/tenants.ts'
import { profileReplacement } from '../database/tables/users/users.ts'
import { boundedProfile } from '../recipients/document.ts'
import { profileWarnings } from '../recipients/profile-warnings.ts'

export const membershipRecord = ({ userId, tenantId, profile }: MembershipRow): Membership => ({
  user_id: userId,
  tenant_id: tenantId,
  type: 'user',
  profile,
})

const unknownTenant = (id: string): CallerError =>
  invalidRequest(`Unknown tenant ${quoted(id)}`, { code: 'unknown_tenant' })

/** A membership of the user, as a call has it. */
export interface MembershipInput {
  tenantId: string
  profile?: JsonObject | null | undefined
}

interface UserWrite {
  workspaceId: number
  userId: string
  now: number
  memberships: readonly MembershipInput[]
  /** Replaces the profile of the user. */
  profile?: JsonObject | null | undefined
}

/** The comparison with names takes some 10 µs for each. */
const MEMBERSHIPS_COMPARED_MAX = 20

/** The last entry of a tenant counts. `unknown`: the error that names a tenant that does not exist. */
export function writeMemberships(
  database: Reader,
  { workspaceId, userId, now, memberships, profile }: UserWrite,
  unknown: (tenantId: string) => CallerError = unknownTenant,
) {
  const byTenant = new Map<string, NewMembership>()
  for (const { tenantId, profile: memberProfile } of memberships)
    byTenant.set(tenantId, { tenantId, ...(memberProfile ? { profile: boundedProfile(memberProfile) } : {}) })
  const warnings = [
    ...(profile ? profileWarnings(profile) : []),
    ...memberships.slice(0, MEMBERSHIPS_COMPARED_MAX).flatMap((membership) => membershipWarnings(membership)),
  ]
  const writes: Statement[] = [
    ...(profile ? [profileReplacement(database.tokens, workspaceId, userId, boundedProfile(profile), { now })] : []),
    ...putMemberships(database.tokens, workspaceId, userId, [...byTenant.values()], now),
  ]
  const onConflict = async (error: Error) => {
    if (!isBrokenReference(error)) return undefined
    const named = [...byTenant.keys()]
    const existing = new Set(await existingTenants(database, workspaceId, named))
    // A tenant that was created meanwhile is there for the next try.
    return unknown(named.find((id) => !existing.has(id)) ?? named[0] ?? '')
  }
  return { writes, warnings, onConflict }
}

const membershipWarnings = ({ tenantId, profile }: MembershipInput): string[] =>
  profile ? profileWarnings(profile, {}, `the profile in ${quoted(tenantId)}`) : []
