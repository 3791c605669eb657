/** Fields that a step, or what it stands in, does not have: most are misspelled, so the nearest that it has is named. */
import type { TSchema } from 'typebox'
import { invalidRequest } from '../errors.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { didYouMean, nearestName, quoted, quotedList } from '../quote.ts'

/**
 * Takes a sentence about a field and the path of an unknown one: keeps it for the warnings of a reply, or throws it. The sentence is made only when it is
 * reported: a body can have thousands of unknown fields, and each is compared with all known ones.
 */
export type Report = (sentence: () => string, field?: string) => void

/** For operations of Postrider's own. */
export const refuse: Report = (sentence, field) => {
  throw invalidRequest(sentence(), { ...(field !== undefined && { code: 'unknown_field' }), param: field })
}

/** Enough to find what is wrong. */
const WARNINGS_MAX = 50

/** No more sentences than a person reads. */
export function collectWarnings(): { warnings: string[]; report: Report } {
  const warnings: string[] = []
  const report: Report = (sentence) => {
    if (warnings.length < WARNINGS_MAX) warnings.push(sentence())
  }
  return { warnings, report }
}

interface Named {
  /** Where the object stands; may be empty. */
  at: string
  /** The kind of the object in a sentence: `a message`. */
  what: string
  report: Report
}

/** Objects of any content are not checked; null is an absent field. */
export function checkFieldNames(schema: TSchema, fields: JsonObject, { at, what, report }: Named): void {
  const properties = namedIn(schema)
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    const place = at === '' ? shown(name) : `${at}.${shown(name)}`
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!field) {
      report(
        () => `Unknown field ${quoted(name)}${at === '' ? '' : ` at ${at}`}.${advice(name, properties, what)}`,
        place,
      )
      continue
    }
    const isOpen = 'additionalProperties' in field && field.additionalProperties === true
    if (isObject(value) && !Object.hasOwn(value, '$ref') && !isOpen && Object.keys(namedIn(field)).length > 0)
      checkFieldNames(field, value, { at: place, what: name, report })
  }
}

/** Where several schemas would do, the names of all of them. */
function namedIn(schema: TSchema): Record<string, TSchema> {
  if (!('anyOf' in schema) || !Array.isArray(schema.anyOf)) return propertiesOf(schema)
  return Object.assign({}, ...(schema.anyOf as TSchema[]).map(namedIn))
}

/** Names are the caller's, of any length and with any character. */
export const shown = (name: string) => JSON.stringify(name.slice(0, 64)).slice(1, -1)

function advice(name: string, properties: Record<string, TSchema>, what: string): string {
  const names = Object.keys(properties)
  const inside = Object.entries(properties).find(([, field]) => Object.hasOwn(namedIn(field), name))
  const near = nearestName(name, names) ?? (inside && `${inside[0]}.${name}`)
  if (near !== undefined) return didYouMean(near)
  return ` ${what.slice(0, 1).toUpperCase()}${what.slice(1)} has ${quotedList(names)}.`
}

/** None for an object with any content. */
export function propertiesOf(schema: TSchema): Record<string, TSchema> {
  return ('properties' in schema ? schema.properties : {}) as Record<string, TSchema>
}
