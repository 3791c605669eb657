/** Faults that a schema finds, as the end of a sentence about the field: `must be a string`, `must be at most 100`. */
import { timestampPattern } from '@postrider/contract'
import type { TSchema } from 'typebox'
import type { JsonObject } from '../json/json.ts'
import { didYouMean, mustBeOneOf, nearestName, quoted } from '../quote.ts'

export interface SchemaIssue {
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
export function typeError(issues: readonly SchemaIssue[]): string {
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

function patternError(pattern: string): string {
  if (pattern === timestampPattern) return 'must be a timestamp: ISO 8601, or milliseconds since the Unix epoch'
  return DIGITS.test(pattern) ? 'must be a whole number' : `must match the pattern \`${pattern}\``
}

/** A whole sentence about a field that the schema does not allow: the issue of the keyword `boolean` at its path. */
export function unknownFieldError({ schemaPath }: SchemaIssue, path: string, schema: TSchema): string {
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
export function unknownFields(fields: JsonObject, known: readonly string[], at: string): UnknownField[] {
  return Object.entries(fields)
    .filter(([name, value]) => value !== null && value !== undefined && !known.includes(name))
    .map(([name]) => ({
      field: at === '' ? name : `${at}.${name}`,
      sentence: `Unknown field ${quoted(name)}${at === '' ? '' : ` at ${at}`}.${didYouMean(nearestName(name, known))}`,
    }))
}
