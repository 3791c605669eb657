/** The contract is whole: examples fit their schemas, names are unique, every field has a description. */
import { readdirSync } from 'node:fs'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { expect, expectTypeOf, test } from 'vitest'
import {
  definitions,
  type Handlers,
  type InputOf,
  type MessageStatus,
  operationById,
  operations,
  patternDescriptions,
  type ReplyOf,
  resourceOf,
  resources,
  type SuccessOf,
  successOf,
} from './index.ts'

const errorsOf = (schema: TSchema, value: unknown) => [...Compile(schema).Errors(value)]

test.each(operations.map((operation) => [operation.id, operation] as const))(
  'the example of %s fits its schemas',
  (_, operation) => {
    const { example } = operation
    if (operation.params) expect(errorsOf(operation.params, example?.params)).toEqual([])
    if (operation.query) expect(errorsOf(operation.query, example?.query ?? {})).toEqual([])
    if (operation.body) expect(errorsOf(operation.body, example?.body)).toEqual([])
    const { schema } = successOf(operation)
    if (schema && example?.reply !== undefined) expect(errorsOf(schema, example.reply)).toEqual([])
  },
)

test('every JSON reply of an operation that takes a key is shown by an example', () => {
  const missing = operations.filter(
    ({ replies, produces, access, example }) =>
      access !== 'open' && !produces && (replies[200] || replies[201]) && example?.reply === undefined,
  )
  expect(missing.map(({ id }) => id)).toEqual([])
})

test('ids are unique, and so are method and path', () => {
  expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
  expect(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size).toBe(operations.length)
  expect(Object.keys(operationById)).toEqual(operations.map(({ id }) => id))
})

test('every file in resources is a definition, and every operation is one of its resource', () => {
  const files = readdirSync(new URL('resources/', import.meta.url), { recursive: true, encoding: 'utf8' })
  expect(definitions.length).toBe(files.filter((file) => file.endsWith('.ts')).length)
  const foreign = definitions.flatMap(({ name, operations: ofResource }) =>
    ofResource.map(({ id }) => id).filter((id) => resourceOf(id) !== name),
  )
  expect(foreign).toEqual([])
  expect(operations.length).toBe(
    definitions.flatMap(({ operations: ofResource }) => ofResource.map(({ id }) => id)).length,
  )
})

test('every resource has a position of its own', () => {
  const positions = resources.map(({ position }) => position)
  expect([...new Set(positions)]).toEqual(positions)
})

test('every parameter in a path is described, and nothing else', () => {
  for (const { id, path, params } of operations) {
    const named = [...path.matchAll(/:(\w+)/g)].map((match) => match[1])
    expect([id, Object.keys(params?.properties ?? {})]).toEqual([id, named])
  }
})

test('a fixed path comes before a path with a parameter that would catch it', () => {
  const ids = operations.map(({ id }) => id)
  expect(ids.indexOf('providers.catalog')).toBeLessThan(ids.indexOf('providers.get'))
})

test('every field of every schema has a description', () => {
  const silent: string[] = []
  const walk = (schema: Record<string, unknown>, path: string) => {
    for (const [key, field] of Object.entries((schema.properties ?? {}) as Record<string, Record<string, unknown>>)) {
      const shape = field.items ?? field
      if (!field.description && !('description' in (shape as object)) && !('properties' in (shape as object)))
        silent.push(`${path}.${key}`)
      walk(field, `${path}.${key}`)
    }
    if (schema.items) walk(schema.items as Record<string, unknown>, `${path}[]`)
    for (const variant of (schema.anyOf ?? []) as Record<string, unknown>[]) walk(variant, path)
  }
  for (const { id, params, query, body, replies } of operations)
    for (const schema of [params, query, body, ...Object.values(replies)])
      if (schema) walk(schema as Record<string, unknown>, id)
  expect([...new Set(silent)]).toEqual([])
})

