/** Reads the settings of a database on which durability depends, and the skew of its clock. */
import type { Engine } from './engine.ts'

export interface DatabaseHealth {
  /** 150004 is 15.4. */
  versionNumber: number
  /** `off`: a crash of the machine loses or damages data that was answered with 2xx. */
  fsync: string
  /** In a session of this service. */
  synchronousCommit: string
  /** How far the database's clock is ahead of this machine's. */
  skewMs: number
}

export async function readDatabaseHealth(engine: Engine, now: () => number): Promise<DatabaseHealth> {
  const read = () =>
    engine.run<{ version: number; fsync: string; synchronous: string; now: number }>({
      text: `select current_setting('server_version_num')::int as version, current_setting('fsync') as fsync,
        current_setting('synchronous_commit') as synchronous,
        (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
      values: [],
    })
  // The first statement opens a connection, which would count as skew.
  await read()
  const before = now()
  const [row] = (await read()).rows
  const after = now()
  if (!row) throw new Error('The database returned no row')
  return {
    versionNumber: row.version,
    fsync: row.fsync,
    synchronousCommit: row.synchronous,
    skewMs: Math.round(row.now - (before + after) / 2),
  }
}
