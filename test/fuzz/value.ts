/** Values that fit a schema of the document, as fast-check arbitraries. */
import fc from 'fast-check'
import type { Document, Schema } from './document.ts'
import { fixtureOfField, idPlaceholder } from './known-ids.ts'

// Deep enough for content with its children, shallow enough to stay small.
const DEPTH_MAX = 6
// The share of optional fields; with more of them most bodies contradict themselves.
const OPTIONAL_MAX = 4
// Far below the bounds of the schemas, which have oversized requests of their own.
const CHARACTERS_MAX = 24
const ITEMS_MAX = 3

/** Texts that mean something somewhere. */
const MEANINGFUL = [
  'email',
  'a.b.c',
  'a.*',
  '*',
  '{{name}}',
  '{$.data.name}',
  '2 days',
  '2026-01-05T12:00:00Z',
  'https://hook.example/a?b=c',
  'ada@example.com',
  '+12025550143',
  'en-US',
  'Europe/Vienna',
  'Mo-Fr 08:00-18:00',
  'user_id:ada read:messages',
  "data.name == 'Ada'",
]

export interface Values {
  of(schema: Schema): fc.Arbitrary<unknown>
}

export function valuesOf(document: Document): Values {
  const made = new Map<string, fc.Arbitrary<unknown>>()

  function of(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (schema.$ref === undefined) return inner(schema, depth)
    const name = `${depth} ${schema.$ref}`
    const arbitrary = made.get(name) ?? inner(document.resolve(schema), depth)
    made.set(name, arbitrary)
    return arbitrary
  }

  function inner(schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if (schema.anyOf) return fc.oneof(...shallow(schema.anyOf, depth).map((variant) => of(variant, depth + 1)))
    if (schema.type === 'object') return object(schema, depth)
    if (schema.type === 'array') return array(schema, depth)
    if (schema.type === 'string') return text(schema)
    if (schema.type === 'integer' || schema.type === 'number') return number(schema)
    if (schema.type === 'boolean') return fc.boolean()
    if (schema.type === 'null') return fc.constant(null)
    return fc.jsonValue({ maxDepth: 2 })
  }

  /** Beyond the depth only what ends there, where there is such a thing. */
  function shallow(variants: Schema[], depth: number): Schema[] {
    if (depth < DEPTH_MAX) return variants
    const ending = variants.filter((variant) => {
      const { type, anyOf } = document.resolve(variant)
      return type !== 'object' && type !== 'array' && anyOf === undefined
    })
    return ending.length > 0 ? ending : variants.slice(0, 1)
  }

  function object({ properties, required = [], additionalProperties }: Schema, depth: number): fc.Arbitrary<unknown> {
    const further = typeof additionalProperties === 'object' ? of(additionalProperties, depth + 1) : undefined
    if (!properties) return fc.dictionary(key, further ?? fc.jsonValue({ maxDepth: 2 }), { maxKeys: ITEMS_MAX })
    const optional = Object.keys(properties).filter((name) => !required.includes(name))
    const field = (name: string) => fieldOf(name, properties[name] ?? {}, depth + 1)
    const fixed = Object.fromEntries(required.map((name) => [name, field(name)]))
    if (optional.length === 0 || depth >= DEPTH_MAX) return fc.record(fixed)
    return fc
      .subarray(optional, { maxLength: Math.min(OPTIONAL_MAX, optional.length) })
      .chain((names) => fc.record({ ...fixed, ...Object.fromEntries(names.map((name) => [name, field(name)])) }))
  }

  function fieldOf(name: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    const fixture = fixtureOfField(name)
    const { type, enum: choices, pattern } = document.resolve(schema)
    if (!fixture || type !== 'string' || choices || pattern) return of(schema, depth)
    return fc.oneof(fc.constant(idPlaceholder(fixture)), of(schema, depth))
  }

  function array({ items = {}, minItems = 0, maxItems = Infinity, uniqueItems }: Schema, depth: number) {
    const bounds = {
      minLength: minItems,
      maxLength: Math.min(maxItems, minItems + (depth >= DEPTH_MAX ? 0 : ITEMS_MAX)),
    }
    const item = of(items, depth + 1)
    return uniqueItems ? fc.uniqueArray(item, { ...bounds, selector: JSON.stringify }) : fc.array(item, bounds)
  }

  return { of: (schema) => of(schema, 0) }
}

const key = fc.oneof(fc.constantFrom('email', 'name', 'custom', 'title', 'body'), fc.string({ maxLength: 12 }))

function text({ pattern, minLength = 0, maxLength = CHARACTERS_MAX }: Schema): fc.Arbitrary<string> {
  const bounds = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, CHARACTERS_MAX)) }
  const fits = (value: string) => value.length >= minLength && value.length <= maxLength
  const unit = pattern?.replace(/^(\^\[.+\])\+\$$/, '$1$')
  if (unit !== pattern && unit !== undefined) return fc.string({ ...bounds, unit: fc.stringMatching(new RegExp(unit)) })
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { maxLength: bounds.maxLength }).filter(fits)
  return fc.oneof(
    fc.string(bounds),
    fc.string({ ...bounds, unit: 'grapheme' }),
    fc.constantFrom(...MEANINGFUL.filter(fits), 'x'.repeat(Math.max(1, minLength))),
  )
}

function number({ type, minimum = -1e6, maximum = Number.MAX_SAFE_INTEGER }: Schema): fc.Arbitrary<number> {
  const bounds = { min: minimum, max: maximum }
  // The bounds of a number that is no integer may be fractions.
  const small = { min: Math.ceil(minimum), max: Math.floor(Math.min(maximum, Math.ceil(minimum) + 100)) }
  if (type === 'integer')
    return fc.oneof(
      fc.integer(small),
      fc.maxSafeInteger().map((n) => clamp(n, bounds)),
    )
  return fc.oneof(fc.integer(small), fc.double({ ...bounds, noNaN: true }))
}

const clamp = (value: number, { min, max }: { min: number; max: number }) => Math.min(Math.max(value, min), max)
