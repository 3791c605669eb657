/** Promises of HTTP/2: one connection for many requests, a reply or a failure of the right kind, and nothing sent twice. */
import {
  constants,
  createSecureServer,
  type Http2SecureServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import { createServer as createHttpsServer } from 'node:https'
import { connect, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { systemClock } from '../../base/time/clock.ts'
import { addressGuard } from '../address-guard.ts'
import { localhost } from '../localhost-certificate.harness.ts'
import { createTransport, type Transport } from '../transport.ts'

const ended: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ended.splice(0).reverse()) await end()
})

function fresh(allowed = true): Transport {
  const addresses = addressGuard(allowed, [])
  const transport = createTransport({ addresses, clock: systemClock, authorities: [localhost.cert] })
  ended.push(() => transport.close())
  return transport
}

interface Peer {
  server: Http2SecureServer
  url: string
  sessions: ServerHttp2Session[]
}

async function peer(
  answer: (stream: ServerHttp2Stream, headers: Record<string, unknown>) => void,
  options: object = {},
): Promise<Peer> {
  const server = createSecureServer({ ...localhost, ...options })
  const sessions: ServerHttp2Session[] = []
  server.on('session', (session) => {
    sessions.push(session)
    session.on('error', () => {})
  })
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {})
    answer(stream, headers)
  })
  ended.push(() => {
    for (const session of sessions) session.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, sessions, url: `https://localhost:${(server.address() as { port: number }).port}/3/device/abc?x=1` }
}

/** Passes bytes on; connections that are silenced stay open and lose them, as in a router that forgot them. */
async function relayTo(url: string) {
  const near: Socket[] = []
  const silenced = new Set<Socket>()
  const relay = createServer((socket) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1')
    near.push(socket)
    socket.on('data', (bytes) => silenced.has(socket) || far.write(bytes))
    far.on('data', (bytes) => silenced.has(socket) || socket.write(bytes))
    for (const end of [socket, far]) end.on('error', () => {})
    socket.once('close', () => far.destroy())
    far.once('close', () => socket.destroy())
  })
  ended.push(() => {
    for (const socket of near) socket.destroy()
    relay.close()
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  return {
    url: `https://localhost:${(relay.address() as { port: number }).port}/3/device/abc?x=1`,
    silence: () => near.forEach((socket) => void silenced.add(socket)),
    connections: () => near.length,
    closed: () => near.filter(({ destroyed }) => destroyed).length,
  }
}

const post = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  kind: 'http',
  protocol: 'h2',
  method: 'POST',
  url,
  headers: { 'apns-topic': 'org.example.app' },
  body: '{"aps":{}}',
  final: true,
  ...more,
})
const { signal } = new AbortController()
const send = async (transport: Transport, request: HttpRequest, timeoutMs = 5_000, until = signal) =>
  (await transport.perform(request, { signal: until, timeoutMs })) as HttpReply | Failure

const text = async (stream: ServerHttp2Stream) => Buffer.concat(await stream.toArray()).toString()
const ok = (stream: ServerHttp2Stream, body = '') => {
  stream.respond({ ':status': 200, 'apns-id': 'A1' })
  stream.end(body)
}

test('a request arrives as it was given, and its reply is status, headers and body', async () => {
  const seen: unknown[] = []
  const { url } = await peer(async (stream, headers) => {
    seen.push([headers[':method'], headers[':path'], headers['apns-topic'], await text(stream)])
    stream.respond({ ':status': 410, 'content-type': 'application/json', 'set-cookie': 'a=b' })
    stream.end('{"reason":"Unregistered"}')
  })
  const reply = await send(fresh(), post(url))
  expect(reply).toMatchObject({ kind: 'http', status: 410, body: '{"reason":"Unregistered"}' })
  expect((reply as HttpReply).headers).toEqual(expect.objectContaining({ 'content-type': 'application/json' }))
  expect((reply as HttpReply).headers).not.toHaveProperty('set-cookie')
  expect(seen).toEqual([['POST', '/3/device/abc?x=1', 'org.example.app', '{"aps":{}}']])
})

test('many requests at a time share one connection', async () => {
  const { url, sessions } = await peer((stream) => ok(stream))
  const transport = fresh()
  const replies = await Promise.all(Array.from({ length: 200 }, () => send(transport, post(url))))
  expect(replies.every((reply) => reply.kind === 'http' && reply.status === 200)).toBe(true)
  expect(sessions).toHaveLength(1)
})

test('above the streams of a connection others are opened, at most eight', async () => {
  const waiting: ServerHttp2Stream[] = []
  const { url, sessions } = await peer((stream) => void waiting.push(stream), {
    settings: { maxConcurrentStreams: 2 },
  })
  const transport = fresh()
  const replies: Promise<unknown>[] = []
  const answerAll = setInterval(() => {
    for (const stream of waiting.splice(0)) ok(stream)
  }, 5)
  ended.push(() => clearInterval(answerAll))
  for (let batch = 0; batch < 4; batch += 1) for (let n = 0; n < 10; n += 1) replies.push(send(transport, post(url)))
  expect((await Promise.all(replies)).every((reply) => (reply as HttpReply).status === 200)).toBe(true)
  expect(sessions.length).toBeLessThanOrEqual(8)
})

