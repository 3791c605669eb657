/** Figures of the database and of all environments: sizes, statements, messages by the minute. Estimates where a count would be long. */
import { deadLettersCountedMax, systemStatementsMax, systemTablesMax } from '@postrider/contract'
import { DAY, MINUTE, SECOND } from '../base/time/duration.ts'
import { DatabaseRefused, type Reader, type Statement } from './engine.ts'
import { guardPlan, rowsOf } from './query.ts'
import {
  backlogSelect,
  estimateLarge,
  inIndexOrder,
  type LaneBacklog,
  type QueueDue,
  queuesDue,
  queuesDueSelect,
} from './queues.ts'
import { waitingSinceSelect } from './tables/messages/counts.ts'
import { waitingCount, waitingSelect } from './tables/messages/held-messages.ts'

export interface TableSize {
  name: string
  bytes: number
  rows: number
}

export async function readStorage(engine: Reader): Promise<{ bytes: number; tables: TableSize[] }> {
  const [total, tables] = await Promise.all([
    engine.run<{ bytes: number }>({
      text: 'select pg_database_size(current_database())::float8 as bytes',
      values: [],
    }),
    engine.run<TableSize>({
      text: `select coalesce(pg_partition_root(c.oid), c.oid)::regclass::text as name,
          sum(pg_total_relation_size(c.oid))::float8 as bytes, sum(greatest(c.reltuples, 0))::float8 as rows
        from pg_class c
        where c.relkind = 'r' and c.relnamespace = (select oid from pg_namespace where nspname = current_schema())
        group by 1 order by 2 desc, 1 limit ${systemTablesMax}`,
      values: [],
    }),
  ])
  return { bytes: total.rows[0]?.bytes ?? 0, tables: tables.rows }
}

/** When the oldest message that has ended was accepted; null without any. By the id, which begins with the time. */
export async function oldestMessage(engine: Reader): Promise<number | null> {
  const { rows } = await engine.run<{ enqueued: number }>({
    text: 'select enqueued from messages_final order by id limit 1',
    values: [],
  })
  return rows[0]?.enqueued ?? null
}

export interface StatementFigure {
  text: string
  calls: number
  mean_ms: number
  total_ms: number
}

const TEXT_MAX = 300
const shortened = (column: string) => `left(regexp_replace(${column}, '\\s+', ' ', 'g'), ${TEXT_MAX})`

/** By their total time; undefined where the extension is not installed or not loaded. */
export async function slowestStatements(engine: Reader): Promise<StatementFigure[] | undefined> {
  const { rows: extensions } = await engine.run<{ name: string | null }>({
    text: `select to_regclass('pg_stat_statements')::text as name`,
    values: [],
  })
  if (!extensions[0]?.name) return undefined
  try {
    const { rows } = await engine.run<StatementFigure>({
      text: `select ${shortened('query')} as text, calls::float8, round(mean_exec_time::numeric, 2)::float8 as mean_ms,
          round(total_exec_time::numeric)::float8 as total_ms
        from pg_stat_statements
        where dbid = (select oid from pg_database where datname = current_database())
        order by total_exec_time desc limit ${systemStatementsMax}`,
      values: [],
    })
    return rows
  } catch (error) {
    if (error instanceof DatabaseRefused) return undefined
    throw error
  }
}

export interface RunningStatement {
  text: string
  ms: number
  waits_for: string | null
}

/** Those of this installation that have been running for a second. */
export async function runningStatements(engine: Reader): Promise<RunningStatement[]> {
  const { rows } = await engine.run<RunningStatement>({
    text: `select ${shortened('query')} as text,
        (extract(epoch from clock_timestamp() - query_start) * 1000)::bigint::float8 as ms,
        wait_event_type || ' ' || wait_event as waits_for
      from pg_stat_activity
      where datname = current_database() and application_name = 'postrider' and state = 'active'
        and pid <> pg_backend_pid() and query_start < clock_timestamp() - interval '${SECOND / 1_000} second'
      order by query_start limit ${systemStatementsMax}`,
    values: [],
  })
  return rows
}

