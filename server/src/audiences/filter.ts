/** An audience's filter: parsed once, with a clear 400 for errors, then evaluated for each user. */
import {
  audienceConditionsMax,
  audienceFilterBytesMax,
  audienceFilterDepthMax,
  audiencePathCharactersMax,
  audienceReasonCharactersMax,
  audienceValuesMax,
} from '@postrider/contract'
import { type Budget, budgetOf } from '../base/budget.ts'
import { invalidField, missingField } from '../base/errors.ts'
import { isObject, type JsonObject, jsonBytes, valueAt } from '../base/json/json.ts'
import { mustBeOneOf } from '../base/quote.ts'
import { ComparisonTooCostly, comparisons, negated, timestampOf, timestampOperators, type Value } from './operators.ts'

export interface Subject {
  profile: JsonObject
  /** The user's tenants, as far as filters name them. */
  tenants: readonly string[]
}

interface Condition {
  /** The text in a reason: `EQ('title', 'Engineer')`. */
  text: string
  /** Tenants that it names. */
  tenants: readonly string[]
  /** Throws `ComparisonTooCostly`. */
  holds(subject: Subject, work: Budget): boolean
}

interface Group {
  operator: 'AND' | 'OR'
  filters: readonly Filter[]
}

export type Filter = Group | Condition

const isGroup = (filter: Filter): filter is Group => 'filters' in filter

export interface FilterResult {
  holds: boolean
  /** The conditions that were evaluated until the result was certain, each with its result. */
  reason(): string
}

/** A profile that exceeds the budget does not match, even if the filter negates. */
export function evaluateFilter(filter: Filter, subject: Subject): FilterResult {
  try {
    const outcome = evaluatePart(filter, subject, budgetOf())
    return { holds: outcome.holds, reason: () => shortened(reasonOf(outcome)) }
  } catch (error) {
    if (!(error instanceof ComparisonTooCostly)) throw error
    return { holds: false, reason: () => 'The profile is too large for this filter => false' }
  }
}

interface Outcome {
  filter: Filter
  holds: boolean
  /** The evaluated parts: the last one is decisive, or all have the same result. */
  parts: readonly Outcome[]
}

function evaluatePart(filter: Filter, subject: Subject, work: Budget): Outcome {
  if (!isGroup(filter)) return { filter, holds: filter.holds(subject, work), parts: [] }
  const decisive = filter.operator === 'OR'
  const parts: Outcome[] = []
  for (const part of filter.filters) {
    const outcome = evaluatePart(part, subject, work)
    parts.push(outcome)
    if (outcome.holds === decisive) return { filter, holds: decisive, parts }
  }
  return { filter, holds: !decisive, parts }
}

function reasonOf({ filter, holds, parts }: Outcome): string {
  if (!isGroup(filter)) return `${filter.text} => ${holds}`
  return `${filter.operator}(${parts.map(reasonOf).join(', ')}) => ${holds}`
}

const shortened = (reason: string) =>
  reason.length > audienceReasonCharactersMax ? `${cut(reason, audienceReasonCharactersMax - 1)}…` : reason

/** Keeps surrogate pairs whole. */
const cut = (whole: string, length: number) => whole.slice(0, length).replace(/[\ud800-\udbff]$/, '')

/** Tenants that any of its conditions names. */
export function tenantsOf(filter: Filter): readonly string[] {
  return isGroup(filter) ? filter.filters.flatMap(tenantsOf) : filter.tenants
}

/** Throws a 400 for an invalid filter. `operator` joins a group without its own operator. */
export function parseFilter(filter: JsonObject, operator: string | null | undefined): Filter {
  if (jsonBytes(filter) > audienceFilterBytesMax)
    throw invalidField('filter', `must have at most ${audienceFilterBytesMax} bytes`)
  const count = { conditions: 0 }
  if (filter.operator === undefined && partsOf(filter) !== undefined)
    return parse({ ...filter, operator: operator ?? 'AND' }, 'filter', audienceFilterDepthMax, count)
  return parse(filter, 'filter', audienceFilterDepthMax, count)
}

export const filterOperators = ['AND', 'OR', 'EXISTS', 'MEMBER_OF', ...comparisons.keys()].sort()

const partsOf = ({ filters, rules }: JsonObject) => filters ?? rules

