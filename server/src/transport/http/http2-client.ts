/** Performs HTTP requests over HTTP/2, several at a time on one connection; every failure is a value. */
import http2, { type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import type tls from 'node:tls'
import type { Failure, FailureKind, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { MINUTE, SECOND } from '../../base/time/duration.ts'
import { type AddressGuard, Unreachable } from '../address-guard.ts'
import { connectionErrorText, dial } from '../connect.ts'
import { Limit, type Limited, type Limits } from '../time-limit.ts'
import {
  HEADER_BYTES_MAX,
  type HttpClient,
  httpTarget,
  REPLY_BYTES_MAX,
  type RequestTarget,
  TOO_LARGE,
} from './client.ts'

/** A connection carries hundreds of requests: few are needed, and APNs takes many for an attack. */
const CONNECTIONS_MAX = 8
/** Until the server's own limit is known, and where it has none. */
const STREAMS_MAX = 500
const ORIGINS_MAX = 100
/** APNs connections are to be kept open; Apple closes idle ones itself. */
const IDLE_MS = 15 * MINUTE
/** After this pause a connection may be dead without a sign of it: a router has dropped it. */
const PING_AFTER_MS = 30 * SECOND
const PING_MS = 3 * SECOND
const SETTINGS_MS = 10 * SECOND

export function http2Client(addresses: AddressGuard, authorities?: string[]): HttpClient {
  const origins = new Map<string, Connections>()
  const closing = new AbortController()
  const sweep = setInterval(() => {
    for (const [origin, connections] of origins) if (connections.closeIdle()) origins.delete(origin)
  }, MINUTE)
  sweep.unref()

  function connectionsTo(origin: string): Connections {
    let connections = origins.get(origin)
    if (connections) return connections
    if (origins.size >= ORIGINS_MAX) for (const [other, idle] of origins) if (idle.closeUnused()) origins.delete(other)
    connections = new Connections(() => open(addresses, origin, closing.signal, authorities))
    origins.set(origin, connections)
    return connections
  }

  return {
    send(request, limits) {
      const target = httpTarget(request)
      if ('failure' in target) return Promise.resolve(target)
      const connections = connectionsTo(target.origin)
      return new Promise((resolve) => void new Http2Exchange(request, target, limits, resolve).run(connections))
    },
    async close() {
      clearInterval(sweep)
      closing.abort()
      for (const connections of origins.values()) connections.destroy()
      origins.clear()
    },
  }
}

/** Resolves when the server's settings are known: before, it might take a single stream. */
async function open(
  addresses: AddressGuard,
  origin: string,
  signal: AbortSignal,
  authorities?: string[],
): Promise<Wire> {
  const { hostname: host, port: named } = new URL(origin)
  const port = Number(named) || 443
  const socket = await dial(addresses, { host, port, encrypted: true, authorities, protocols: ['h2'], signal })
  if ((socket as tls.TLSSocket).alpnProtocol !== 'h2') {
    socket.destroy()
    throw new Unreachable('connect', `${host}:${port}: does not speak HTTP/2`)
  }
  const session = http2.connect(origin, {
    createConnection: () => socket,
    settings: { enablePush: false, maxHeaderListSize: HEADER_BYTES_MAX },
  })
  await new Promise<void>((resolve, reject) => {
    const fail = (cause?: Error) => {
      limit.end()
      session.destroy()
      const reason = cause ? connectionErrorText(cause) : 'closed the connection before HTTP/2 began'
      reject(new Unreachable('connect', `${host}:${port}: ${reason}`, cause))
    }
    const cut = (failure: 'timeout' | 'aborted') =>
      fail(new Error(failure === 'timeout' ? `no HTTP/2 within ${SETTINGS_MS} ms` : 'The connection was closed'))
    const limit = new Limit({ signal, timeoutMs: SETTINGS_MS }, { cut })
    session.once('error', fail).once('close', fail)
    session.once('remoteSettings', () => {
      limit.end()
      session.off('close', fail)
      resolve()
    })
  })
  // Each of its streams fails by itself.
  session.on('error', () => {})
  return { session, socket }
}

interface Wire {
  session: ClientHttp2Session
  socket: Socket
}

interface Connection extends Wire {
  streams: number
  usedAt: number
  /** The last stream that the server has processed, by its GOAWAY. */
  lastStream: number
  /** A request has had no answer in time: the connection may be dead without a sign of it. */
  needsPing: boolean
  /** The ping in flight, shared by all who wait for it: a session has few. */
  check: Promise<boolean> | undefined
}

/** The connections to one origin. */
class Connections {
  readonly #connectWire: () => Promise<Wire>
  /** Also those that the server is about to close. */
  readonly #open = new Set<Connection>()
  #opening: Promise<Connection> | undefined
  #destroyed = false

  constructor(connectWire: () => Promise<Wire>) {
    this.#connectWire = connectWire
  }

  /** The least busy one that is alive; a new one where all are full. */
  async take(): Promise<Connection> {
    for (;;) {
      const usable = [...this.#open].filter(isUsable)
      const [first] = usable
      const least =
        first && usable.reduce((least, connection) => (connection.streams < least.streams ? connection : least), first)
      const isFull = !least || least.streams >= streamsMax(least.session)
      if (isFull && usable.length < CONNECTIONS_MAX) return await this.#fresh()
      if (least && (await isAlive(least))) return least
    }
  }

  /** True when none is left. */
  closeIdle(): boolean {
    const unusedSince = performance.now() - IDLE_MS
    for (const connection of this.#open)
      if (connection.streams === 0 && connection.usedAt < unusedSince) close(connection)
    return this.#open.size === 0 && !this.#opening
  }

  closeUnused(): boolean {
    if (this.#opening || [...this.#open].some(({ streams }) => streams > 0)) return false
    this.destroy()
    return true
  }

  destroy(): void {
    this.#destroyed = true
    for (const connection of this.#open) close(connection)
    this.#open.clear()
  }

  /** One is opened at a time; those who wait for it share it. */
  #fresh(): Promise<Connection> {
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  async #connect(): Promise<Connection> {
    const wire = await this.#connectWire()
    if (this.#destroyed) {
      close(wire)
      throw new Unreachable('connect', 'The connection was closed')
    }
    const { session } = wire
    const connection: Connection = {
      ...wire,
      streams: 0,
      usedAt: performance.now(),
      lastStream: Number.POSITIVE_INFINITY,
      needsPing: false,
      check: undefined,
    }
    session.once('goaway', (_code, lastStream) => {
      connection.lastStream = lastStream
      if (connection.streams === 0) close(connection)
    })
    session.once('close', () => this.#open.delete(connection))
    this.#open.add(connection)
    return connection
  }
}

/** A session that has received a GOAWAY only ends its side of the socket, and would wait for the server to end the other. */
function close({ session, socket }: Wire): void {
  session.destroy()
  socket.destroy()
}

/** After a GOAWAY a connection only ends its streams. */
const isUsable = ({ session, lastStream }: Connection) =>
  !session.closed && !session.destroyed && lastStream === Number.POSITIVE_INFINITY

const streamsMax = ({ remoteSettings }: ClientHttp2Session) =>
  Math.min(remoteSettings?.maxConcurrentStreams ?? STREAMS_MAX, STREAMS_MAX)

/**
 * A ping after a pause, or after a request without an answer: Node keeps a session that a protocol error has ended.
 * Without an answer the connection is closed, and another one is taken.
 */
function isAlive(connection: Connection): Promise<boolean> | boolean {
  const { session, streams, usedAt, needsPing } = connection
  if (!needsPing && (streams > 0 || performance.now() - usedAt < PING_AFTER_MS)) return true
  connection.check ??= answersPing(session).then((answered) => {
    connection.check = undefined
    if (answered) {
      connection.usedAt = performance.now()
      connection.needsPing = false
    } else close(connection)
    return answered
  })
  return connection.check
}

const answersPing = (session: ClientHttp2Session) =>
  new Promise<boolean>((resolve) => {
    const timer = setTimeout(resolve, PING_MS, false)
    const done = (alive: boolean) => {
      clearTimeout(timer)
      resolve(alive)
    }
    if (session.destroyed || !session.ping((error) => done(error === null))) done(false)
  })

class Http2Exchange implements Limited {
  readonly #request: HttpRequest
  readonly #target: RequestTarget
  readonly #answer: (reply: HttpReply | Failure) => void
  readonly #limit: Limit
  #stream: ClientHttp2Stream | undefined
  #connection: Connection | undefined
  #settled = false
  #status = 0
  #headers: Record<string, string> = {}
  #bytes = 0
  #chunks: Buffer[] = []

  constructor(
    request: HttpRequest,
    target: RequestTarget,
    limits: Limits,
    answer: (reply: HttpReply | Failure) => void,
  ) {
    this.#request = request
    this.#target = target
    this.#answer = answer
    this.#limit = new Limit(limits, this)
  }

  /** A stream that the server has not processed is started once more, on another connection. */
  async run(connections: Connections, isRepeat = false): Promise<void> {
    try {
      const connection = await connections.take()
      if (this.#settled) return
      const failed = await this.#exchange(connection)
      if (!failed || this.#settled) return
      if (failed.reached || isRepeat) this.#settle(failed)
      else await this.run(connections, true)
    } catch (error) {
      if (error instanceof Unreachable) this.#settle(failure(error.failure, error.message, false))
      // The connection was closed between taking it and its first byte.
      else if (isRepeat) this.#settle(this.#failed(error as Error, false))
      else await this.run(connections, true)
    }
  }

  cut(kind: FailureKind, message: string): void {
    this.#settle(failure(kind, `${this.#target.host}: ${message}`, this.#stream !== undefined))
    if (kind === 'timeout' && this.#connection) this.#connection.needsPing = true
    this.#stream?.close(http2.constants.NGHTTP2_CANCEL)
  }

  /** Undefined when it was answered. */
  #exchange(connection: Connection): Promise<Failure | undefined> {
    const { host, path, headers } = this.#target
    const { method, bytes, body = bytes } = this.#request
    const { session } = connection
    const stream = session.request(
      { ...headers, ':method': method, ':path': path, ':scheme': 'https', ':authority': host },
      { endStream: body === undefined },
    )
    this.#stream = stream
    this.#connection = connection
    connection.streams += 1
    connection.usedAt = performance.now()
    return new Promise((resolve) => {
      let error: Error | undefined
      stream.on('response', (received) => this.#begin(received))
      stream.on('data', (chunk: Buffer) => this.#take(chunk))
      stream.on('error', (cause: Error) => {
        error = cause
      })
      stream.once('close', () => {
        connection.streams -= 1
        if (connection.streams === 0 && !isUsable(connection)) close(connection)
        if (stream.rstCode === http2.constants.NGHTTP2_NO_ERROR && !error && this.#status > 0) {
          this.#end()
          resolve(undefined)
        } else resolve(this.#failed(error, wasProcessed(stream, connection)))
      })
      if (body !== undefined) stream.end(body)
    })
  }

  #begin(received: IncomingHttpHeaders): void {
    this.#status = Number(received[':status'])
    this.#headers = joined(received)
    const bytes = Object.entries(this.#headers).reduce((sum, [name, value]) => sum + name.length + value.length, 0)
    if (bytes > HEADER_BYTES_MAX) this.cut('too_large', `The headers are larger than ${HEADER_BYTES_MAX} bytes`)
    else if (Number(this.#headers['content-length']) > REPLY_BYTES_MAX) this.cut('too_large', TOO_LARGE)
  }

  #take(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > REPLY_BYTES_MAX) this.cut('too_large', TOO_LARGE)
    else this.#chunks.push(chunk)
  }

  #end(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8')
    this.#settle({ kind: 'http', status: this.#status, headers: this.#headers, body })
  }

  #failed(error: Error | undefined, reached: boolean): Failure {
    const reason = error ? connectionErrorText(error) : 'closed the stream'
    return failure('reset', `${this.#target.host}: ${reason}`, reached)
  }

  #settle(reply: HttpReply | Failure): void {
    if (this.#settled) return
    this.#settled = true
    this.#limit.end()
    this.#answer(reply)
  }
}

/** RFC 9113 §8.7: a refused stream, or one above the last of a GOAWAY, was not processed. */
const wasProcessed = ({ id, rstCode }: ClientHttp2Stream, { lastStream }: Connection): boolean =>
  id !== undefined && id <= lastStream && rstCode !== http2.constants.NGHTTP2_REFUSED_STREAM

function joined(received: IncomingHttpHeaders): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name in received) {
    const value = received[name]
    // Cookies are not kept, and may be secrets.
    if (value === undefined || name.startsWith(':') || name === 'set-cookie' || name === '__proto__') continue
    headers[name] = Array.isArray(value) ? value.join(', ') : value
  }
  return headers
}

const failure = (kind: FailureKind, message: string, reached: boolean): Failure => ({
  kind: 'failure',
  failure: kind,
  message,
  reached,
})
