/** Reads a request body: JSON, or a form with nested keys in brackets; refuses what cannot be stored or walked. */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { bodyBytesMax, bodyDepthMax, bodyMembersMax, bodyValuesMax } from '@postrider/contract'
import qs from 'qs'
import { CallerError, invalidRequest, tooLarge } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { jsonError, jsonTextFault, parsedJsonError } from '../base/json/json-bounds.ts'

/** Whatever a body of this size holds, parsing it takes a few milliseconds. */
const UNSCANNED_BYTES = 65_536
const BOUNDS = { depthMax: bodyDepthMax, valuesMax: bodyValuesMax, membersMax: bodyMembersMax }

/**
 * Undefined when there is no body. Throws a 400, a 413 beyond 6 MB, a 415 for a compressed one.
 * `acceptsText`: what does not begin as JSON is a text.
 */
export function readBody(bytes: Buffer | undefined, headers: IncomingHttpHeaders, acceptsText = false): unknown {
  if (!bytes || bytes.length === 0) return undefined
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding !== 'identity')
    throw new CallerError(415, 'invalid_request_error', 'A body with a Content-Encoding is not read')
  if (bytes.length > bodyBytesMax) throw tooLarge('The body is larger than 6 MB')
  if (!isUtf8(bytes)) throw invalidRequest('The body is not valid UTF-8')
  const text = bytes.toString('utf8')
  if (acceptsText && !/^\s*["{[]/.test(text)) return sound(text, jsonError(text, bodyDepthMax))
  if (isForm(text, headers['content-type'])) {
    const form = readForm(bytes)
    return sound(form, jsonError(form, bodyDepthMax))
  }
  if (bytes.length > UNSCANNED_BYTES) sound(undefined, jsonTextFault(bytes, BOUNDS))
  const json = readJson(text)
  return sound(json, parsedJsonError(json, text, bodyDepthMax))
}

function sound(body: unknown, fault: string | undefined): unknown {
  if (fault) throw invalidRequest(`The body ${fault}`)
  return body
}

/** Content types lie: samples of the public API post forms as JSON, and curl sends JSON as a form. */
function isForm(text: string, contentType: string | undefined): boolean {
  if (/^\s*[{[]/.test(text)) return false
  return contentType?.startsWith('application/x-www-form-urlencoded') === true || /^[^"=]+=/.test(text)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (text.trim() === '') return undefined
    throw invalidRequest(`The body is not valid JSON${placeOf(cause, text)}`, cause)
  }
}

/** Without an excerpt of the body, which may hold secrets; the end where the parser names no position. */
function placeOf(cause: unknown, text: string): string {
  const named = /at position (\d{1,9})/.exec(cause instanceof Error ? cause.message : '')?.[1]
  const position = named === undefined ? text.length : Number(named)
  const before = text.slice(0, position)
  const line = before.split('\n').length
  return ` at position ${position} (line ${line}, column ${position - before.lastIndexOf('\n')})`
}

function readForm(bytes: Buffer): unknown {
  const text = unescaped(bytes).toString('utf8')
  if (text.includes('__proto__')) throw invalidRequest('The body has a key `__proto__`')
  try {
    const form = qs.parse(text, {
      depth: 8,
      strictDepth: true,
      parameterLimit: 1_000,
      arrayLimit: 100,
      throwOnLimitExceeded: true,
      allowPrototypes: false,
      decoder: (part) => decodeURIComponent(part),
    })
    return withNumbers(form)
  } catch (cause) {
    if (cause instanceof CallerError) throw cause
    throw invalidRequest('The body is not a valid form', cause)
  }
}

const PLUS = 0x2b
const SPACE = 0x20
const PERCENT = 0x25
const FIVE = 0x35
/** By the last digit of `%5B` and `%5D`, in either case. */
const BRACKETS: Readonly<Record<number, number>> = { 66: 0x5b, 98: 0x5b, 68: 0x5d, 100: 0x5d }

/** With spaces for pluses, and plain brackets. In the bytes: in a string either takes half a second for 6 MB. */
function unescaped(form: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(form.length)
  let length = 0
  for (let at = 0; at < form.length; at += 1) {
    const byte = form[at] ?? 0
    const bracket = byte === PERCENT && form[at + 1] === FIVE ? BRACKETS[form[at + 2] ?? 0] : undefined
    plain[length] = bracket ?? (byte === PLUS ? SPACE : byte)
    length += 1
    if (bracket !== undefined) at += 2
  }
  return plain.subarray(0, length)
}

/** A form knows texts only; the one number that a send takes is read as such. */
function withNumbers(form: JsonObject): JsonObject {
  const { delay } = form
  if (!isObject(delay) || typeof delay.duration !== 'string' || !/^\d{1,15}$/.test(delay.duration)) return form
  return { ...form, delay: { ...delay, duration: Number(delay.duration) } }
}
