/** A fault of a server: the outcome that it must lead to, and a TCP server that has it. */
import { readFileSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type { Writable } from 'node:stream'

/** An adapter of each transport: JSON over HTTP/1.1, a webhook, HTTP/2, SMTP. */
export type Adapter = 'resend' | 'webhook' | 'apn' | 'smtp'
export type Expected = 'sent' | 'retry' | 'rejected' | 'in_doubt'

export interface Fault {
  /** Completes "a server that …". */
  name: string
  /** Adapters that cannot meet the fault are left out. */
  expect: Partial<Record<Adapter, Expected>>
  encrypted?: boolean
  /** The name that the client connects to, which its certificate must have. Default: localhost. */
  host?: string
  /** False: the client does not know the authority. */
  trusted?: boolean
  start(): Promise<FaultServer>
}

export interface FaultServer {
  port: number
  openConnections(): number
  close(): void
}

export const expecting = (expected: Expected, ...adapters: Adapter[]): Fault['expect'] =>
  Object.fromEntries(adapters.map((adapter) => [adapter, expected]))

/** Counts and closes the connections of a server, before and after their encryption. */
export async function listening(server: Server): Promise<FaultServer> {
  const sockets = new Set<Socket>()
  const ignoreErrors = (socket: Socket) => void socket.on('error', () => {})
  server.on('connection', (socket: Socket) => {
    ignoreErrors(socket)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('secureConnection', ignoreErrors).on('tlsClientError', () => {})
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    openConnections: () => (process.platform === 'linux' ? connectionsOfKernel(port) : sockets.size),
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const LISTEN = '0A'
const TIME_WAIT = '06'

/**
 * Either end of each TCP connection to the port.
 * Node's HTTP/2 server under load may keep the object of a connection that has been gone for long.
 */
function connectionsOfKernel(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const [, ...rows] = readFileSync('/proc/net/tcp', 'latin1').trim().split('\n')
  return rows.filter((row) => {
    const [, local = '', remote = '', state = ''] = row.trim().split(/\s+/)
    return state !== LISTEN && state !== TIME_WAIT && (local.endsWith(suffix) || remote.endsWith(suffix))
  }).length
}

export const onConnection = (act: (socket: Socket) => void) => () =>
  listening(createServer((socket) => act(socket.resume())))

/** Writes as long as the client reads. */
export function writeEndlessly(to: Writable, block: Buffer): void {
  const more = () => {
    while (!to.destroyed) if (!to.write(block)) return void to.once('drain', more)
  }
  more()
}

/** A byte every 20 ms, again from the start after the last one. */
export function drip(socket: Socket, text: string): void {
  let at = 0
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), 20)
  socket.once('close', () => clearInterval(timer))
}
