/** For a whole run of tests: one folder that leaves nothing behind, and one door to databases, where what is slow to make is made once. */
import { execFile, spawn } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rename } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createLog } from '@postrider/server/internal/base/log'
import { openEmbedded } from '@postrider/server/internal/database/embedded/embedded'
import { migrate } from '@postrider/server/internal/database/migrate'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgres } from './postgres.ts'
import { findPostgres } from './postgres-binaries.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A `POST` to `/empty`, `/migrated` or `/folder` answers with a new database or data folder. */
    databaseDoor: string
    hasPostgres: boolean
  }
}

const log = createLog('error')
const run = promisify(execFile)

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const hasPostgres = findPostgres() !== undefined
  if (!hasPostgres) {
    const message = 'PostgreSQL suites cannot run: no binaries (install postgresql, or set POSTRIDER_TEST_POSTGRES_BIN)'
    if (process.env.CI) throw new Error(message)
    project.vitest.logger.warn(message)
  }

  const folder = await temporaryFolder()
  const postgres = postgresDatabases()
  const embedded = embeddedFolders()
  const offers: Record<string, () => Promise<string>> = {
    '/empty': postgres.empty,
    '/migrated': postgres.migrated,
    '/folder': embedded.folder,
  }
  const door = createServer(async (request, response) => {
    try {
      response.end(await offers[request.url ?? '']?.())
    } catch (error) {
      response.statusCode = 500
      response.end(error instanceof Error ? error.stack : String(error))
    }
  })
  const port = await new Promise<number>((resolve, reject) => {
    door.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = door.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
  project.provide('databaseDoor', `http://127.0.0.1:${port}`)
  project.provide('hasPostgres', hasPostgres)
  return async () => {
    door.close()
    door.closeAllConnections()
    await postgres.remove()
    // Hundreds of data folders take half a minute; nobody has to wait for that.
    spawn('rm', ['-rf', folder], { detached: true, stdio: 'ignore' }).unref()
  }
}

/** Everything that the tests and the servers they start make in the system's folder for such is made in this one. */
async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-test-'))
  // As root the tests run PostgreSQL as somebody else, who has to get to its own folder in here.
  await chmod(folder, 0o711)
  process.env.TMPDIR = folder
  return folder
}

function postgresDatabases() {
  let server: Promise<PostgresServer> | undefined
  let template: Promise<string> | undefined
  const started = () => {
    server ??= startPostgres()
    return server
  }
  const makeTemplate = async () => {
    const url = await (await started()).createDatabase()
    const engine = await openPostgres({ url, connectionsMax: 1, log })
    await migrate(engine, log)
    await engine.close()
    return new URL(url).pathname.slice(1)
  }
  return {
    empty: async () => (await started()).createDatabase(),
    migrated: async () => {
      template ??= makeTemplate()
      return (await started()).createDatabase(await template)
    },
    remove: async () => {
      await (await server?.catch(() => undefined))?.stop()
    },
  }
}

/** template1 and template0, to which nothing ever connects: copies share their files, 600 of 1,400. */
const UNTOUCHED = ['1', '4']

function embeddedFolders() {
  let place: Promise<string> | undefined
  let count = 0
  // Creating takes four seconds, copying a fraction of one.
  const makeTemplate = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'postrider-data-'))
    const engine = await openEmbedded({ folder: join(folder, 'template'), log })
    await migrate(engine, log)
    await engine.close()
    await mkdir(join(folder, 'untouched'))
    for (const name of UNTOUCHED)
      await rename(join(folder, 'template', 'database', 'base', name), join(folder, 'untouched', name))
    return folder
  }
  return {
    folder: async () => {
      place ??= makeTemplate()
      const folder = await place
      count += 1
      const database = join(folder, String(count), 'database')
      await mkdir(join(folder, String(count)))
      // It takes a tenth of the time that `cp` of Node takes.
      await run('cp', ['-R', join(folder, 'template', 'database'), database])
      const untouched = UNTOUCHED.map((name) => join(folder, 'untouched', name))
      await run('cp', ['-Rl', ...untouched, join(database, 'base')])
      return dirname(database)
    },
  }
}
