/** Messages that blocked the process: counted in their rows by the watchdog, while the process itself can write nothing. */
import type { Engine } from '../../engine.ts'
import { guardPlan, rowsOf } from '../../query.ts'
import { byLiveId } from './live-partition.ts'

/** Undefined when the message has ended. */
export async function countStalls(engine: Engine, messageId: string): Promise<number | undefined> {
  const [, result] = await engine.batch([
    guardPlan,
    {
      text: `select coalesce(stalls, 0) as stalls from messages_live where ${byLiveId('id', '$1')}`,
      values: [messageId],
    },
  ])
  return rowsOf<{ stalls: number }>(result)[0]?.stalls
}

/** May be repeated: `stalls` is the total. */
export async function recordStalls(
  engine: Engine,
  messageId: string,
  { stalls, activity }: { stalls: number; activity: string },
): Promise<void> {
  await engine.batch([
    guardPlan,
    {
      text: `update messages_live set stalls = greatest(stalls, $2), stalled_in = $3
          where ${byLiveId('id', '$1')}`,
      values: [messageId, stalls, activity],
    },
  ])
}

/** Withdraws a stall that ended before the threshold. Returns the remaining number. */
export async function withdrawStall(engine: Engine, messageId: string): Promise<number> {
  const [, result] = await engine.batch([
    guardPlan,
    {
      text: `update messages_live set stalls = nullif(stalls - 1, 0)
          where ${byLiveId('id', '$1')} and stalls > 0 returning stalls`,
      values: [messageId],
    },
  ])
  return rowsOf<{ stalls: number | null }>(result)[0]?.stalls ?? 0
}
