/** Reads the timestamps, opening hours and time zones that steps name. */

import { localMoment, nextOpening, OpeningHoursInvalid, zoneOf } from '../base/time/opening-hours.ts'
import { parseMoment } from '../base/time/timestamp.ts'

/** When it is that moment, or when the hours are open the next time; undefined for what is neither. */
export function until(text: string, timezone: string | undefined, now: number): number | undefined {
  const rule = expanded(text.trim())
  if (!/^[+-]?\d{4,6}-\d{2}/.test(rule)) return opening(rule, timezone, now)
  const isLocal = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?$/.test(rule) && !Number.isNaN(Date.parse(rule))
  const moment = timezone !== undefined && isLocal ? localMoment(rule, timezone) : parseMoment(rule)
  return Number.isNaN(moment) ? undefined : moment
}

/** It is the same moment in every zone. */
export const isInstant = (text: string) => /^\d{4}-?\d\d-?\d\dT[\d:.]{4,20}(?:Z|[+-]\d\d:?\d\d)$/.test(text.trim())

export const isZone = (name: string) => name === 'UTC' || zoneOf([name]) === name

/** `20240408T080910.123` and `20240408` as ISO 8601 with its marks. */
function expanded(text: string): string {
  const found = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(?:(\d\d)(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.exec(text)
  if (!found) return text
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone = ''] = found
  const date = `${year}-${month}-${day}`
  return hour === undefined ? date : `${date}T${hour}:${minute}:${second}${fraction}${zone}`
}

function opening(rule: string, timezone: string | undefined, now: number): number | undefined {
  try {
    return nextOpening(rule, zoneOf([timezone]), now)
  } catch (error) {
    if (error instanceof OpeningHoursInvalid) return undefined
    throw error
  }
}
