/** The engine on the embedded database: a folder, a lock, a thread, and a queue ordered by urgency. */
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import { DatabaseUnavailable, type Engine, type Result, type Statement, type Urgency } from '../engine.ts'
import { type Asks, openAsks } from './asks.ts'
import { FolderUnusable, makeDataFolder } from './data-folder.ts'
import { fsyncDirectory } from './fsync-directory.ts'
import { lockFolder } from './lock.ts'
import { relativeNames } from './relative-names.ts'
import { readiness, startThread } from './supervise.ts'

const compress = promisify(gzip)

export interface EmbeddedOptions {
  /** The data folder; the database is its child `database`. */
  folder: string
  log: Log
}

export async function openEmbedded({ folder, log }: EmbeddedOptions): Promise<Engine> {
  makeDataFolder(folder)
  const lock = await lockFolder(folder)
  try {
    await createWhenMissing(folder, log)
    const database = join(folder, 'database')
    closeToOthers(database, log)
    const asks = await openAsks(database, log).catch((cause: unknown) => {
      throw new FolderUnusable(
        `The database in ${database} does not open; a copy made by postrider backup can take its place`,
        { cause },
      )
    })
    let closed: Promise<void> | undefined
    return {
      ...createEngine(asks),
      close() {
        closed ??= asks.close().then(lock.release)
        return closed
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

const OWNER_ONLY = 0o700

/** Its files have the modes that the umask leaves them, or whoever unpacked a copy; nobody else gets as far as them. */
function closeToOthers(database: string, log: Log): void {
  if ((statSync(database).mode & 0o077) === 0) return
  try {
    chmodSync(database, OWNER_ONLY)
  } catch (error) {
    log.warn({ err: error, folder: database }, 'other users of this machine can read the database: close the folder')
  }
}

/** Made beside its place and renamed when it is whole on disk: a kill half-way leaves nothing that looks like one. */
async function createWhenMissing(folder: string, log: Log): Promise<void> {
  for (const name of readdirSync(folder))
    if (name.startsWith('new-')) rmSync(join(folder, name), { recursive: true, force: true })
  if (existsSync(join(folder, 'database'))) return
  log.info('creating the embedded database; this takes a few seconds, once')
  const fresh = join(folder, `new-${randomBytes(4).toString('hex')}`)
  mkdirSync(fresh, { mode: OWNER_ONLY })
  const thread = startThread({ folder: fresh, task: 'create' })
  // Creating takes the process to 900 MB; in a thread that ends, the memory is given back.
  await readiness(thread)
  await thread.terminate()
  failpoint('first-start')
  renameSync(fresh, join(folder, 'database'))
  fsyncDirectory(folder)
}

function createEngine(asks: Asks): Omit<Engine, 'close'> {
  const statements = async (list: readonly Statement[], atomic: boolean, urgency: Urgency): Promise<Result[]> => {
    const answer = await asks.ask({ kind: 'statements', statements: list, atomic }, urgency)
    return answer.kind === 'results' ? answer.results : []
  }
  return {
    kind: 'embedded',
    run: async <Row>(statement: Statement, urgency: Urgency = 'read') => {
      const [result] = await statements([statement], false, urgency)
      return (result ?? { rows: [], affected: 0 }) as Result<Row>
    },
    batch: (list, urgency = 'record') => statements(list, true, urgency),
    maintain: async (text) => {
      await statements([{ text }], false, 'maintenance')
    },
    listen: async (channel, heard) => {
      asks.heard.set(channel, heard)
    },
    // One process: what it tells itself needs no database.
    notify: async (channel, payload) => {
      asks.heard.get(channel)?.(payload)
    },
    backup: async () => {
      const answer = await asks.ask({ kind: 'dump' }, 'maintenance')
      if (answer.kind !== 'dumped') throw new DatabaseUnavailable('The copy failed')
      const tar = new Uint8Array(answer.tar)
      relativeNames(tar)
      return await compress(tar)
    },
  }
}
