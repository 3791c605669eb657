/** PROFILE_LOADED: the profiles of the tenants, of the recipient, of the membership and of the send, merged in this order. */

import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import type { Facts } from '../facts.ts'
import type { Mapped, Profiled, StepResult } from './decision.ts'
import { describeUnresolved, unresolvedTenant } from './unresolved-references.ts'

/**
 * Deep merge, except for a webhook that `over` gives another address: its headers and credentials belong to the address
 * they were stored with, and go to no other.
 */
export function mergeProfiles(below: JsonObject, over: JsonObject): JsonObject {
  const merged = merge(below, over)
  const [before, webhook] = [below.webhook, over.webhook]
  if (!isObject(before) || !isObject(webhook)) return merged
  const isMoved = Object.hasOwn(webhook, 'url') && webhook.url !== before.url
  return isMoved ? { ...merged, webhook } : merged
}

/** Without the profile of the send; undefined when none is stored. */
export function storedProfileOf({
  storedProfile,
  tenant,
}: Pick<Facts, 'storedProfile' | 'tenant'>): JsonObject | undefined {
  if (!tenant) return storedProfile
  const { profiles, ofUser } = tenant
  const layers = [...profiles, storedProfile, ofUser].filter((layer) => layer !== undefined)
  return layers.length > 0 ? layers.reduce(mergeProfiles) : undefined
}

export function profile(value: Mapped): StepResult<Mapped, Profiled> {
  const received = value.input.profile ?? {}
  const known = storedProfileOf(value.facts)
  const stored = known ?? {}
  const merged = withPhoneText(known ? mergeProfiles(known, received) : received)
  return {
    added: { profile: { received, stored, merged } },
    explain: () => ({
      summary: known
        ? `The stored profile was merged with the one of the send.${tenantInWords(value)}`
        : `No profile is stored; the one of the send is used.${tenantInWords(value)}`,
      facts: {
        stored: known !== undefined,
        keys: Object.keys(merged),
        ...(value.facts.tenant && { tenant: value.facts.tenant.id }),
      },
    }),
  }
}

/** Providers take a telephone number as text; some callers send and store it as a number. */
const withPhoneText = (profile: JsonObject): JsonObject =>
  typeof profile.phone_number === 'number' ? { ...profile, phone_number: String(profile.phone_number) } : profile

function tenantInWords({ input, facts }: Mapped): string {
  if (facts.tenant) return ` The tenant ${quoted(facts.tenant.id)} contributes to it.`
  return unresolvedTenant(input, facts.tenant)
    .map((unresolved) => ` ${describeUnresolved(unresolved)}`)
    .join('')
}