export interface MinuteFigure {
  at: number
  accepted: number
  finished: number
  undelivered: number
}

/** All environments, by the minute; minutes without messages are absent. */
export async function trafficSince(engine: Reader, from: number): Promise<MinuteFigure[]> {
  const sum = (where: string) => `coalesce(sum(count) filter (where ${where}), 0)::float8`
  const { rows } = await engine.run<MinuteFigure>({
    text: `select at - at % ${MINUTE} as at, ${sum('status is null')} as accepted, ${sum('status is not null')} as finished,
        ${sum(`status = 'UNDELIVERABLE'`)} as undelivered
      from message_counts where span in (0, ${MINUTE}) and at >= $1 and channel is null group by 1 order by 1`,
    values: [from],
    name: 'traffic-since',
  })
  return rows
}

export interface OpenDeadLetters {
  workspace_id: number
  kind: string
  open: number
}

/** Open dead letters of all environments, by kind. */
const openDeadLettersSelect: Statement = {
  text: `select workspace_id, kind, count(*)::int as open from (
      select workspace_id, kind from dead_letters where released is null and dismissed is null
      limit ${deadLettersCountedMax}) d group by 1, 2 order by 1, 2`,
  values: [],
  name: 'open-dead-letters',
}

/** The figures of `/metrics` that only the database has. */
export interface InstallationFigures {
  at: number
  backlogs: readonly LaneBacklog[]
  queues: readonly QueueDue[]
  deadLetters: readonly OpenDeadLetters[]
  workspaces: readonly {
    id: number
    heldMessages: number
    /** Since when the oldest message waits for more than its delay; null when none does. */
    waitingSince: number | null
  }[]
}

interface FiguresRequest {
  now: number
  workspaceIds: readonly number[]
  /** Those of messages that wait for no delay. */
  statuses: readonly string[]
}

/** Each statement: a read occupies one connection, and a hanging database must not keep it. */
const FIGURES_TIMEOUT = { timeoutMs: 5 * SECOND }
/** A table that is locked for longer gives no figures: the connection is free again before the callers' time is over. */
const shortLocks: Statement = { text: `set local lock_timeout = ${SECOND}` }

/** All in one transaction, so that a scrape occupies one connection. */
export async function readInstallationFigures(
  engine: Reader,
  { now, workspaceIds, statuses }: FiguresRequest,
): Promise<InstallationFigures> {
  const settings = { text: [guardPlan, inIndexOrder, shortLocks].map(({ text }) => text).join('; ') }
  const [, backlogs, queues, deadLetters, ...byWorkspace] = await engine.batch(
    [
      settings,
      backlogSelect(now),
      queuesDueSelect,
      openDeadLettersSelect,
      ...workspaceIds.map((id) => waitingSelect(id, 'HELD')),
      ...workspaceIds.map((id) => waitingSinceSelect(id, { now, statuses })),
    ],
    FIGURES_TIMEOUT,
  )
  return {
    at: now,
    backlogs: await estimateLarge(engine, rowsOf<LaneBacklog>(backlogs), now, FIGURES_TIMEOUT),
    queues: queuesDue(queues),
    deadLetters: rowsOf<OpenDeadLetters>(deadLetters),
    workspaces: workspaceIds.map((id, index) => ({
      id,
      heldMessages: waitingCount(byWorkspace[index]),
      waitingSince: rowsOf<{ since: number | null }>(byWorkspace[workspaceIds.length + index])[0]?.since ?? null,
    })),
  }
}

/** Open dead letters of an environment, and those of the last day among them. */
export async function countDeadLetters(
  engine: Reader,
  workspaceId: number,
  now: number,
): Promise<{ open: number; recent: number }> {
  const { rows } = await engine.run<{ open: number; recent: number }>({
    text: `select count(*)::int as open, (count(*) filter (where created >= $2))::int as recent from (
        select created from dead_letters where workspace_id = $1 and released is null and dismissed is null
        order by id desc limit ${deadLettersCountedMax}) d`,
    values: [workspaceId, now - DAY],
  })
  return rows[0] ?? { open: 0, recent: 0 }
}
