/** The database as it answers: its version, what it promises to keep, its schema, its clock. */

import { schemaStatus } from '../schema-status.ts'
import { serverModules } from '../server-modules.ts'
import { withDatabase } from '../session.ts'
import { attempt, type Check, check } from './check.ts'

export async function lookAtDatabase(): Promise<Check[]> {
  const { databaseChecks, diskFullError, isDiskFull, migrationsCheck, ...server } = await serverModules()
  const { probeWrite, readPause, readDatabaseHealth, refuseMoved, refuseOtherKey } = server
  return await withDatabase(async (engine, config) => {
    const health = await readDatabaseHealth(engine, Date.now)
    const migrations = migrationsCheck(await schemaStatus(engine))
    const moved = await attempt('move', async () => {
      await refuseMoved(engine)
      return []
    })
    const secretKey = await attempt('secret key', async () => {
      await refuseOtherKey(engine, config)
      return [check('secret key', 'ok', 'matches the database')]
    })
    const writes = await attempt('writes', async () => {
      await probeWrite(engine).catch((error: unknown) => {
        throw isDiskFull(error) ? diskFullError(error, config.databaseUrl ? undefined : config.dataDir) : error
      })
      return [check('writes', 'ok', 'the database accepts writes')]
    })
    const paused = (await readPause(engine)) ? [pausedCheck] : []
    return [...databaseChecks(health), ...writes, migrations, ...moved, ...secretKey, ...paused]
  })
}

export const pausedCheck = check(
  'deliveries',
  'warn',
  'paused: requests are answered, but nothing is sent',
  'To deliver the waiting messages: postrider resume',
)
