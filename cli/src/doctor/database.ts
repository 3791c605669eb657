/** The database as it answers: its version, what it promises to keep, its schema, its clock. */

import type { DatabaseHealth } from '@postrider/server'
import { schemaStatus } from '../schema-status.ts'
import { serverModules } from '../server-modules.ts'
import { withDatabase } from '../session.ts'
import { attempt, type Check, check } from './check.ts'

const VERSION_LEAST = 15
// A few seconds make histories look odd; minutes make leases end early and deadlines wrong.
const SKEW_WARN_MS = 2_000
const SKEW_FAIL_MS = 300_000

export async function lookAtDatabase(): Promise<Check[]> {
  const { diskFullError, isDiskFull, probeWrite, readPause, readDatabaseHealth, refuseMoved, refuseOtherKey } =
    await serverModules()
  return await withDatabase(async (engine, config) => {
    const health = await readDatabaseHealth(engine, Date.now)
    const { applied, pending } = await schemaStatus(engine)
    const migrations =
      pending.length === 0
        ? check('migrations', 'ok', `version ${applied}`)
        : check(
            'migrations',
            'warn',
            `pending: ${pending.join(', ')}`,
            'The next start applies them, or: postrider migrate',
          )
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
    return [...judge(health), ...writes, migrations, ...moved, ...secretKey, ...paused]
  })
}

export const pausedCheck = check(
  'deliveries',
  'warn',
  'paused: requests are answered, but nothing is sent',
  'To deliver the waiting messages: postrider resume',
)

export function judge({ versionNumber, fsync, synchronousCommit, skewMs }: DatabaseHealth): Check[] {
  const major = Math.floor(versionNumber / 10_000)
  return [
    major >= VERSION_LEAST
      ? check('database', 'ok', `PostgreSQL ${major}.${versionNumber % 10_000}`)
      : check('database', 'fail', `PostgreSQL ${major} is too old`, `Use version ${VERSION_LEAST} or newer.`),
    fsync === 'on'
      ? check('fsync', 'ok', 'on')
      : check('fsync', 'fail', fsync, 'Accepted messages can be lost. Set fsync = on in postgresql.conf.'),
    synchronousCommit === 'off'
      ? check(
          'synchronous_commit',
          'fail',
          'off',
          'A proxy or pooler overrides the setting of the session. Configure it to keep: set synchronous_commit = on',
        )
      : check('synchronous_commit', 'ok', synchronousCommit),
    clock(skewMs),
  ]
}

function clock(skewMs: number): Check {
  const apart = Math.abs(skewMs)
  if (apart <= SKEW_WARN_MS) return check('clock', 'ok', `${apart} ms from the clock of the database`)
  const detail = `${(apart / 1_000).toFixed(1)} s ${skewMs > 0 ? 'behind' : 'ahead of'} the database's`
  return check('clock', apart > SKEW_FAIL_MS ? 'fail' : 'warn', detail, 'Synchronize both machines with NTP.')
}
