/**
 * Masks replies for viewers, by the schema of the reply: declared numbers, enumerations and names of things of the
 * service stay, and every other value is masked, described by the schema or not. A new field is masked until it is known
 * to be harmless. Filters by what is masked are refused, and cursors are sealed: both would find it out by trying.
 */
import { type InputOf, isPersonal, type Operation, type OperationId, operations, successOf } from '@postrider/contract'
import type { TSchema } from 'typebox'
import { CallerError, forbidden, invalidRequest } from '../base/errors.ts'
import { isObject } from '../base/json/json.ts'
import { digitsIn } from '../base/phone-number.ts'
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import type { HandlerReply } from './call.ts'

const MASKED = '•••'

/** Ids, and names that operators give or that the service makes. */
const HARMLESS =
  /^(?:.*(?:_id|Id|_ids|Ids)|id|ids|cursor|recipient|type|status|reason|channel|provider|integration|event|notification|template|lane|step|action|ref|version|locale|timezone|created|updated|at|timestamp|target|source|canceledBy|pausedBy|stoppedBy|kind|code|state|format|method|class|environment|role)$/
/** An id can be an address. */
const isLikeAddress = (text: string) => text.includes('@') || (text.length > 5 && digitsIn(text) !== undefined)
const TIMESTAMP = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/
/** Beyond it, a number of the facts of a decision can be a telephone number. */
const COUNT_MAX = 9_999

/** Filters by what viewers see: ids, times and pages. `recipient` is none: it also holds addresses. */
const HARMLESS_FILTER =
  /^(?:.*(?:_id|Id)|cursor|starting_after|after|event|list|notification|provider|channel|page|version|actor|type|target|target_kind|enqueued_after|enqueued_before|start_date|end_date|from|to)$/
const CURSORS = ['cursor', 'starting_after']
/** Filters whose values are times and no ids. */
const TIMES = /^(?:enqueued_|start_|end_|from$|to$)/

/** The parts of a JSON schema that lead to values. */
interface Shape {
  type?: unknown
  enum?: unknown
  const?: unknown
  properties?: Record<string, Shape>
  patternProperties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  allOf?: Shape[]
  additionalProperties?: Shape | boolean
  /** Masked for viewers even where nothing else of the reply is. */
  'x-masked'?: boolean
  /** Facts of a decision: words of the contract, counts and times stay. */
  'x-facts'?: boolean
  /** A name that an operator gave, as a viewer reads it elsewhere: stays. */
  'x-public'?: boolean
}

export interface Masking {
  /** The input as the handler gets it. Throws a 403 for a filter by what is masked. */
  open(input: InputOf<OperationId>): InputOf<OperationId>
  /** The reply as a viewer gets it. Throws a 403 for one that is no JSON. */
  mask(reply: HandlerReply): HandlerReply
}

/** Undefined for an operation whose replies have nothing to mask. */
export function createMasking(operation: Operation, secretKey: SecretKey): Masking | undefined {
  const { query, method, calledBy, access } = operation
  if (access === 'open' || calledBy !== undefined) return undefined
  const schemas = [successOf(operation).schema, operation.variant && operation.replies[operation.variant.status]]
  const shapes = schemas.flatMap((schema) => alternatives(schema ?? undefined))
  if (!isPersonal(operation)) {
    if (!shapes.some(marks)) return undefined
    return { open: (input) => input, mask: (reply) => replaced(reply, (body) => maskMarked(body, shapes)) }
  }
  const parameters = (query?.properties ?? {}) as Record<string, Shape>
  return {
    open(input) {
      if (method !== 'GET') return input
      for (const [name, value] of Object.entries(input.params)) refuseAddress(name, value)
      const filters = Object.entries(input.query).filter(([, value]) => value !== undefined)
      return {
        ...input,
        query: Object.fromEntries(filters.map(([name, value]) => [name, filter(name, value)])),
      } as typeof input
    },
    mask(reply) {
      if (reply.raw) throw forbidden('role_required', 'This needs a key of role reader: the reply cannot be masked')
      return replaced(reply, (body) => mask(body, shapes, '', 0))
    },
  }

  function filter(name: string, value: unknown): unknown {
    if (CURSORS.includes(name)) return openCursor(secretKey, String(value))
    if (isEnumerated(parameters[name])) return value
    if (!HARMLESS_FILTER.test(name))
      throw refused(name, `A filter by \`${name}\` needs a key of role reader: its values are masked for viewers`)
    if (!TIMES.test(name)) for (const item of [value].flat()) refuseAddress(name, item)
    return value
  }

  function mask(value: unknown, shapes: readonly Shape[], name: string, depth: number): unknown {
    if (name === 'cursor' && typeof value === 'string') return sealCursor(secretKey, value)
    return maskValue(value, shapes, name, depth, mask)
  }
}

const replaced = (reply: HandlerReply, change: (body: unknown) => unknown): HandlerReply =>
  reply.body === undefined || reply.status >= 400 ? reply : { ...reply, body: change(reply.body) }

const refused = (param: string, message: string) => new CallerError('role_required', message, { param })

function refuseAddress(name: string, value: unknown): void {
  if (isLikeAddress(String(value)))
    throw refused(name, `The value of \`${name}\` looks like an address, which needs a key of role reader`)
}

const isEnumerated = (shape: Shape | undefined): boolean =>
  alternatives(shape).some(
    ({ type, enum: words, items }) =>
      words !== undefined || type === 'integer' || type === 'boolean' || (items !== undefined && isEnumerated(items)),
  )

/** The cursor of a page is the sort key of its last row, which can be an address. */
const CURSOR_CONTEXT = 'viewer-cursor'

