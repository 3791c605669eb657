/** What HTTP promises: whatever a server does, a reply or a failure of the right kind comes back in time. */
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import type { Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { systemClock } from '../../base/time/clock.ts'
import { addressGuard } from '../address-guard.ts'
import { createTransport, type Transport } from '../transport.ts'

let transport: Transport = fresh()
const servers: (Server | NetServer)[] = []
const sockets = new Set<Socket>()

function fresh(): Transport {
  return createTransport({ addresses: addressGuard(true, []), clock: systemClock })
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
  expect(await perform(post(origin))).toMatchObject({ failure: 'aborted', reached: false })
})

test('a request given up before it was connected is never sent', async () => {
  const seen: string[] = []
  const origin = await web((request, response) => {
    seen.push(request.url ?? '')
    response.end()
  })
  const { port } = new URL(origin)
  const answered = deferred()
  const slow = createTransport({
    addresses: {
      async resolve() {
        await answered.promise
        return [{ address: '127.0.0.1', family: 4 }]
      },
      refusalOf: () => undefined,
    },
    clock: systemClock,
  })
  const url = `http://slow.example:${port}`
  const late = slow.perform(post(`${url}/late`), { signal, timeoutMs: 20 })
  expect(await late).toMatchObject({ failure: 'timeout', reached: false })
  answered.resolve()
  expect(await slow.perform(post(`${url}/next`), { signal, timeoutMs: 5_000 })).toMatchObject({ status: 200 })
  expect(seen).toEqual(['/next'])
  await slow.close()
})
