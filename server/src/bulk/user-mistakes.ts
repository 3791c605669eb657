/** Warnings about the users of a call that adds them to a job: fields that are not read, time zones that do not exist. */
import { BulkUser, Preferences } from '@postrider/contract'
import { textsOf } from '../base/finding.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { nameAdvice, quoted } from '../base/quote.ts'
import { checkFieldNames, collectWarnings } from '../base/schema/unknown-fields.ts'
import { zoneFindings } from '../base/time/zone-findings.ts'
import { reportRecipients } from '../messages/accept/message-fields.ts'

/** Different names in all users of a call: programs have the same ones in each. */
const NAMES_MAX = 20
const ZONES_MAX = 10

const fieldNames = Object.keys(BulkUser.properties)
const knownNames: ReadonlySet<string> = new Set(fieldNames)

export function userMistakes(users: readonly JsonObject[]): string[] {
  const { warnings, report } = collectWarnings()
  for (const [index, { preferences }] of users.entries())
    if (isObject(preferences))
      checkFieldNames(Preferences, preferences, { at: `users.${index}.preferences`, what: 'preferences', report })
  reportRecipients(
    users.map(({ to }) => to),
    (index) => `users.${index}.to`,
    report,
  )
  return [...unknownFields(users), ...warnings, ...unknownZones(users)]
}

function unknownFields(users: readonly JsonObject[]): string[] {
  const places = new Map<string, { first: number; count: number }>()
  for (const [index, user] of users.entries())
    for (const name in user) {
      if (knownNames.has(name) || user[name] === null || user[name] === undefined) continue
      const place = places.get(name)
      if (place) place.count += 1
      else if (places.size < NAMES_MAX) places.set(name, { first: index, count: 1 })
    }
  return [...places].map(([name, { first, count }]) => {
    const others = count > 1 ? ` and ${count - 1} more` : ''
    return `Unknown field ${quoted(name)} at users.${first}${others}.${nameAdvice(name, fieldNames, 'A user')}`
  })
}

function unknownZones(users: readonly JsonObject[]): string[] {
  const warnings: string[] = []
  for (const [index, user] of users.entries())
    for (const part of ['profile', 'to']) {
      const profile = user[part]
      if (isObject(profile)) warnings.push(...textsOf(zoneFindings(profile, `users.${index}`)))
      if (warnings.length >= ZONES_MAX) return warnings
    }
  return warnings
}
