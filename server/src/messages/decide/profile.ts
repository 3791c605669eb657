/** The step `profile`: those of the tenants, of the recipient, of the membership and of the send, merged in this order. */
import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import type { Facts } from '../facts.ts'
import type { SendInput } from '../send.ts'
import type { Mapped, Profiled, StepFinding, StepResult } from './decision.ts'
import { unresolvedTenant } from './unresolved-references.ts'

export function mergedProfileOf(
  { profile: received = {} }: Pick<SendInput, 'profile'>,
  facts: Pick<Facts, 'storedProfile' | 'tenant'>,
): JsonObject {
  const storedProfile = storedProfileOf(facts)
  return withPhoneText(storedProfile ? mergeProfiles(storedProfile, received) : received)
}

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
  const layers = [...profiles, storedProfile, ofUser].filter((profile) => profile !== undefined)
  return layers.length > 0 ? layers.reduce(mergeProfiles) : undefined
}

/** Providers take a telephone number as text; some callers send and store it as a number. */
const withPhoneText = (profile: JsonObject): JsonObject =>
  typeof profile.phone_number === 'number' ? { ...profile, phone_number: String(profile.phone_number) } : profile

/** PROFILE_LOADED: the profiles of the tenants, of the recipient, of the membership and of the send, merged in this order. */
export function profile(value: Mapped): StepResult<StepFinding<'profile'>, Mapped, Profiled> {
  const received = value.input.profile ?? {}
  const knownProfile = storedProfileOf(value.facts)
  const storedProfile = knownProfile ?? {}
  const merged = mergedProfileOf(value.input, value.facts)
  return {
    added: { profile: { received, stored: storedProfile, merged } },
    explain: () => ({
      findings: [{ code: profileCode(knownProfile, received), params: {} }, ...tenantFindings(value)],
      facts: {
        stored: knownProfile !== undefined,
        keys: Object.keys(merged),
        ...(value.facts.tenant && { tenant: value.facts.tenant.id }),
      },
    }),
  }
}

function profileCode(knownProfile: JsonObject | undefined, received: JsonObject) {
  if (!knownProfile) return 'profile_of_send'
  return Object.keys(received).length > 0 ? 'profile_merged' : 'profile_stored'
}

const tenantFindings = ({ input, facts }: Mapped): StepFinding<'profile'>[] =>
  facts.tenant
    ? [{ code: 'tenant_merged', params: { tenant_id: facts.tenant.id } }]
    : unresolvedTenant(input, facts.tenant)
