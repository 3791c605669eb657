/** Follows what becomes of statements: while the database is away or takes no writes, says so, in one line at each end. */

import type { Log } from '../base/log.ts'
import { SECOND } from '../base/time/duration.ts'
import { describeDisk, isNearlyFull } from './disk.ts'
import { DatabaseUnavailable, type Engine, type Statement, type Unavailability } from './engine.ts'

/** Why the database is of no use. A statement that gave way to another one says nothing about it. */
export type Outage = Exclude<Unavailability, 'passing'>

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

/** A write that needs room: 4 MB in a file of its own, which is gone with the commit. */
const write: Statement[] = [
  { text: 'create temp table room on commit drop as select n from generate_series(1, 100000) n', values: [] },
]
const read: Statement[] = [{ text: 'select 1', values: [] }]

/** Throws when the database does not take what needs room on its disk. */
export async function probeWrite(engine: Engine): Promise<void> {
  await engine.batch(write)
}

/** The same engine, with the availability that its statements show. */
export function watchAvailability(
  engine: Engine,
  { log, folder, probeMs = PROBE_MS }: AvailabilityOptions,
): { engine: Engine; availability: Availability } {
  let current: { outage: Outage; since: number } | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false

  const see = (error: unknown) => {
    if (closed || !(error instanceof DatabaseUnavailable) || error.reason === 'passing') return
    // A server that cannot write its log ends: a full disk shows itself only as a database that does not answer.
    const outage = error.reason === 'away' && folder && isNearlyFull(folder) ? 'disk_full' : error.reason
    if (current?.outage === outage) return
    // Connections that break because of a full disk are not another outage.
    if (current?.outage === 'disk_full' && outage === 'away') return
    current = { outage, since: current?.since ?? Date.now() }
    log.error({ event: 'database.unavailable', outage, reason: error.message }, messageOf(outage, folder))
    timer ??= setTimeout(probe, probeMs).unref()
  }
  const probe = async () => {
    try {
      await engine.batch(current?.outage === 'away' ? read : write)
      timer = undefined
      if (closed || !current) return
      const ms = Date.now() - current.since
      current = undefined
      log.info({ event: 'database.available', ms }, 'the database takes writes again')
    } catch (error) {
      see(error)
      if (!closed) timer = setTimeout(probe, probeMs).unref()
    }
  }
  const seen = async <Done>(work: Promise<Done>): Promise<Done> => {
    try {
      return await work
    } catch (error) {
      see(error)
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
      run: (statement) => seen(engine.run(statement)),
      batch: (statements, options) => seen(engine.batch(statements, options)),
      close() {
        closed = true
        clearTimeout(timer)
        return engine.close()
      },
    },
  }
}

function messageOf(outage: Outage, folder: string | undefined): string {
  if (outage === 'away') return 'the database does not answer; calls that need it are answered 503 until it does'
  if (outage === 'read_only') return 'the database is read-only; calls that write are answered 503 until it is not'
  const disk = folder ? describeDisk(folder) : 'the disk of the PostgreSQL server is full'
  return `${disk}; calls that write are answered 503 until there is room. Nothing that was accepted is lost`
}
