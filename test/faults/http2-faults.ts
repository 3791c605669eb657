/** Faults of HTTP/2, by the server of Node and, where that one cannot misbehave, by frames of RFC 9113. */
import {
  constants,
  createSecureServer,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Server, Socket } from 'node:net'
import tls from 'node:tls'
import { localhost } from '@postrider/server/internal/transport/localhost-certificate.harness'
import { type Expected, type Fault, listening, writeEndlessly } from './fault.ts'

const { NGHTTP2_ENHANCE_YOUR_CALM, NGHTTP2_INTERNAL_ERROR, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants

const row = (name: string, expected: Expected, start: Fault['start']): Fault => ({
  name,
  encrypted: true,
  expect: { apn: expected },
  start,
})

const onStream =
  (act: (stream: ServerHttp2Stream, session: ServerHttp2Session) => void, options: SecureServerOptions = {}) =>
  () => {
    const server = createSecureServer({ ...localhost, ...options })
    server.on('session', (session) => session.on('error', () => {}))
    server.on('stream', (stream) => {
      stream.on('error', () => {})
      if (stream.session) act(stream, stream.session as ServerHttp2Session)
    })
    return listening(server as unknown as Server)
  }

const TYPE = { data: 0, headers: 1, settings: 4, ping: 6, goAway: 7, continuation: 9 }
const END_STREAM = 1
const END_HEADERS = 4
/** `:status: 200` in the static table of HPACK. */
const OK = Buffer.from([0x88])

/** RFC 9113 §4.1: 24 bits of length, type, flags, stream. */
function frame(type: number, stream: number, payload = Buffer.alloc(0), flags = 0): Buffer {
  const header = Buffer.alloc(9)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(stream, 5)
  return Buffer.concat([header, payload])
}

/** RFC 9113 §6.8: the last stream that was or may be processed, and why. Node's server cannot name one of its own. */
function goAway(lastStream: number, code: number): Buffer {
  const payload = Buffer.alloc(8)
  payload.writeUInt32BE(lastStream, 0)
  payload.writeUInt32BE(code, 4)
  return frame(TYPE.goAway, 0, payload)
}

/** Acts once the first request, which has the stream 1, has started to arrive. */
const byFrames = (act: (socket: Socket) => void, settings = frame(TYPE.settings, 0)) => {
  return () =>
    listening(
      tls.createServer({ ...localhost, ALPNProtocols: ['h2'] }, (socket) => {
        socket.write(settings)
        const onData = (bytes: Buffer) => {
          // The token of the request makes its headers the only frames of this length.
          if (bytes.length < 100) return
          socket.off('data', onData).resume()
          act(socket)
        }
        socket.on('data', onData)
      }),
    )
}

const SETTINGS_FLOOD = 500

export const http2Faults: readonly Fault[] = [
  // Before a stream.
  row('speaks HTTP/1.1 only', 'retry', () =>
    listening(tls.createServer({ ...localhost, ALPNProtocols: ['http/1.1'] })),
  ),
  row('never sends its settings', 'retry', () =>
    listening(tls.createServer({ ...localhost, ALPNProtocols: ['h2'] }, (socket) => socket.resume())),
  ),
  row('sends garbage for its settings', 'retry', () =>
    listening(
      tls.createServer({ ...localhost, ALPNProtocols: ['h2'] }, (socket) => socket.resume().end('garbage\r\n\r\n')),
    ),
  ),
  // RFC 9113 §8.7: such a stream was not processed.
  row(
    'sends GOAWAY, and has processed no stream',
    'retry',
    byFrames((socket) => socket.write(goAway(0, NGHTTP2_NO_ERROR))),
  ),
  row(
    'takes the client for an attacker, and has processed no stream',
    'retry',
    byFrames((socket) => socket.write(goAway(0, NGHTTP2_ENHANCE_YOUR_CALM))),
  ),
  row(
    'refuses the stream',
    'retry',
    onStream((stream) => stream.close(NGHTTP2_REFUSED_STREAM)),
  ),
  // The stream may have been processed.
  row(
    'sends GOAWAY, may have processed the stream, and never answers',
    'in_doubt',
    byFrames((socket) => socket.write(goAway(1, NGHTTP2_NO_ERROR))),
  ),
  row(
    'fails after it may have processed the stream',
    'in_doubt',
    byFrames((socket) => socket.write(goAway(1, NGHTTP2_INTERNAL_ERROR))),
  ),
  row(
    'resets the stream',
    'in_doubt',
    onStream((stream) => stream.close(NGHTTP2_INTERNAL_ERROR)),
  ),
  row(
    'never answers a stream',
    'in_doubt',
    onStream(() => {}),
  ),
  row(
    'resets the connection before its reply',
    'in_doubt',
    onStream((_stream, session) => session.destroy()),
  ),
  row(
    'opens no window for the body',
    'in_doubt',
    onStream(() => {}, { settings: { initialWindowSize: 0 } }),
  ),
  row(
    'answers with garbage',
    'in_doubt',
    byFrames((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\n')),
  ),
  row(
    'sends data before its headers',
    'in_doubt',
    byFrames((socket) => socket.write(frame(TYPE.data, 1, Buffer.from('{}')))),
  ),
  row(
    'has headers without end',
    'in_doubt',
    byFrames((socket) => {
      socket.write(frame(TYPE.headers, 1, OK))
      writeEndlessly(socket, frame(TYPE.continuation, 1, Buffer.alloc(16_000, OK)))
    }),
  ),
  row(
    'has headers that are too large',
    'in_doubt',
    onStream((stream) => stream.respond({ ':status': 200, 'x-large': 'y'.repeat(40_000) })),
  ),
  row(
    'declares a body that is too large',
    'in_doubt',
    onStream((stream) => stream.respond({ ':status': 200, 'content-length': '100000000' })),
  ),
  row(
    'has an endless body',
    'in_doubt',
    onStream((stream) => {
      stream.respond({ ':status': 200 })
      writeEndlessly(stream, Buffer.alloc(16_384, 'x'))
    }),
  ),
  row(
    'ends the session in its body',
    'in_doubt',
    onStream((stream, session) => {
      stream.respond({ ':status': 200, 'content-length': '10' })
      stream.write('x', () => session.destroy())
    }),
  ),
  row(
    'floods with 1xx replies',
    'in_doubt',
    byFrames((socket) =>
      // `:status: 103`, a literal with the first name of the static table.
      writeEndlessly(socket, frame(TYPE.headers, 1, Buffer.from('\x08\x03103', 'latin1'), END_HEADERS)),
    ),
  ),
  row(
    'floods with SETTINGS',
    'in_doubt',
    onStream((_stream, session) => {
      for (let count = 0; count < SETTINGS_FLOOD && !session.destroyed; count += 1)
        session.settings({ initialWindowSize: 65_535 + count })
    }),
  ),
  row(
    'floods with PING',
    'in_doubt',
    byFrames((socket) => writeEndlessly(socket, frame(TYPE.ping, 0, Buffer.alloc(8)))),
  ),
  // A reply that is whole.
  row(
    'redirects to a private address',
    'rejected',
    onStream((stream) => {
      stream.respond({ ':status': 302, location: 'https://169.254.169.254/' })
      stream.end()
    }),
  ),
  row(
    'sends GOAWAY, and answers',
    'sent',
    byFrames((socket) => {
      socket.write(goAway(1, NGHTTP2_NO_ERROR))
      socket.write(frame(TYPE.headers, 1, OK, END_HEADERS | END_STREAM))
    }),
  ),
]
