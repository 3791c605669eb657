/** Parses an automation: steps with canonical names, compiled conditions, and checked literal values. */
import {
  type AutomationAction,
  automationActions,
  automationBytesMax,
  automationSteps,
  automationStepsMax,
} from '@postrider/contract'
import { type TObject, type TSchema, Type } from 'typebox'
import { CallerError, invalidField, missingField } from '../../base/errors.ts'
import type { Expression } from '../../base/expression/expression.ts'
import { isObject, type JsonObject, jsonBytes } from '../../base/json/json.ts'
import { mustBeOneOf } from '../../base/quote.ts'
import { compileCheck, type SchemaCheck } from '../../base/schema/check.ts'
import { readLiberally } from '../../base/schema/lenient-reader.ts'
import { propertiesOf } from '../../base/schema/unknown-fields.ts'
import { locateErrors } from '../error-location.ts'
import { expressionOf, referencesIn } from '../references/references.ts'
import { type RunContext, readContext } from '../run.ts'
import { FieldInvalid } from '../step.ts'
import { behaviorOf } from '../steps/steps.generated.ts'
import type { ReferencedData } from './step-scope.ts'

export interface Automation {
  steps: readonly AutomationStep[]
  /** A string or a reference. */
  cancelationToken?: string | number | JsonObject
  /** Context fields beside the steps. */
  context: RunContext
}

export interface AutomationStep {
  action: AutomationAction
  fields: JsonObject
  condition?: Expression
  ref?: string
  referenced: ReferencedData
}

/** By action: a check of all fields, and one of the fields without references. */
const checks = new Map<AutomationAction, { whole: SchemaCheck; parts: SchemaCheck; required: readonly string[] }>(
  automationActions.map((action) => {
    const schema: TObject = automationSteps[action].fields
    return [
      action,
      {
        whole: compileCheck(schema, action),
        parts: compileCheck(Type.Partial(schema), action),
        required: (schema.required ?? []) as string[],
      },
    ]
  }),
)

/** Aliases that public samples use. */
const aliases: Readonly<Record<string, string>> = {
  delayFor: 'duration',
  cancelationToken: 'cancelation_token',
  cancellationToken: 'cancelation_token',
  cancellation_token: 'cancelation_token',
}

export const cancelationTokenNames: ReadonlySet<string> = new Set(
  Object.entries(aliases).flatMap(([alias, name]) => (name === 'cancelation_token' ? [alias, name] : [])),
)

/** Throws a 400 that names the place: `automation.steps.2.duration`. */
export function readAutomation(body: JsonObject, now: number, at = 'automation'): Automation {
  const list = body.steps
  if (!Array.isArray(list) || list.length === 0) throw invalidField(`${at}.steps`, 'must hold at least one step')
  if (list.length > automationStepsMax)
    throw invalidField(`${at}.steps`, `has ${list.length} steps. Max is ${automationStepsMax}`)
  const read = list.map((step, index) => readStep(step, now, `${at}.steps.${index}`))
  for (const index of read.keys()) checkLaterRef(read, index, `${at}.steps.${index}`)
  const token = readToken(plainFields(body).cancelation_token, `${at}.cancelation_token`)
  const context = readContext(body, at)
  return { steps: read, context, ...(token !== undefined && { cancelationToken: token }) }
}

function readToken(token: unknown, at: string): Automation['cancelationToken'] {
  // An empty token is an unused field, as elsewhere.
  if (token === undefined || token === '') return undefined
  const isReference = isObject(token) && Object.hasOwn(token, '$ref')
  if (!isReference && typeof token !== 'string' && typeof token !== 'number')
    throw invalidField(at, `must be a string or a \`$ref\``)
  locateErrors(at, () => referencesIn(token))
  return token
}

function readStep(step: unknown, now: number, at: string): AutomationStep {
  if (!isObject(step)) throw invalidField(at, 'must be an object')
  if (Object.hasOwn(step, '__proto__')) throw invalidField(at, `has a key \`__proto__\``)
  const { action: name, if: condition, ref: nameOfStep, ...others } = plainFields(step)
  const ref = nameOfStep === '' ? undefined : nameOfStep
  if (typeof name !== 'string' || name === '') throw missingField(`${at}.action`)
  const action = automationActions.find((candidate) => candidate === name.replaceAll('_', '-'))
  if (!action) throw invalidField(`${at}.action`, mustBeOneOf(automationActions))
  const schema = automationSteps[action].fields
  const fields = readLiberally(schema, withoutNulls(schema, others)) as JsonObject
  if (ref !== undefined && (typeof ref !== 'string' || !/^[\w$-]{1,128}$/.test(ref) || /^(data|__proto__)$/.test(ref)))
    throw invalidField(`${at}.ref`, `must be a name of letters, digits, - and _, and not \`data\``)
  const compiled = condition === undefined || condition === '' ? undefined : readCondition(condition, `${at}.if`)
  const sources = [...checkFields(action, fields, now, at), compiled?.source ?? '']
  const mentioned = sources.join('\n')
  return {
    action,
    fields,
    ...(compiled && { condition: compiled }),
    ...(typeof ref === 'string' && { ref }),
    referenced: {
      profile: /\bprofile\b/.test(mentioned) || behaviorOf(action).readsProfile?.(fields) === true,
      refs: /\brefs\b/.test(mentioned),
    },
  }
}

