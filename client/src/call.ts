/** One call of the API: sent, timed out, repeated while that can help, and its answer read. */
import { errorOf, PostriderError } from './errors.ts'

export interface CallOptions {
  /** Bound of one attempt, connection and body included. */
  timeoutMs?: number
  /** How often a failed attempt is repeated. */
  retries?: number
  /** Ends the call, its waits included. */
  signal?: AbortSignal
  /** The key of a POST; by default a random one for each call. */
  idempotencyKey?: string
  headers?: Record<string, string>
  /** Instead of that of the client. */
  onWarning?: OnWarning
}

/** Gets the warnings of a call that was answered: sentences about what in it had no effect. */
export type OnWarning = (warnings: readonly string[], call: { method: Request['method']; path: string }) => void

/** A call with a condition is not repeated by itself: the attempt without an answer may be what changed the state. */
export interface IfAbsent {
  /** Only creates: an id that exists is the error `already_exists`. */
  ifAbsent?: boolean | undefined
}

export interface IfUnchanged {
  /** Replaces only this version, as it was read; after another change the error is `changed_since`. */
  ifMatch?: number | string | undefined
}

export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  query?: Record<string, unknown>
  body?: unknown
  /** The answer is given as text, not as JSON. */
  text?: boolean
  /** The answer is given as its bytes, as they come; a break half-way shows while reading. */
  stream?: boolean
  options: (CallOptions & IfAbsent & IfUnchanged) | undefined
}

export type Call = <Reply>(request: Request) => Promise<Reply>

/** An API key, or the session of the browser with what its header says. */
export type Credentials = { apiKey: string } | { session: string }

export interface Connection {
  baseUrl: string
  credentials: Credentials
  timeoutMs: number
  retries: number
  /** The first wait between attempts; each further one doubles, up to `WAIT_MS_MAX`. */
  backoffMs: number
  /** `User-Agent` of the calls; browsers send their own. */
  userAgent?: string
  onWarning?: OnWarning
  fetch: typeof globalThis.fetch
}

/** The longest wait inside one call: beyond it the error has the time of the next attempt. */
const RETRY_AFTER_MS_MAX = 60_000
/** Far beyond the largest answer, so that what is no Postrider cannot fill the memory of the caller. */
const REPLY_BYTES_MAX = 64_000_000
/** The longest backoff, for a server that stays down. */
const WAIT_MS_MAX = 8_000

/** An id in a path. `fetch` would read `.` and `..` as steps up, and the call would mean something else. */
export function segment(value: string): string {
  if (value === '.' || value === '..') throw new TypeError(`\`${value}\` cannot stand in a path`)
  return encodeURIComponent(value)
}

export function caller(connection: Connection): Call {
  return async <Reply>(request: Request) => {
    const { options } = request
    const init: RequestInit = {
      method: request.method,
      headers: headersOf(request, connection),
      // The cookie of a session goes to no other origin.
      ...('session' in connection.credentials && { credentials: 'same-origin' }),
      ...bodyOf(request),
    }
    const url = connection.baseUrl + request.path + queryOf(request.query)
    const retries = options?.retries ?? connection.retries
    for (let attempt = 0; ; attempt += 1) {
      const result = await attemptOnce(url, init, request, connection)
      if (!(result instanceof PostriderError)) {
        const onWarning = options?.onWarning ?? connection.onWarning
        if (onWarning && result.warnings) onWarning(result.warnings, { method: request.method, path: request.path })
        return result.reply as Reply
      }
      const waitMs = result.retryAfterMs ?? backoff(connection.backoffMs, attempt)
      if (attempt >= retries || !repeatable(result, request) || waitMs > RETRY_AFTER_MS_MAX) throw result
      await pause(waitMs, options?.signal)
    }
  }
}

