/** Puts a user into tenants, with or without a new profile: everything or nothing. */
import type { CallerError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { isBrokenReference, type Statement } from '../../database/engine.ts'
import { type NewMembership, putMemberships } from '../../database/tables/tenants/memberships.ts'
import { existingTenants } from '../../database/tables/tenants/tenants.ts'
import { profileReplacement } from '../../database/tables/users/profiles.ts'
import { boundedProfile } from '../../recipients/profile-size.ts'
import type { CallContext } from '../call.ts'

/** What a call says of one tenant. */
export interface Place {
  tenantId: string
  profile?: JsonObject | null | undefined
}

/** Of a tenant named twice the last entry counts. `unknown`: the error that names a tenant that does not exist. */
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
