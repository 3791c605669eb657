/** Phone numbers of profiles, as the APIs of SMS and WhatsApp take them. */
import type { JsonObject } from '../base/json/json.ts'

/** The digits, with the `+` of the profile; undefined when it is no number. Short codes have three digits and more. */
export function phoneNumber(profile: JsonObject): string | undefined {
  if (typeof profile.phone_number !== 'string') return undefined
  const number = profile.phone_number.replace(/[\s().-]/g, '')
  return /^\+?\d{3,15}$/.test(number) ? number : undefined
}

/** Without the `+`. */
export const digitsOf = (number: string): string => number.replace(/^\+/, '')
