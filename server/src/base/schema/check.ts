/** The contract's schemas as checks, compiled when first used; what does not fit becomes one clear sentence. */

import { patternDescriptions } from '@postrider/contract'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/schema'
import { CallerError } from '../errors.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import { didYouMean, mustBeChoice, mustBeOneOf, nearestName, quoted } from '../quote.ts'
import { alternativesOf, readLiberally, type SchemaAlternatives } from './lenient-reader.ts'

export type SchemaCheck = (value: unknown) => void

interface Issue extends SchemaIssue {
  params: Record<string, unknown>
}

/** `root` names the whole value in texts: `body`. The check throws a 400 for what does not fit. */
export function compileCheck(schema: TSchema, root: string): SchemaCheck {
  const validator = lazily(schema)
  return (value) => {
    if (!validator().Check(value)) throw validationError(schema, validator(), value, root)
  }
}

/** Gives the value as it fits the schema: read liberally when it does not fit as it was sent. Throws a 400. */
export function compileLiberalCheck(schema: TSchema, root: string): (value: unknown) => unknown {
  const validator = lazily(schema)
  return (value) => {
    if (validator().Check(value)) return value
    const read = readLiberally(schema, value)
    if (!validator().Check(read)) throw validationError(schema, validator(), read, root)
    return read
  }
}

/** A process uses few of them; compiling all of them is a tenth of what a start costs. */
function lazily(schema: TSchema): () => Validator {
  let validator: Validator | undefined
  return () => {
    validator ??= Compile(schema)
    return validator
  }
}

function validationError(schema: TSchema, validator: Validator, value: unknown, root: string): Error {
  const cut = cutToFirstError(schema, value)
  if (cut.tooLong) {
    const { path, itemsMax } = cut.tooLong
    const issue = { keyword: 'maxItems', schemaPath: '', instancePath: path, message: '', params: { limit: itemsMax } }
    return invalid(fieldPathOf(issue), root, ruleError(issue))
  }
  // Where alternatives differ in what they take, each item may fit and the whole does not.
  const isCutTooFar = validator.Check(cut.value)
  const issues = validator.Errors(isCutTooFar ? value : cut.value)[1] as unknown as Issue[]
  const inOriginal = isCutTooFar
    ? issues
    : issues.map((issue) => ({ ...issue, instancePath: cut.originalPath(issue.instancePath) }))
  return explain(schema, value, inOriginal, root)
}

const ALTERNATIVE_TYPE = /^(.*\/anyOf)\/(\d+)(?:\/type)?$/

/** True where an alternative of another type has deeper issues: of a list that fits nearly, `must be an object` is not the error. */
function isOfOtherType({ keyword, schemaPath, instancePath }: Issue, issues: readonly Issue[]): boolean {
  const [, union, alternative] = (keyword === 'type' && ALTERNATIVE_TYPE.exec(schemaPath)) || []
  if (union === undefined) return false
  return issues.some(
    (other) =>
      other.instancePath.startsWith(`${instancePath}/`) &&
      isWithin(other.schemaPath, union) &&
      !isWithin(other.schemaPath, `${union}/${alternative}`),
  )
}

/** The first error; with several schemas, the requirement of each, or of the one that the value names. */
function explain(schema: TSchema, value: unknown, all: Issue[], root: string): CallerError {
  const kinds = all.filter(({ keyword, schemaPath }) => keyword === 'const' && KIND.test(schemaPath))
  const others = kinds.map(({ schemaPath }) => KIND.exec(schemaPath)?.[1] ?? '')
  const issues = all.filter(({ schemaPath }) => !others.some((other) => isWithin(schemaPath, other)))
  const unknown = kinds.find(({ schemaPath }) => {
    const union = KIND.exec(schemaPath)?.[2] ?? ''
    return !issues.some((issue) => isWithin(issue.schemaPath, `${union}/anyOf`) && issue.params.type !== 'null')
  })
  if (unknown) {
    const values = kinds.filter(({ instancePath }) => instancePath === unknown.instancePath)
    return invalid(fieldPathOf(unknown), root, mustBeOneOf(values.map(({ params }) => params.allowedValue)))
  }
  const first = issues.find((issue) => issue.keyword !== 'anyOf' && !isOfOtherType(issue, issues))
  if (!first) return invalid('', root, 'does not fit the schema')
  const path = root === 'query' ? parameterOf(first, value) : fieldPathOf(first)
  const here = issues.filter(({ keyword, instancePath }) => keyword !== 'anyOf' && instancePath === first.instancePath)
  const missing = here.filter(({ keyword }) => keyword === 'required').map((issue) => requirement(issue, path))
  const [required] = missing
  if (required !== undefined) {
    const verb = missing.length > 1 || required.length > 1 ? 'are' : 'is'
    const fields = missing.map((names) => names.join(', ')).join(' or ')
    return new CallerError(
      'missing_field',
      `${fields} ${verb} required${misspelling(schema, value, first, missing.flat())}`,
      {
        param: missing.length > 1 ? path : required[0],
      },
    )
  }
  const rule = here.find(({ keyword }) => keyword !== 'type')
  if (rule?.keyword === 'const') {
    const values = here.filter(({ keyword }) => keyword === 'const').map(({ params }) => params.allowedValue)
    return invalid(path, root, mustBeOneOf(values))
  }
  if (rule?.keyword === 'enum' && Array.isArray(rule.params.allowedValues))
    return invalid(path, root, mustBeChoice(rule.params.allowedValues, valueAt(first, value)))
  if (rule?.keyword === 'boolean')
    return new CallerError('unknown_field', unknownFieldError(rule, path, schema), { param: path })
  return invalid(path, root, rule ? ruleError(rule) : typeError(here))
}

