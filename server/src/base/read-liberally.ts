/** Reads a value as callers of the public API write it: `[]` where an object belongs, an empty string for an unused field. */
import type { TSchema } from 'typebox'
import { isObject, type JsonObject } from './merge.ts'

/** The keywords of the contract's schemas that describe the shape of a value. */
interface Shape {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Shape[]
  properties?: Readonly<Record<string, Shape>>
  required?: readonly string[]
  patternProperties?: Readonly<Record<string, Shape>>
  items?: Shape
  minLength?: number
  pattern?: string
}

/**
 * A copy in which an empty list is an empty object wherever only an object fits, and a field that may be left out and
 * does not take an empty string is left out when it holds one. Whatever else does not fit stays as it is.
 */
export function readLiberally(schema: TSchema, value: unknown): unknown {
  return read(shapesOf(schema as Shape), value)
}

const flattened = new WeakMap<Shape, readonly Shape[]>()

/** The alternatives of a schema, cached: a large body needs the same ones many times. */
function shapesOf(schema: Shape): readonly Shape[] {
  const known = flattened.get(schema)
  if (known) return known
  const { anyOf = [], ...shape } = schema
  const isUnion = anyOf.length > 0 && shape.type === undefined
  const shapes = [...(isUnion ? [] : [shape]), ...anyOf.flatMap(shapesOf)]
  flattened.set(schema, shapes)
  return shapes
}

const isForObjects = ({ type, properties }: Shape) => type === 'object' || properties !== undefined

function read(shapes: readonly Shape[], value: unknown): unknown {
  if (Array.isArray(value)) {
    const lists = shapes.filter(({ type }) => type === 'array')
    if (value.length === 0) return lists.length === 0 && shapes.some(isForObjects) ? {} : value
    const items = lists.flatMap((list) => (list.items ? shapesOf(list.items) : []))
    return items.length === 0 ? value : value.map((item) => read(items, item))
  }
  return isObject(value) ? readObject(shapes.filter(isForObjects), value) : value
}

function readObject(shapes: readonly Shape[], value: JsonObject): JsonObject {
  const entries = Object.entries(value).flatMap(([name, field]) => {
    const own = shapes.flatMap((shape) => fieldOf(shape, name))
    const isUnused = field === '' && own.length > 0 && !own.some(takesEmptyString)
    if (isUnused && !shapes.every((shape) => shape.required?.includes(name))) return []
    return [[name, own.length > 0 ? read(own, field) : field] as const]
  })
  // Not assigned one by one: a key `__proto__` would become the prototype.
  return Object.fromEntries(entries)
}

function fieldOf({ properties, patternProperties }: Shape, name: string): readonly Shape[] {
  const named = properties && Object.hasOwn(properties, name) ? properties[name] : undefined
  const field = named ?? patternProperties?.['^.*$']
  return field ? shapesOf(field) : []
}

const taking = new WeakMap<Shape, boolean>()

function takesEmptyString(shape: Shape): boolean {
  const known = taking.get(shape) ?? findTaking(shape)
  taking.set(shape, known)
  return known
}

function findTaking({ type, const: only, enum: values, minLength = 0, pattern }: Shape): boolean {
  if (only !== undefined) return only === ''
  if (values) return values.includes('')
  if (type === undefined) return true
  return type === 'string' && minLength === 0 && (pattern === undefined || new RegExp(pattern, 'u').test(''))
}
