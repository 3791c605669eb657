/** Messages that blocked the process: counted in their rows by the watchdog, while the process itself can write nothing. */
import type { Engine } from '../../engine.ts'
import { guardPlan, rowsOf } from '../../query.ts'

/** Returns the number of stalls; undefined when the message has ended. */
export async function recordStall(engine: Engine, messageId: string, activity: string): Promise<number | undefined> {
  const [, result] = await engine.batch([
    guardPlan,
    {
      text: `update messages set stalls = coalesce(stalls, 0) + 1, stalled_in = $2
          where id = $1 and due_at is not null returning stalls`,
      values: [messageId, activity],
    },
  ])
  return rowsOf<{ stalls: number }>(result)[0]?.stalls
}

/** Withdraws a stall that ended before the threshold. Returns the remaining number. */
export async function withdrawStall(engine: Engine, messageId: string): Promise<number> {
  const [, result] = await engine.batch([
    guardPlan,
    {
      text: `update messages set stalls = nullif(stalls - 1, 0)
          where id = $1 and due_at is not null and stalls > 0 returning stalls`,
      values: [messageId],
    },
  ])
  return rowsOf<{ stalls: number | null }>(result)[0]?.stalls ?? 0
}