const sealCursor = (key: SecretKey, cursor: string): string =>
  Buffer.from(encrypt(key, cursor, CURSOR_CONTEXT)).toString('base64url')

function openCursor(key: SecretKey, sealed: string): string {
  try {
    return decrypt(key, Buffer.from(sealed, 'base64url').toString(), CURSOR_CONTEXT)
  } catch (error) {
    throw invalidRequest('The cursor is malformed', { code: 'invalid_cursor', cause: error })
  }
}

const alternatives = (schema: TSchema | Shape | undefined): Shape[] => {
  const shape = schema as Shape | undefined
  if (!shape) return []
  return [shape, ...[...(shape.anyOf ?? []), ...(shape.allOf ?? [])].flatMap(alternatives)]
}

const childrenOf = ({ properties = {}, patternProperties = {}, additionalProperties, items }: Shape): Shape[] =>
  [
    ...Object.values(properties),
    ...Object.values(patternProperties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...(items ? [items] : []),
  ].flatMap(alternatives)

const marks = (shape: Shape): boolean => shape['x-masked'] === true || childrenOf(shape).some(marks)

/** Deeper than any reply. */
const DEPTH_MAX = 64

type Mask = (value: unknown, shapes: readonly Shape[], name: string, depth: number) => unknown

function maskValue(value: unknown, shapes: readonly Shape[], name: string, depth: number, mask: Mask): unknown {
  if (value === null) return value
  if (depth > DEPTH_MAX) return MASKED
  if (shapes.some((shape) => shape['x-facts'])) return maskFacts(value, depth)
  if (Array.isArray(value)) {
    const items = shapes.flatMap(({ items: item }) => alternatives(item))
    return value.map((item) => mask(item, items, name, depth + 1))
  }
  if (isObject(value)) {
    const further = shapes.flatMap(furtherOf)
    const nameOf = createKeyMask()
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        const described = propertyOf(shapes, key)
        const isDescribed = described.length > 0
        return [isDescribed ? key : nameOf(key), mask(item, isDescribed ? described : further, key, depth + 1)]
      }),
    )
  }
  if (typeof value === 'boolean')
    return shapes.some(({ type, const: only }) => type === 'boolean' || only === value) ? value : MASKED
  if (typeof value === 'number')
    return shapes.some(({ type }) => type === 'number' || type === 'integer') ? value : MASKED
  if (shapes.some((shape) => shape['x-public'])) return value
  return shapes.length > 0 && isHarmless(String(value), shapes, name) ? value : MASKED
}

const propertyOf = (shapes: readonly Shape[], key: string): Shape[] =>
  shapes.flatMap(({ properties = {} }) => (Object.hasOwn(properties, key) ? alternatives(properties[key]) : []))

const furtherOf = ({ additionalProperties, patternProperties = {} }: Shape): Shape[] => [
  ...(typeof additionalProperties === 'object' ? alternatives(additionalProperties) : []),
  ...Object.values(patternProperties).flatMap(alternatives),
]

/** Keys of free data can be names and addresses: words of the contract stay, others are numbered, as keys must differ. */
function createKeyMask(): (key: string) => string {
  let masked = 0
  return (key) => {
    if (vocabulary().names.has(key)) return key
    masked += 1
    return masked === 1 ? MASKED : `${MASKED}${masked}`
  }
}

function maskFacts(value: unknown, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (depth > DEPTH_MAX) return MASKED
  if (Array.isArray(value)) return value.map((item) => maskFacts(item, depth + 1))
  if (isObject(value)) {
    const nameOf = createKeyMask()
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [nameOf(key), maskFacts(item, depth + 1)]))
  }
  if (typeof value === 'number') return Number.isInteger(value) && Math.abs(value) <= COUNT_MAX ? value : MASKED
  const text = String(value)
  return vocabulary().values.has(text) || TIMESTAMP.test(text) ? text : MASKED
}

/** Masks what the schema marks, in a reply with nothing else of recipients. */
function maskMarked(value: unknown, shapes: readonly Shape[]): unknown {
  if (value === null || shapes.length === 0) return value
  if (shapes.some((shape) => shape['x-masked'])) return MASKED
  if (Array.isArray(value)) {
    const items = shapes.flatMap(({ items: item }) => alternatives(item))
    return value.map((item) => maskMarked(item, items))
  }
  if (!isObject(value)) return value
  const further = shapes.flatMap(furtherOf)
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const described = propertyOf(shapes, key)
      return [key, maskMarked(item, described.length > 0 ? described : further)]
    }),
  )
}

const isHarmless = (text: string, shapes: readonly Shape[], name: string): boolean =>
  shapes.some((shape) => shape.const === text || (Array.isArray(shape.enum) && shape.enum.includes(text))) ||
  (HARMLESS.test(name) && !isLikeAddress(text))

interface Vocabulary {
  /** Names of fields, and enumerated values, which are keys of maps. */
  names: ReadonlySet<string>
  values: ReadonlySet<string>
}

let collected: Vocabulary | undefined

/** The words of the contract's replies: public, so that they say nothing of a recipient. */
function vocabulary(): Vocabulary {
  if (collected) return collected
  const names = new Set<string>()
  const values = new Set<string>()
  const seen = new Set<Shape>()
  const collect = (shape: Shape) => {
    if (seen.has(shape)) return
    seen.add(shape)
    for (const name of Object.keys(shape.properties ?? {})) names.add(name)
    for (const word of [shape.const, shape.enum].flat()) if (typeof word === 'string') values.add(word)
    childrenOf(shape).forEach(collect)
  }
  for (const { replies } of operations)
    for (const schema of Object.values(replies)) alternatives(schema ?? undefined).forEach(collect)
  for (const value of values) names.add(value)
  collected = { names, values }
  return collected
}
