/** Copied messages are read, listed and explained like the real ones they were made from. */
import { freePort } from '@postrider/test/support/free-port'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Child, startChild } from './child.ts'
import { type Databases, openDatabases, type Place } from './databases.ts'
import type { Ports } from './peers/peers.ts'
import { apiKey, type Product, startProduct } from './product.ts'
import { storeMessages } from './stored-messages.ts'
import { thisVersion } from './version.ts'

const COUNT = 2_000
/** How the messages that were copied ended, by their number. */
const ORIGINALS = [
  [0, 'DELIVERED'],
  [70, 'SENT'],
  [94, 'UNROUTABLE'],
  [98, 'UNMAPPED'],
] as const

let peers: Child
let databases: Databases
let place: Place
let product: Product
let bytes = 0

beforeAll(async () => {
  peers = startChild(new URL('../dist/peers/peers.js', import.meta.url))
  const sinks = await peers.call<Ports>('open')
  databases = await openDatabases(thisVersion())
  place = await databases.empty()
  const port = await freePort()
  bytes = await storeMessages({ port, sinks }, place, COUNT)
  product = await startProduct(place, port)
}, 120_000)

afterAll(async () => {
  await product?.stop()
  await databases?.close()
  await peers?.stop()
})

async function read<T>(path: string): Promise<T> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const reply = await fetch(`http://127.0.0.1:${product.port}${path}`, { headers })
  expect(reply.status, path).toBe(200)
  return (await reply.json()) as T
}

interface Listed {
  id: string
  status: string
  enqueued: number
}

const listed = async (query: string) => (await read<{ results: Listed[] }>(`/messages?${query}`)).results

test('they are spread over two months and over the statuses of their originals', async () => {
  for (const [n, status] of ORIGINALS) {
    const [copy] = await listed(`recipient=user-${n}`)
    expect(copy?.status, `copy ${n}`).toBe(status)
    expect(Math.abs(Number.parseInt(copy!.id.slice(2, 10), 16) * 1_000 - copy!.enqueued)).toBeLessThan(2_000)
  }
  const [[first], [last]] = [await listed('recipient=user-0'), await listed(`recipient=user-${COUNT - 1}`)]
  expect((last!.enqueued - first!.enqueued) / 86_400_000).toBeCloseTo(60, 0)
})

test('a copy has a history and a decision of its own', async () => {
  const [copy] = await listed('recipient=user-7')
  const history = await read<{ results: { type: string; recipient?: string }[] }>(`/messages/${copy!.id}/history`)
  expect(history.results.map(({ type }) => type)).toEqual(expect.arrayContaining(['ENQUEUED', 'SENT', 'DELIVERED']))
  expect(history.results[0]!.recipient).toBe('user-7')
  const explained = await read<{ message: { id: string } }>(`/messages/${copy!.id}/explain`)
  expect(explained.message.id).toBe(copy!.id)
})

test('a message has at least its input on disk', () => {
  expect(bytes).toBeGreaterThan(500)
  expect(bytes).toBeLessThan(10_000)
})
