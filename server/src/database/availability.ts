/** Whether the database works: outages detected from the results of statements and logged, and the settings on which durability depends. */
import type { Log } from '../base/log.ts'
import { SECOND } from '../base/time/duration.ts'
import { describeDisk, isNearlyFull } from './disk.ts'
import { DatabaseUnavailable, type Engine, type Reader, type Statement, type Unavailability } from './engine.ts'

/** Why the database cannot be used. A transient failure of one statement is no outage. */
type Outage = Exclude<Unavailability, 'transient'>

export interface Availability {
  /** Undefined while statements succeed. */
  readonly outage: Outage | undefined
}

export interface AvailabilityOptions {
  log: Log
  /** The folder of a local database; undefined for one on a server. */
  folder: string | undefined
  probeMs?: number
}

const PROBE_MS = SECOND

/** A write that needs disk space: 4 MB in a temporary file that is removed at the commit. */
const write: Statement[] = [
  { text: 'create temp table room on commit drop as select n from generate_series(1, 100000) n', values: [] },
]
const read: Statement[] = [{ text: 'select 1', values: [] }]

/** Throws when the database cannot store a few megabytes. */
export async function probeWrite(engine: Engine): Promise<void> {
  await engine.batch(write)
}

/** The same engine, and the availability derived from its statements. */
export function watchAvailability(
  engine: Engine,
  { log, folder, probeMs = PROBE_MS }: AvailabilityOptions,
): { engine: Engine; availability: Availability } {
  let current: { outage: Outage; since: number } | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const onFailure = (error: unknown) => {
    if (closed || !(error instanceof DatabaseUnavailable) || error.reason === 'transient') return
    // A server that cannot write its log exits: then a full disk shows only as a database that does not answer.
    const outage = error.reason === 'unreachable' && folder && isNearlyFull(folder) ? 'disk_full' : error.reason
    if (current?.outage === outage) return
    // Connections that break because of a full disk are no second outage.
    if (current?.outage === 'disk_full' && outage === 'unreachable') return
    current = { outage, since: current?.since ?? Date.now() }
    log.error({ event: 'database.unavailable', outage, reason: error.message }, messageOf(outage, folder))
    timer ??= setTimeout(probe, probeMs).unref()
  }
  const probe = async () => {
    try {
      await engine.batch(current?.outage === 'unreachable' ? read : write)
      timer = undefined
      if (closed || !current) return
      const ms = Date.now() - current.since
      current = undefined
      log.info({ event: 'database.available', ms }, 'the database takes writes again')
    } catch (error) {
      onFailure(error)
      if (!closed) timer = setTimeout(probe, probeMs).unref()
    }
  }
  const observed = async <Done>(work: Promise<Done>): Promise<Done> => {
    try {
      return await work
    } catch (error) {
      onFailure(error)
      throw error
    }
  }

  return {
    availability: {
      get outage() {
        return current?.outage
      },
    },
    engine: {
      ...engine,
      run: (statement) => observed(engine.run(statement)),
      batch: (statements, options) => observed(engine.batch(statements, options)),
      close() {
        closed = true
        clearTimeout(timer)
        return engine.close()
      },
    },
  }
}

function messageOf(outage: Outage, folder: string | undefined): string {
  if (outage === 'unreachable') return 'the database does not answer; calls that need it are answered 503 until it does'
  if (outage === 'read_only') return 'the database is read-only; calls that write are answered 503 until it is not'
  const disk = folder ? describeDisk(folder) : 'the disk of the PostgreSQL server is full'
  return `${disk}; calls that write are answered 503 until there is room. Nothing that was accepted is lost`
}

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

export async function readDatabaseHealth(engine: Reader, now: () => number): Promise<DatabaseHealth> {
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
