/** The state of the installation: each part is read within its own time, and one that cannot be read is left out with the reason. */
import {
  nodeDeadMs,
  type System,
  type SystemNode,
  type SystemPart,
  systemPartMs,
  trafficMinutes,
} from '@postrider/contract'
import type { Log } from '../base/log.ts'
import { DAY, MINUTE } from '../base/time/duration.ts'
import { readDatabaseHealth } from '../database/availability.ts'
import {
  type Backup,
  DatabaseRefused,
  DatabaseUnavailable,
  type Reader,
  type Result,
  type Statement,
} from '../database/engine.ts'
import {
  countDeadLetters,
  oldestMessage,
  readStorage,
  runningStatements,
  slowestStatements,
  trafficSince,
} from '../database/installation-figures.ts'
import { migrationStatus } from '../database/migrate.ts'
import { partitionedWeeks } from '../database/partitions.ts'
import { firstDue, readBacklog } from '../database/queues.ts'
import { listNodes, type NodeRow } from '../database/tables/installation/nodes.ts'
import { lanes } from '../database/tables/messages/lanes.ts'
import { countAbandoned } from '../database/tables/messages/stopped-requests.ts'
import { workspaceHealthSince } from '../database/tables/workspace/integration-health.ts'
import { limitStates } from '../database/tables/workspace/integration-limits.ts'
import { listIntegrations } from '../database/tables/workspace/integrations.ts'
import { healthFigures } from '../integrations/integration.ts'
import { breakerRecord } from '../limits/shared-breaker.ts'
import { databaseChecks, heldCheck, migrationsCheck, openFiles } from './diagnostics.ts'

const HOUR_MS = 60 * MINUTE
/** A workspace has a handful. */
const INTEGRATIONS_MAX = 100

export interface SystemContext {
  database: Reader
  log: Log
  workspaceId: number
  backup: Backup | undefined
  /** The time that figures end at. */
  at: number
  now(): number
}

export async function readSystem(context: SystemContext): Promise<Pick<System, SystemPart | 'failures'>> {
  const failures: System['failures'] = []
  const bound = { ...context, database: bounded(context.database) }
  const part = async <Part extends SystemPart>(name: Part): Promise<Pick<System, Part>> => {
    const read = parts[name] as (context: SystemContext) => Promise<System[Part]>
    try {
      return { [name]: await within(read(bound)) } as Pick<System, Part>
    } catch (error) {
      const isExpected = isOfDatabase(error)
      if (!isExpected)
        context.log.error({ event: 'system.part_failed', err: error, part: name }, 'a part of GET /system')
      failures.push({ part: name, message: isExpected ? error.message.slice(0, MESSAGE_MAX) : LOGGED })
      return { [name]: null } as Pick<System, Part>
    }
  }
  // All at once: the whole takes no longer than its slowest part.
  const [nodes, laneFigures, queues, traffic, storage, statements, migrations, checks, providers, deadLetters] =
    await Promise.all([
      ...([part('nodes'), part('lanes'), part('queues'), part('traffic'), part('storage')] as const),
      ...([part('statements'), part('migrations'), part('checks'), part('providers')] as const),
      part('dead_letters'),
    ])
  return {
    ...{ ...nodes, ...laneFigures, ...queues, ...traffic, ...storage },
    ...{ ...statements, ...migrations, ...checks, ...providers, ...deadLetters },
    failures,
  }
}

const MESSAGE_MAX = 200
const LOGGED = 'It could not be read: the log of the node that answered has the error'

class TookTooLong extends Error {
  override readonly name = 'TookTooLong'

  constructor() {
    super(`It did not answer within ${systemPartMs / 1_000} seconds`)
  }
}

const isOfDatabase = (error: unknown): error is Error =>
  error instanceof TookTooLong || error instanceof DatabaseUnavailable || error instanceof DatabaseRefused

/** Longer than a part may take, so that a late one has one reason. */
const STATEMENT_MS = systemPartMs + 250

/** Each statement ends in the database, too, when its time is over. */
const bounded = ({ tokens, batch }: Reader): Reader => ({
  tokens,
  batch: (statements) => batch(statements, { timeoutMs: STATEMENT_MS }),
  run: async <Row>(statement: Statement) => {
    const [result] = await batch([statement], { timeoutMs: STATEMENT_MS })
    if (!result) throw new Error('The statement returned no result')
    return result as Result<Row>
  },
})

async function within<T>(read: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TookTooLong()), systemPartMs)
  })
  try {
    return await Promise.race([read, late])
  } finally {
    clearTimeout(timer)
  }
}

