/** For a whole run of tests: one temporary folder that is removed at the end, and one server that hands out databases. */
import { execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, statfs } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { Socket } from 'node:net'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import { findCluster } from '@postrider/server/internal/database/local/cluster'
import { openLocal } from '@postrider/server/internal/database/local/local'
import { migrate } from '@postrider/server/internal/database/migrate'
import { makePartitions } from '@postrider/server/internal/database/partitions'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from '../postgres.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A `POST` of the worker and its file to `/empty`, `/migrated` or `/folder` answers with a new database or data folder. */
    databasesUrl: string
  }
}

const log = createLog('error')
const run = promisify(execFile)

interface Services {
  databasesUrl: string
  stop(): Promise<void>
}

/** Every project of a run loads this file for itself. They share one folder, whose name stays short, and one server. */
const shared: { projects: number; services?: Promise<Services> } = ((
  globalThis as { postriderTest?: typeof shared }
).postriderTest ??= { projects: 0 })

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.projects += 1
  const { databasesUrl, stop } = await (shared.services ??= start())
  project.provide('databasesUrl', databasesUrl)
  return async () => {
    shared.projects -= 1
    if (shared.projects === 0) await stop()
  }
}

async function start(): Promise<Services> {
  const folder = await temporaryFolder()
  const remove = removal(folder)
  const databases = sharedServer()
  const folders = dataFolders()
  const databasesByPath: Record<string, (caller: Caller) => Promise<string>> = {
    '/empty': databases.empty,
    '/migrated': databases.migrated,
    '/folder': folders.copy,
  }
  const server = createServer(async (request, response) => {
    try {
      response.end(await databasesByPath[request.url ?? '']?.((await json(request)) as Caller))
    } catch (error) {
      response.statusCode = 500
      response.end(error instanceof Error ? error.stack : String(error))
    }
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  return {
    databasesUrl: `http://127.0.0.1:${port}`,
    async stop() {
      server.close()
      server.closeAllConnections()
      await databases.stop()
      remove()
    },
  }
}

/** Everything that the tests and the servers they start put into the system's temporary folder goes into this one. */
async function temporaryFolder(): Promise<string> {
  const parent = !process.env.TMPDIR && (await hasRoom(IN_MEMORY)) ? IN_MEMORY : tmpdir()
  const folder = await mkdtemp(join(parent, 'postrider-test-'))
  // As root the tests run PostgreSQL as another user, who has to reach its own folder in here.
  await chmod(folder, 0o711)
  process.env.TMPDIR = folder
  return folder
}

/**
 * A process that removes the folder when it is called, or when this process ends, however it ends: it is in a group of
 * its own, which a signal to the run does not reach. A hundred data folders take seconds; the run does not wait for them.
 */
function removal(folder: string): () => void {
  // Servers of the folder may still be ending.
  const script = 'cat >/dev/null; for try in $(seq 100); do rm -rf "$0" 2>/dev/null && break; sleep 0.1; done'
  const remover = spawn('sh', ['-c', script, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  const input = remover.stdin as Socket
  remover.unref()
  input.unref()
  return () => input.end()
}

/** A copy of a database is a thousand small files, which a file system without a disk makes in a fraction of the time. */
const IN_MEMORY = '/dev/shm'
/** `npm test` takes a fifth of it; the campaign with a million rows needs more. */
const ROOM_BYTES = 8 * 1_024 ** 3

async function hasRoom(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder).catch(() => ({ bavail: 0, bsize: 0 }))
  return Math.min(bavail * bsize, freemem()) >= ROOM_BYTES
}

/** Durability has tests with servers of their own; the many databases here are thrown away, and few live long enough to be vacuumed. */
const SETTINGS = { fsync: 'off', autovacuum: 'off' }

/** As a service leaves it: each would make the partitions of these weeks first, a hundred tables and indexes. */
async function prepare(engine: Engine): Promise<void> {
  await migrate(engine, log)
  await makePartitions(engine, Date.now())
}

interface Caller {
  /** The id of its process, which runs one file after the other. */
  worker: number
  file: string
}

function sharedServer() {
  let server: Promise<PostgresServer> | undefined
  let template: Promise<string> | undefined
  const inUse = new Map<number, { file: string; databases: string[] }>()
  const started = () => (server ??= startPostgres(SETTINGS))
  /** Those of the file before are dropped: hundreds would fill the memory. */
  const make = async ({ worker, file }: Caller, from?: string) => {
    const { createDatabase, dropDatabase } = await started()
    const before = inUse.get(worker)
    const current = before?.file === file ? before : { file, databases: [] }
    inUse.set(worker, current)
    if (before && before !== current) await Promise.all(before.databases.map(dropDatabase))
    const url = await createDatabase(from, 'file_copy')
    current.databases.push(url)
    return url
  }
  const makeTemplate = async () => {
    const url = await (await started()).createDatabase()
    const engine = await openPostgres({ address: { connectionString: url }, kind: 'server', connectionsMax: 1, log })
    await prepare(engine)
    await engine.close()
    return new URL(url).pathname.slice(1)
  }
  return {
    empty: (caller: Caller) => make(caller),
    migrated: async (caller: Caller) => make(caller, await (template ??= makeTemplate())),
    stop: async () => {
      await (await server?.catch(() => undefined))?.stop()
    },
  }
}

function dataFolders() {
  let template: Promise<string> | undefined
  let count = 0
  const makeTemplate = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-data-'))
    const engine = await openLocal({ folder, binFolder: process.env.POSTRIDER_TEST_POSTGRES_BIN, log })
    await prepare(engine)
    await engine.close()
    const cluster = findCluster(folder)
    if (!cluster) throw new Error(`${folder} holds no cluster`)
    return cluster.folder
  }
  return {
    copy: async () => {
      const cluster = await (template ??= makeTemplate())
      count += 1
      const folder = `${join(cluster, '..')}-${count}`
      await mkdir(folder, { mode: 0o700 })
      // A tenth of the time that Node's own `cp` takes. `-p` keeps the owner, which PostgreSQL insists on.
      await run('cp', ['-Rp', cluster, folder])
      return folder
    },
  }
}
