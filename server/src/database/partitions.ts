/** Weekly partitions of the tables that grow with messages: created ahead of time, dropped when all rows are old. */

import { failpoint } from '../base/failpoint.ts'
import { timedIdFloor } from '../base/ids.ts'
import { DAY, SECOND } from '../base/time/duration.ts'
import {
  DatabaseRefused,
  type Engine,
  LOCK_NOT_AVAILABLE,
  type Reader,
  type Statement,
  UNDEFINED_TABLE,
} from './engine.ts'
import { lockSchema } from './migrate.ts'

/** Tables whose weeks are dropped together. */
interface Family {
  /** The table whose partitions name the weeks: each week has one. */
  named: string
  /** The partitioned table of `named`. */
  parent: string
  // Children first: no row may reference a dropped row.
  tables: readonly string[]
  /** A week is kept while a row of these is live. */
  jobs: readonly string[]
  /** It is also kept while this unpartitioned table has a row of its time, */
  live?: string
  /** and while a row of these ended after the retention limit, which is $3. */
  ended: Readonly<Record<string, string>>
}

/** The predicate of the index `messages_late`: almost all messages end at once. */
const ENDED = 'greatest(first_due, sent, canceled_at)'
const ENDED_LATE = `${ENDED} >= $3 and ${ENDED} / 1000 - case when id ~ '^1-[0-9a-f]{8}-'
    then ('x' || substr(id, 3, 8))::bit(32)::bigint else enqueued / 1000 end > ${DAY / SECOND}`

const messages: Family = {
  named: 'messages',
  parent: 'messages_final',
  tables: ['webhook_deliveries', 'mailbox', 'history', 'bulk_users', 'messages', 'requests'],
  jobs: ['requests', 'webhook_deliveries'],
  live: 'messages_live',
  ended: { messages_final: ENDED_LATE, requests: 'not_before >= $3' },
}
/** A run may wait for two years: messages of its week are dropped independently. */
const runs: Family = {
  ...{ named: 'runs', parent: 'runs', tables: ['run_steps', 'runs'], jobs: ['runs'] },
  ended: { runs: 'updated >= $3' },
}
const families = [messages, runs]
const tables = families.flatMap((family) => family.tables)

/** A week: 90 days of retention are 13 partitions, few enough for lists that read all of them. */
const WEEK = 7 * DAY
// Two weeks ahead, so that a node whose maintenance fails for days still finds its partition.
const AHEAD = 2 * WEEK

// For rows that are written once: vacuum processes new rows in portions of equal size.
const APPENDED = ' with (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 100000)'
const settings: Readonly<Record<string, string>> = {
  messages: APPENDED,
  history: APPENDED,
  // Every step updates its run: with free space in the page no index is written (HOT).
  runs: ' with (fillfactor = 50)',
}

/** Only final messages are partitioned. */
const parentOf = (table: string) => (table === messages.named ? messages.parent : table)

/** The begin of the week of a time. */
export const weekStart = (time: number) => Math.floor(time / WEEK) * WEEK
const startOf = (suffix: string) =>
  Date.parse(`${suffix.slice(0, 4)}-${suffix.slice(4, 6)}-${suffix.slice(6)}T00:00:00Z`)
const suffix = (start: number) => new Date(start).toISOString().slice(0, 10).replaceAll('-', '')
const bound = (start: number) => timedIdFloor(start).slice(0, 10)

export async function makePartitions(engine: Engine, now: number): Promise<void> {
  // Two nodes that create the same partition concurrently would both find it missing.
  const statements: Statement[] = [lockSchema, { text: "set local lock_timeout = '2s'" }]
  for (let start = weekStart(now); start <= now + AHEAD; start += WEEK)
    statements.push(...tables.map((table) => partitionOf(table, start)))
  await engine.batch(statements)
}

const partitionOf = (table: string, start: number): Statement => ({
  text: `create table if not exists ${table}_${suffix(start)} partition of ${parentOf(table)}
    for values from ('${bound(start)}') to ('${bound(start + WEEK)}')${settings[table] ?? ''}`,
})

