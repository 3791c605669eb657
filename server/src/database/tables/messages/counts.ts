/** Counts of accepted and finished messages: appended in the commit that accepts or finishes them, merged later. */
import { HOUR, MINUTE } from '../../../base/time/duration.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { guardPlan, type Row, recordset, rowsOf, typesOf } from '../../query.ts'
import { LANES } from './lanes.ts'

const minuteOf = (time: string) => `${time} - ${time} % ${MINUTE}`

/** Appends what the rows of a CTE, with `workspace_id` and `enqueued`, add to the accepted messages. */
export const acceptedCounts = (rows: string) => `insert into message_counts (workspace_id, at, count)
  select workspace_id, ${minuteOf('enqueued')}, count(*) from ${rows} group by 1, 2`

/** The same for messages that a CTE, with `workspace_id` and `deliveries`, canceled: an unsent one has failed deliveries at most. */
export const canceledCounts = (rows: string, now: string) => `insert into message_counts
    (workspace_id, at, status, channel, provider, count)
  select workspace_id, ${minuteOf(now)}, 'CANCELED', null, null, count(*) from ${rows} group by 1
  union all
  select workspace_id, ${minuteOf(now)}, 'UNDELIVERABLE', d ->> 'channel', d ->> 'provider', count(*)
  from ${rows}, json_array_elements(coalesce(deliveries, '[]')::json) d where d ->> 'state' = 'failed' group by 1, 4, 5`

/** Takes back what dead letters added, of rows with `workspace_id` and `deliveries`, in the minute that `at` names: they go on. */
export const takenBackCounts = (rows: string, at: string) => `insert into message_counts
    (workspace_id, at, status, reason, channel, provider, count)
  select workspace_id, ${minuteOf(at)}, 'UNDELIVERABLE', 'FAILED', null, null, -count(*) from ${rows} group by 1, 2
  union all
  select workspace_id, ${minuteOf(at)}, 'UNDELIVERABLE', null, d ->> 'channel', d ->> 'provider', -count(*)
  from ${rows}, json_array_elements(coalesce(deliveries, '[]')::json) d where d ->> 'state' = 'failed' group by 1, 2, 5, 6`

/** The counts of a finished message: its status, and those of its deliveries. */
export interface CountedOutcome {
  /** When it ended. */
  at: number
  status: string
  /** Why it was not delivered. */
  reason?: string | undefined
  deliveries: readonly { channel: string; provider: string; status: string }[]
}

/** The outcomes of a commit, each once: its records name them by their numbers. */
export interface NumberedOutcomes {
  numberOf(outcome: CountedOutcome): number
  /** For `finishedCounts`: JSON. */
  text(): string
}

export function numberedOutcomes(): NumberedOutcomes {
  const numbers = new Map<string, number>()
  const rows: ({ outcome: number; at: number; status: string } & Partial<
    Record<'reason' | 'channel' | 'provider', string | undefined>
  >)[] = []
  return {
    numberOf({ at: time, status, reason, deliveries }) {
      const at = time - (time % MINUTE)
      let key = `${at} ${status} ${reason}`
      for (const delivery of deliveries) key += ` ${delivery.channel} ${delivery.provider} ${delivery.status}`
      const number = numbers.get(key)
      if (number !== undefined) return number
      const outcome = numbers.size
      numbers.set(key, outcome)
      rows.push({ outcome, at, status, reason })
      for (const { channel, provider, status: reached } of deliveries)
        rows.push({ outcome, at, status: reached, channel, provider })
      return outcome
    },
    text: () => JSON.stringify(rows),
  }
}

const OUTCOME = { outcome: 'integer', ...typesOf('message_counts', ['at', 'status', 'reason', 'channel', 'provider']) }

/** Appends what the rows of a CTE, with `workspace_id` and the number of an `outcome`, add; null is not finished. */
export const finishedCounts = (rows: string, outcomes: string) => `insert into message_counts
    (workspace_id, at, status, reason, channel, provider, count)
  select n.workspace_id, o.at, o.status, o.reason, o.channel, o.provider, sum(n.count)
  from (select workspace_id, outcome, count(*) as count from ${rows} where outcome is not null group by 1, 2) n
  join ${recordset(outcomes, 'o', OUTCOME)} using (outcome)
  group by 1, 2, 3, 4, 5, 6`

/** A status of null: accepted. */
export type CountRow = Row<'message_counts', 'status' | 'reason' | 'channel' | 'provider' | 'count'>

/** A status of null: accepted. Messages, without their deliveries. */
export type BucketCountRow = Pick<CountRow, 'status' | 'count'> & { start: number }

export interface WaitingMessages {
  waiting: number
  /** Since when the oldest waits for more than its delay; null when none does. */
  since: number | null
}

/** Counted up to here, some 25 ms without statistics and in a cold cache. */
const WAITING_COUNTED_MAX = 25_000
/** Due rows that are looked through for the oldest of a workspace. */
const DUE_ROWS_MAX = 1_000

const counts = `select status, reason, channel, provider, sum(count)::float8 as count from message_counts
  where workspace_id = $1 and span in (0, ${MINUTE}, ${HOUR}) and at >= $2 and at < $3 group by 1, 2, 3, 4
  having sum(count) <> 0`