function parse(node: unknown, place: string, depth: number, count: { conditions: number }): Filter {
  if (!isObject(node)) throw invalidField(place, 'must be an object')
  const { operator } = node
  if (operator === 'AND' || operator === 'OR') return parseGroup(node, operator, place, depth, count)
  count.conditions += 1
  if (count.conditions > audienceConditionsMax)
    throw invalidField('filter', `must have at most ${audienceConditionsMax} conditions`)
  if (operator === 'EXISTS') {
    const path = pathOf(node.path, place)
    return condition(operator, path, [], ({ profile }) => (fieldAt(profile, path) ?? null) !== null)
  }
  if (operator === 'MEMBER_OF') return membership(node, place)
  const compare = typeof operator === 'string' ? comparisons.get(operator) : undefined
  // The message of the public API.
  if (typeof operator !== 'string' || !compare) throw invalidField(`${place}.operator`, mustBeOneOf(filterOperators))
  const path = pathOf(node.path, place)
  const values = valuesOf(node.value, place)
  if (timestampOperators.has(operator) && values.some((value) => timestampOf(value) === undefined))
    throw invalidField(`${place}.value`, 'must be a timestamp: ISO 8601, or milliseconds since the Unix epoch')
  const expected = !negated.has(operator)
  return condition(operator, path, values, ({ profile }, work) => {
    const actual = fieldAt(profile, path)
    return values.some((value) => compare(actual, value, work)) === expected
  })
}

function parseGroup(
  group: JsonObject,
  operator: 'AND' | 'OR',
  place: string,
  depth: number,
  count: { conditions: number },
): Group {
  const parts = partsOf(group)
  if (depth === 0) throw invalidField('filter', `is nested more than ${audienceFilterDepthMax} deep`)
  if (!Array.isArray(parts) || parts.length === 0)
    throw invalidField(`${place}.filters`, 'must be an array of at least one filter')
  return { operator, filters: parts.map((part, index) => parse(part, `${place}.filters.${index}`, depth - 1, count)) }
}

function membership(node: JsonObject, place: string): Condition {
  if (node.path !== 'tenant_id' && node.path !== 'account_id')
    throw invalidField(`${place}.path`, 'must be one of `tenant_id`, `account_id` for `MEMBER_OF`')
  const values = valuesOf(node.value, place)
  const tenants = values.map(String)
  return {
    ...condition('MEMBER_OF', [node.path], values, (subject) => tenants.some((id) => subject.tenants.includes(id))),
    tenants,
  }
}

function condition(
  operator: string,
  path: readonly string[],
  values: readonly Value[],
  holds: Condition['holds'],
): Condition {
  const [first] = values
  const value =
    values.length > 1 ? `[${values.map(quoted).join(', ')}]` : first === undefined ? undefined : quoted(first)
  const place = quoted(path.join('.'))
  return { text: `${operator}(${value === undefined ? place : `${place}, ${value}`})`, tenants: [], holds }
}

const quoted = (value: Value) => (typeof value === 'string' ? `'${value.replace(/['\\]/g, '\\$&')}'` : String(value))

function pathOf(text: unknown, place: string): readonly string[] {
  if (typeof text !== 'string' || text === '') throw missingField(`${place}.path`)
  if (text.length > audiencePathCharactersMax)
    throw invalidField(`${place}.path`, `must have at most ${audiencePathCharactersMax} characters`)
  const path = text.split('.')
  if (path.includes('')) throw invalidField(`${place}.path`, 'has an empty part')
  return path
}

function valuesOf(value: unknown, place: string): readonly Value[] {
  const values: unknown[] = Array.isArray(value) ? value : [value]
  if (value === undefined || value === null) throw missingField(`${place}.value`)
  if (values.length === 0 || values.length > audienceValuesMax)
    throw invalidField(`${place}.value`, `must be an array of 1 to ${audienceValuesMax} values`)
  if (!values.every(isValue))
    throw invalidField(`${place}.value`, 'must be a string, a number, a boolean or an array of them')
  return values
}

const isValue = (value: unknown): value is Value => ['string', 'number', 'boolean'].includes(typeof value)

/** A list has items and no other keys. */
const fieldAt = (profile: JsonObject, path: readonly string[]) =>
  valueAt(profile, path, (value, key) => !(Array.isArray(value) && key === 'length'))
