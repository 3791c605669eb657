/** Reads the settings of a database that the promises of this service rest on. */
import type { Engine } from './engine.ts'

export interface DatabaseHealth {
  /** 150004 is 15.4. */
  versionNumber: number
  /** `off`: a crash of the machine loses or damages what was answered with 2xx. */
  fsync: string
  /** As a session of ours has it. */
  synchronousCommit: string
  /** How far the database's clock is ahead of ours. */
  skewMs: number
}

export async function readDatabaseHealth(engine: Engine, now: () => number): Promise<DatabaseHealth> {
  const ask = () =>
    engine.run<{ version: number; fsync: string; synchronous: string; now: number }>({
      text: `select current_setting('server_version_num')::int as version, current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as synchronous,
        (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
      values: [],
    })
  // The first question opens a connection, which would count as skew.
  await ask()
  const before = now()
  const [row] = (await ask()).rows
  const after = now()
  if (!row) throw new Error('The database gave no row')
  return {
    versionNumber: row.version,
    fsync: row.fsync,
    synchronousCommit: row.synchronous,
    skewMs: Math.round(row.now - (before + after) / 2),
  }
}
