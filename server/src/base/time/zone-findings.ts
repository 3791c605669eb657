/** Findings about time zones of a message and its recipient that do not exist. */
import { type Finding, noFindings } from '../finding.ts'
import { didYouMean, quoted } from '../quote.ts'
import { zonesOf } from './opening-hours.ts'
import { isKnownTimeZone, nearestTimeZone } from './time-zone.ts'

/** `recipient`: the one that has the profile, in words. */
export function zoneFindings(
  profile: Readonly<Record<string, unknown>>,
  recipient = 'the recipient',
): readonly Finding[] {
  const { timezone, zoneinfo } = profile
  if (timezone === undefined && zoneinfo === undefined) return noFindings
  const [unknown] = zonesOf(profile).filter((zone) => typeof zone === 'string' && zone !== '' && !isKnownTimeZone(zone))
  return typeof unknown === 'string' ? [unknownTimeZone(unknown, `the time zone of ${recipient}`)] : noFindings
}

/** `what`: whose zone it is, in words. */
export const unknownTimeZone = (zone: string, what: string): Finding => ({
  code: 'time_zone_unknown',
  text: `${quoted(zone)}, ${what}, does not exist, and is not used.${didYouMean(nearestTimeZone(zone))}`,
})
