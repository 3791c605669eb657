/** The data folder of this machine, as far as a command has to know it. */
import { exitCodes, Failure } from './failure.ts'
import { serverModules } from './server-modules.ts'

/** Throws when it cannot be known: what may not be read is not absent. */
export function hasDatabase(dataDir: string): boolean {
  try {
    return serverModules().findCluster(dataDir) !== undefined
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT') return false
    if (code !== 'ENOTDIR' && code !== 'EACCES' && code !== 'EPERM') throw cause
    const why = code === 'ENOTDIR' ? 'is not a folder' : 'cannot be read by this user'
    throw new Failure(`The data folder ${dataDir} ${why}`, {
      hint: 'POSTRIDER_DATA_DIR names another one.',
      exitCode: exitCodes.wrong,
      cause,
    })
  }
}
