/** Performs HTTP requests over pools of connections, one pool an origin; every failure is a value. */
import { Pool } from 'undici'
import type { Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import type { AddressGuard } from '../address-guard.ts'
import { dial } from '../connect.ts'
import type { Limits } from '../time-limit.ts'
import { HttpExchange } from './exchange.ts'
import { originPools } from './origin-pools.ts'
import { httpTarget } from './target.ts'

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
      // The exchange holds the total, which these two cannot: a drip restarts them.
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
      const { origin, host, path, headers } = target
      const { method, body = null } = request
      return new Promise((resolve) => {
        pools.get(origin).dispatch({ path, method, headers, body }, new HttpExchange(host, limits, resolve))
      })
    },
    close: () => pools.close(),
  }
}
