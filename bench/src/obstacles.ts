/** How soon Postrider answers, or gives up, beside callers, providers and locks that hold it up. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@postrider/server/internal/base/time/clock'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { createTransport } from '@postrider/server/internal/transport/transport'
import { runQueueMs, watchPings } from '@postrider/test/support/pings'
import pg from 'pg'
import { apiKey, type Product } from './product.ts'

const BODIES = 100
const BODY = JSON.stringify({ event: 'reaction', recipient: 'ada', data: { text: 'x'.repeat(5_000_000) } })
const LIMIT_MS = 3_000

const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

/** The longest pause of `/livez` while a hundred bodies of 5 MB arrive at once. */
export async function pauseBesideBodies({ pid, port }: Product): Promise<number> {
  const url = `http://127.0.0.1:${port}`
  const ping = async () => (await fetch(`${url}/livez`)).text()
  const pings = watchPings(ping, () => runQueueMs(pid))
  const post = async () => (await fetch(`${url}/send`, { method: 'POST', headers, body: BODY })).arrayBuffer()
  await Promise.all(Array.from({ length: BODIES }, post))
  return pings.stop()
}

/** After its limit of three seconds: a call whose reply comes byte by byte, so that a timeout between bytes never ends it. */
export async function timeBeyondLimit(): Promise<number> {
  const server = createServer((_request, response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('x'), 20)
    response.once('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const transport = createTransport({ addresses: addressGuard(true, []), clock: systemClock })
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const request = { kind: 'http', method: 'POST', url, headers: {}, body: '{}', final: true } as const
    const began = performance.now()
    const reply = await transport.perform(request, { signal: new AbortController().signal, timeoutMs: LIMIT_MS })
    if (reply.kind !== 'failure') throw new Error('The reply came to an end')
    return performance.now() - began - LIMIT_MS
  } finally {
    await transport.close()
    server.close()
  }
}

/** `GET /system` beside a table that is locked. */
export async function systemBesideLock({ port }: Product, connectionString: string): Promise<number> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query('begin; lock table nodes, dead_letters in access exclusive mode')
    const began = performance.now()
    const reply = await fetch(`http://127.0.0.1:${port}/system`, { headers })
    const { failures } = (await reply.json()) as { failures: unknown[] }
    if (failures.length === 0) throw new Error('No part waited for the lock')
    return performance.now() - began
  } finally {
    await client.end()
  }
}
