/** Faults of HTTP/1.1 after the request has left: without a whole reply, the provider may have the message. */
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { drip, type Expected, expecting, type Fault, onConnection, writeEndlessly } from './fault.ts'

const row = (name: string, expected: Expected | Fault['expect'], start: Fault['start']): Fault => ({
  name,
  expect: typeof expected === 'string' ? expecting(expected, 'resend', 'webhook') : expected,
  start,
})

/** The id that Resend answers with cannot be read from such a body; a webhook needs none. */
const UNREADABLE: Fault['expect'] = { resend: 'in_doubt', webhook: 'sent' }

/** Each of them is small enough to arrive in one piece. */
const onRequest = (act: (socket: Socket) => void) => onConnection((socket) => socket.on('data', () => act(socket)))
const answering = (bytes: string | Buffer) => onRequest((socket) => socket.write(bytes))
const closingAfter = (bytes: string | Buffer) => onRequest((socket) => socket.end(bytes))

const head = (headers: string) => `HTTP/1.1 200 OK\r\n${headers}\r\n`
const reply = (body: string | Buffer, status = '200 OK', headers = '') =>
  Buffer.concat([
    Buffer.from(`HTTP/1.1 ${status}\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n`),
    Buffer.from(body),
  ])

export const httpFaults: readonly Fault[] = [
  // Status line and headers.
  row('answers with garbage', 'in_doubt', closingAfter('\x00\xff\x01 garbage\r\n\r\n')),
  row('has a status without a meaning', 'rejected', answering(reply('{}', '399 Whatever'))),
  row('fails inside', 'retry', answering(reply('{}', '500 Internal Server Error'))),
  row(
    'drips its headers',
    'in_doubt',
    onRequest((socket) => drip(socket, 'HTTP/1.1 200 OK\r\nX: y')),
  ),
  row('has too many headers', 'in_doubt', answering(head('X-Many: y\r\n'.repeat(5_000)))),
  row('has a header that is too large', 'in_doubt', answering(head(`X: ${'y'.repeat(40_000)}\r\n`))),
  row('has an invalid header', 'in_doubt', answering(head('X y\x00: z\r\n'))),
  row('has two lengths', 'in_doubt', closingAfter(`${head('Content-Length: 2\r\nContent-Length: 3\r\n')}{} `)),
  row(
    'floods with 1xx replies',
    'in_doubt',
    onRequest((socket) => writeEndlessly(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)))),
  ),
  row(
    'switches protocols unasked',
    'in_doubt',
    answering('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
  ),
  row(
    'redirects to a private address',
    'rejected',
    answering(reply('', '302 Found', 'Location: http://169.254.169.254/\r\n')),
  ),
  row('redirects to itself', 'rejected', answering(reply('', '307 Temporary Redirect', 'Location: /\r\n'))),
  // Body.
  row('truncates its body', 'in_doubt', closingAfter(`${head('Content-Length: 100\r\n')}{"id":`)),
  row(
    'drips its body',
    'in_doubt',
    onRequest((socket) => {
      socket.write(head('Content-Length: 100000\r\n'))
      drip(socket, 'x')
    }),
  ),
  row(
    'has an endless body',
    'in_doubt',
    onRequest((socket) => {
      socket.write(head(''))
      writeEndlessly(socket, Buffer.alloc(65_536, 'x'))
    }),
  ),
  row('declares a body that is too large', 'in_doubt', answering(head('Content-Length: 100000000\r\n'))),
  row('has garbage for chunks', 'in_doubt', answering(`${head('Transfer-Encoding: chunked\r\n')}zz\r\n`)),
  row(
    'resets the connection in its body',
    'in_doubt',
    onRequest((socket) =>
      socket.write(`${head('Content-Length: 100\r\n')}{`, () => setTimeout(() => socket.resetAndDestroy(), 20)),
    ),
  ),
  row(
    'resets the connection before its reply',
    'in_doubt',
    onRequest((socket) => socket.resetAndDestroy()),
  ),
  // A reply that is whole counts, whatever its body is.
  row('compresses a body that grows a thousandfold', UNREADABLE, answering(gzipBomb())),
  row('has a body that is not UTF-8', UNREADABLE, answering(reply(Buffer.from('ff00fe', 'hex')))),
  row('nests its JSON too deeply', UNREADABLE, answering(reply('['.repeat(100_000)))),
  row('is a proxy with a page of its own', UNREADABLE, answering(reply('<html>Sign in</html>'))),
  row(
    'closes a connection that it says it keeps',
    'sent',
    closingAfter(reply('{"id":"1"}', '200 OK', 'Connection: keep-alive\r\n')),
  ),
  row('answers twice', 'sent', answering(Buffer.concat([reply('{"id":"1"}'), reply('{"id":"2"}')]))),
]

/** 1 MB of zeros in a kilobyte. */
function gzipBomb(): Buffer {
  return reply(gzipSync(Buffer.alloc(1_000_000)), '200 OK', 'Content-Encoding: gzip\r\n')
}
