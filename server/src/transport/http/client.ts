/** Performs HTTP/1.1 requests over pools of connections, one pool an origin; every failure is a value. */
import type { Socket } from 'node:net'
import { Client, type Dispatcher, errors, Pool } from 'undici'
import type { Failure, FailureKind, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { memo } from '../../base/perf/cache.ts'
import { MINUTE, SECOND } from '../../base/time/duration.ts'
import { type AddressGuard, Unreachable } from '../address-guard.ts'
import { connectionErrorText, dial } from '../connect.ts'
import { Limit, type Limited, type Limits } from '../time-limit.ts'

export const HEADER_BYTES_MAX = 16_384
/** As many as one integration may call at a time. */
const CONNECTIONS_MAX = 1_024

export interface HttpClient {
  send(request: HttpRequest, limits: Limits): Promise<HttpReply | Failure>
  close(): Promise<void>
}

export function httpClient(addresses: AddressGuard, authorities?: string[]): HttpClient {
  const closing = new AbortController()
  const { signal } = closing
  const pools = originPools((origin) => {
    const { hostname: host, port, protocol } = new URL(origin)
    const encrypted = protocol === 'https:'
    const to = { host, port: Number(port) || (encrypted ? 443 : 80), encrypted, authorities, signal }
    return new Pool(origin, {
      connections: CONNECTIONS_MAX,
      factory: () => new Connection(origin, () => dial(addresses, to)),
    })
  })
  return {
    send(request, limits) {
      const target = httpTarget(request)
      if ('failure' in target) return Promise.resolve(target)
      const { origin, host, path, headers } = target
      const { method, bytes, body = bytes ?? null } = request
      return new Promise((resolve) => {
        const exchange = new HttpExchange(host, limits, resolve)
        const options: ExchangeOptions = { path, method, headers, body, exchange }
        pools.get(origin).dispatch(options, exchange)
      })
    },
    close() {
      closing.abort()
      return pools.close()
    },
  }
}

interface ExchangeOptions extends Dispatcher.DispatchOptions {
  exchange: HttpExchange
}

/** One connection of a pool, with one request at a time. */
class Connection extends Client {
  #socket: Socket | undefined

  constructor(origin: string, open: () => Promise<Socket>) {
    super(origin, {
      maxHeaderSize: HEADER_BYTES_MAX,
      // The exchange holds the total, which these two cannot: a drip restarts them.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, answer) => {
        open().then(
          (socket) => {
            this.#socket = socket
            answer(null, socket)
          },
          (error) => answer(error, null),
        )
      },
    })
  }

  override dispatch(options: ExchangeOptions, handler: Dispatcher.DispatchHandler): boolean {
    options.exchange.connection = this
    return super.dispatch(options, handler)
  }

  breakOff(reason: Error): void {
    this.#socket?.destroy(reason)
  }
}

export const REPLY_BYTES_MAX = 1_000_000
export const TOO_LARGE = `The reply is larger than ${REPLY_BYTES_MAX} bytes`

/** A class: one object for each request instead of a dozen closures. */
class HttpExchange implements Dispatcher.DispatchHandler, Limited {
  readonly #host: string
  readonly #answer: (reply: HttpReply | Failure) => void
  readonly #limit: Limit
  /** There as soon as a connection is, and the next act is to write. */
  #control: Dispatcher.DispatchController | undefined
  connection: Connection | undefined
  #settled = false
  #status = 0
  #headers: Record<string, string> = {}
  #bytes = 0
  readonly #chunks: Buffer[] = []

  /** `host` is for the text of failures; `answer` is called once. */
  constructor(host: string, limits: Limits, answer: (reply: HttpReply | Failure) => void) {
    this.#host = host
    this.#answer = answer
    this.#limit = new Limit(limits, this)
  }

  onRequestStart(control: Dispatcher.DispatchController): void {
    // Thrown, it ends the request alone: `abort` would close a connection that others can use.
    if (this.#settled) throw new errors.RequestAbortedError()
    this.#control = control
  }

  onResponseStart(
    _control: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx replies come before the final one.
    if (status < 200) return
    this.#status = status
    this.#headers = joined(headers)
    if (Number(this.#headers['content-length']) > REPLY_BYTES_MAX) this.cut('too_large', TOO_LARGE)
  }

  onResponseData(_control: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > REPLY_BYTES_MAX) this.cut('too_large', TOO_LARGE)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const [only] = this.#chunks
    const body = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks)
    this.#settle({ kind: 'http', status: this.#status, headers: this.#headers, body: body.toString('utf8') })
  }

  onResponseError(_control: Dispatcher.DispatchController, error: Error): void {
    this.#settle(failureOf(error, this.#host, this.#control !== undefined))
  }

  cut(failure: FailureKind, message: string): void {
    this.#settle({
      kind: 'failure',
      failure,
      message: `${this.#host}: ${message}`,
      reached: this.#control !== undefined,
    })
    if (!this.#control) return
    const reason = new errors.RequestAbortedError(message)
    // After `abort` alone, undici opens another connection for the request that it has just ended.
    this.connection?.breakOff(reason)
    this.#control.abort(reason)
  }

  #settle(reply: HttpReply | Failure): void {
    if (this.#settled) return
    this.#settled = true
    this.#limit.end()
    this.#answer(reply)
  }
}