function readCondition(source: unknown, at: string): Expression {
  if (typeof source === 'boolean') return expressionOf(String(source))
  if (typeof source !== 'string' || source.trim() === '')
    throw invalidField(at, `must be an expression such as \`data.total > 10\``)
  return locateErrors(at, () => expressionOf(source))
}

/** Null is the same as absent. */
function plainFields(step: JsonObject): JsonObject {
  const entries = Object.entries(step).filter(([, value]) => value !== null && value !== undefined)
  return Object.fromEntries(entries.map(([key, value]) => [aliases[key] ?? key, value]))
}

/** Checks the fields and returns the sources of their references. */
function checkFields(action: AutomationAction, fields: JsonObject, now: number, at: string): string[] {
  const schemaChecks = checks.get(action)
  const sources: string[] = []
  const plain: JsonObject = {}
  for (const [key, value] of Object.entries(fields)) {
    const references = locateErrors(`${at}.${key}`, () => referencesIn(value))
    for (const { source } of references) sources.push(source)
    if (references.length === 0) plain[key] = value
  }
  const missing = (schemaChecks?.required ?? []).filter((key) => fields[key] === undefined)
  const [first, ...others] = missing
  if (first !== undefined)
    throw new CallerError(
      'missing_field',
      `${at}.${missing.join(` and ${at}.`)} ${others.length > 0 ? 'are' : 'is'} required`,
      { param: `${at}.${first}` },
    )
  locateErrors(at, () => {
    behaviorOf(action).checkPresence?.(fields)
    schemaChecks?.parts(plain)
    behaviorOf(action).check?.(plain as never, now)
  })
  return sources
}

/** Checks the fields after interpolation. Throws `CallerError` and `FieldInvalid`. */
export function checkResolved({ action, fields: written }: AutomationStep, fields: JsonObject, now: number): void {
  checks.get(action)?.whole(fields)
  behaviorOf(action).checkInterpolated?.(written, fields)
  behaviorOf(action).check?.(fields as never, now)
}

function checkLaterRef(read: readonly AutomationStep[], index: number, at: string): void {
  const step = read[index]
  const later = step && behaviorOf(step.action).laterRef?.(step.fields)
  if (later && !read.slice(index + 1).some(({ ref }) => ref === later.ref))
    throw invalidField(`${at}.${later.field}`, `must be the \`ref\` of a later step`)
}

/** The steps and the cancelation token, without context fields. */
export function workIn(body: JsonObject): JsonObject {
  const { cancelation_token: token } = plainFields(body)
  return { steps: body.steps, ...(token !== undefined && { cancelation_token: token }) }
}

/** Runs before any other check: their duration grows with the size. Throws a 400. */
export function checkSize(automation: JsonObject, at = 'automation'): void {
  if (jsonBytes(automation) > automationBytesMax) throw invalidField(at, `is larger than ${automationBytesMax} bytes`)
}

/** Checks of literal values in which every field is optional; references are ignored. */
const literalChecks = new Map<AutomationAction, SchemaCheck>(
  automationActions.map((action) => [action, compileCheck(loose(automationSteps[action].fields), action)]),
)

/** Throws `CallerError` and `FieldInvalid`. */
export function checkLiterals(action: AutomationAction, fields: JsonObject): void {
  checkRequired(automationSteps[action].fields, fields, '')
  literalChecks.get(action)?.(literalOf(fields))
}

/** The schema without required fields, at any depth. */
function loose(schema: TSchema): TSchema {
  const { required: _required, ...rest } = schema as TSchema & JsonObject
  const properties = propertiesOf(schema)
  const entries = Object.entries(properties).map(([name, field]) => [name, loose(field)] as const)
  return entries.length > 0 ? { ...rest, properties: Object.fromEntries(entries) } : schema
}

function checkRequired(schema: TSchema, fields: JsonObject, at: string): void {
  if (Object.hasOwn(fields, '$ref')) return
  const required = ('required' in schema ? schema.required : []) as string[]
  const missing = required.find((name) => fields[name] === undefined)
  if (missing !== undefined) throw new FieldInvalid(`${at}${missing}`, 'is required')
  for (const [name, field] of Object.entries(propertiesOf(schema))) {
    const value = fields[name]
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
function withoutNulls(schema: TSchema, fields: JsonObject): JsonObject {
  const properties = propertiesOf(schema)
  const entries = Object.entries(fields).flatMap(([name, value]) => {
    if (value === null || value === undefined) return []
    const field = properties[name]
    return [[name, field && isObject(value) && hasNames(field) ? withoutNulls(field, value) : value] as const]
  })
  return Object.fromEntries(entries)
}

const hasNames = (schema: TSchema) => Object.keys(propertiesOf(schema)).length > 0
