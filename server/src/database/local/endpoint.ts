/** The endpoint of the local server: a socket in its own folder, or loopback with a password where there are no sockets. */
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { ServerAddress } from '../engine.ts'

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

// A unix socket path has at most 107 bytes (macOS 103); a longer path is reached through a link.
export const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103

const RENEW_MS = 10_000

export interface ShortPath {
  /** The folder itself, or a link to it in the folder for temporary files. */
  path: string
  remove(): void
}

/** `socket`: the longest name of a socket in the folder. */
export function shortPath(folder: string, socket: string): ShortPath {
  if (Buffer.byteLength(join(folder, socket)) <= SOCKET_PATH_BYTES_MAX) return { path: folder, remove: () => undefined }
  const link = join(mkdtempSync(join(tmpdir(), 'postrider-')), 'data')
  symlinkSync(folder, link)
  const timer = setInterval(() => renew(folder, link), RENEW_MS).unref()
  return {
    path: link,
    remove() {
      clearInterval(timer)
      rmSync(dirname(link), { recursive: true, force: true })
    },
  }
}

/** System cleanup removes old files from the folder for temporary files. */
function renew(folder: string, link: string): void {
  try {
    mkdirSync(dirname(link), { recursive: true, mode: 0o700 })
    if (!lstatSync(link, { throwIfNoEntry: false })) symlinkSync(folder, link)
  } catch {
    // Tried again at the next interval.
  }
}