function joined(raw: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name in raw) {
    const value = raw[name]
    // Cookies are not kept, and may be secrets.
    if (value === undefined || name === 'set-cookie' || name === '__proto__') continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

function failureOf(error: Error, host: string, reached: boolean): Failure {
  if (error instanceof Unreachable)
    return { kind: 'failure', failure: error.failure, message: error.message, reached: false }
  const failure: FailureKind =
    error instanceof errors.HeadersOverflowError
      ? 'too_large'
      : error instanceof errors.InvalidArgumentError || error instanceof errors.NotSupportedError
        ? 'invalid_request'
        : error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError
          ? 'aborted'
          : 'reset'
  return {
    kind: 'failure',
    failure,
    message: `${host}: ${connectionErrorText(error)}`,
    reached: reached && failure !== 'invalid_request',
  }
}

const ORIGINS_MAX = 1_000
const IDLE_MS = MINUTE

interface OriginPools {
  get(origin: string): Pool
  close(): Promise<void>
}

export function originPools(open: (origin: string) => Pool): OriginPools {
  const pools = new Map<string, { pool: Pool; usedAt: number }>()

  function closeIdle(unusedSince: number): void {
    for (const [origin, { pool, usedAt }] of pools) {
      if (usedAt > unusedSince || pool.stats.running > 0 || pool.stats.pending > 0) continue
      pools.delete(origin)
      void pool.close()
    }
  }

  /** Insertion order is age: a webhook an hour to each of many hosts must not push out a busy provider. */
  function makeRoom(): void {
    let oldest: string | undefined
    let oldestAt = Number.POSITIVE_INFINITY
    for (const [origin, { pool, usedAt }] of pools) {
      if (usedAt >= oldestAt || pool.stats.running > 0 || pool.stats.pending > 0) continue
      oldest = origin
      oldestAt = usedAt
    }
    if (oldest === undefined) return
    void pools.get(oldest)?.pool.close()
    pools.delete(oldest)
  }

  const sweep = setInterval(() => closeIdle(performance.now() - IDLE_MS), 15 * SECOND)
  sweep.unref()

  return {
    get(origin) {
      const usedAt = performance.now()
      let entry = pools.get(origin)
      if (!entry) {
        if (pools.size >= ORIGINS_MAX) makeRoom()
        entry = { pool: open(origin), usedAt }
        pools.set(origin, entry)
      }
      entry.usedAt = usedAt
      return entry.pool
    },
    async close() {
      clearInterval(sweep)
      await Promise.all([...pools.values()].map(({ pool }) => pool.destroy()))
      pools.clear()
    },
  }
}

export interface RequestTarget extends Destination {
  headers: Record<string, string>
}

interface Destination {
  origin: string
  /** For messages: paths and queries may hold tokens. */
  host: string
  path: string
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** The connection's own business; a second opinion on framing or host is how requests are smuggled. */
const RESERVED = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
])

export function httpTarget(request: HttpRequest): RequestTarget | Failure {
  if (request.url.length > 8_192) return invalid('The URL is longer than 8,192 characters')
  const destination = destinationOf(request.url)
  if (typeof destination === 'string') return invalid(destination)
  const headers: Record<string, string> = {}
  let bytes = 0
  for (const name in request.headers) {
    const value = request.headers[name]
    const error = headerError(name, value)
    if (error !== undefined || value === undefined)
      return invalid(`The header ${JSON.stringify(name.slice(0, 64))} ${error}`)
    bytes += name.length + value.length
    headers[name.toLowerCase()] = value
  }
  if (bytes > 16_384) return invalid('The headers are larger than 16 kB')
  // Replies are not decompressed, so that none can grow.
  headers['accept-encoding'] ??= 'identity'
  const { origin, host, path } = destination
  return { origin, host, path, headers }
}

/** A string: the reason why nothing is sent there. Most messages go to a few addresses. */
const destinationOf = memo(1_000, (text): Destination | string => {
  // The URL parser drops line breaks and tabs silently: two texts would be one address.
  if (/[\s\0\\]/.test(text)) return 'The URL holds spaces or backslashes'
  const url = parsed(text)
  if (!url) return 'The URL is not valid'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The URL is neither http nor https'
  if (url.username || url.password) return 'The URL holds a user name or password'
  return { origin: url.origin, host: url.host, path: url.pathname + url.search }
})

/** Every request has the same few names; a long one is no name. */
const NAMES = {
  entriesMax: 256,
  weightMax: 65_536,
  weightOf: (_error: string | undefined, { length }: string) => length,
}
const headerNameError = memo(NAMES, (name): string | undefined => {
  if (!NAME.test(name)) return 'is not the name of a header'
  return RESERVED.has(name.toLowerCase()) ? 'cannot be set: it belongs to the connection' : undefined
})

/** The end of a sentence about the header; undefined when it can be sent. */
export function headerError(name: string, value: unknown): string | undefined {
  const nameError = headerNameError(name)
  if (nameError !== undefined) return nameError
  if (typeof value === 'string' && VALUE.test(value)) return undefined
  const isBroken = typeof value === 'string' && /[\r\n]/.test(value)
  return isBroken ? 'must not hold a line break' : 'must be a string of Latin-1 characters'
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

function invalid(message: string): Failure {
  return { kind: 'failure', failure: 'invalid_request', message, reached: false }
}
