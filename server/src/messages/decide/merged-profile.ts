/** The profile that a message is decided with: those of the tenants, of the recipient and of the send, merged in order. */
import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import type { Facts } from '../facts.ts'
import type { SendInput } from '../send.ts'

export function mergedProfileOf(
  { profile: received = {} }: Pick<SendInput, 'profile'>,
  facts: Pick<Facts, 'storedProfile' | 'tenant'>,
): JsonObject {
  const stored = storedProfileOf(facts)
  return withPhoneText(stored ? mergeProfiles(stored, received) : received)
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
  const found = [...profiles, storedProfile, ofUser].filter((profile) => profile !== undefined)
  return found.length > 0 ? found.reduce(mergeProfiles) : undefined
}

/** Providers take a telephone number as text; some callers send and store it as a number. */
const withPhoneText = (profile: JsonObject): JsonObject =>
  typeof profile.phone_number === 'number' ? { ...profile, phone_number: String(profile.phone_number) } : profile
