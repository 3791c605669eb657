/** Fields that a step, or what it stands in, does not have: most are misspelt, so the nearest that it has is named. */
import type { TSchema } from 'typebox'
import { invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/merge.ts'
import { nearestName } from '../base/nearest-name.ts'
import { propertiesOf } from './literals.ts'

/** Throws a 400. Objects of any content are not looked into; null is the same as nothing. `at` may be empty. */
export function checkFieldNames(schema: TSchema, fields: JsonObject, at: string, what: string): void {
  const known = namedIn(schema)
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    const place = at === '' ? shown(name) : `${at}.${shown(name)}`
    const field = Object.hasOwn(known, name) ? known[name] : undefined
    if (!field) throw invalidRequest(`${place} is not known here; ${advice(name, known, what)}`)
    const isOpen = 'additionalProperties' in field && field.additionalProperties === true
    if (isObject(value) && !Object.hasOwn(value, '$ref') && !isOpen && Object.keys(namedIn(field)).length > 0)
      checkFieldNames(field, value, place, name)
  }
}

/** Where several schemas would do, the names of all of them. */
function namedIn(schema: TSchema): Record<string, TSchema> {
  if (!('anyOf' in schema) || !Array.isArray(schema.anyOf)) return propertiesOf(schema)
  return Object.assign({}, ...(schema.anyOf as TSchema[]).map(namedIn))
}

/** Names are the caller's, of any length and with any character. */
export const shown = (name: string) => JSON.stringify(name.slice(0, 64)).slice(1, -1)

function advice(name: string, known: Record<string, TSchema>, what: string): string {
  const names = Object.keys(known)
  const inside = Object.entries(known).find(([, field]) => Object.hasOwn(namedIn(field), name))
  const near = nearestName(name, names) ?? (inside && `${inside[0]}.${name}`)
  return near === undefined ? `${what} has ${names.join(', ')}` : `\`${near}\` is meant?`
}
