/** Values of a profile that nothing can use: an address that is none, a locale or a time zone that does not exist. */
import type { JsonObject } from '../base/json/json.ts'
import { isKnownLocale } from '../base/locale.ts'
import { mailAddressError } from '../base/mail-address.ts'
import { phoneNumberError } from '../base/phone-number.ts'
import { didYouMean, quoted } from '../base/quote.ts'
import { isKnownTimeZone, nearestTimeZone } from '../base/time/time-zone.ts'

/** The end of a sentence that begins with the value; undefined for one that can be used. */
type FieldError = (text: string) => string | undefined

const timeZone: FieldError = (text) =>
  isKnownTimeZone(text) ? undefined : `is not a time zone.${didYouMean(nearestTimeZone(text))}`

const ended = (error: string | undefined) => error && `${error}.`

/** The fields that Postrider reads by itself, as each of them is read. */
const FIELDS: Readonly<Record<string, FieldError>> = {
  email: (text) => ended(mailAddressError(text)),
  phone_number: (text) => ended(phoneNumberError(text)),
  locale: (text) => (isKnownLocale(text) ? undefined : 'is not a locale such as `de` or `pt-BR`.'),
  zoneinfo: timeZone,
  timezone: timeZone,
}

/** A sentence for each field of no use that the write has changed. `before`: the profile until then. */
export function profileWarnings(profile: JsonObject, before: JsonObject = {}): string[] {
  return Object.entries(FIELDS).flatMap(([name, errorOf]) => {
    const value = profile[name]
    if (value === undefined || value === null || value === '' || value === before[name]) return []
    // A telephone number may be a number.
    const text = name === 'phone_number' && typeof value === 'number' ? String(value) : value
    if (typeof text !== 'string') return [`The ${quoted(name)} of the profile is not read: it is not a string.`]
    const error = errorOf(text)
    return error === undefined ? [] : [`The ${quoted(name)} of the profile, ${quoted(value)}, ${error}`]
  })
}
