/** Values of a profile that nothing can use: an address that is none, a locale or a time zone that does not exist. */

import type { JsonObject } from '../base/json/json.ts'
import { isKnownLocale } from '../base/locale.ts'
import { parseMailAddress } from '../base/mail-address.ts'
import { parsePhoneNumber } from '../base/phone-number.ts'
import { didYouMean, quoted } from '../base/quote.ts'
import { isKnownTimeZone, nearestTimeZone } from '../base/time/time-zone.ts'

interface ProfileField {
  isUsable(text: string): boolean
  /** The end of a sentence that begins with the value. */
  rule(text: string): string
}

const timeZone: ProfileField = {
  isUsable: isKnownTimeZone,
  rule: (text) => `is not a time zone.${didYouMean(nearestTimeZone(text))}`,
}

/** The fields that Postrider reads by itself, as each of them is read. */
const FIELDS: Readonly<Record<string, ProfileField>> = {
  email: {
    isUsable: (text) => parseMailAddress(text, 'unicode') !== undefined,
    rule: () => 'is not an email address.',
  },
  phone_number: {
    isUsable: (text) => parsePhoneNumber(text) !== undefined,
    rule: () => 'is not a telephone number.',
  },
  locale: { isUsable: isKnownLocale, rule: () => 'is not a locale such as `de` or `pt-BR`.' },
  zoneinfo: timeZone,
  timezone: timeZone,
}

/** A sentence for each field of no use that the write has changed. `before`: the profile until then. */
export function profileWarnings(profile: JsonObject, before: JsonObject = {}): string[] {
  return Object.entries(FIELDS).flatMap(([name, { isUsable, rule }]) => {
    const value = profile[name]
    if (value === undefined || value === null || value === '' || value === before[name]) return []
    if (typeof value !== 'string') return [`The ${quoted(name)} of the profile is not read: it is not a string.`]
    return isUsable(value) ? [] : [`The ${quoted(name)} of the profile, ${quoted(value)}, ${rule(value)}`]
  })
}
