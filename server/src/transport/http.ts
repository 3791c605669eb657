/** Performs HTTP requests over pools of connections, one pool an origin; every fault of the world is a value. */
import { type Dispatcher, errors, Pool } from 'undici'
import type { Failure, FailureKind, HttpReply, HttpRequest } from '../base/exchange.ts'
import { type AddressGuard, Unreachable } from './address.ts'
import { dial } from './dial.ts'
import { httpTarget, type Target } from './http-target.ts'
import { type Limits, limit } from './limit.ts'
import { originPools } from './origin-pools.ts'
import { connectionWords } from './tls-words.ts'

const REPLY_BYTES_MAX = 1_000_000
const HEADER_BYTES_MAX = 16_384
/** At 50 ms an answer this is 10,000 requests a second to one provider, more than a node delivers. */
const CONNECTIONS_MAX = 512

export interface HttpClient {
  send(request: HttpRequest, limits: Limits): Promise<HttpReply | Failure>
  close(): Promise<void>
}

export function httpClient(addresses: AddressGuard, authorities?: string[]): HttpClient {
  const pools = originPools((origin) => {
    const { hostname: host, port, protocol } = new URL(origin)
    const encrypted = protocol === 'https:'
    const to = { host, port: Number(port) || (encrypted ? 443 : 80), encrypted, authorities }
    return new Pool(origin, {
      connections: CONNECTIONS_MAX,
      maxHeaderSize: HEADER_BYTES_MAX,
      // `limit` holds the total, which these two cannot: a drip restarts them.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, answer) => {
        dial(addresses, to).then(
          (socket) => answer(null, socket),
          (error) => answer(error, null),
        )
      },
    })
  })
  return {
    send(request, limits) {
      const target = httpTarget(request)
      if ('failure' in target) return Promise.resolve(target)
      return exchange(pools.get(target.origin), target, request, limits)
    },
    close: () => pools.close(),
  }
}

function exchange(pool: Pool, target: Target, request: HttpRequest, limits: Limits): Promise<HttpReply | Failure> {
  return new Promise((resolve) => {
    let control: Dispatcher.DispatchController | undefined
    let status = 0
    let headers: Record<string, string> = {}
    let bytes = 0
    let settled = false
    const chunks: Buffer[] = []

    const settle = (reply: HttpReply | Failure) => {
      if (settled) return
      settled = true
      release()
      resolve(reply)
    }
    const stop = (failure: FailureKind, message: string) => {
      settle({ kind: 'failure', failure, message: `${target.host}: ${message}`, reached: control !== undefined })
      control?.abort(new errors.RequestAbortedError(message))
    }
    const release = limit(limits, stop)

    pool.dispatch(
      { path: target.path, method: request.method, headers: target.headers, body: request.body ?? null },
      {
        // Called when a connection is there and the next act is to write.
        onRequestStart(controller) {
          if (settled) controller.abort(new errors.RequestAbortedError())
          else control = controller
        },
        onResponseStart(_controller, code, raw) {
          // 1xx are notes on the way to the answer.
          if (code < 200) return
          status = code
          headers = joined(raw)
          if (Number(headers['content-length']) > REPLY_BYTES_MAX) stop('too_large', tooLarge)
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length
          if (bytes > REPLY_BYTES_MAX) stop('too_large', tooLarge)
          else chunks.push(chunk)
        },
        onResponseEnd() {
          const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
          settle({ kind: 'http', status, headers, body: body.toString('utf8') })
        },
        onResponseError(_controller, error) {
          settle(failureOf(error, target.host, control !== undefined))
        },
      },
    )
  })
}

const tooLarge = `The reply is larger than ${REPLY_BYTES_MAX} bytes`

function joined(raw: Record<string, string | string[] | undefined>): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const name in raw) {
    const value = raw[name]
    // Nobody here keeps cookies, and they may be secrets.
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
    message: `${host}: ${connectionWords(error)}`,
    reached: reached && failure !== 'invalid_request',
  }
}
