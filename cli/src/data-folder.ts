/** The data folder of this machine, as far as a command has to know it. */
import { exitCodes, Failure } from './failure.ts'
import { serverModules } from './server-modules.ts'

/** Throws when it cannot be known: what may not be read is not absent. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  const { findCluster } = await serverModules()
  try {
    return findCluster(dataDir) !== undefined
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
    if (code === 'ENOENT') return false
    if (code !== 'ENOTDIR' && code !== 'EACCES' && code !== 'EPERM') throw cause
    const why = code === 'ENOTDIR' ? 'is not a folder' : 'cannot be read by this user'
    throw new Failure(`The data folder ${dataDir} ${why}`, {
      hint: 'For another folder, set POSTRIDER_DATA_DIR.',
      exitCode: exitCodes.wrong,
      cause,
    })
  }
}

/** For commands that must not create a database by opening it. */
export async function refuseMissingDatabase(databaseUrl: string | undefined, dataDir: string): Promise<void> {
  if (databaseUrl || (await hasDatabase(dataDir))) return
  throw new Failure(`There is no database in ${dataDir}`, {
    hint: 'For another folder, set POSTRIDER_DATA_DIR; for a database server, set POSTRIDER_DATABASE_URL.',
    exitCode: exitCodes.wrong,
  })
}
