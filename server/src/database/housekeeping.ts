/** What a PostgreSQL server does by itself and the embedded one does not: vacuum, statistics, checkpoints. */
import type { Engine } from './engine.ts'

/** Enough dead rows that scans feel them, few enough that one pass takes tens of milliseconds. */
const DEAD_ROWS = 2_000
/** A checkpoint at this size takes tens of milliseconds and a start after a crash well under a second. */
const WAL_BYTES = 8 * 1_048_576

export interface Housekeeper {
  /** One table or one checkpoint a call, so that nobody waits behind a long list. */
  step(): Promise<void>
}

export function createHousekeeper(engine: Engine): Housekeeper {
  let checkpointedAt = '0/0'
  const writtenSince = async (position: string) => {
    const { rows } = await engine.run<{ bytes: number; position: string }>(
      {
        text: 'select pg_wal_lsn_diff(pg_current_wal_lsn(), $1::pg_lsn)::float8 as bytes, pg_current_wal_lsn()::text as position',
        values: [position],
      },
      'maintenance',
    )
    return rows[0]
  }
  return {
    async step() {
      const wal = await writtenSince(checkpointedAt)
      if (wal && wal.bytes > WAL_BYTES) {
        await engine.maintain('checkpoint')
        checkpointedAt = wal.position
        return
      }
      const table = await dirtiest(engine)
      // Identifiers come from the catalogue and are quoted there.
      if (table) await engine.maintain(`vacuum (analyze, truncate off) ${table}`)
    },
  }
}

async function dirtiest(engine: Engine): Promise<string | undefined> {
  const { rows } = await engine.run<{ name: string }>(
    {
      text: `select quote_ident(relname) as name from pg_stat_user_tables
        where n_dead_tup + n_mod_since_analyze > $1 + n_live_tup / 10
        order by n_dead_tup + n_mod_since_analyze desc limit 1`,
      values: [DEAD_ROWS],
    },
    'maintenance',
  )
  return rows[0]?.name
}
