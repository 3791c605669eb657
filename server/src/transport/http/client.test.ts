/** Promises of the HTTP client: one plain address, a pool an origin, and a reply or a failure of the right kind in time. */
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { systemClock } from '../../base/time/clock.ts'
import { addressGuard } from '../address-guard.ts'
import { createTransport, type Transport } from '../transport.ts'
import { httpTarget, originPools } from './client.ts'

describe('requests', () => {
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
  /** A server that sends `bytes` at the first request, and then does `then`. */
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
    // A connection is free again shortly after its reply is known.
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

  test('a refused connection is a failure in which no request was sent', async () => {
    const origin = await web(() => {})
    await new Promise((resolve) => servers.pop()?.close(resolve))
    expect(await perform(post(origin))).toMatchObject({ failure: 'connect', reached: false })
  })

  test('an unknown host is a failure in which no request was sent', async () => {
    const reply = await perform(post('http://nowhere.invalid/'), 20_000)
    expect(reply).toMatchObject({ failure: 'dns', reached: false })
  })

  test('a server without encryption is a tls failure in which no request was sent', async () => {
    const origin = await raw('no tls here')
    expect(await perform(post(origin.replace('http', 'https')))).toMatchObject({ failure: 'tls', reached: false })
  })

  test('bytes arrive as they are', async () => {
    const origin = await web((request, response) => {
      request.setEncoding('hex').on('data', (hex: string) => response.end(hex))
    })
    const { body: _, ...request } = post(origin)
    expect(await perform({ ...request, bytes: Uint8Array.of(0, 255, 13, 10) })).toMatchObject({ body: '00ff0d0a' })
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
        blockedReason: () => undefined,
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
})

describe('targets', () => {
  function post(url: string, headers: Record<string, string> = {}): HttpRequest {
    return { kind: 'http', method: 'POST', url, headers, body: '{}', final: true }
  }

  test('a url is taken apart, and headers are in lower case', () => {
    expect(httpTarget(post('https://API.example:8443/a?b=c#d', { 'X-A': 'b' }))).toEqual({
      origin: 'https://api.example:8443',
      host: 'api.example:8443',
      path: '/a?b=c',
      headers: { 'x-a': 'b', 'accept-encoding': 'identity' },
    })
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
  ])('a url with %s is not a request', (_what, url) => {
    expect(httpTarget(post(url))).toMatchObject({ failure: 'invalid_request', reached: false })
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
  ])('the header %j: %j is not sent', (name, value) => {
    const target = httpTarget(post('http://127.0.0.1/', { [name]: value }))
    expect(target).toMatchObject({ failure: 'invalid_request', reached: false })
  })
})

describe('pools', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  const origin = (number: number) => `http://host${number}.example`

  test('an origin keeps its pool until it was idle for a minute', async () => {
    const pools = originPools((name) => new Pool(name))
    const first = pools.get(origin(1))
    vi.advanceTimersByTime(50_000)
    expect(pools.get(origin(1))).toBe(first)
    vi.advanceTimersByTime(50_000)
    expect(pools.get(origin(1))).toBe(first)
    vi.advanceTimersByTime(80_000)
    expect(first.closed).toBe(true)
    expect(pools.get(origin(1))).not.toBe(first)
    await pools.close()
  })

  test('beyond a thousand origins the one unused for longest is closed', async () => {
    const pools = originPools((name) => new Pool(name))
    const opened: Pool[] = []
    for (let number = 0; number < 1_000; number += 1) {
      opened.push(pools.get(origin(number)))
      vi.advanceTimersByTime(1)
    }
    pools.get(origin(0))
    vi.advanceTimersByTime(1)
    pools.get(origin(1_000))
    expect(opened.map(({ closed }) => closed).indexOf(true)).toBe(1)
    expect(opened.filter(({ closed }) => closed)).toHaveLength(1)
    await pools.close()
  })

  test('closing closes them all', async () => {
    const pools = originPools((name) => new Pool(name))
    const opened = [pools.get(origin(1)), pools.get(origin(2))]
    await pools.close()
    expect(opened.every(({ destroyed }) => destroyed)).toBe(true)
  })
})
