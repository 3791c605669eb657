/** When the last whole copy of the local database was made: a file beside it, which no copy takes along. */
import { randomUUID } from 'node:crypto'
import { lchown, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import type { Backup } from '../engine.ts'
import { isErrno } from './errors.ts'

const FILE = 'last-backup'

/** `folder`: the data folder. A record that cannot be written or read is logged: the copy is whole without it. */
export function recordedBackup(folder: string, log: Log, copy: Backup['copy'], now = Date.now): Backup {
  const path = join(folder, FILE)
  const unrecorded = (err: unknown) =>
    log.warn({ event: 'database.backup_not_recorded', err, path }, 'the time of the last backup is unknown')

  async function last(): Promise<number | undefined> {
    try {
      const at = Date.parse((await readFile(path, 'utf8')).trim())
      return Number.isNaN(at) ? undefined : at
    } catch (error) {
      if (!isErrno(error, 'ENOENT')) unrecorded(error)
      return undefined
    }
  }

  /** The file before stays until the new one is whole. */
  async function record(started: number): Promise<void> {
    const before = (await last()) ?? 0
    // A copy that started later may have ended before. A time to come is that of a wrong clock.
    if (started <= before && before <= now()) return
    const fresh = `${path}.${randomUUID()}`
    try {
      // A new file, through no link: the command may run as root, and the server as the owner of the folder.
      await writeFile(fresh, `${new Date(started).toISOString()}\n`, { mode: 0o600, flag: 'wx' })
      const { uid, gid } = await stat(folder)
      if (process.getuid?.() === 0) await lchown(fresh, uid, gid)
      await rename(fresh, path)
    } catch (error) {
      await rm(fresh, { force: true })
      throw error
    }
  }

  return {
    async *copy() {
      const started = now()
      yield* copy()
      await record(started).catch(unrecorded)
    },
    last,
  }
}
