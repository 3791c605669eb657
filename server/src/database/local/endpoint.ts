/** The endpoint of the local server: a socket in its own folder, or loopback with a password where there are no sockets. */
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { ServerAddress } from '../engine.ts'
import { shortPath } from './short-path.ts'

export const USER = 'postrider'
export const DATABASE = 'postgres'
/** Part of the socket's name; not a network port. */
export const SOCKET_PORT = 5432
export const LOOPBACK = '127.0.0.1'

export interface Endpoint {
  /** Undefined for a socket, whose folder only its owner may enter. */
  password: string | undefined
  /** Server settings that say where to listen. */
  settings: Record<string, string>
  /** The address for connections to the server of this cluster. */
  address(cluster: string): ServerAddress
  close(): void
}

/** Windows has no sockets that the `pg` driver can use. */
export const hasSockets = process.platform !== 'win32'

export async function openEndpoint(dataDir: string, sockets = hasSockets): Promise<Endpoint> {
  return sockets ? socketEndpoint() : await loopbackEndpoint(dataDir)
}

function socketEndpoint(): Endpoint {
  const links: (() => void)[] = []
  return {
    password: undefined,
    // Relative to the cluster, so that a path of any length fits.
    settings: {
      listen_addresses: '',
      unix_socket_directories: '.',
      unix_socket_permissions: '0700',
      port: `${SOCKET_PORT}`,
    },
    address(cluster) {
      const short = shortPath(cluster, `.s.PGSQL.${SOCKET_PORT}`)
      links.push(short.remove)
      return { host: short.path, port: SOCKET_PORT, user: USER, database: DATABASE }
    },
    close() {
      for (const remove of links.splice(0)) remove()
    },
  }
}

async function loopbackEndpoint(dataDir: string): Promise<Endpoint> {
  const password = storedPassword(passwordFile(dataDir))
  const port = await freePort()
  return {
    password,
    settings: { listen_addresses: LOOPBACK, unix_socket_directories: '', port: String(port) },
    address: () => ({ host: LOOPBACK, port, user: USER, database: DATABASE, password }),
    close: () => undefined,
  }
}

export const passwordFile = (dataDir: string) => join(dataDir, 'postgres.password')

/** Written before the cluster, which is created with it. */
function storedPassword(path: string): string {
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString('base64url'), { mode: 0o600, flush: true })
  return readFileSync(path, 'utf8').trim()
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, LOOPBACK, () => {
      const address = probe.address()
      probe.close(() => (typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port'))))
    })
  })
}
