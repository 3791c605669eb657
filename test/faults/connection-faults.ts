/** Faults before a request is written: the provider cannot have the message, so that it is tried again. */
import { createServer } from 'node:net'
import tls, { type TlsOptions } from 'node:tls'
import { localhost } from '@postrider/server/internal/transport/localhost-certificate.harness'
import { expired } from './expired-certificate.ts'
import { type Adapter, expecting, type Fault, listening, onConnection } from './fault.ts'

const EVERY_ADAPTER: Adapter[] = ['resend', 'webhook', 'apn', 'smtp']

const encrypted = (options: TlsOptions) => () =>
  listening(tls.createServer({ ...localhost, ALPNProtocols: ['h2', 'http/1.1'], ...options }))

const inHandshake = (name: string, start: Fault['start'], more: Partial<Fault> = {}): Fault => ({
  name,
  encrypted: true,
  expect: expecting('retry', ...EVERY_ADAPTER),
  start,
  ...more,
})

export const connectionFaults: readonly Fault[] = [
  {
    name: 'refuses the connection',
    expect: expecting('retry', ...EVERY_ADAPTER),
    async start() {
      const server = await listening(createServer())
      server.close()
      return server
    },
  },
  // Over HTTP/1.1 the request leaves with the connection; a mail waits for the greeting.
  {
    name: 'accepts and is silent',
    expect: { ...expecting('in_doubt', 'resend', 'webhook'), smtp: 'retry' },
    start: onConnection(() => {}),
  },
  {
    name: 'accepts and closes',
    expect: { ...expecting('in_doubt', 'resend', 'webhook'), smtp: 'retry' },
    start: onConnection((socket) => socket.end()),
  },
  inHandshake(
    'stalls in the handshake',
    onConnection(() => {}),
  ),
  inHandshake(
    'closes in the handshake',
    onConnection((socket) => socket.once('data', () => socket.end())),
  ),
  inHandshake(
    'resets the connection in the handshake',
    onConnection((socket) => socket.once('data', () => socket.resetAndDestroy())),
  ),
  inHandshake(
    'speaks no TLS on its port',
    onConnection((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
  ),
  inHandshake('has a certificate for another name', encrypted({}), { host: '127.0.0.1' }),
  inHandshake('has an expired certificate', encrypted(expired)),
  inHandshake('has a self-signed certificate', encrypted({}), { trusted: false }),
  inHandshake(
    'has TLS 1.1 only',
    encrypted({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }),
  ),
]
