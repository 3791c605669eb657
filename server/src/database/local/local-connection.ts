/** The address of the local database, for operators who connect with their own client. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findCluster } from './cluster.ts'
import { DATABASE, hasSockets, LOOPBACK, passwordFile, SOCKET_PORT, USER } from './endpoint.ts'
import { SOCKET_PATH_BYTES_MAX } from './short-path.ts'

export interface LocalConnection {
  /** A folder for a socket, or an address. */
  host: string
  port: number
  user: string
  database: string
  /** Undefined for a socket. */
  passwordFile: string | undefined
  /** The path is too long for a socket: it must be reached through a link. */
  isTooLong: boolean
  isRunning: boolean
}

/** Undefined without a database. Throws `FolderUnusable`. */
export function localConnection(dataDir: string): LocalConnection | undefined {
  const cluster = findCluster(dataDir)
  if (!cluster) return undefined
  // The fourth line of the file is the port: https://www.postgresql.org/docs/current/storage-file-layout.html
  const pidFile = join(cluster.folder, 'postmaster.pid')
  const isRunning = existsSync(pidFile)
  const port = isRunning ? Number(readFileSync(pidFile, 'utf8').split('\n')[3]) : SOCKET_PORT
  const shared = { port, user: USER, database: DATABASE, isRunning }
  if (!hasSockets) return { ...shared, host: LOOPBACK, passwordFile: passwordFile(dataDir), isTooLong: false }
  const socket = join(cluster.folder, `.s.PGSQL.${port}`)
  return {
    ...shared,
    host: cluster.folder,
    passwordFile: undefined,
    isTooLong: Buffer.byteLength(socket) > SOCKET_PATH_BYTES_MAX,
  }
}