/** Starts of the weeks that have partitions, in milliseconds since the epoch, by family. */
export async function partitionedWeeks(engine: Reader): Promise<Record<string, number[]>> {
  const starts: Record<string, number[]> = {}
  for (const family of families) starts[family.named] = (await weeks(engine, family)).map(startOf)
  return starts
}

/** Creates the partitions of another database before its rows are copied: rows are not moved into later partitions. */
export async function makePartitionedWeeks(engine: Engine, starts: Record<string, readonly number[]>): Promise<void> {
  // One batch a week: every partition and every index takes a lock.
  for (const { named, tables } of families)
    for (const start of starts[named] ?? [])
      await engine.batch([lockSchema, ...tables.map((table) => partitionOf(table, start))])
}

export interface DropReport {
  dropped: string[]
  /** Old partitions with a live row, or whose lock was not available; tried again next time. */
  kept: string[]
}

/** Drops every week that ended before `before`, unless one of its rows is live, or has ended since. */
export async function dropPartitions(engine: Engine, before: number): Promise<DropReport> {
  const report: DropReport = { dropped: [], kept: [] }
  for (const family of families) {
    for (const name of await weeks(engine, family)) {
      const start = startOf(name)
      if (start + WEEK > before) continue
      if (await hasEndedSince(engine, family, start, before)) {
        report.kept.push(`${family.named}_${name}`)
        continue
      }
      const end = await dropWeek(engine, family, name, start)
      if (end !== 'gone') report[end].push(`${family.named}_${name}`)
    }
  }
  return report
}

async function weeks(engine: Reader, { named, parent }: Family): Promise<string[]> {
  const { rows } = await engine.run<{ name: string }>({
    text: `select right(c.relname, 8) as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = '${parent}'::regclass and c.relname ~ '^${named}_[0-9]{8}$' order by 1`,
    values: [],
  })
  return rows.map((row) => row.name)
}

/** Read before any lock is taken: a finished row does not finish again. */
async function hasEndedSince(engine: Engine, { ended }: Family, start: number, before: number): Promise<boolean> {
  for (const [table, condition] of Object.entries(ended)) {
    const text = `select 1 from ${table} where id >= $1 and id < $2 and ${condition} limit 1`
    const { rows } = await engine.run({ text, values: [bound(start), bound(start + WEEK), before] })
    if (rows.length > 0) return true
  }
  return false
}

const liveBetween = (table: string, from: string, to: string) => `
            if exists (select from ${table} where id >= '${from}' and id < '${to}') then raise exception 'live rows'; end if;`

const LIVE_ROWS = 'P0001'
async function dropWeek(
  engine: Engine,
  { named, tables, jobs, live }: Family,
  name: string,
  start: number,
): Promise<'dropped' | 'kept' | 'gone'> {
  try {
    await engine.batch([
      lockSchema,
      { text: "set local lock_timeout = '2s'" },
      // Parents first, in the order in which recording locks them: another order would deadlock.
      {
        text: [...new Set([...tables].reverse().flatMap((table) => [table, parentOf(table)]))]
          .map((table) => `lock table only ${table} in access exclusive mode`)
          .join('; '),
      },
      {
        // A week from before a table was partitioned has no partition of it.
        text: `do $$ declare part text; live boolean; begin
            if to_regclass('${named}_${name}') is null then raise undefined_table; end if;
            foreach part in array array[${jobs.map((table) => `'${table}_${name}'`).join(', ')}] loop
              if to_regclass(part) is not null then
                execute format('select exists (select from %I where due_at is not null)', part) into live;
                if live then raise exception 'live rows'; end if;
              end if;
            end loop;${live ? liveBetween(live, bound(start), bound(start + WEEK)) : ''}
          end $$`,
      },
      ...tables.map((table) => ({ text: `drop table if exists ${table}_${name}` })),
    ])
    failpoint('mid-partition-drop')
    return 'dropped'
  } catch (error) {
    if (!(error instanceof DatabaseRefused)) throw error
    // Another node dropped it first.
    if (error.code === UNDEFINED_TABLE) return 'gone'
    if ([LIVE_ROWS, LOCK_NOT_AVAILABLE].includes(error.code)) return 'kept'
    throw error
  }
}
