/** A filter matches by its conditions, and its reason names them. */
import { readFileSync } from 'node:fs'
import { audienceOperators } from '@postrider/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withinWork } from '../base/processor-time.harness.ts'
import { evaluateFilter, type Filter, filterOperators, parseFilter, type Subject } from './filter.ts'

const matches = (filter: Filter, subject: Subject) => evaluateFilter(filter, subject).holds
const reasonOf = (filter: Filter, subject: Subject) => evaluateFilter(filter, subject).reason()

const comparisonOf = (operator: string, value: unknown, profile: Subject['profile'], path = 'a.b') =>
  matches(parseFilter({ operator, path, ...(value === undefined ? {} : { value }) }, undefined), {
    profile,
    tenants: [],
  })
const at = (b: unknown) => ({ a: { b } })

test('the operators of the contract, of the guide and of the filter are the same', () => {
  expect([...audienceOperators].sort()).toEqual(filterOperators)
  const guide = readFileSync(new URL('../../../docs/guides/audiences.md', import.meta.url), 'utf8')
  for (const operator of filterOperators) expect(guide).toContain(`\`${operator}\``)
})

describe('each operator', () => {
  test.each<[operator: string, value: unknown, actual: unknown, holds: boolean]>([
    ['EQ', 'Engineer', 'Engineer', true],
    ['EQ', 'engineer', 'Engineer', false],
    ['EQ', '7', 7, true],
    ['EQ', true, 'true', true],
    ['EQ', 'x', null, false],
    ['EQ', 'x', ['x'], false],
    ['EQ', '[object Object]', {}, false],
    ['EQ', ['x', 'y'], 'y', true],
    ['EQ', ['x', 'y'], 'z', false],
    ['NEQ', 'x', 'y', true],
    ['NEQ', 'x', 'x', false],
    ['NEQ', 'x', null, true],
    ['NEQ', ['x', 'y'], 'y', false],
    ['GT', 9, 10, true],
    ['GT', '9', '10', true],
    ['GT', 9, '9', false],
    ['GT', 'b', 'ba', true],
    ['GT', 1, null, false],
    ['GT', 1, [2], false],
    ['GTE', '1e1', 10, true],
    ['GTE', 11, 10, false],
    ['LT', 9, 10, false],
    ['LT', 'b', 'a', true],
    ['LT', 'x', '10', true],
    ['LTE', -1.5, '-1.50', true],
    ['LTE', -2, -1.5, false],
    ['INCLUDES', 'b', ['a', 'b'], true],
    ['INCLUDES', 'b', ['ab'], false],
    ['INCLUDES', 'b', 'abc', true],
    ['INCLUDES', 2, [1, 2], true],
    ['INCLUDES', ['x', 'b'], ['a', 'b'], true],
    ['INCLUDES', 'b', null, false],
    ['OMIT', 'b', ['a', 'b'], false],
    ['OMIT', 'b', 'ac', true],
    ['OMIT', 'b', null, true],
    ['OMIT', ['x', 'b'], 'abc', false],
    ['EXISTS', undefined, 0, true],
    ['EXISTS', 'ignored', '', true],
    ['EXISTS', undefined, null, false],
    ['STARTS_WITH', '+31', '+31612345678', true],
    ['STARTS_WITH', '31', '+31612345678', false],
    ['STARTS_WITH', 'a', ['a'], false],
    ['ENDS_WITH', ['.nl', '.be'], 'ada@example.be', true],
    ['ENDS_WITH', '.nl', 'nl', false],
    ['IS_BEFORE', '2026-01-05', '2026-01-04T23:59:59.999Z', true],
    ['IS_BEFORE', '2026-01-05', '2026-01-05T00:00', false],
    ['IS_BEFORE', '2026-01-05T02:00:00+02:00', '2026-01-04T23:59:59', true],
    ['IS_BEFORE', 1_767_571_200_000, '2026-01-05T00:00:00Z', false],
    ['IS_AFTER', '1767571200000', '2026-01-05T00:00:01Z', true],
    ['IS_AFTER', '2026-01', 1_767_571_200_000, true],
    ['IS_AFTER', '2026-01-05', 'soon', false],
    ['IS_AFTER', '2026-01-05', null, false],
  ])('%s %j of %j is %j', (operator, value, actual, holds) => {
    expect(comparisonOf(operator, value, at(actual))).toBe(holds)
  })

  test('MEMBER_OF matches any of its tenants', () => {
    const filter = parseFilter({ operator: 'MEMBER_OF', path: 'tenant_id', value: ['acme', 7] }, undefined)
    expect(matches(filter, { profile: { tenant_id: 'acme' }, tenants: ['other'] })).toBe(false)
    expect(matches(filter, { profile: {}, tenants: ['other', '7'] })).toBe(true)
  })
})

