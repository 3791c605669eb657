/** Parts of a profile that nothing can use: an address that is none, a locale or a time zone that does not exist, a mistyped name of such a field. */
import type { JsonObject } from '../base/json/json.ts'
import { isKnownLocale } from '../base/locale.ts'
import { mailAddressError } from '../base/mail-address.ts'
import { phoneNumberError } from '../base/phone-number.ts'
import { didYouMean, quoted, typedName } from '../base/quote.ts'
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

/** A sentence for each field of no use that the write has changed. `before`: the profile until then. `what`: the profile, in words. */
export const profileWarnings = (profile: JsonObject, before: JsonObject = {}, what = 'the profile'): string[] => [
  ...unusableValues(profile, before, what),
  ...mistypedNames(profile, before, what),
]

function unusableValues(profile: JsonObject, before: JsonObject, what: string): string[] {
  return Object.entries(FIELDS).flatMap(([name, errorOf]) => {
    const value = profile[name]
    if (value === undefined || value === null || value === '' || value === before[name]) return []
    // A telephone number may be a number.
    const text = name === 'phone_number' && typeof value === 'number' ? String(value) : value
    if (typeof text !== 'string') return [`The ${quoted(name)} of ${what} is not read: it is not a string.`]
    const error = errorOf(text)
    return error === undefined ? [] : [`The ${quoted(name)} of ${what}, ${quoted(value)}, ${error}`]
  })
}

/** New keys of a write that are compared with the names. */
const KEYS_COMPARED_MAX = 100

/** Any other key is data for templates. Only a new one that is an absent name with a typing mistake is reported. */
function mistypedNames(profile: JsonObject, before: JsonObject, what: string): string[] {
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== ''
  const absent = Object.keys(FIELDS).filter((name) => !isGiven(profile[name]))
  return Object.keys(profile)
    .filter((key) => !Object.hasOwn(FIELDS, key) && !Object.hasOwn(before, key) && typeof profile[key] !== 'object')
    .slice(0, KEYS_COMPARED_MAX)
    .flatMap((key) => {
      const name = typedName(key, absent)
      return name === undefined
        ? []
        : [
            `${what.slice(0, 1).toUpperCase()}${what.slice(1)} has ${quoted(key)}, which is data only.${didYouMean(name)}`,
          ]
    })
}
