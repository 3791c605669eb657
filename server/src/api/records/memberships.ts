/** Puts a user into tenants, with or without a new profile: everything or nothing. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Statement } from '../../database/engine.ts'
import { isUnknownTenant, type NewMembership, putMemberships } from '../../database/tables/tenants/memberships.ts'
import { existingTenants } from '../../database/tables/tenants/tenants.ts'
import { profileReplacement } from '../../database/tables/users/profiles.ts'
import { boundedProfile } from '../../recipients/profile-size.ts'
import type { Call } from '../call.ts'

/** What a call says of one tenant. */
export interface Place {
  tenantId: string
  profile?: JsonObject | null | undefined
}

/** Of a tenant named twice the last entry counts. Gives the tenant that does not exist; then nothing was stored. */
export async function putUser(
  call: Call,
  userId: string,
  places: readonly Place[],
  profile?: JsonObject | null,
): Promise<string | undefined> {
  const { house, caller, now } = call
  const byTenant = new Map<string, NewMembership>()
  for (const { tenantId, profile: own } of places)
    byTenant.set(tenantId, { tenantId, ...(own ? { profile: boundedProfile(own) } : {}) })
  const statements: Statement[] = [
    ...(profile
      ? [profileReplacement(house.engine.tokens, caller.workspaceId, userId, boundedProfile(profile), now)]
      : []),
    ...putMemberships(house.engine.tokens, caller.workspaceId, userId, [...byTenant.values()], now),
  ]
  if (statements.length === 0) return undefined
  try {
    await house.engine.batch(statements)
    return undefined
  } catch (error) {
    if (!isUnknownTenant(error)) throw error
    const named = [...byTenant.keys()]
    const known = new Set(await existingTenants(house.engine, caller.workspaceId, named))
    // One that has come into being since is there for the next try.
    return named.find((id) => !known.has(id)) ?? named[0]
  }
}
