/** When the last whole copy of the local database was made: a file beside it, which no copy takes along. */
import { chown, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import type { Backup } from '../engine.ts'
import { isErrno } from './errors.ts'

const FILE = 'last-backup'

/** `folder`: the data folder. A record that cannot be written or read is logged: the copy is whole without it. */
export function recordedBackup(folder: string, log: Log, copy: Backup['copy']): Backup {
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
    // A copy that started later may have ended before.
    if (((await last()) ?? 0) >= started) return
    const fresh = `${path}.new`
    await writeFile(fresh, `${new Date(started).toISOString()}\n`, { mode: 0o600 })
    // The command may run as root, and the server as the owner of the folder.
    const { uid, gid } = await stat(folder)
    if (process.getuid?.() === 0) await chown(fresh, uid, gid)
    await rename(fresh, path)
  }

  return {
    async *copy() {
      const started = Date.now()
      yield* copy()
      await record(started).catch(unrecorded)
    },
    last,
  }
}
