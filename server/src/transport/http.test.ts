/** What HTTP promises: whatever a server does, a reply or a failure of the right kind comes back in time. */
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import type { Failure, HttpReply, HttpRequest } from '../base/exchange.ts'
import { addressGuard } from './address.ts'
import { createTransport, type Transport } from './transport.ts'

const clock = { now: () => now }
let now = 1_000_000
let transport: Transport = fresh()
const servers: (Server | NetServer)[] = []
const sockets = new Set<Socket>()

function fresh(): Transport {
  return createTransport({ addresses: addressGuard(true, []), clock })
}

afterEach(async () => {
  await transport.close()
  transport = fresh()
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

async function listening(server: Server | NetServer): Promise<string> {
  servers.push(server)
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

const web = (answer: Parameters<typeof createHttpServer>[1]) => listening(createHttpServer({}, answer))
/** A server that says `bytes` as soon as it was asked, and then does `then`. */
const raw = (bytes: string, then: (socket: Socket) => void = () => {}) =>
  listening(createNetServer((socket) => socket.once('data', () => socket.write(bytes, () => then(socket)))))

function post(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return {
    kind: 'http',
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json' },
    body: '{}',
    final: true,
    ...more,
  }
}

const signal = new AbortController().signal
const perform = async (request: HttpRequest, timeoutMs = 5_000, until = signal) =>
  (await transport.perform(request, { signal: until, timeoutMs })) as HttpReply | Failure

test('a reply is status, headers and body, and a request arrives as it was given', async () => {
  const origin = await web((request, response) => {
    request.setEncoding('utf8').on('data', (body: string) => {
      response.writeHead(201, {
        'X-Seen': `${request.method} ${request.url} ${request.headers['x-a']} ${body}`,
        'X-Two': ['a', 'b'],
        'Set-Cookie': 'a=b',
      })
      response.end('grüß')
    })
  })
  const reply = await perform(post(`${origin}/p?q=1`, { headers: { 'X-A': 'b' }, body: '{"a":1}' }))
  expect(reply).toMatchObject({ kind: 'http', status: 201, body: 'grüß' })
  expect((reply as HttpReply).headers).toMatchObject({ 'x-seen': 'POST /p?q=1 b {"a":1}', 'x-two': 'a, b' })
  expect((reply as HttpReply).headers).not.toHaveProperty('set-cookie')
})

test('connections are kept and used again', async () => {
  const ports = new Set<number | undefined>()
  const origin = await web((request, response) => {
    ports.add(request.socket.remotePort)
    response.end()
  })
  for (let count = 0; count < 20; count += 1) await perform(post(origin))
  // A connection is free again a moment after its reply is known.
  expect(ports.size).toBeLessThanOrEqual(2)
})

test.each([301, 302, 303, 307, 308])('a redirect (%d) is a reply, not a way to go', async (status) => {
  let visits = 0
  const origin = await web((_request, response) => {
    visits += 1
    response.writeHead(status, { location: '/elsewhere' }).end()
  })
  expect(await perform(post(origin))).toMatchObject({ kind: 'http', status })
  expect(visits).toBe(1)
})

test('nobody listening is a connection failure that reached nobody', async () => {
  const origin = await web(() => {})
  await new Promise((resolve) => servers.pop()?.close(resolve))
  expect(await perform(post(origin))).toMatchObject({ failure: 'connect', reached: false })
})

test('a name without an address reached nobody', async () => {
  const reply = await perform(post('http://nowhere.invalid/'), 20_000)
  expect(reply).toMatchObject({ failure: 'dns', reached: false })
})

test('a server without encryption is a tls failure that reached nobody', async () => {
  const origin = await raw('no tls here')
  expect(await perform(post(origin.replace('http', 'https')))).toMatchObject({ failure: 'tls', reached: false })
})

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
  const start = performance.now()
  expect(await perform(post(origin), 300)).toMatchObject({ failure: 'timeout', reached: true })
  expect(performance.now() - start).toBeLessThan(1_500)
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
  ['a permission nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n'],
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
  ['announced', 'HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n'],
  ['unannounced', 'HTTP/1.1 200 OK\r\n\r\n'],
])('of a body of 100 MB, %s, about one is read', async (_what, head) => {
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
  // What the sockets of both sides buffer comes on top.
  expect(written).toBeLessThan(20_000_000)
})

test('a body of exactly 1 MB is a reply', async () => {
  const origin = await web((_request, response) => response.end('x'.repeat(1_000_000)))
  expect(((await perform(post(origin))) as HttpReply).body).toHaveLength(1_000_000)
})

test('compressed bytes stay compressed, so that nothing can swell', async () => {
  const bomb = gzipSync(Buffer.alloc(50_000_000))
  let accepted: string | undefined
  const origin = await web((request, response) => {
    accepted = request.headers['accept-encoding']
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
  })
  const reply = (await perform(post(origin))) as HttpReply
  expect(reply.status).toBe(200)
  expect(reply.body.length).toBeLessThanOrEqual(bomb.length)
  expect(accepted).toBe('identity')
})

test.each([
  ['no address', 'nonsense'],
  ['another scheme', 'ftp://example.com/'],
  ['a file', 'file:///etc/passwd'],
  ['a script', 'javascript:alert(1)'],
  ['a user name', 'http://user@127.0.0.1/'],
  ['a password', 'http://:secret@127.0.0.1/'],
  ['a blank', 'http://127.0.0.1/a b'],
  ['a line break', 'http://127.0.0.1/\r\nX: y'],
  ['a tab in the host', 'http://127.0\t.0.1/'],
  ['a backslash', 'http:\\\\127.0.0.1\\'],
  ['a port out of range', 'http://127.0.0.1:99999/'],
  ['too many characters', `http://127.0.0.1/${'a'.repeat(9_000)}`],
])('a url with %s is not a request', async (_what, url) => {
  expect(await perform(post(url))).toMatchObject({ failure: 'invalid_request', reached: false })
})

test.each([
  ['x-a', 'b\r\nX-Evil: c'],
  ['x-a', 'b\nc'],
  ['x-a', 'b\0c'],
  ['x-a', '漢'],
  ['x-a\r\nX-Evil', 'b'],
  ['x a', 'b'],
  ['', 'b'],
  ['Host', 'evil.example'],
  ['Content-Length', '3'],
  ['Transfer-Encoding', 'chunked'],
  ['Connection', 'upgrade'],
  ['Expect', '100-continue'],
  ['x-a', 'x'.repeat(17_000)],
])('the header %j: %j is not sent', async (name, value) => {
  let visits = 0
  const origin = await web((_request, response) => {
    visits += 1
    response.end()
  })
  const reply = await perform(post(origin, { headers: { [name]: value } }))
  expect(reply).toMatchObject({ failure: 'invalid_request', reached: false })
  expect(visits).toBe(0)
})

test('a failure names the host and no more: paths may hold tokens', async () => {
  const origin = await raw('', (socket) => socket.destroy())
  const reply = (await perform(post(`${origin}/bot12345:secret/send?key=secret`))) as Failure
  expect(reply.message).toContain('127.0.0.1')
  expect(reply.message).not.toContain('secret')
})

test('aborting ends what is in flight, and starts nothing more', async () => {
  const abort = new AbortController()
  let visits = 0
  const arrived = deferred()
  const origin = await web(() => {
    visits += 1
    arrived.resolve()
  })
  const pending = perform(post(origin), 5_000, abort.signal)
  await arrived.promise
  abort.abort()
  expect(await pending).toMatchObject({ failure: 'aborted', reached: true })
  expect(await perform(post(origin), 5_000, abort.signal)).toMatchObject({ failure: 'aborted', reached: false })
  expect(visits).toBe(1)
})

function deferred() {
  let resolve: (value?: unknown) => void = () => {}
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

test('closing the transport ends what is in flight', async () => {
  const arrived = deferred()
  const origin = await web(() => arrived.resolve())
  const pending = perform(post(origin))
  await arrived.promise
  await transport.close()
  expect(await pending).toMatchObject({ failure: 'aborted', reached: true })
})

test('a good reply is asked for once until its lifetime is over, also by many at a time', async () => {
  let visits = 0
  const origin = await web((_request, response) => {
    visits += 1
    response.end(String(visits))
  })
  const token = post(origin, { cache: { key: 'token', lifetimeMs: 60_000 }, final: false })
  const bodies = await Promise.all([1, 2, 3].map(() => perform(token)))
  expect(bodies.map((reply) => (reply as HttpReply).body)).toEqual(['1', '1', '1'])
  now += 59_999
  expect(await perform(token)).toMatchObject({ body: '1' })
  expect(await perform({ ...token, headers: { authorization: 'other' } })).toMatchObject({ body: '2' })
  now += 1
  expect(await perform(token)).toMatchObject({ body: '3' })
})

test('a bad reply is never kept', async () => {
  let visits = 0
  const origin = await web((_request, response) => {
    visits += 1
    response.writeHead(visits === 1 ? 500 : visits === 2 ? 302 : 200).end()
  })
  const token = post(origin, { cache: { key: 'bad', lifetimeMs: 60_000 } })
  const statuses = []
  for (let count = 0; count < 4; count += 1) statuses.push(((await perform(token)) as HttpReply).status)
  expect(statuses).toEqual([500, 302, 200, 200])
  expect(visits).toBe(3)
})
