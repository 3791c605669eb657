/** The waiting messages of each lane and the oldest due time: read from the claim index at a bounded cost. */
import type { Engine } from '../../engine.ts'
import { guardPlan, rowsOf } from '../../query.ts'

export interface LaneBacklog {
  lane: number
  /** Due later, or leased. */
  waiting: number
  /** Due and not leased. */
  overdue: number
  /** The earliest due time; null without due messages. */
  oldest: number | null
}

const LANES = [0, 1, 2]
/** Counted exactly up to here, some 10 ms; beyond it the planner's estimate suffices. */
const COUNTED_MAX = 100_000

const counted = (lane: number, due: string) =>
  `(select count(*)::int from (select from messages where lane = ${lane} and due_at ${due} $1 limit ${COUNTED_MAX}) m)`

const text = LANES.map(
  (lane) => `select ${lane} as lane, ${counted(lane, '>')} as waiting, ${counted(lane, '<=')} as overdue,
    (select due_at from messages where lane = ${lane} and due_at <= $1 order by due_at limit 1) as oldest`,
).join(' union all ')

export async function readBacklog(engine: Engine, now: number): Promise<LaneBacklog[]> {
  const [, result] = await engine.batch([guardPlan, { text, values: [now], name: 'read-backlog' }])
  const found = rowsOf<LaneBacklog>(result)
  return await Promise.all(
    found.map(async (one) => ({
      ...one,
      waiting: await estimated(engine, one.waiting, one.lane, `> ${now}`),
      overdue: await estimated(engine, one.overdue, one.lane, `<= ${now}`),
    })),
  )
}

async function estimated(engine: Engine, count: number, lane: number, due: string): Promise<number> {
  if (count < COUNTED_MAX) return count
  const { rows } = await engine.run<{ 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }>({
    text: `explain (format json) select from messages where lane = ${lane} and due_at ${due}`,
    values: [],
  })
  return Math.max(count, rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0)
}