const bucketCounts = `select at - at % $4::bigint as start, status, sum(count)::float8 as count from message_counts
  where workspace_id = $1 and span in (0, ${MINUTE}, ${HOUR}) and at >= $2 and at < $3 and channel is null group by 1, 2
  having sum(count) <> 0`

// A message that is delayed waits for its time first: of those only the due ones count, which the claim index has.
const since = `least(
      (select min(enqueued) from unnest($3::text[]) as s(status), lateral (
        select enqueued from messages_live where workspace_id = $1 and status = s.status
        order by id limit 1) m),
      ${LANES.map(
        (lane) => `(select min(due_at) from (
        select workspace_id, due_at from messages_live where lane = ${lane} and due_at <= $2
        order by due_at limit ${DUE_ROWS_MAX}) m where workspace_id = $1)`,
      ).join(',\n      ')}
    ) as since`

const waiting = `select
    (select count(*)::int from (
      select from messages_live where workspace_id = $1 limit ${WAITING_COUNTED_MAX}) m) as waiting,
    ${since}`

// For a large backlog; rows that retention has dropped from one sum only make no difference there.
const unfinished = `select coalesce(sum(case when status is null then count else -count end), 0)::float8 as waiting
  from message_counts where workspace_id = $1 and channel is null`

interface SummaryRead {
  /** Inclusive. */
  from: number
  /** Exclusive. */
  to: number
  /** Length of a bucket, where counts are read by bucket, too. */
  bucketMs?: number | undefined
  now: number
  /** Those of messages that wait for no delay. */
  statuses: readonly string[]
}

/** Counts of a window, and what waits now. */
export async function summarize(
  engine: Reader,
  workspaceId: number,
  { from, to, bucketMs, now, statuses }: SummaryRead,
): Promise<{ counts: CountRow[]; bucketCounts: BucketCountRow[]; waiting: WaitingMessages }> {
  const inBuckets = { text: bucketCounts, values: [workspaceId, from, to, bucketMs], name: 'summarize-buckets' }
  const [, counted, live, countedInBuckets] = await engine.batch([
    guardPlan,
    { text: counts, values: [workspaceId, from, to], name: 'summarize-counts' },
    { text: waiting, values: [workspaceId, now, [...statuses]], name: 'summarize-waiting' },
    ...(bucketMs === undefined ? [] : [inBuckets]),
  ])
  const [summary = { waiting: 0, since: null }] = rowsOf<WaitingMessages>(live)
  if (summary.waiting === WAITING_COUNTED_MAX) {
    const { rows } = await engine.run<{ waiting: number }>({ text: unfinished, values: [workspaceId] })
    summary.waiting = Math.max(summary.waiting, rows[0]?.waiting ?? 0)
  }
  return { counts: rowsOf<CountRow>(counted), bucketCounts: rowsOf<BucketCountRow>(countedInBuckets), waiting: summary }
}

/** Since when the oldest message waits for more than its delay, as `since`; null when none does. Behind `guardPlan`. */
export const waitingSinceSelect = (
  workspaceId: number,
  { now, statuses }: { now: number; statuses: readonly string[] },
): Statement => ({
  text: `select ${since}`,
  values: [workspaceId, now, [...statuses]],
  name: 'waiting-since',
})

/** A minute is merged when it is over on all nodes; hours, when a window of a day has left them. */
const MINUTES_AFTER_MS = 2 * MINUTE
const HOURS_AFTER_MS = 26 * HOUR

/** Before this time counts stand for hours. Later than what is merged: clocks of nodes differ. */
export const hoursBefore = (now: number): number => hourOf(now - 25 * HOUR)

const hourOf = (time: number) => time - (time % HOUR)

const merge = `with gone as (
    delete from message_counts where (span, at, id) in (
      select span, at, id from message_counts where span < $1 and at < $2 order by span, at limit $3 for update skip locked)
    returning workspace_id, at, status, reason, channel, provider, count
  ),
  merged as (
    insert into message_counts (workspace_id, at, span, status, reason, channel, provider, count)
    select workspace_id, at - at % $1, $1, status, reason, channel, provider, sum(count) from gone
    group by 1, 2, 4, 5, 6, 7
  )
  select count(*)::int as rows from gone`

/** One step: rows of past minutes become one a minute, those of past days one an hour. Returns how many rows were read. */
export async function mergeCounts(engine: Engine, now: number, limit: number): Promise<number> {
  const read = async (span: number, before: number) => {
    const { rows } = await engine.run<{ rows: number }>({ text: merge, values: [span, before, limit] })
    return rows[0]?.rows ?? 0
  }
  const minutes = await read(MINUTE, now - MINUTES_AFTER_MS)
  return Math.max(minutes, await read(HOUR, hourOf(now - HOURS_AFTER_MS)))
}

/** Deletes a bounded slice of older rows; returns their number. */
export async function dropCounts(engine: Engine, before: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `delete from message_counts where (span, at, id) in (
      select span, at, id from message_counts where span <= ${HOUR} and at < $1 order by span, at limit $2)`,
    values: [before, limit],
  })
  return affected
}
