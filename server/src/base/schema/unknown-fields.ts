/** Fields that a step, or what it stands in, does not have: most are misspelled, so the nearest that it has is named. */
import type { TSchema } from 'typebox'
import { invalidRequest } from '../errors.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { didYouMean, nameAdvice, nearestName, quoted, quotedList } from '../quote.ts'
import { alternativesOf, type SchemaAlternatives } from './lenient-reader.ts'

/**
 * Takes a sentence about a field and the path of an unknown one: keeps it for the warnings of a reply, or throws it. The sentence is made only when it is
 * reported: a body can have thousands of unknown fields, and each is compared with all known ones.
 */
export interface Report {
  (sentence: () => string, field?: string): void
  /** The lists of names that a sentence has had: another one does not repeat them. Absent where each sentence stands alone. */
  listed?: string[]
}

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
  report.listed = []
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
export function checkFieldNames(schema: TSchema, fields: JsonObject, named: Named): void {
  if (!hasOnlyKnown(fields, namesOf(schema))) reportUnknown(schema, fields, named)
}

/** The fields of an object; undefined for one whose value is not checked. */
type FieldNames = ReadonlyMap<string, { names: FieldNames | undefined }>

const bySchema = new WeakMap<object, FieldNames>()

/** Made once for each schema: every send is checked. */
function namesOf(schema: TSchema): FieldNames {
  const cachedNames = bySchema.get(schema)
  if (cachedNames) return cachedNames
  const fields = Object.entries(namedIn(schema))
  const names = new Map(fields.map(([name, field]) => [name, { names: isChecked(field) ? namesOf(field) : undefined }]))
  bySchema.set(schema, names)
  return names
}

/** Makes nothing: what most sends come to has no unknown field. */
function hasOnlyKnown(fields: JsonObject, names: FieldNames): boolean {
  for (const name in fields) {
    const value = fields[name]
    if (value === null || value === undefined) continue
    const field = names.get(name)
    if (!field) return false
    if (field.names && isObject(value) && !Object.hasOwn(value, '$ref') && !hasOnlyKnown(value, field.names))
      return false
  }
  return true
}

const isChecked = (field: TSchema) =>
  !('additionalProperties' in field && field.additionalProperties === true) && Object.keys(namedIn(field)).length > 0

function reportUnknown(schema: TSchema, fields: JsonObject, { at, what, report }: Named): void {
  const properties = namedIn(schema)
  for (const [name, value] of Object.entries(fields)) {
    if (value === null || value === undefined) continue
    const place = at === '' ? shown(name) : `${at}.${shown(name)}`
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!field) {
      report(
        () =>
          `Unknown field ${quoted(name)}${at === '' ? '' : ` at ${at}`}.${advice(name, properties, { what, report })}`,
        place,
      )
      continue
    }
    if (isObject(value) && !Object.hasOwn(value, '$ref') && isChecked(field))
      reportUnknown(field, value, { at: place, what: name, report })
  }
}

/** Where several schemas would do, the names of all of them. */
function namedIn(schema: TSchema): Record<string, TSchema> {
  if (!('anyOf' in schema) || !Array.isArray(schema.anyOf)) return propertiesOf(schema)
  return Object.assign({}, ...(schema.anyOf as TSchema[]).map(namedIn))
}

/** Names are the caller's, of any length and with any character. */
export const shown = (name: string) => JSON.stringify(name.slice(0, 64)).slice(1, -1)

function advice(name: string, properties: Record<string, TSchema>, { what, report }: Omit<Named, 'at'>): string {
  const names = Object.keys(properties)
  const inside = Object.entries(properties).find(([, field]) => Object.hasOwn(namedIn(field), name))
  const near = nearestName(name, names) ?? (inside && `${inside[0]}.${name}`)
  if (near !== undefined) return didYouMean(near)
  const list = ` ${what.slice(0, 1).toUpperCase()}${what.slice(1)} has ${quotedList(names)}.`
  if (report.listed?.includes(list)) return ''
  report.listed?.push(list)
  return list
}

/** Larger bodies are lists of many that are alike. */
const OBJECTS_CHECKED_MAX = 1_000

/** Reports the fields of a value that no alternative of the schema has. Objects that take any field are not checked, nor what is in them. */
export function reportUnknownFields(schema: TSchema, value: unknown, report: Report): void {
  let objects = 0
  const check = (alternatives: SchemaAlternatives, value: unknown, at: string): void => {
    if (objects > OBJECTS_CHECKED_MAX) return
    if (Array.isArray(value)) {
      const { items } = alternatives
      if (items)
        for (const [index, item] of value.slice(0, OBJECTS_CHECKED_MAX).entries())
          check(items, item, pathOf(at, String(index)))
      return
    }
    if (!isObject(value) || !alternatives.isObject || alternatives.isOpen) return
    objects += 1
    for (const [name, part] of Object.entries(value)) {
      if (part === null || part === undefined) continue
      const field = alternatives.field(name)
      const path = pathOf(at, shown(name))
      if (field) check(field, part, path)
      else if (!alternatives.names.has(name))
        report(
          () =>
            `Unknown field ${quoted(name)}${at === '' ? '' : ` at ${at}`}.${nameAdvice(name, [...alternatives.names], at === '' ? 'The body' : at)}`,
          path,
        )
    }
  }
  check(alternativesOf(schema), value, '')
}

const pathOf = (at: string, name: string) => (at === '' ? name : `${at}.${name}`)

/** None for an object with any content. */
export function propertiesOf(schema: TSchema): Record<string, TSchema> {
  return ('properties' in schema ? schema.properties : {}) as Record<string, TSchema>
}
