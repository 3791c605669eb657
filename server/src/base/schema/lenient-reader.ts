/** Reads a value as callers of the public API write it: `[]` where an object belongs, an empty string for an unused field. */
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { isObject, type JsonObject } from '../json/json.ts'

/** For fewer items, to read each is cheaper than to compile a check of them. */
const LONG = 100

/**
 * The value, with what is empty read anew: an empty list is an empty object wherever only an object fits, and a field
 * that may be left out and does not take an empty string is left out when it holds one. Whatever else does not fit
 * stays as it is. The value itself is not changed.
 */
export const readLiberally = (schema: TSchema, value: unknown): unknown => read(alternativesOf(schema), value)

function read(alternatives: SchemaAlternatives, value: unknown): unknown {
  if (Array.isArray(value)) return readList(alternatives, value)
  return isObject(value) && alternatives.isObject ? readObject(alternatives, value) : value
}

function readList(
  { isList, isObject, items, itemsMax = Number.POSITIVE_INFINITY }: SchemaAlternatives,
  list: unknown[],
) {
  if (list.length === 0) return !isList && isObject ? {} : list
  // A list that is too long is an error, whatever its items are.
  if (!items || list.length > itemsMax) return list
  let copy: unknown[] | undefined
  for (const [index, item] of list.entries()) {
    const readItem = list.length > LONG && items.fits(item) ? item : read(items, item)
    if (readItem !== item) (copy ??= [...list])[index] = readItem
  }
  return copy ?? list
}

function readObject(alternatives: SchemaAlternatives, object: JsonObject): JsonObject {
  const names = Object.keys(object)
  const fields = names.map((name) => readField(alternatives, name, object[name]))
  if (fields.every((field, index) => field === object[names[index] ?? ''])) return object
  const copy: JsonObject = {}
  for (const [index, name] of names.entries()) {
    const value = fields[index]
    // Assigned, a key `__proto__` would become the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { ...PLAIN, value })
    else if (value !== undefined) copy[name] = value
  }
  return copy
}

const PLAIN = { enumerable: true, configurable: true, writable: true }

/** Undefined for one that is left out. */
function readField(alternatives: SchemaAlternatives, name: string, value: unknown): unknown {
  const fieldAlternatives = alternatives.field(name)
  if (!fieldAlternatives) return value
  if (value === '' && !fieldAlternatives.takesEmptyString && !alternatives.requires(name)) return undefined
  return read(fieldAlternatives, value)
}

/** The keywords of the contract's schemas that describe the shape of a value. */
interface Shape {
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: readonly Shape[]
  properties?: Readonly<Record<string, Shape>>
  additionalProperties?: unknown
  required?: readonly string[]
  patternProperties?: Readonly<Record<string, Shape>>
  items?: Shape
  maxItems?: number
  minLength?: number
  pattern?: string
}

/** For any value at one path of a schema. */
export interface SchemaAlternatives {
  /** Some alternative is a list. */
  readonly isList: boolean
  /** Some alternative is an object. */
  readonly isObject: boolean
  readonly takesEmptyString: boolean
  /** Some alternative is an object with any fields, or any value. */
  readonly isOpen: boolean
  /** The bound of its lists together; undefined where one has none. */
  readonly itemsMax: number | undefined
  /** For the items of its lists; undefined where they may be anything. */
  readonly items: SchemaAlternatives | undefined
  /** The fields that some object names. */
  readonly names: ReadonlySet<string>
  /** For a field of its objects; undefined where it may be anything. */
  field(name: string): SchemaAlternatives | undefined
  /** Every object needs the field. */
  requires(name: string): boolean
  /** Whether a value fits one of them as it is. */
  fits(value: unknown): boolean
}

const bySchema = new WeakMap<object, SchemaAlternatives>()

export function alternativesOf(schema: TSchema): SchemaAlternatives {
  const cachedAlternatives = bySchema.get(schema)
  if (cachedAlternatives) return cachedAlternatives
  const made = alternatives(shapesOf(schema as Shape))
  bySchema.set(schema, made)
  return made
}

function shapesOf({ anyOf = [], ...shape }: Shape): readonly Shape[] {
  const isUnion = anyOf.length > 0 && shape.type === undefined
  return isUnion ? anyOf.flatMap(shapesOf) : [shape, ...anyOf.filter((part) => !isDemand(part)).flatMap(shapesOf)]
}

/** Says only which fields an object needs, and is no alternative to it. */
const isDemand = (shape: Shape) => Object.keys(shape).join() === 'required'

const isForObjects = ({ type, properties }: Shape) => type === 'object' || properties !== undefined

function alternatives(shapes: readonly Shape[]): SchemaAlternatives {
  const lists = shapes.filter(({ type }) => type === 'array')
  const objects = shapes.filter(isForObjects)
  const names = new Set(objects.flatMap(({ properties = {} }) => Object.keys(properties)))
  const bounds = lists.map(({ maxItems = Number.POSITIVE_INFINITY }) => maxItems)
  const itemsMax = Math.max(...bounds)
  const items = lazily(() => optional(lists.flatMap((list) => (list.items ? shapesOf(list.items) : []))))
  const others = lazily(() => optional(objects.flatMap((object) => fieldOf(object))))
  const fields = new Map<string, SchemaAlternatives | undefined>()
  const check = lazily(() => Compile({ anyOf: shapes } as unknown as TSchema))
  return {
    isList: lists.length > 0,
    isObject: objects.length > 0,
    takesEmptyString: shapes.some(takesEmptyString),
    isOpen: shapes.some(isOpen),
    itemsMax: Number.isFinite(itemsMax) ? itemsMax : undefined,
    get items() {
      return items()
    },
    names,
    field(name) {
      if (!names.has(name)) return others()
      if (!fields.has(name)) fields.set(name, optional(objects.flatMap((object) => fieldOf(object, name))))
      return fields.get(name)
    },
    requires: (name) => objects.every(({ required }) => required?.includes(name)),
    fits: (value) => check().Check(value),
  }
}

const optional = (shapes: readonly Shape[]) => (shapes.length > 0 ? alternatives(shapes) : undefined)

/** Without a name, one that it does not name. */
function fieldOf({ properties, patternProperties }: Shape, name?: string): readonly Shape[] {
  const named = name !== undefined && properties && Object.hasOwn(properties, name) ? properties[name] : undefined
  const field = named ?? patternProperties?.['^.*$']
  return field ? shapesOf(field) : []
}

function isOpen({ type, const: only, enum: values, properties, patternProperties, additionalProperties }: Shape) {
  if (additionalProperties === true) return true
  if (properties || patternProperties) return false
  return type === 'object' || (type === undefined && only === undefined && values === undefined)
}

function takesEmptyString({ type, const: only, enum: values, minLength = 0, pattern }: Shape): boolean {
  if (only !== undefined) return only === ''
  if (values) return values.includes('')
  if (type === undefined) return true
  return type === 'string' && minLength === 0 && (pattern === undefined || new RegExp(pattern, 'u').test(''))
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}