test('a title names one schema only, so that documents can share it', () => {
  const seen = new Map<string, string>()
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    const { title } = value as { title?: unknown }
    if (typeof title === 'string') {
      const text = JSON.stringify(value)
      expect([title, seen.get(title) ?? text]).toEqual([title, text])
      seen.set(title, text)
    }
    for (const part of Object.values(value)) walk(part)
  }
  for (const { params, query, body, replies } of operations) walk([params, query, body, replies])
  expect(seen.size).toBeGreaterThan(30)
})

test.each([
  ['an empty event', { event: '', recipient: 'u' }, false],
  ['no recipient', { event: 'e' }, false],
  ['an empty recipient', { event: 'e', recipient: '' }, false],
  ['a number for a recipient', { event: 'e', recipient: 7 }, true],
  ['null for data', { event: 'e', recipient: 'u', data: null, profile: null, override: null }, true],
  ['a list for data', { event: 'e', recipient: 'u', data: [] }, false],
  ['a number for brand', { event: 'e', recipient: 'u', brand: 1 }, false],
  ['an unknown field', { event: 'e', recipient: 'u', later: true }, true],
  ['a delay of two years', { event: 'e', recipient: 'u', delay: { duration: 63_244_800_000 } }, true],
  ['a delay beyond two years', { event: 'e', recipient: 'u', delay: { duration: 63_244_800_001 } }, false],
  ['a delay until a time', { event: 'e', recipient: 'u', delay: { until: '2030-01-01T00:00:00Z' } }, true],
  ['an empty delay', { event: 'e', recipient: 'u', delay: {} }, true],
])('a send with %s', (_, body, fits) => {
  expect(Compile(operationById['send.send'].body).Check(body)).toBe(fits)
})

test('a profile is merged or patched, and one of the two is needed', () => {
  const merge = Compile(operationById['profiles.merge'].body)
  expect(merge.Check({ profile: {} })).toBe(true)
  expect(merge.Check({ patch: [] })).toBe(true)
  expect(merge.Check({})).toBe(false)
})

test('handlers are typed by the contract', () => {
  expectTypeOf<InputOf<'messages.list'>['query']['status']>().toEqualTypeOf<MessageStatus[] | undefined>()
  expectTypeOf<InputOf<'messages.get'>['params']>().toEqualTypeOf<{ message_id: string }>()
  expectTypeOf<InputOf<'messages.cancel'>['body']>().toEqualTypeOf<undefined>()
  expectTypeOf<Exclude<InputOf<'send.send'>['body'], { message: unknown }>['recipient']>().toEqualTypeOf<
    string | number
  >()
  expectTypeOf<InputOf<'notifications.publish'>['body']>().extract<undefined>().toEqualTypeOf<undefined>()
  expectTypeOf<ReplyOf<'send.send'>>().toEqualTypeOf<{ messageId: string }>()
  expectTypeOf<ReplyOf<'keys.create', 201>['key']>().toEqualTypeOf<string>()
  expectTypeOf<SuccessOf<'keys.create'>['kind']>().toEqualTypeOf<'published' | 'draft' | 'mock'>()
  expectTypeOf<SuccessOf<'keys.revoke'>>().toEqualTypeOf<undefined>()
  expectTypeOf<ReplyOf<'events.delete', 204>>().toEqualTypeOf<undefined>()
  expectTypeOf<Parameters<Handlers<{ now: number }, void>['events.put']>[0]['body']['id']>().toEqualTypeOf<string>()
})

test('no caller has to read an expression: every pattern has its words', () => {
  const inputs = JSON.stringify(operations.map(({ params, query, body }) => [params, query, body]))
  const patterns = [...inputs.matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(
    ([, text = '']) => JSON.parse(text) as string,
  )
  const isCount = (pattern: string) => /^\^\[[01]-9\]/.test(pattern)
  expect(patterns.length).toBeGreaterThan(10)
  expect(patterns.filter((pattern) => !isCount(pattern) && !(pattern in patternDescriptions))).toEqual([])
})