/** The answer, or the fault as a value. Only an abort by the caller is thrown. */
async function attemptOnce(
  url: string,
  init: RequestInit,
  request: Request,
  connection: Connection,
): Promise<{ reply: unknown; warnings?: readonly string[] } | PostriderError> {
  const timeoutMs = request.options?.timeoutMs ?? connection.timeoutMs
  const timeout = AbortSignal.timeout(timeoutMs)
  const outer = request.options?.signal
  const signal = outer ? AbortSignal.any([outer, timeout]) : timeout
  // Without the query, which can hold personal data.
  const place = connection.baseUrl + request.path
  try {
    const response = await connection.fetch(url, { ...init, signal })
    const warnings = warningsOf(response)
    if (request.stream && response.ok) return { reply: response.body, ...warnings }
    const text = await textOf(response)
    if (text === undefined && !response.ok) return errorOf(response, '', place)
    if (text === undefined)
      return new PostriderError(`The answer of ${place} is larger than ${REPLY_BYTES_MAX / 1e6} MB`, {
        kind: 'invalid_answer',
        url: place,
      })
    if (!response.ok) return errorOf(response, text, place)
    return { reply: request.text ? text : text === '' ? undefined : JSON.parse(text), ...warnings }
  } catch (cause) {
    outer?.throwIfAborted()
    if (timeout.aborted)
      return new PostriderError(`No answer from ${place} within ${timeoutMs} ms`, {
        kind: 'timeout',
        url: place,
        cause,
      })
    if (cause instanceof SyntaxError)
      return new PostriderError(`The answer of ${place} is not JSON`, { kind: 'invalid_answer', url: place, cause })
    return new PostriderError(`The server at ${place} cannot be reached`, { kind: 'connection', url: place, cause })
  }
}

/** Undefined for an answer that is too large, of which no more is read. */
async function textOf(response: Response): Promise<string | undefined> {
  const { body } = response
  // A `fetch` of the caller can have another kind of body.
  if (typeof body?.getReader !== 'function') return await response.text()
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let bytes = 0; ; ) {
    const { value, done } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.byteLength
    if (bytes > REPLY_BYTES_MAX) {
      await reader.cancel()
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}

/** A header that a proxy has changed is none. */
function warningsOf({ headers }: Response): { warnings?: readonly string[] } {
  const header = headers.get('postrider-warnings')
  if (header === null) return {}
  try {
    const warnings: unknown = JSON.parse(header)
    return Array.isArray(warnings) ? { warnings: warnings.map(String) } : {}
  } catch {
    return {}
  }
}

function repeatable({ kind, status, shouldRetry }: PostriderError, { method, options }: Request): boolean {
  if (shouldRetry !== undefined) return shouldRetry
  if (kind === 'invalid_answer') return false
  if (status === 429) return true
  // A patch whose answer was lost may have been applied, and applying it twice can differ. So can a conditional write.
  if (method === 'PATCH' || options?.ifAbsent || options?.ifMatch !== undefined) return false
  return status === undefined || status === 408 || status >= 500
}

/** Full waits would let all callers of a restarted server come back at once. */
const backoff = (firstMs: number, attempt: number) =>
  Math.min(firstMs * 2 ** attempt, WAIT_MS_MAX) * (0.5 + Math.random() / 2)

function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, waitMs)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}

function headersOf({ method, body, options }: Request, { credentials, userAgent }: Connection): Record<string, string> {
  return {
    ...credentialsHeader(credentials),
    accept: 'application/json',
    ...(userAgent !== undefined && { 'user-agent': userAgent }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    // A misspelled filter would show everything; sends stay as they are.
    ...(method === 'GET' && !names(options?.headers, 'prefer') ? { prefer: 'handling=strict' } : {}),
    ...(method === 'POST' ? { 'idempotency-key': options?.idempotencyKey ?? randomKey() } : {}),
    ...(options?.ifAbsent && { 'if-none-match': '*' }),
    ...(options?.ifMatch !== undefined && { 'if-match': `"${options.ifMatch}"` }),
    ...options?.headers,
  }
}

const names = (headers: Record<string, string> | undefined, name: string) =>
  Object.keys(headers ?? {}).some((key) => key.toLowerCase() === name)

/** The cookie of a session counts only with a header that pages of other origins cannot set. */
const credentialsHeader = (credentials: Credentials): Record<string, string> =>
  'apiKey' in credentials
    ? { authorization: `Bearer ${credentials.apiKey}` }
    : { 'x-postrider-session': credentials.session }

/** `crypto.randomUUID` is missing in pages served over plain HTTP. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

const bodyOf = ({ body }: Request) => (body === undefined ? {} : { body: JSON.stringify(body) })

/** Lists become repeated parameters; absent values are left out. */
function queryOf(query: Record<string, unknown> | undefined): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null) parameters.append(name, String(item))
  const text = parameters.toString()
  return text && `?${text}`
}
