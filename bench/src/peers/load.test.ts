/** An open loop keeps its schedule, and its latencies show what a closed loop would hide. */
import { createServer, type Server, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requestBytes } from './http-connection.ts'
import { openLoop } from './load.ts'

const REPLY = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'
const STALL_MS = 400
const PER_SECOND = 200
const COUNT = 200

let server: Server
let port = 0
let requests = 0
let stalledUntil = 0

/** Answers at once, except for a while after the fiftieth request. */
beforeAll(async () => {
  const serve = (socket: Socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', () => {
      requests += 1
      if (requests === 50) stalledUntil = performance.now() + STALL_MS
      setTimeout(() => socket.write(REPLY), Math.max(0, stalledUntil - performance.now()))
    })
  }
  server = createServer({ noDelay: true }, serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address ? address.port : 0
})

afterAll(() => new Promise((resolve) => server.close(resolve)))

test('a stall is part of every call that was planned while it lasted, sent or not', async () => {
  const latencies: number[] = []
  const planned: number[] = []
  let sent = 0
  await openLoop({
    port,
    connections: 2,
    perSecond: PER_SECOND,
    count: COUNT,
    request: (n) => requestBytes('/send', {}, { n }),
    sending: () => {
      sent += 1
    },
    answered: (n, at, status) => {
      expect(status).toBe(200)
      planned[n - 1] = at
      latencies[n - 1] = performance.now() - at
    },
  })
  expect(sent).toBe(COUNT)
  expect(latencies.filter((latency) => latency !== undefined)).toHaveLength(COUNT)
  // The schedule does not wait for answers: 5 ms between any two.
  for (let n = 1; n < COUNT; n += 1) expect(planned[n]! - planned[n - 1]!).toBeCloseTo(1_000 / PER_SECOND, 3)
  // Two connections are all that a closed loop would have seen stalled; here it is every call of those 400 ms.
  const late = latencies.filter((latency) => latency > STALL_MS / 4).length
  expect(late).toBeGreaterThan((STALL_MS / 1_000) * PER_SECOND * 0.5)
  expect(Math.max(...latencies)).toBeGreaterThan(STALL_MS * 0.9)
})
