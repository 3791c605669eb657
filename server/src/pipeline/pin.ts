/** What a decision leaves with its message, so that every later look at it comes to the same. */
import { usesBrand } from './decide/brand.ts'
import type { Decision } from './decide/decide.ts'
import type { Question } from './decide/deciding.ts'
import { storedProfileOf } from './decide/profile.ts'
import type { BrandVersion, Facts, TenantFacts } from './facts.ts'
import type { Pinned, PinnedBrand, PinnedTenant } from './job.ts'

export function pin(decision: Decision): Pinned {
  const known = decision.kind === 'routed' ? decision.plan : decision.known
  const { mapping, tenant } = known.facts
  const profile = storedProfileOf(known.facts)
  return {
    ...(mapping &&
      !known.input.content && {
        notification: {
          id: mapping.notificationId,
          ...(mapping.notification && { version: mapping.notification.version }),
        },
      }),
    ...(profile && { profile }),
    ...(tenant && { tenant: pinnedTenant(tenant) }),
    ...(known.input.openingHours && { released: known.now }),
    ...(decision.considered.length > 0 && { considered: decision.considered }),
    ...heard(known.facts),
    ...(known.facts.digest && { digest: known.facts.digest }),
    ...brands(decision),
  }
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
  if (!usesBrand(notification, channels)) return {}
  const { message, own, missing } = facts.brands
  return {
    ...(message && { brand: pinned(message) }),
    ...(missing.length > 0 && { missingBrands: missing }),
    ...(own.size > 0 && {
      channelBrands: Object.fromEntries([...own].map(([channel, version]) => [channel, pinned(version)])),
    }),
  }
}

const pinned = ({ id, version }: BrandVersion): PinnedBrand => ({ id, version })
