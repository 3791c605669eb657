/** The snapshot of a decision, stored with its message, so that every later attempt and explanation starts from the same facts. */
import { usesBrand } from '../decide/brand.ts'
import type { Decision } from '../decide/decide.ts'
import type { Question } from '../decide/decision.ts'
import { storedProfileOf } from '../decide/profile.ts'
import type { BrandVersion, Facts, Mapping, TenantFacts } from '../facts.ts'
import type { Pinned, PinnedBrand, PinnedTenant } from '../leased-message.ts'

export function pin(decision: Decision): Pinned {
  const known = decision.kind === 'routed' ? decision.plan : decision.known
  const { mapping, tenant } = known.facts
  const profile = storedProfileOf(known.facts)
  // Field by field, as everything that is made for each message (base/perf/copy-with.ts).
  const pinned: Pinned = {}
  if (mapping && !known.input.content) pinned.notification = pinnedNotification(mapping)
  if (profile) pinned.profile = profile
  if (tenant) pinned.tenant = pinnedTenant(tenant)
  if (known.input.openingHours) pinned.released = known.now
  if (decision.considered.length > 0) pinned.considered = decision.considered
  if (known.facts.digest) pinned.digest = known.facts.digest
  return Object.assign(pinned, heard(known.facts), brands(decision))
}

/** A retry asks again whether it is wanted, and is explained by the answer of then. */
export function pinAgain(before: Pinned, { facts }: Question): Pinned {
  const { preferences: _preferences, missingTopic: _missingTopic, ...pinned } = before
  return { ...pinned, ...heard(facts) }
}

const heard = ({ preferences, missingTopic }: Facts): Pick<Pinned, 'preferences' | 'missingTopic'> => ({
  ...(preferences.length > 0 && { preferences }),
  ...(missingTopic !== undefined && { missingTopic }),
})

const pinnedNotification = ({ notificationId: id, notification }: Mapping) =>
  notification ? { id, version: notification.version } : { id }

const pinnedTenant = ({ id, name, properties, brandId }: TenantFacts): PinnedTenant => ({
  id,
  name,
  properties,
  ...(brandId !== undefined && { brandId }),
})

function brands(decision: Decision): Pick<Pinned, 'brand' | 'channelBrands' | 'missingBrands'> {
  if (decision.kind !== 'routed') return {}
  const { notification, facts } = decision.plan
  const channels = decision.considered.map(({ channel }) => channel)
  const { message, own, missing } = facts.brands
  const unresolved = missing.length > 0 ? { missingBrands: missing } : {}
  if (!usesBrand(notification, channels)) return unresolved
  return {
    ...(message && { brand: pinnedBrand(message) }),
    ...unresolved,
    ...(own.size > 0 && {
      channelBrands: Object.fromEntries([...own].map(([channel, version]) => [channel, pinnedBrand(version)])),
    }),
  }
}

const pinnedBrand = ({ id, version }: BrandVersion): PinnedBrand => ({ id, version })
