/** The published size limits of a service, checked against the request that hands a message over. */
import type { HttpRequest, Request } from '../base/exchange.ts'
import { isObject } from '../base/json/json.ts'
import { smsSegments } from '../base/sms-segments.ts'

export interface SizeLimits {
  /** Bytes of the body of the request. */
  requestBytes?: number
  /** Characters of a field of its JSON or form, by dotted path: `text`, `message.body`. */
  characters?: Readonly<Record<string, number>>
  /** The text of such a field as the service counts it: without its markup. */
  counted?(text: string, valueAt: (path: string) => unknown): string
  /** Segments of the SMS in a field; `segmentsError` checks them, where the adapter knows that it is an SMS. */
  segments?: Readonly<Record<string, number>>
  /** Bytes of a push; its adapter checks them, because it knows which parts of the request count. */
  payloadBytes?: number
}

const MEGABYTE = 1_048_576
/** Services mean 1,048,576 bytes or a million: the larger one refuses nothing that they take. */
export const megabytes = (count: number) => count * MEGABYTE

/** Why a request is larger than its service takes. Undefined when it is not. */
export function excessOf(request: Request, limits: SizeLimits, service: string): string | undefined {
  if (!request.final || request.kind !== 'http') return undefined
  const { requestBytes, characters = {}, counted: textOf } = limits
  const bytes = Buffer.byteLength(request.bytes ?? request.body ?? '')
  if (requestBytes !== undefined && bytes > requestBytes)
    return tooLarge('The request', bytes, requestBytes, 'bytes', service)
  const bounded = Object.entries(characters)
  // A field is no longer than its request: most requests are never parsed.
  if (bounded.every(([, most]) => bytes <= most)) return undefined
  const valueAt = fieldsOf(request)
  for (const [path, most] of bounded) {
    const value = valueAt(path)
    const isCounted = textOf && typeof value === 'string' && value.length > most
    const length = charactersOf(isCounted ? textOf(value, valueAt) : value, most)
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

export type SmsEncoding = 'GSM-7' | 'UCS-2'

/** Why a text takes more segments than its service sends. `encoding`: the one that the request names, else the best. */
export function segmentsError(
  field: string,
  text: unknown,
  most: number,
  service: string,
  encoding?: SmsEncoding,
): string | undefined {
  if (typeof text !== 'string' || text.length < most * (UCS_2_A_SEGMENT - 1)) return undefined
  const best = smsSegments(text)
  // In the other encoding no more is counted than what each character needs at least.
  const other = encoding === 'UCS-2' ? text.length / UCS_2_A_SEGMENT : best.characters / GSM_7_A_SEGMENT
  const count = encoding === undefined || encoding === best.encoding ? best.segments : Math.ceil(other)
  if (count <= most) return undefined
  const [gsm, ucs] = [most * GSM_7_A_SEGMENT, most * UCS_2_A_SEGMENT].map(counted)
  return `${tooLarge(`\`${field}\``, count, most, 'segments', service)}: ${gsm} characters of GSM-7, or ${ucs} of Unicode`
}

/** 3GPP TS 23.040 §9.2.3.24.1: characters of a concatenated segment. */
const GSM_7_A_SEGMENT = 153
const UCS_2_A_SEGMENT = 67

/** For people: `a request of 10 MB (10,485,760 bytes), 1,600 characters in `Body``. */
export function limitsText({
  requestBytes,
  characters = {},
  counted: textOf,
  segments = {},
  payloadBytes,
}: SizeLimits): string {
  const request = requestBytes === undefined ? [] : [`a request of ${sizeText(requestBytes)}`]
  const payload = payloadBytes === undefined ? [] : [`a payload of ${sizeText(payloadBytes)}`]
  const markup = textOf ? ' without its markup' : ''
  const fields = Object.entries(characters).map(([path, most]) => `${counted(most)} characters in \`${path}\`${markup}`)
  const texts = Object.entries(segments).map(
    ([path, most]) =>
      `${counted(most)} segments in \`${path}\` (${counted(most * GSM_7_A_SEGMENT)} characters of GSM-7, or ${counted(most * UCS_2_A_SEGMENT)} of Unicode)`,
  )
  return [...request, ...payload, ...fields, ...texts].join(', ')
}

const sizeText = (bytes: number) =>
  bytes % MEGABYTE === 0 ? `${bytes / MEGABYTE} MB (${counted(bytes)} bytes)` : `${counted(bytes)} bytes`
