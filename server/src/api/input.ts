/** Reads the input of a call: a body of JSON or a form, refused when it cannot be stored or walked, and the query as clients write it. */
import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import {
  bodyBytesMax,
  bodyDepthMax,
  bodyMembersMax,
  bodyValuesMax,
  type InputOf,
  type Operation,
  type OperationId,
} from '@postrider/contract'
import type { FastifyRequest } from 'fastify'
import qs from 'qs'
import type { TProperties, TSchema } from 'typebox'
import { bodyTooLarge, CallerError, invalidField, invalidRequest } from '../base/errors.ts'
import { isObject, isStorable, type JsonObject, jsonError, jsonTextError, parsedJsonError } from '../base/json/json.ts'
import { nameAdvice, quoted, quotedList } from '../base/quote.ts'
import { compileCheck, compileLiberalCheck } from '../base/schema/check.ts'
import { collectWarnings, refuse, reportUnknownFields } from '../base/schema/unknown-fields.ts'

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
    throw new CallerError('unsupported_encoding', 'A body with a Content-Encoding is not read')
  if (bytes.length > bodyBytesMax) throw bodyTooLarge(bodyBytesMax)
  if (!isUtf8(bytes)) throw unreadable('The body is not valid UTF-8')
  const text = bytes.toString('utf8')
  if (acceptsText && !/^\s*["{[]/.test(text)) return sound(text, jsonError(text, bodyDepthMax))
  if (isForm(text, headers['content-type'])) {
    const form = readForm(bytes)
    return sound(form, jsonError(form, bodyDepthMax))
  }
  if (bytes.length > UNSCANNED_BYTES) sound(undefined, jsonTextError(bytes, BOUNDS))
  const json = readJson(text)
  return sound(json, parsedJsonError(json, text, bodyDepthMax))
}

const unreadable = (message: string, cause?: unknown) => invalidRequest(message, { code: 'malformed_request', cause })

function sound(body: unknown, error: string | undefined): unknown {
  if (error) throw unreadable(`The body ${error}`)
  return body
}

/** Content types lie: samples of the public API post forms as JSON, and curl sends JSON as a form. */
function isForm(text: string, contentType: string | undefined): boolean {
  if (/^\s*[{[<]/.test(text)) return false
  return contentType?.startsWith('application/x-www-form-urlencoded') === true || /^[^"=]+=/.test(text)
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (text.trim() === '') return undefined
    throw unreadable(`The body is not valid JSON${adviceOn(cause, text)}`, cause)
  }
}

/** Where it is not JSON, and what to do where a position alone does not say it. */
function adviceOn(cause: unknown, text: string): string {
  if (/^\s*</.test(text))
    return ': it begins with `<`, as XML and HTML do. Send JSON, with `Content-Type: application/json`'
  const place = placeOf(cause, text)
  return /^\s*[{[]\s*'/.test(text) ? `${place}. JSON has double quotes around names and texts, not single ones` : place
}

/** Without an excerpt of the body, which may hold secrets; the end where the parser names no position. */
function placeOf(cause: unknown, text: string): string {
  const named = /at position (\d{1,9})/.exec(cause instanceof Error ? cause.message : '')?.[1]
  const position = named === undefined ? text.length : Number(named)
  const before = text.slice(0, position)
  const line = before.split('\n').length
  const place = ` at position ${position} (line ${line}, column ${position - before.lastIndexOf('\n')})`
  return position < text.trimEnd().length ? place : `${place}: it ends before it is complete`
}

function readForm(bytes: Buffer): unknown {
  const text = unescaped(bytes).toString('utf8')
  if (text.includes('__proto__')) throw unreadable('The body has a key `__proto__`')
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
    throw unreadable('The body is not a valid form', cause)
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

interface Parameter {
  kind: 'text' | 'list' | 'boolean' | 'integer'
  /** The values of an enumeration by their names in lower case. */
  values: ReadonlyMap<string, string>
  minimum: number
  maximum: number
}
/** Reads liberally where there is a place for warnings; otherwise what it would warn of is a 400. */
export type QueryReader = (raw: string, warnings?: string[]) => Record<string, unknown>

// 3 filters of 50 values each, and some more.
const PARAMETERS_MAX = 200
/** Each unknown name is compared with all known ones. */
const WARNINGS_MAX = 50

/**
 * Absent, empty, `undefined` and `null` are the same; a boolean by its name alone is true. Read liberally, unknown
 * parameters and numbers that cannot be read are ignored, as is all but the last of several values, and numbers out of
 * bounds are the nearest one within them.
 */
export function queryReader(fields: TProperties): QueryReader {
  const parameters = new Map(Object.entries(fields).map(([name, field]) => [name, parameterOf(field)]))
  return (raw, warnings) => {
    const query: Record<string, unknown> = {}
    const parts = raw.split('&', PARAMETERS_MAX + 1)
    if (parts.length > PARAMETERS_MAX) throw invalidRequest(`The query has more than ${PARAMETERS_MAX} parameters`)
    for (const part of parts) {
      const at = part.indexOf('=')
      const name = nameOf(at < 0 ? part : part.slice(0, at))
      const parameter = parameters.get(name)
      const isLiberal = warnings !== undefined
      const written = part.slice(at + 1)
      const value =
        at >= 0 ? (parameter || !isLiberal ? decode(written) : written) : parameter?.kind === 'boolean' ? 'true' : ''
      if (name === '' || value === '' || value === 'undefined' || value === 'null') continue
      if (!parameter) {
        const sentence = unknownParameter(name, [...parameters.keys()])
        if (!isLiberal) throw invalidRequest(sentence, { code: 'unknown_field', param: name })
        if (warnings.length < WARNINGS_MAX) warnings.push(sentence)
        continue
      }
      const { kind } = parameter
      const before = query[name]
      if (kind === 'list') query[name] = [...((before as string[] | undefined) ?? []), ...items(value, parameter)]
      else if (kind === 'integer') {
        const number = isLiberal ? liberalInteger(name, value, parameter, warnings) : integer(value)
        if (number !== undefined) query[name] = number
      } else query[name] = kind === 'boolean' ? flag(value) : canonical(value, parameter)
      if (kind !== 'list' && before !== undefined && before !== query[name])
        reportRepeated(name, [before, query[name]], warnings)
    }
    return query
  }
}

/** The last value is the one that counts. */
function reportRepeated(name: string, [before, last]: [unknown, unknown], warnings: string[] | undefined): void {
  if (!warnings) throw invalidField(name, `must have a single value: it has ${quoted(before)} and ${quoted(last)}`)
  if (warnings.length < WARNINGS_MAX)
    warnings.push(`The query parameter ${quoted(name)} has several values: ${quoted(before)} is ignored.`)
}

interface QuerySchema {
  type?: string
  enum?: readonly string[]
  items?: QuerySchema
  minimum?: number
  maximum?: number
}

function parameterOf(field: unknown): Parameter {
  const { type, items, enum: ofItself, minimum = -Infinity, maximum = Infinity } = field as QuerySchema
  const values = ofItself ?? items?.enum ?? []
  return {
    kind: type === 'array' ? 'list' : type === 'boolean' || type === 'integer' ? type : 'text',
    values: new Map(values.map((value) => [value.toLowerCase(), value])),
    minimum,
    maximum,
  }
}

const unknownParameter = (name: string, names: readonly string[]) =>
  `Unknown query parameter ${quoted(name)}.${names.length === 0 ? ' The call has no query parameters.' : nameAdvice(name, names, 'The call')}`

const items = (value: string, parameter: Parameter) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => canonical(item, parameter))

/** Values of an enumeration are read in any case. */
const canonical = (value: string, { values }: Parameter) => values.get(value.toLowerCase()) ?? value

/** A value that does not convert stays a text, which the schema then refuses by name. */
function flag(value: string): unknown {
  const lower = value.toLowerCase()
  return lower === 'true' || lower === '1' ? true : lower === 'false' || lower === '0' ? false : value
}

/** A text that is no number stays one, and the schema refuses it. */
const integer = (value: string): unknown => (/^-?\d{1,15}$/.test(value) ? Number(value) : value)

function liberalInteger(
  name: string,
  value: string,
  { minimum, maximum }: Parameter,
  warnings: string[],
): number | undefined {
  const number = Number(value)
  const read = Number.isFinite(number) ? Math.min(Math.max(Math.trunc(number), minimum), maximum) : undefined
  if (read !== number && warnings.length < WARNINGS_MAX)
    warnings.push(
      `The query parameter ${quoted(name)} is ${quoted(value)}, ${read === undefined ? 'which is not a whole number: it is ignored' : `which is read as ${read}`}.`,
    )
  return read
}

/** A name that cannot be decoded names nothing. */
function nameOf(part: string): string {
  const encoded = part.replaceAll('+', ' ')
  return decodeOnce(decodeOnce(encoded, encoded), encoded).replace(/\[\d*\]$/, '')
}

/** Twice where the client encoded twice. */
function decode(part: string): string {
  const once = decodeOnce(part.replaceAll('+', ' '))
  const text = /%[0-9A-F]{2}/i.test(once) ? decodeOnce(once, once) : once
  if (!isStorable(text))
    throw invalidRequest('The query holds U+0000 or half a surrogate pair', { code: 'malformed_request' })
  return text
}

function decodeOnce(text: string, otherwise?: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    if (otherwise !== undefined) return otherwise
    throw invalidRequest('The query is not valid percent-encoding', { code: 'malformed_request', cause })
  }
}

const compileStrictCheck = (schema: TSchema, root: string) => {
  const check = compileCheck(schema, root)
  return (value: unknown) => {
    check(value)
    return value
  }
}

/** Most fields that do not exist are misspelled, and have no effect. */
function checkFields(schema: TSchema, input: { body: unknown; warnings?: string[] }, strict: boolean): void {
  const { warnings, report } = collectWarnings()
  reportUnknownFields(schema, input.body, strict ? refuse : report)
  if (warnings.length > 0) input.warnings = [...(input.warnings ?? []), ...warnings]
}

/** The input of a call, with warnings about it where there are some. */
type ReadInput = InputOf<OperationId> & { warnings?: string[] }

/** Throws a 400 for the parts of a message without the field that wraps them. Anything else is left to the check of the body. */
function refuseUnwrapped(body: unknown, { key, body: wrapper }: NonNullable<Operation['variant']>): void {
  if (!isObject(body) || Object.hasOwn(body, 'event') || Object.hasOwn(body, 'recipient')) return
  if (!['to', 'template', 'content'].some((name) => Object.hasOwn(body, name))) return
  const { properties } = wrapper as TSchema & { properties: Record<string, { properties?: object }> }
  const names = properties[key]?.properties ?? {}
  const parts = Object.keys(body).filter((name) => Object.hasOwn(names, name))
  const last = quoted(parts.at(-1))
  const listed = parts.length === 1 ? last : `${quotedList(parts.slice(0, -1))} and ${last}`
  throw new CallerError('missing_field', `Put ${listed} into ${quoted(key)}.`, { param: key })
}

/** Compiles the checks once. Its result conforms to the contract, or it throws a 400; where it is `strict`, also for what it would warn of. */
export function inputReader({
  params,
  query,
  body,
  bodyOptional,
  variant,
  acceptsText,
  access,
  origin,
  readsPublicBody,
  checksFields,
}: Operation): (request: FastifyRequest, strict: boolean) => ReadInput {
  const checkParams = params && compileCheck(params, 'path')
  // Tools and people append parameters of their own to the addresses of probes and pages: they are ignored.
  const isOpen = access === 'open'
  const readQuery = isOpen && !query ? undefined : queryReader(query?.properties ?? {})
  const isPublic = origin !== 'postrider'
  const checkQuery = query && compileCheck(query, 'query')
  const readsLiberally = isPublic || readsPublicBody
  // Sends and their explanation check theirs by themselves.
  const isSend = variant !== undefined || (query && Object.hasOwn(query.properties, 'strict'))
  const bodyReader = readsLiberally ? compileLiberalCheck : compileStrictCheck
  const readFirst = body && bodyReader(body, 'body')
  const readVariant = variant && bodyReader(variant.body, 'body')
  return (request, strict) => {
    const input: { params: unknown; query: unknown; body: unknown; warnings?: string[] } = {
      params: request.params,
      query: {},
      body: undefined,
    }
    checkParams?.(input.params)
    for (const value of Object.values(request.params as Record<string, string>))
      if (!isStorable(value))
        throw invalidRequest('The path holds U+0000 or half a surrogate pair', { code: 'malformed_request' })
    if (readQuery) {
      const at = request.url.indexOf('?')
      if (at >= 0) {
        const warnings = isOpen || (isPublic && !strict) ? [] : undefined
        input.query = readQuery(request.url.slice(at + 1), warnings)
        if (!isOpen && warnings && warnings.length > 0) input.warnings = warnings
      }
      checkQuery?.(input.query)
    }
    if (readFirst) {
      input.body = readBody(request.body as Buffer | undefined, request.headers, acceptsText)
      // Clients without a body to send write `null`.
      if (input.body === null && bodyOptional) input.body = undefined
      if (input.body === undefined && !bodyOptional)
        throw invalidRequest('A body is required', { code: 'missing_field' })
      const isVariant = variant && isObject(input.body) && Object.hasOwn(input.body, variant.key)
      const readFitting = isVariant && readVariant ? readVariant : readFirst
      if (variant && !isVariant) refuseUnwrapped(input.body, variant)
      if (input.body !== undefined) input.body = readFitting(input.body)
      if (!isSend && !checksFields) checkFields(body, input, strict || !readsLiberally)
    }
    return input as ReadInput
  }
}