test('after a GOAWAY requests in flight are answered, and the next one opens a new connection', async () => {
  const streams: ServerHttp2Stream[] = []
  const { url, sessions } = await peer((stream) => {
    streams.push(stream)
    if (streams.length > 1) ok(stream, 'second')
  })
  const transport = fresh()
  const first = send(transport, post(url))
  await expect.poll(() => streams.length).toBe(1)
  sessions[0]!.goaway(constants.NGHTTP2_NO_ERROR, streams[0]!.id)
  // A round trip later the client has it.
  await new Promise((resolve) => sessions[0]!.ping(resolve))
  const second = send(transport, post(url))
  expect(await second).toMatchObject({ status: 200, body: 'second' })
  ok(streams[0]!, 'first')
  expect(await first).toMatchObject({ status: 200, body: 'first' })
  expect(sessions).toHaveLength(2)
})

test('a refused stream is started once more, a broken one is not', async () => {
  let requests = 0
  const { url } = await peer((stream) => {
    requests += 1
    if (requests === 1) stream.close(constants.NGHTTP2_REFUSED_STREAM)
    else ok(stream)
  })
  expect(await send(fresh(), post(url))).toMatchObject({ status: 200 })
  expect(requests).toBe(2)

  let broken = 0
  const other = await peer((stream) => {
    broken += 1
    stream.close(constants.NGHTTP2_INTERNAL_ERROR)
  })
  expect(await send(fresh(), post(other.url))).toMatchObject({ failure: 'reset', reached: true })
  expect(broken).toBe(1)
})

test('a connection that breaks leaves its requests in doubt', async () => {
  const { url, sessions } = await peer((stream) => void stream.once('data', () => sessions[0]!.destroy()))
  expect(await send(fresh(), post(url))).toMatchObject({ failure: 'reset', reached: true })
})

test('a time limit and an abort end the request and leave the connection to the others', async () => {
  const { url, sessions } = await peer((stream, headers) => {
    if (headers[':path'] !== '/hang') ok(stream)
  })
  const transport = fresh()
  const hang = new URL('/hang', url).href
  const abort = new AbortController()
  const aborted = send(transport, post(hang), 5_000, abort.signal)
  expect(await send(transport, post(hang), 100)).toMatchObject({ failure: 'timeout', reached: true })
  abort.abort()
  expect(await aborted).toMatchObject({ failure: 'aborted', reached: true })
  expect(await send(transport, post(url))).toMatchObject({ status: 200 })
  expect(sessions).toHaveLength(1)
})

test('a connection without an answer is checked by a ping, closed and replaced', async () => {
  const { url } = await peer((stream) => ok(stream))
  const relay = await relayTo(url)
  const transport = fresh()
  expect(await send(transport, post(relay.url))).toMatchObject({ status: 200 })
  relay.silence()
  expect(await send(transport, post(relay.url), 100)).toMatchObject({ failure: 'timeout', reached: true })
  expect(relay.connections()).toBe(1)
  expect(await send(transport, post(relay.url))).toMatchObject({ status: 200 })
  expect(relay.connections()).toBe(2)
  await expect.poll(relay.closed).toBe(1)
})

test('a reply without end is cut', async () => {
  const { url } = await peer((stream) => {
    stream.respond({ ':status': 200 })
    const more = () => {
      while (!stream.destroyed && stream.write('x'.repeat(65_536)));
    }
    stream.on('drain', more)
    more()
  })
  expect(await send(fresh(), post(url))).toMatchObject({ failure: 'too_large', reached: true })
})

test('a server without HTTP/2 and one with another certificate are not reached', async () => {
  const http1 = createHttpsServer({ ...localhost, ALPNProtocols: ['http/1.1'] })
  ended.push(() => http1.close())
  await new Promise<void>((resolve) => http1.listen(0, '127.0.0.1', resolve))
  const url = `https://localhost:${(http1.address() as { port: number }).port}/`
  expect(await send(fresh(), post(url))).toMatchObject({ kind: 'failure', reached: false })
  const { url: named } = await peer((stream) => ok(stream))
  const byAddress = named.replace('localhost', '127.0.0.1')
  expect(await send(fresh(), post(byAddress))).toMatchObject({ failure: 'tls', reached: false })
})

test('the address guard holds', async () => {
  const { url, sessions } = await peer((stream) => ok(stream))
  expect(await send(fresh(false), post(url))).toMatchObject({ failure: 'address_refused', reached: false })
  expect(sessions).toEqual([])
})