const parts: { [Part in SystemPart]: (context: SystemContext) => Promise<NonNullable<System[Part]>> } = {
  nodes: async ({ database, at }) => {
    const nodes = await listNodes(database)
    const dead = nodes.filter((node) => stateOf(node, at) === 'dead')
    // The others are worth showing without it.
    const abandoned = await countAbandoned(database, dead).catch(() => new Map<string, number>())
    return nodes.map((node) => nodeRecord(node, at, abandoned.get(node.id))).sort(livingFirst)
  },
  lanes: async ({ database, at }) =>
    (await readBacklog(database, at)).map(({ lane, waiting, overdue, oldest }) => ({
      lane: laneNames.find((name) => lanes[name] === lane) ?? 'bulk',
      ...{ waiting, overdue, oldest_ms: oldest === null ? null : Math.max(0, at - oldest) },
    })),
  queues: async ({ database, at }) =>
    (await firstDue(database)).map(({ queue, due }) => ({
      queue,
      overdue_ms: due === null || due > at ? null : at - due,
    })),
  traffic: async ({ database, at: now }) => {
    const last = now - (now % MINUTE)
    const first = last - (trafficMinutes - 1) * MINUTE
    const figures = new Map((await trafficSince(database, first)).map((figure) => [figure.at, figure]))
    return Array.from({ length: trafficMinutes }, (_, index) => {
      const at = first + index * MINUTE
      return figures.get(at) ?? { at, accepted: 0, finished: 0, undelivered: 0 }
    })
  },
  storage: async ({ database, backup }) => {
    const [{ bytes, tables }, weeks, oldest, last] = await Promise.all([
      ...([readStorage(database), partitionedWeeks(database), oldestMessage(database)] as const),
      backup?.last(),
    ])
    return {
      ...{ bytes, tables, oldest_week: weeks.messages?.[0] ?? null, oldest_message: oldest },
      backup: backup ? { last: last ?? null } : null,
    }
  },
  statements: async ({ database }) => {
    const [slowest, running] = await Promise.all([slowestStatements(database), runningStatements(database)])
    return { tracked: slowest !== undefined, slowest: slowest ?? [], running }
  },
  migrations: ({ database }) => migrationStatus(database),
  checks: async ({ database, workspaceId, now }) => {
    const [health, migrations, heldMessages] = await Promise.all([
      readDatabaseHealth(database, now),
      migrationStatus(database),
      heldCheck(database, workspaceId),
    ])
    return [openFiles(), ...databaseChecks(health), migrationsCheck(migrations), ...heldMessages]
  },
  providers: async ({ database, workspaceId, at }) => {
    const from = at - HOUR_MS
    const [{ rows }, buckets] = await Promise.all([
      listIntegrations(database, workspaceId, undefined, INTEGRATIONS_MAX),
      workspaceHealthSince(database, workspaceId, from),
    ])
    const states = await limitStates(
      database,
      workspaceId,
      rows.map(({ id }) => id),
    )
    return rows.map(({ id, provider, title, enabled, limit_per_day }) => {
      const healthBuckets = buckets.filter(({ integration_id }) => integration_id === id)
      const { calls, working, p95_ms, last_error } = healthFigures(healthBuckets, { from, to: at })
      const { breaker, usedOn } = states.get(id) ?? {}
      const day = Math.floor(at / DAY)
      const isUsedUp = limit_per_day !== null && usedOn?.day === day && usedOn.used >= limit_per_day
      return {
        ...{ id, provider, title, enabled, calls },
        circuit_breaker: breaker ? breakerRecord(breaker, at).state : ('closed' as const),
        open_since: breaker?.since ?? null,
        limited_until: isUsedUp ? (day + 1) * DAY : null,
        working: working ?? null,
        p95_ms: p95_ms ?? null,
        last_error: last_error ? { at: last_error.at, error: last_error.error } : null,
      }
    })
  },
  dead_letters: ({ database, workspaceId, at }) => countDeadLetters(database, workspaceId, at),
}

const laneNames = Object.keys(lanes) as (keyof typeof lanes)[]

const stateOf = ({ seen, stopped }: NodeRow, now: number): SystemNode['state'] =>
  stopped !== null ? 'stopped' : now - seen > nodeDeadMs ? 'dead' : 'alive'

function nodeRecord(node: NodeRow, now: number, abandoned: number | undefined): SystemNode {
  const { id, version, started, seen, stopped, state } = node
  return {
    ...{ id, version, started, seen, stopped, state: stateOf(node, now) },
    ...state,
    memory_bytes: state.memory_bytes ?? null,
    event_loop_p99_ms: state.event_loop_p99_ms ?? null,
    abandoned: abandoned ?? null,
  }
}

const ORDER = ['alive', 'dead', 'stopped']
const livingFirst = (a: SystemNode, b: SystemNode) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || b.seen - a.seen
