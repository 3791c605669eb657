/** Time zones as callers name them: whether one exists, and the nearest to a name that is none. */
import { Temporal } from 'temporal-polyfill'
import { memo } from '../perf/cache.ts'
import { didYouMean, nearestName } from '../quote.ts'

const ZONES_MAX = 2_000
const NAME_CHARACTERS_MAX = 64

/** A name of the IANA database in any case, or an offset such as `+02:00`. */
export const isKnownTimeZone = (name: string): boolean => name.length <= NAME_CHARACTERS_MAX && canUse(name)

const canUse = memo(ZONES_MAX, (name) => {
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name)
    return true
  } catch {
    return false
  }
})

/** By the city, which names a zone without its region as well; one of the same region is preferred. Undefined when none is near. */
export const nearestTimeZone = (name: string): string | undefined =>
  name.length <= NAME_CHARACTERS_MAX ? nearest(name) : undefined

/** The end of a sentence about a name that is none, without its full stop. */
export function timeZoneAdvice(name: string): string {
  const near = nearestTimeZone(name)
  return near === undefined ? '' : `.${didYouMean(near)}`
}

const NEAREST_MAX = 500

const nearest = memo(NEAREST_MAX, (name) => {
  const city = cityOf(name)
  const zones = Intl.supportedValuesOf('timeZone')
  const region = regionOf(name)
  const ofRegion = zones.filter((zone) => regionOf(zone) === region)
  return nearestByCity(city, ofRegion) ?? nearestByCity(city, zones)
})

function nearestByCity(city: string, zones: readonly string[]): string | undefined {
  const byCity = new Map(zones.map((zone) => [cityOf(zone), zone]))
  const near = nearestName(city, [...byCity.keys()])
  return near === undefined ? undefined : byCity.get(near)
}

const cityOf = (name: string) => name.slice(name.lastIndexOf('/') + 1)
const regionOf = (name: string) => name.slice(0, Math.max(0, name.indexOf('/'))).toLowerCase()
