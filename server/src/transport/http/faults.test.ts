/** A misbehaving HTTP server leads to a failure of the right kind, in time and within bounds. */
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Failure, HttpRequest } from '../../base/exchange.ts'
import { systemClock } from '../../base/time/clock.ts'
import { addressGuard } from '../address-guard.ts'
import { createTransport } from '../transport.ts'

const transport = createTransport({ addresses: addressGuard(true, []), clock: systemClock })
const servers: Server[] = []
const sockets = new Set<Socket>()

afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

/** A server that sends `bytes` at the first request, and then does `then`. */
async function raw(bytes: string, then: (socket: Socket) => void = () => {}): Promise<string> {
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    socket.once('data', () => socket.write(bytes, () => then(socket)))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const post = (url: string): HttpRequest => ({ kind: 'http', method: 'POST', url, headers: {}, body: '{}', final: true })

const { signal } = new AbortController()
const perform = (request: HttpRequest, timeoutMs = 5_000) => transport.perform(request, { signal, timeoutMs })

test.each([
  ['never answers', ''],
  ['stops within the status line', 'HTTP/1.1 20'],
  ['stops within the headers', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ['stops before the body', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
  ['stops within the body', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab'],
  ['stops within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab'],
  ['only gives early hints', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'],
])('a server that %s is a timeout that may have reached it', async (_what, bytes) => {
  const origin = await raw(bytes)
  expect(await perform(post(origin), 200)).toMatchObject({ failure: 'timeout', reached: true })
})

test('a drip of one byte at a time ends at the total limit', async () => {
  const origin = await raw('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', (socket) => {
    const drip = setInterval(() => (socket.destroyed ? clearInterval(drip) : socket.write('x')), 10)
  })
  // Without it, the drip goes on for a quarter of an hour.
  expect(await perform(post(origin), 300)).toMatchObject({ failure: 'timeout', reached: true })
})

const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
test.each([0, 1, 8, 12, 17, 30, 36, 38, 39, 42])(
  'a reset after %d bytes of the reply may have reached it',
  async (offset) => {
    const origin = await raw(whole.slice(0, offset), (socket) => socket.resetAndDestroy())
    expect(await perform(post(origin))).toMatchObject({ failure: 'reset', reached: true })
  },
)

test.each([0, 12, 30, 40])('a server that closes its half after %d bytes is a reset', async (offset) => {
  const origin = await raw(whole.slice(0, offset), (socket) => socket.end())
  expect(await perform(post(origin))).toMatchObject({ failure: 'reset', reached: true })
})

test('a reply that arrived whole counts, though the connection broke right after it', async () => {
  const origin = await raw(whole, (socket) => socket.end())
  expect(await perform(post(origin))).toMatchObject({ kind: 'http', status: 200, body: 'hello' })
})

test.each([
  ['a 100 Continue without an Expect header', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['noise', '\x00\x01\x02 garbage\r\n\r\n'],
  ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!'],
  ['length and chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a chunk without a size', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ['a switch of protocols', 'HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'],
])('%s instead of a reply is a reset', async (_what, bytes) => {
  const origin = await raw(bytes, (socket) => socket.end())
  expect(await perform(post(origin))).toMatchObject({ failure: 'reset', reached: true })
})

test('headers of more than 16 kB are too large', async () => {
  const origin = await raw(`HTTP/1.1 200 OK\r\nX-Long: ${'x'.repeat(20_000)}\r\nContent-Length: 0\r\n\r\n`)
  expect(await perform(post(origin))).toMatchObject({ failure: 'too_large', reached: true })
})

test.each([
  ['declared', 'HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n'],
  ['unannounced', 'HTTP/1.1 200 OK\r\n\r\n'],
])('a body of 100 MB, %s: about 1 MB is read', async (_what, head) => {
  let written = 0
  const origin = await raw(head, (socket) => {
    const block = Buffer.alloc(65_536, 'x')
    const more = () => {
      while (written < 100_000_000 && !socket.destroyed) {
        written += block.length
        if (!socket.write(block)) return void socket.once('drain', more)
      }
    }
    more()
  })
  expect(await perform(post(origin))).toMatchObject({ failure: 'too_large', reached: true })
  // The buffers of the sockets on both sides come on top.
  expect(written).toBeLessThan(20_000_000)
})

test('a failure names the host and no more: paths may hold tokens', async () => {
  const origin = await raw('', (socket) => socket.destroy())
  const reply = (await perform(post(`${origin}/bot12345:secret/send?key=secret`))) as Failure
  expect(reply.message).toContain('127.0.0.1')
  expect(reply.message).not.toContain('secret')
})

test('notes on the way to the answer are not the answer', async () => {
  const origin = await raw(`HTTP/1.1 103 Early Hints\r\nContent-Length: 100000000\r\n\r\n${whole}`)
  expect(await perform(post(origin))).toMatchObject({ kind: 'http', status: 200, body: 'hello' })
})
