/** The published size limits of a service, checked against the request that hands a message over. */
import type { HttpRequest, Request } from '../base/exchange.ts'
import { isObject } from '../base/json/json.ts'

export interface SizeLimits {
  /** Bytes of the body of the request. */
  requestBytes?: number
  /** Characters of a field of its JSON or form, by dotted path: `text`, `message.body`. */
  characters?: Readonly<Record<string, number>>
}

const MEGABYTE = 1_048_576
/** Services mean 1,048,576 bytes or a million: the larger one refuses nothing that they take. */
export const megabytes = (count: number) => count * MEGABYTE

/** Why a request is larger than its service takes. Undefined when it is not. */
export function excessOf(request: Request, limits: SizeLimits, service: string): string | undefined {
  if (!request.final || request.kind !== 'http') return undefined
  const { requestBytes, characters = {} } = limits
  const bytes = Buffer.byteLength(request.bytes ?? request.body ?? '')
  if (requestBytes !== undefined && bytes > requestBytes)
    return tooLarge('The request', bytes, requestBytes, 'bytes', service)
  const bounded = Object.entries(characters)
  // A field is no longer than its request: most requests are never parsed.
  if (bounded.every(([, most]) => bytes <= most)) return undefined
  const valueAt = fieldsOf(request)
  for (const [path, most] of bounded) {
    const length = charactersOf(valueAt(path), most)
    if (length > most) return tooLarge(`\`${path}\``, length, most, 'characters', service)
  }
  return undefined
}

const counted = (value: number) => value.toLocaleString('en-US')

export const tooLarge = (subject: string, size: number, most: number, unit: string, service: string) =>
  `${subject} has ${counted(size)} ${unit}, and ${service} takes at most ${counted(most)}`

/** Code points, the most generous count: no service counts fewer. */
function charactersOf(value: unknown, most: number): number {
  if (typeof value !== 'string' || value.length <= most) return 0
  let count = 0
  for (const _ of value) count += 1
  return count
}

function fieldsOf({ headers, body = '' }: HttpRequest): (path: string) => unknown {
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    const form = new URLSearchParams(body)
    return (path) => form.get(path)
  }
  const document = parsed(body)
  return (path) => path.split('.').reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), document)
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** For people: `a request of 10 MB (10,485,760 bytes), 1,600 characters in `Body``. */
export function limitsText({ requestBytes, characters = {} }: SizeLimits): string {
  const request = requestBytes === undefined ? [] : [`a request of ${sizeText(requestBytes)}`]
  const fields = Object.entries(characters).map(([path, most]) => `${counted(most)} characters in \`${path}\``)
  return [...request, ...fields].join(', ')
}

const sizeText = (bytes: number) =>
  bytes % MEGABYTE === 0 ? `${bytes / MEGABYTE} MB (${counted(bytes)} bytes)` : `${counted(bytes)} bytes`
