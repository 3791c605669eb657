/** Checks the literal values of a step against its schema; references are ignored. */
import { type AutomationAction, automationActions, automationSteps } from '@postrider/contract'
import type { TSchema } from 'typebox'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { type Check, compileCheck } from '../../base/schema/check.ts'
import { referencesIn } from '../references/references.ts'
import { FieldInvalid } from '../step.ts'
import { propertiesOf } from '../unknown-fields.ts'

/** Checks in which every field is optional. */
const checks = new Map<AutomationAction, Check>(
  automationActions.map((action) => [action, compileCheck(loose(automationSteps[action].fields), action)]),
)

/** Throws `CallerError` and `FieldInvalid`. */
export function checkLiterals(action: AutomationAction, fields: JsonObject): void {
  checkRequired(automationSteps[action].fields, fields, '')
  checks.get(action)?.(literalOf(fields))
}

/** The schema without required fields, at any depth. */
function loose(schema: TSchema): TSchema {
  const { required: _required, ...rest } = schema as TSchema & JsonObject
  const properties = propertiesOf(schema)
  const entries = Object.entries(properties).map(([name, field]) => [name, loose(field)] as const)
  return entries.length > 0 ? { ...rest, properties: Object.fromEntries(entries) } : schema
}

function checkRequired(schema: TSchema, given: JsonObject, at: string): void {
  if (Object.hasOwn(given, '$ref')) return
  const required = ('required' in schema ? schema.required : []) as string[]
  const missing = required.find((name) => given[name] === undefined)
  if (missing !== undefined) throw new FieldInvalid(`${at}${missing}`, 'is required')
  for (const [name, field] of Object.entries(propertiesOf(schema))) {
    const value = given[name]
    if (isObject(value)) checkRequired(field, value, `${at}${name}.`)
  }
}

function literalOf(value: unknown): unknown {
  if (referencesIn(value).length === 0) return value
  if (!isObject(value) || Object.hasOwn(value, '$ref')) return undefined
  const entries = Object.entries(value).map(([name, item]) => [name, literalOf(item)] as const)
  return Object.fromEntries(entries.filter(([, item]) => item !== undefined))
}

/** Removes nulls from objects with named fields. */
export function withoutNulls(schema: TSchema, given: JsonObject): JsonObject {
  const properties = propertiesOf(schema)
  const entries = Object.entries(given).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    const field = properties[name]
    return [[name, field && isObject(value) && hasNames(field) ? withoutNulls(field, value) : value] as const]
  })
  return Object.fromEntries(entries)
}

const hasNames = (schema: TSchema) => Object.keys(propertiesOf(schema)).length > 0