/** A sentence about a field that is there, and that has nearly the name of one that is missing. */
function misspelling(schema: TSchema, value: unknown, { instancePath }: Issue, missing: readonly string[]): string {
  const keys = keysOf(instancePath)
  const object = valueAt({ instancePath }, value)
  const alternatives = keys.reduce(partOf, alternativesOf(schema) as SchemaAlternatives | undefined)
  if (!isObject(object)) return ''
  const names = missing.map((path) => path.slice(path.lastIndexOf('.') + 1))
  const sentence = misspelledField(object, (name) => alternatives?.names.has(name) === true, names)
  return sentence === '' ? '' : `.${sentence}`
}

/** More fields beside a missing one are not compared. */
const COMPARED_MAX = 50

/** The end of an error: a sentence about the first unknown field that has nearly the name of a missing one. Empty without such a field. */
export function misspelledField(
  fields: JsonObject,
  isKnown: (name: string) => boolean,
  missing: readonly string[],
): string {
  const unknown = Object.keys(fields).filter((name) => !isKnown(name))
  for (const name of unknown.slice(0, COMPARED_MAX)) {
    const near = nearestName(name, missing)
    if (near !== undefined) return ` Unknown field ${quoted(name)}.${didYouMean(near)}`
  }
  return ''
}

const keysOf = (instancePath: string) => instancePath.split('/').slice(1).map(unescaped)

const valueAt = ({ instancePath }: Pick<Issue, 'instancePath'>, value: unknown): unknown =>
  keysOf(instancePath).reduce((part: unknown, key) => (part as JsonObject | undefined)?.[key], value)

const partOf = (alternatives: SchemaAlternatives | undefined, key: string) =>
  /^\d+$/.test(key) && alternatives?.items ? alternatives.items : alternatives?.field(key)

const unescaped = (key: string) => key.replaceAll('~1', '/').replaceAll('~0', '~')

/** `path` is empty for the whole value. */
const invalid = (path: string, root: string, rule: string) =>
  new CallerError('invalid_field', `${path || root} ${rule}`, { param: path })

const fieldPathOf = ({ instancePath }: SchemaIssue) => instancePath.slice(1).replaceAll('/', '.')

/** A parameter as the caller wrote it: one value of a list is written like no list. */
function parameterOf(issue: Issue, query: unknown): string {
  const path = fieldPathOf(issue)
  const name = path.replace(/\.0$/, '')
  const list = isObject(query) ? query[name] : undefined
  return Array.isArray(list) && list.length === 1 ? name : path
}

/** The path of a field that names one of several schemas: that schema, and the parent of all of them. */
const KIND = /^((.*)\/anyOf\/\d+)\/properties\/[^/]+$/

const isWithin = (path: string, other: string) => path === other || path.startsWith(`${other}/`)

function requirement({ params }: Issue, path: string): string[] {
  const names = Array.isArray(params.requiredProperties) ? params.requiredProperties : []
  return names.map((name) => (path ? `${path}.${name}` : String(name)))
}

/** Longer lists are cut down to their first error: finding all errors would take up to a second. */
const LONG = 200

interface Cut {
  /** Its long lists and maps hold one item that does not fit, where there is one. */
  value: unknown
  /** The first list with more items than any alternative takes, by its path in the original. */
  tooLong?: { path: string; itemsMax: number }
  /** The path in the original, as in `/users/4711/recipient`. */
  originalPath(path: string): string
}

function cutToFirstError(schema: TSchema, value: unknown): Cut {
  /** The item of the original that a cut list has kept, by the path of the list. */
  const kept = new Map<string, number>()
  const cut: Cut = { value, originalPath: (path) => originalPath(path, kept) }

  const shorten = (alternatives: SchemaAlternatives, value: unknown, path: string): unknown => {
    if (Array.isArray(value)) return shortenList(alternatives, value, path)
    if (!isObject(value) || !alternatives.isObject) return value
    const names = Object.keys(value)
    const entries = (names.length > LONG ? worthKeeping(alternatives, value, names) : names).map((name) => {
      const alternative = alternatives.field(name)
      return [name, alternative ? shorten(alternative, value[name], `${path}/${name}`) : value[name]] as const
    })
    return Object.fromEntries(entries)
  }
  const shortenList = ({ items, itemsMax }: SchemaAlternatives, list: unknown[], path: string): unknown[] => {
    if (itemsMax !== undefined && list.length > itemsMax) cut.tooLong ??= { path: cut.originalPath(path), itemsMax }
    if (!items || cut.tooLong) return list
    if (list.length <= LONG) return list.map((item, index) => shorten(items, item, `${path}/${index}`))
    const first = Math.max(
      0,
      list.findIndex((item) => !items.fits(item)),
    )
    kept.set(path, first)
    return [shorten(items, list[first], `${path}/0`)]
  }

  cut.value = shorten(alternativesOf(schema), value, '')
  return cut
}