test('a path leads through own keys and positions only', () => {
  expect(comparisonOf('EXISTS', undefined, {}, 'constructor.name')).toBe(false)
  expect(comparisonOf('EXISTS', undefined, { a: 'text' }, 'a.length')).toBe(false)
  expect(comparisonOf('EXISTS', undefined, { a: [1] }, 'a.length')).toBe(false)
  expect(comparisonOf('EQ', 'x', { a: [{ b: 'x' }] }, 'a.0.b')).toBe(true)
  expect(comparisonOf('EQ', 'x', JSON.parse('{"__proto__":{"b":"x"}}'), '__proto__.b')).toBe(true)
  expect(comparisonOf('EQ', 'x', {}, '__proto__.b')).toBe(false)
})

describe('a profile that is too large for a filter', () => {
  const needle = `${'a'.repeat(60)}b`
  const searches = (operator: string) =>
    parseFilter(
      { filters: Array(50).fill({ operator, path: 'a.b', value: Array(2).fill(needle) }), operator: 'AND' },
      undefined,
    )

  test.each(['INCLUDES', 'OMIT'])('is decided soon and matches nothing, with %s as well', async (operator) => {
    const subject = { profile: at('a'.repeat(3_000_000)), tenants: [] }
    expect(evaluateFilter(searches(operator), subject).holds).toBe(false)
    await withinWork(200, () => evaluateFilter(searches(operator), subject))
    const list = { profile: at(Array(300_000).fill('a'.repeat(61))), tenants: [] }
    expect(evaluateFilter(searches(operator), list).holds).toBe(false)
    await withinWork(200, () => evaluateFilter(searches(operator), list))
  })

  test('is larger than any that people write', () => {
    const subject = { profile: at('a'.repeat(10_000)), tenants: [] }
    expect(evaluateFilter(searches('OMIT'), subject).holds).toBe(true)
  })
})

describe('a reason', () => {
  const subject = { profile: { title: 'Engineer', age: 30 }, tenants: [] }
  const reason = (filter: Record<string, unknown>) => reasonOf(parseFilter(filter, undefined), subject)
  const title = { operator: 'EQ', path: 'title', value: 'Engineer' }
  const young = { operator: 'LT', path: 'age', value: 20 }

  test('names the conditions that were looked at, and what each gave', () => {
    expect(reason(title)).toBe("EQ('title', 'Engineer') => true")
    expect(reason({ operator: 'OR', filters: [young, title, title] })).toBe(
      "OR(LT('age', 20) => false, EQ('title', 'Engineer') => true) => true",
    )
    expect(reason({ filters: [title, { operator: 'EXISTS', path: 'age' }] })).toBe(
      "AND(EQ('title', 'Engineer') => true, EXISTS('age') => true) => true",
    )
    expect(reason({ operator: 'NEQ', path: 'title', value: ["it's", 'b\\c', true] })).toBe(
      "NEQ('title', ['it\\'s', 'b\\\\c', true]) => true",
    )
  })

  test('is cut where it would be too long, and stays well-formed', () => {
    for (const shift of ['', 'x']) {
      const long = reason({ operator: 'NEQ', path: 'title', value: shift + '😀'.repeat(1_000) })
      expect(long.length).toBeLessThanOrEqual(1_024)
      expect(long.endsWith('…')).toBe(true)
      expect(long.isWellFormed()).toBe(true)
    }
  })
})

