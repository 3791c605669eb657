/** The data folder of this machine, as far as a command has to know it. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { exitCodes, Failure } from './failure.ts'

/** Throws when it cannot be known: what may not be read is not absent. */
export function hasDatabase(dataDir: string): boolean {
  try {
    return statSync(join(dataDir, 'database')).isDirectory()
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT') return false
    const why = code === 'ENOTDIR' ? 'is not a folder' : 'cannot be read by this user'
    throw new Failure(`The data folder ${dataDir} ${why}`, {
      hint: 'POSTRIDER_DATA_DIR names another one.',
      exitCode: exitCodes.wrong,
      cause,
    })
  }
}
