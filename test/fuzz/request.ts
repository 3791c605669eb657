/** Requests for an endpoint: valid ones, and each kind of bad one made from a valid one. */
import fc from 'fast-check'
import type { Endpoint, Parameter } from './document.ts'
import { deepened, enlarged, faultAtOnePlace, longText, mistyped, stripped, withHostileText } from './faults.ts'
import { CURSOR, fixtureOfParameter, idPlaceholder } from './known-ids.ts'
import type { Values } from './value.ts'

export const kinds = [
  'valid',
  'wrong type',
  'missing field',
  'unknown id',
  'malformed cursor',
  'oversized',
  'hostile unicode',
  'empty body',
] as const
export type Kind = (typeof kinds)[number]

/** Ready to be sent once the marks of known things in path and text are replaced. */
export interface Draft {
  /** Path and query, percent-encoded. */
  target: string
  headers: Record<string, string>
  /** A text has marks in it, bytes go as they are. */
  body?: string | Uint8Array
}

interface Parts {
  path: Record<string, string>
  query: Record<string, unknown>
  body: unknown
}

// With the other headers it stays below the 16 kB at which Node.js answers by itself, before there is a request.
const TARGET_CHARACTERS_MAX = 12_000

/** Requests of the kind, or undefined where the endpoint has nothing to get wrong in this way. */
export function requestsOf(endpoint: Endpoint, kind: Kind, values: Values): fc.Arbitrary<Draft> | undefined {
  const { inPath, inQuery, body } = endpoint
  if (kind === 'empty body' && !body) return undefined
  if (kind === 'missing field' && !body) return undefined
  if (kind === 'unknown id' && inPath.length === 0) return undefined
  if (kind === 'malformed cursor' && !inQuery.some(isCursor)) return undefined
  const parts = fc.record({
    path: recordOf(inPath, (parameter) => pathValue(endpoint, parameter, kind, values)),
    query: optionalOf(inQuery, (parameter) => queryValue(parameter, kind, values)),
    body: body
      ? fc.oneof({ weight: 2, arbitrary: values.of(body.schema) }, ...body.examples.map(like))
      : fc.constant(undefined),
  })
  return fc
    .tuple(
      parts.chain((all) => broken(all, kind, endpoint)),
      headersOf(endpoint),
    )
    .map(([{ path, query, body: content }, headers]) => ({
      target: targetOf(endpoint.path, path, query),
      headers,
      ...(content === undefined ? {} : { body: content }),
    }))
}

const isCursor = ({ name }: Parameter) => name === CURSOR || name === 'starting_after'

/** The example, as it is and with a part of it replaced. */
const like = (example: unknown) => ({ weight: 1, arbitrary: fc.constant(example) })

function pathValue({ id }: Endpoint, { name, schema }: Parameter, kind: Kind, values: Values): fc.Arbitrary<string> {
  const fitting = values.of(schema).map(String)
  const place = fixtureOfParameter(id, name)
  if (kind === 'unknown id') return fitting.map((value) => value || 'x')
  if (kind === 'hostile unicode') return fc.oneof(fc.constant(idPlaceholder(place)), fitting.chain(withHostileText))
  if (kind === 'oversized') return fc.oneof(fc.constant(idPlaceholder(place)), longText)
  return fc.oneof({ weight: kind === 'valid' ? 4 : 1, arbitrary: fc.constant(idPlaceholder(place)) }, fitting)
}

function queryValue(parameter: Parameter, kind: Kind, values: Values): fc.Arbitrary<unknown> {
  const fitting = values.of(parameter.schema)
  if (isCursor(parameter)) return kind === 'malformed cursor' ? badCursor : fc.constant(idPlaceholder(CURSOR))
  if (kind === 'wrong type') return fc.oneof(fitting, fc.constantFrom('', '-1', '1e9', 'NaN', '[]', '{}', 'perhaps'))
  if (kind === 'hostile unicode') return fc.oneof(fitting, fitting.map(String).chain(withHostileText))
  if (kind === 'oversized') return fc.oneof(fitting, longText)
  return fitting
}

const badCursor = fc.oneof(
  fc.string(),
  fc.string().map((text) => idPlaceholder(CURSOR) + text),
  fc.base64String({ maxLength: 64 }),
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64url')),
  fc.constantFrom('%FF%FE', '%00', 'null', '0', '-1', "'", 'x'.repeat(4_201)),
)

const recordOf = <T>(parameters: Parameter[], value: (parameter: Parameter) => fc.Arbitrary<T>) =>
  fc.record(Object.fromEntries(parameters.map((parameter) => [parameter.name, value(parameter)])))

const optionalOf = (parameters: Parameter[], value: (parameter: Parameter) => fc.Arbitrary<unknown>) =>
  fc.subarray(parameters, { maxLength: Math.min(3, parameters.length) }).chain((some) => recordOf(some, value))

type Written = Omit<Parts, 'body'> & { body: string | Uint8Array | undefined }

function broken(parts: Parts, kind: Kind, { body }: Endpoint): fc.Arbitrary<Written> {
  const text = body === undefined ? undefined : JSON.stringify(parts.body)
  const as = (content: fc.Arbitrary<string | Uint8Array>) => content.map((made) => ({ ...parts, body: made }))
  const asItIs = fc.constant({ ...parts, body: text })
  if (text === undefined) return asItIs
  if (kind === 'empty body') return as(fc.constantFrom('', ' ', '{}', '[]', 'null', '""', '0', 'x', '{'))
  if (kind === 'wrong type') return as(faultAtOnePlace(parts.body, mistyped))
  if (kind === 'missing field') return as(faultAtOnePlace(parts.body, stripped))
  if (kind === 'oversized') return as(fc.oneof(faultAtOnePlace(parts.body, enlarged), deepened(text)))
  if (kind === 'hostile unicode') return as(faultAtOnePlace(parts.body, withHostileText))
  return asItIs
}

function targetOf(path: string, values: Record<string, string>, query: Record<string, unknown>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encoded(values[name] ?? 'x'))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => `${name}=${encoded(String(item))}`),
  )
  return (pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled).slice(0, TARGET_CHARACTERS_MAX)
}

/**
 * Marks stay; half a surrogate pair is written as no UTF-8 has it; a text that begins with `%` is encoded already.
 * Characters that would be cut off are not encoded: of 300,000 characters each would cost a call.
 */
const encoded = (text: string): string =>
  text.startsWith('%')
    ? text.replaceAll(/[^\w%]/g, '')
    : text
        .slice(0, TARGET_CHARACTERS_MAX)
        .replaceAll(/(\u27e6[\w.]+\u27e7)|(\p{Cs})|./gsu, (part, mark?: string, half?: string) =>
          mark ? part : half ? '%ED%A0%80' : encodeURIComponent(part),
        )

const headersOf = ({ keyed }: Endpoint): fc.Arbitrary<Record<string, string>> =>
  fc.oneof(
    { weight: 90, arbitrary: fc.constant({}) },
    { weight: keyed ? 30 : 0, arbitrary: fc.nat(20).map((n) => ({ 'idempotency-key': `key-${n}` })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', 'Bearer', 'Bearer x', 'Basic eDp5', 'x'.repeat(500)).map(authorization),
    },
    { weight: 1, arbitrary: fc.constantFrom('gzip', 'x').map((encoding) => ({ 'content-encoding': encoding })) },
    { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/x-www-form-urlencoded', '').map(contentType) },
  )

const authorization = (text: string) => ({ authorization: text })
const contentType = (text: string) => ({ 'content-type': text })