describe('any filter over any profile', () => {
  type Given = { operator: string; path?: string; value?: unknown; filters?: Given[] }
  const scalar = fc.constantFrom<unknown[]>('a', 'ab', 'b', '', '1', 1, 2.5, true, '2026-01-05')
  const single: fc.Arbitrary<Given> = fc.record({
    operator: fc.constantFrom('EQ', 'NEQ', 'GT', 'GTE', 'LT', 'LTE', 'INCLUDES', 'OMIT', 'STARTS_WITH', 'ENDS_WITH'),
    path: fc.constantFrom('p', 'q', 'p.q'),
    value: fc.oneof(scalar, fc.array(scalar, { minLength: 1, maxLength: 3 })),
  })
  const { filter } = fc.letrec<{ filter: Given; group: Given }>((tie) => ({
    filter: fc.oneof({ maxDepth: 3 }, single, tie('group')),
    group: fc.record({
      operator: fc.constantFrom('AND', 'OR'),
      filters: fc.array(tie('filter'), { minLength: 1, maxLength: 4 }),
    }),
  }))
  const value = fc.oneof(scalar, fc.constant(null), fc.array(scalar, { maxLength: 3 }), fc.record({ q: scalar }))
  const profile = fc.dictionary(fc.constantFrom('p', 'q'), value) as fc.Arbitrary<Record<string, unknown>>

  /** The same said in the most direct way. */
  const naive = (condition: Given, profile: Record<string, unknown>): boolean => {
    const results = condition.filters?.map((part) => naive(part, profile))
    if (results) return condition.operator === 'AND' ? !results.includes(false) : results.includes(true)
    const allowed = [condition.value].flat()
    const p = profile.p as Record<string, unknown> | undefined
    const isRecord = typeof p === 'object' && p !== null && !Array.isArray(p)
    const actual = condition.path === 'p.q' ? (isRecord ? p.q : undefined) : profile[condition.path ?? '']
    const plain = ['string', 'number', 'boolean'].includes(typeof actual)
    const said = plain ? `${actual}` : ''
    const number = (x: unknown) => (/^[\d.]+$/.test(`${x}`) ? Number(x) : Number.NaN)
    const any = (holds: (value: string) => boolean) => allowed.some((value) => holds(`${value}`))
    const order = (holds: (left: number | string, right: number | string) => boolean) =>
      plain &&
      any((value) =>
        Number.isNaN(number(said)) || Number.isNaN(number(value))
          ? holds(said, value)
          : holds(number(said), number(value)),
      )
    const isHeld = (value: string) =>
      Array.isArray(actual) ? actual.map(String).includes(value) : plain && said.includes(value)
    switch (condition.operator) {
      case 'EQ':
        return plain && any((value) => value === said)
      case 'NEQ':
        return !(plain && any((value) => value === said))
      case 'GT':
        return order((left, right) => left > right)
      case 'GTE':
        return order((left, right) => left >= right)
      case 'LT':
        return order((left, right) => left < right)
      case 'LTE':
        return order((left, right) => left <= right)
      case 'INCLUDES':
        return any(isHeld)
      case 'OMIT':
        return !any(isHeld)
      case 'STARTS_WITH':
        return plain && any((value) => said.slice(0, value.length) === value)
      default:
        return plain && any((value) => value === '' || said.slice(-value.length) === value)
    }
  }

  test('is decided as by the plain reading of it, and its reason ends with the decision', () => {
    fc.assert(
      fc.property(filter, profile, (condition, fields) => {
        const parsed = parseFilter(condition as unknown as Record<string, unknown>, undefined)
        const subject = { profile: fields, tenants: [] }
        const expected = naive(condition, fields)
        expect(matches(parsed, subject)).toBe(expected)
        expect(reasonOf(parsed, subject)).toMatch(new RegExp(`=> ${expected}$|…$`))
      }),
      { numRuns: 2_000 },
    )
  })
})
