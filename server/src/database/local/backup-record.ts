/** When the last whole copy of the local database was made: a file beside it, which no copy takes along. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../../base/log.ts'
import type { Backup } from '../engine.ts'
import { isErrno } from './errors.ts'

const FILE = 'last-backup'

/** `folder`: the data folder. A record that cannot be written is logged: the copy is whole without it. */
export function recordedBackup(folder: string, log: Log, copy: Backup['copy']): Backup {
  const path = join(folder, FILE)
  return {
    async *copy() {
      const started = new Date().toISOString()
      yield* copy()
      try {
        await writeFile(path, `${started}\n`, { mode: 0o600 })
      } catch (error) {
        const event = 'database.backup_not_recorded'
        log.warn({ event, err: error, path }, 'a copy of the database was made and not recorded')
      }
    },
    async last() {
      try {
        const at = Date.parse((await readFile(path, 'utf8')).trim())
        return Number.isNaN(at) ? undefined : at
      } catch (error) {
        if (isErrno(error, 'ENOENT')) return undefined
        throw error
      }
    },
  }
}
