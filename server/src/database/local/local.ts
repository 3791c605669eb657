/** The engine on a local PostgreSQL server, which this process finds, creates, starts, restarts and stops; its address for operators. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { Engine } from '../engine.ts'
import { openPostgres } from '../postgres.ts'
import { backUp } from './backup.ts'
import { recordedBackup } from './backup-record.ts'
import { choosePrograms, createCluster, findCluster, removeUnfinished, takeOver, writeAccessRules } from './cluster.ts'
import { lockFolder, makeDataFolder } from './data-folder.ts'
import {
  DATABASE,
  hasSockets,
  LOOPBACK,
  openEndpoint,
  passwordFile,
  SOCKET_PATH_BYTES_MAX,
  SOCKET_PORT,
  shortPath,
  USER,
} from './endpoint.ts'
import { type Postmaster, type PostmasterOptions, startPostmaster } from './postmaster.ts'

export interface LocalOptions {
  /** The data folder. */
  folder: string
  log: Log
  /** POSTRIDER_POSTGRES_BIN. */
  binFolder?: string | undefined
  /** Loopback and a password instead of a socket, as on Windows. */
  sockets?: boolean
  /** Connections of the service, beside its listener. */
  connectionsMax?: number
  /** Timeout of statements without their own. */
  queryTimeoutMs?: number
  /** False for a temporary copy that is only read. */
  isDurable?: boolean
}

/** Each costs 4 MB of memory, and eight keep two cores busy. */
const CONNECTIONS_MAX = 8

/** Beside its listener: the database takes 24 in all, and the service needs them. */
const JOINED_CONNECTIONS_MAX = 1

/** Throws `FolderTaken`, `FolderUnusable` and `LocalServerError`. */
export async function openLocal(options: LocalOptions): Promise<Engine> {
  const { folder, log, binFolder, sockets = hasSockets, queryTimeoutMs, isDurable = true } = options
  makeDataFolder(folder)
  const lock = await lockFolder(folder)
  try {
    removeUnfinished(folder)
    const { cluster: existingCluster, account, binaries } = choosePrograms(folder, binFolder)
    const { version, bin, skipped } = binaries
    if (skipped.length > 0)
      log.warn(
        { event: 'database.programs_skipped', skipped, version, bin },
        'skipped PostgreSQL programs that do not fit',
      )
    const endpoint = await openEndpoint(folder, sockets)
    if (!existingCluster) log.info({ event: 'database.creating', version }, 'creating the local database')
    const cluster = existingCluster ?? (await createCluster(folder, binaries, account, endpoint))
    takeOver(cluster, account)
    if (!endpoint.password) writeAccessRules(cluster, account)
    const server = await supervise({ cluster, binaries, account, endpoint, isDurable, log })
    const engine = await openPostgres({
      address: endpoint.address(cluster.folder),
      kind: 'local',
      connectionsMax: options.connectionsMax ?? CONNECTIONS_MAX,
      ...(queryTimeoutMs && { queryTimeoutMs }),
      log,
    })
    let closed: Promise<void> | undefined
    const close = async () => {
      try {
        await engine.close()
        await server.stop()
      } finally {
        endpoint.close()
        await lock.release()
      }
    }
    return {
      ...engine,
      backup: recordedBackup(folder, log, () => backUp(cluster.folder, endpoint.address(cluster.folder))),
      close: () => (closed ??= close()),
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

const PAUSE_MIN_MS = 100
const PAUSE_MAX_MS = 5 * SECOND

/** Restarts a server that exits, until `stop`; meanwhile connections are refused, which callers see as a 503. */
async function supervise(options: PostmasterOptions): Promise<{ stop(): Promise<void> }> {
  const { log } = options
  const stopped = new AbortController()
  let current: Postmaster | undefined = await startPostmaster(options)
  failpoint('after-database-start')
  let reported = ''
  const keepRunning = async (): Promise<void> => {
    for (let pauseMs = PAUSE_MIN_MS; !stopped.signal.aborted; ) {
      if (current) {
        const { code, lastOutput } = await current.exited
        current = undefined
        if (stopped.signal.aborted) return
        pauseMs = PAUSE_MIN_MS
        reported = ''
        log.error({ event: 'database.exited', code, lastOutput }, 'the PostgreSQL server exited; restarting it')
      }
      try {
        current = await startPostmaster(options, stopped.signal)
        log.info({ event: 'database.restarted' }, 'the PostgreSQL server was restarted')
      } catch (error) {
        if (stopped.signal.aborted) return
        const reason = error instanceof Error ? error.message : String(error)
        // Once for each kind of failure, because it is repeated every few seconds. Times and process ids differ.
        const kind = reason.replaceAll(/\d+/g, '')
        if (kind !== reported)
          log.error({ event: 'database.not_started', reason }, 'the PostgreSQL server does not start; trying again')
        reported = kind
        await pause(pauseMs, undefined, { signal: stopped.signal }).catch(() => undefined)
        pauseMs = Math.min(pauseMs * 2, PAUSE_MAX_MS)
      }
    }
    await current?.stop()
  }
  const running = keepRunning()
  return {
    async stop() {
      stopped.abort()
      await current?.stop()
      await running
    },
  }
}

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

/** The engine on the database that another process runs; undefined where none does. Throws when it cannot be entered. */
export async function joinLocal({ folder, log }: Pick<LocalOptions, 'folder' | 'log'>): Promise<Engine | undefined> {
  const connection = localConnection(folder)
  if (!connection?.isRunning) return undefined
  const { host, port, user, database, passwordFile: file } = connection
  const short = file ? undefined : shortPath(host, `.s.PGSQL.${port}`)
  const password = file && readFileSync(file, 'utf8').trim()
  const address = { host: short?.path ?? host, port, user, database, ...(password && { password }) }
  const engine = await openPostgres({ address, kind: 'local', connectionsMax: JOINED_CONNECTIONS_MAX, log })
  const close = async () => {
    await engine.close()
    short?.remove()
  }
  try {
    // A killed server leaves its file.
    await engine.run({ text: 'select 1', values: [] })
  } catch (error) {
    await close()
    throw error
  }
  return { ...engine, close }
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
