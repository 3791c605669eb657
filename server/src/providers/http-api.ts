/** Requests to the HTTP API of a provider: address, authorization, body, and checks of an integration that send nothing. */
import type { BatchPart, HttpReply, HttpRequest, Reply } from '../base/exchange.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { memo } from '../base/perf/cache.ts'
import { byStatus, type StatusMeaning, tidy } from './outcome.ts'
import { Rejection, type SignIn } from './provider.ts'

/** A path below the base address of the settings; undefined when an override broke the base. */
export function apiAddress(base: unknown, path: string): string | undefined {
  const address = webAddress(base)
  return address && !/[?#]/.test(address) ? `${address.replace(/\/+$/, '')}${path}` : undefined
}

/** The same for a delivery, which a broken base ends. */
export function apiUrl(base: unknown, path: string): string {
  const url = apiAddress(base, path)
  if (url === undefined) throw new Rejection('configuration', 'The base URL is not a web address')
  return url
}

/** A stored secret; a delivery that was moved to another address has none. */
export function credential(secret: string | undefined, name: string): string {
  if (!secret) throw new Rejection('configuration', `The integration has no ${name} for this address`)
  return secret
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export const basicAuth = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`, 'utf8').toString('base64')}`

/** The request that hands a message over as JSON. */
export const postJson = (url: string, headers: Record<string, string>, body: unknown): HttpRequest => ({
  kind: 'http',
  method: 'POST',
  url,
  headers: { accept: 'application/json', ...headers, 'content-type': 'application/json' },
  body: JSON.stringify(body),
  final: true,
})

/** A request that can share a call with others: its body is an entry of an array. */
export const inArray = (request: HttpRequest, batch: Pick<BatchPart, 'url'> & Partial<BatchPart>): HttpRequest => ({
  ...request,
  inBatch: { headers: request.headers, before: '[', part: request.body ?? '', after: ']', ...batch },
})

/** The same for a service that takes an array in any case. */
export function postInArray(
  url: string,
  headers: Record<string, string>,
  { before = '[', message, after = ']' }: { before?: string; message: unknown; after?: string },
): HttpRequest {
  const part = JSON.stringify(message)
  const request = { ...postJson(url, headers, undefined), body: `${before}${part}${after}` }
  return { ...request, inBatch: { url, headers: request.headers, before, part, after } }
}

/** The entries of an array with one for each message of a call. */
export const entriesOf = (list: unknown, count: number): readonly JsonObject[] | undefined =>
  Array.isArray(list) && list.length === count && list.every(isObject) ? list : undefined

/** The reply to one message of a call, as the service would have sent it to that one alone. */
export const replyToOne = (reply: HttpReply, status: number, body: JsonObject): HttpReply => ({
  ...reply,
  status,
  body: JSON.stringify(body),
})

/** `application/x-www-form-urlencoded`: lists repeat their name, other structures are written as JSON. */
export function formBody(fields: Record<string, unknown>, lists: 'repeated' | 'json'): string {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) {
    const items = Array.isArray(value) && lists === 'repeated' ? value : [value]
    for (const item of items) {
      if (item === undefined || item === null) continue
      form.append(name, typeof item === 'object' ? JSON.stringify(item) : String(item))
    }
  }
  return form.toString()
}

/** An authorized request that changes nothing. */
export const httpSignIn = (
  request: Omit<HttpRequest, 'kind' | 'final'>,
  meaning: StatusMeaning,
  failureIn: (reply: Reply) => string | undefined = () => undefined,
): SignIn => ({
  request: { kind: 'http', ...request, final: false },
  failureIn(reply) {
    const failed = byStatus(reply, 0, { ...meaning, final: false })
    return failed ? failed.error : failureIn(reply)
  },
})

/** An authorized GET of a resource that every account may read; undefined when the base is no web address. */
export function signInByGet(url: string | undefined, headers: Record<string, string>, meaning: StatusMeaning) {
  if (url === undefined) return undefined
  return httpSignIn({ method: 'GET', url, headers: { accept: 'application/json', ...headers } }, meaning)
}

/** Only a connection, where any request would be taken for a message. Undefined without an address. */
export function connection(address: unknown): SignIn | undefined {
  const url = webAddress(address)
  if (url === undefined) return undefined
  const { hostname: host, port, protocol } = new URL(url)
  const encrypted = protocol === 'https:'
  return {
    request: { kind: 'connect', host, port: Number(port) || (encrypted ? 443 : 80), encrypted },
    failureIn: failureOf,
  }
}

export const failureOf = (reply: Reply): string | undefined =>
  reply.kind === 'failure' ? tidy(`${reply.failure}: ${reply.message}`) : undefined

/** The address in its normal form, or undefined. Whether its host may be called, the transport decides. */
export function webAddress(value: unknown): string | undefined {
  return typeof value === 'string' && value.length <= 2_048 ? normalForm(value) : undefined
}

/** Addresses of integrations are read again with every message. */
const normalForm = memo(1_000, (text) => {
  try {
    const { username, password, protocol, href } = new URL(text)
    const open = username === '' && password === ''
    return open && (protocol === 'https:' || protocol === 'http:') ? href : undefined
  } catch {
    return undefined
  }
})

/** Whether a user or a password stands before its host. */
export function holdsLogin(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password } = new URL(text)
  return username !== '' || password !== ''
}
