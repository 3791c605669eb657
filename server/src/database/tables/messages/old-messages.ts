/** Retention of messages in weeks that are kept, beside one that waits or has ended late. */
import { timedIdFloor } from '../../../base/ids.ts'
import type { Engine } from '../../engine.ts'
import { weekStart } from '../../partitions.ts'
import { guardPlan } from '../../query.ts'

// Accepted in a week that is over, and ended. In the order of their ids, in which others lock them.
const removal = `with old as materialized (
    select id from messages_final where id > $1 and id < $2 and greatest(first_due, sent, canceled_at) < $3
    order by id limit $4 for update skip locked),
  h as (delete from history where message_id in (select id from old)),
  m as (delete from mailbox b using old where b.id >= old.id || '-' and b.id < old.id || '.')
  delete from messages_final where id in (select id from old) returning id`

/** Deletes a bounded slice of old messages at a call, with their history and mailbox; resolves with how many. */
export function createMessageRemoval(engine: Engine, oldest: () => number): (limit: number) => Promise<number> {
  let after = ''
  return async (limit) => {
    const before = oldest()
    const values = [after, timedIdFloor(weekStart(before)), before, limit]
    const [, removed] = await engine.batch([guardPlan, { text: removal, values }])
    const ids = (removed?.rows ?? []).map(({ id }) => String(id)).sort()
    // Those that are kept are not read again for each slice.
    after = ids.length === limit ? (ids.at(-1) ?? '') : ''
    return ids.length
  }
}