/** The fields that the schema names, and the first other field that does not fit. */
function worthKeeping(alternatives: SchemaAlternatives, object: JsonObject, names: string[]): string[] {
  const others = names.filter((name) => !alternatives.names.has(name))
  const unfitting = others.find((name) => alternatives.field(name)?.fits(object[name]) !== true)
  return [...names.filter((name) => alternatives.names.has(name)), ...(unfitting === undefined ? [] : [unfitting])]
}

function originalPath(path: string, kept: ReadonlyMap<string, number>): string {
  const [, ...keys] = path.split('/')
  let cutPath = ''
  let original = ''
  for (const key of keys) {
    original += `/${kept.get(cutPath) ?? key}`
    cutPath += `/${key}`
  }
  return original
}

// A fault is the end of a sentence about the field: `must be a string`, `must be at most 100`.
interface SchemaIssue {
  keyword: string
  schemaPath: string
  instancePath: string
  message: string
  params: object
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'a boolean',
  object: 'an object',
  array: 'an array',
}

/** `issues` have one path, each comes from one of the possible schemas; null may be allowed beside any of them. */
function typeError(issues: readonly SchemaIssue[]): string {
  const types = issues.flatMap(({ params }) => ('type' in params ? [params.type].flat() : []))
  const names = types.filter((type) => type !== 'null').map((type) => TYPES[String(type)] ?? String(type))
  return `must be ${[...new Set(names)].join(' or ')}`
}

/** A pattern of digits. */
const DIGITS = /^\^(?:\[[01]-9\](?:\{\d,\d\})?)+\$$/

export function ruleError(issue: SchemaIssue): string {
  const { keyword, message, params } = issue
  const limit = 'limit' in params ? Number(params.limit) : 0
  const atLeast = (what: string) => (limit === 1 ? 'must not be empty' : `must have at least ${limit} ${what}`)
  switch (keyword) {
    case 'type':
      return typeError([issue])
    case 'enum':
      return mustBeOneOf('allowedValues' in params && Array.isArray(params.allowedValues) ? params.allowedValues : [])
    case 'const':
      return mustBeOneOf('allowedValue' in params ? [params.allowedValue] : [])
    case 'minLength':
      return atLeast('characters')
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'minItems':
      return atLeast('items')
    case 'maxItems':
      return `must have at most ${limit} items`
    case 'minProperties':
      return atLeast('fields')
    case 'maxProperties':
      return `must have at most ${limit} fields`
    case 'minimum':
      return `must be at least ${limit}`
    case 'maximum':
      return `must be at most ${limit}`
    case 'exclusiveMinimum':
      return `must be more than ${limit}`
    case 'exclusiveMaximum':
      return `must be less than ${limit}`
    case 'uniqueItems':
      return 'must not hold an item twice'
    case 'pattern':
      return patternError('pattern' in params ? String(params.pattern) : '')
    default:
      return message
  }
}

const patternError = (pattern: string): string =>
  DIGITS.test(pattern)
    ? 'must be a whole number'
    : `must ${patternDescriptions[pattern] ?? `match the pattern \`${pattern}\``}`

/** A whole sentence about a field that the schema does not allow: the issue of the keyword `boolean` at its path. */
function unknownFieldError({ schemaPath }: SchemaIssue, path: string, schema: TSchema): string {
  const at = path.lastIndexOf('.')
  const name = path.slice(at + 1)
  const near = nearestName(name, namesAt(schema, schemaPath))
  return `Unknown field ${quoted(name)}${at < 0 ? '' : ` at ${path.slice(0, at)}`}.${didYouMean(near)}`
}

/** The fields beside `additionalProperties` at the end of the path; none where a reference stands in between. */
function namesAt(schema: TSchema, schemaPath: string): string[] {
  const keys = schemaPath.split('/').slice(1, -1)
  let part: unknown = schema
  for (const key of keys) {
    if (typeof part !== 'object' || part === null) return []
    part = (part as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  const { properties } = (part ?? {}) as { properties?: object }
  return Object.keys(properties ?? {})
}

export interface UnknownField {
  /** Its path. */
  field: string
  sentence: string
}

/** Fields without a value are ignored. `at` may be empty. */
export function unknownFields(fields: JsonObject, names: readonly string[], at: string): UnknownField[] {
  return Object.entries(fields)
    .filter(([name, value]) => value !== null && value !== undefined && !names.includes(name))
    .map(([name]) => ({
      field: at === '' ? name : `${at}.${name}`,
      sentence: `Unknown field ${quoted(name)}${at === '' ? '' : ` at ${at}`}.${didYouMean(nearestName(name, names))}`,
    }))
}
