/** Warnings about the users of a call that adds them to a job: time zones that do not exist. */
import { textsOf } from '../base/finding.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { zoneFindings } from '../base/time/zone-findings.ts'

const ZONES_MAX = 10

export function userMistakes(users: readonly JsonObject[]): string[] {
  const warnings: string[] = []
  for (const [index, user] of users.entries())
    for (const part of ['profile', 'to']) {
      const profile = user[part]
      if (isObject(profile)) warnings.push(...textsOf(zoneFindings(profile, `users.${index}`)))
      if (warnings.length >= ZONES_MAX) return warnings
    }
  return warnings
}
