/** Time zones in the profile of a step or a run that do not exist: delays and opening hours ignore them. */
import { isObject } from '../base/json/json.ts'
import { didYouMean, quoted } from '../base/quote.ts'
import type { Report } from '../base/schema/unknown-fields.ts'
import { isKnownTimeZone, nearestTimeZone } from '../base/time/time-zone.ts'
import { referencesIn } from './references/references.ts'

export function reportUnknownZones(profile: unknown, at: string, report: Report): void {
  if (!isObject(profile)) return
  for (const name of ['zoneinfo', 'timezone']) {
    const zone = profile[name]
    if (typeof zone !== 'string' || zone === '' || referencesIn(zone).length > 0 || isKnownTimeZone(zone)) continue
    report(
      () =>
        `${at}.${name} is ${quoted(zone)}, which is not a time zone: delays and opening hours of the recipient ignore it.${didYouMean(nearestTimeZone(zone))}`,
    )
  }
}
