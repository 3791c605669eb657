/** Retention in weeks that are kept, beside a message that waits or has ended late. */
import { timedIdFloor } from '../../../base/ids.ts'
import type { Engine, Statement } from '../../engine.ts'
import { weekStart } from '../../partitions.ts'
import { guardPlan } from '../../query.ts'

// Accepted in a week that is over, and ended. In the order of their ids, in which others lock them.
const messageRemoval = `with old as materialized (
    select id from messages_final where id > $1 and id < $2 and greatest(first_due, sent, canceled_at) < $3
    order by id limit $4 for update skip locked),
  h as (delete from history where message_id in (select id from old)),
  m as (delete from mailbox b using old where b.id >= old.id || '-' and b.id < old.id || '.')
  delete from messages_final where id in (select id from old) returning id`

const deliveryRemoval = `delete from webhook_deliveries where id in (
    select id from webhook_deliveries where id < $1 and due_at is null order by id limit $2 for update skip locked)`

// One that is over, whose messages are gone: what they share is read until then.
const requestRemoval = `with old as materialized (
    select id from requests q where id < $1 and due_at is null and status in ('COMPLETED', 'ERROR')
      and greatest(created, not_before, stopped_at) < $2
      and not exists (select from messages m where m.workspace_id = q.workspace_id and m.request_id = q.id)
      and not exists (select from messages m where m.workspace_id = q.workspace_id and m.job_id = q.id)
    order by id limit $3 for update skip locked),
  u as (delete from bulk_users where job_id in (select id from old))
  delete from requests where id in (select id from old)`

/**
 * Deletes a bounded slice at a call: old messages with their history and mailbox, calls of webhooks, and requests with the
 * users of their jobs. Resolves with the most rows that one of them took.
 */
export function createMessageRemoval(engine: Engine, oldest: () => number): (limit: number) => Promise<number> {
  let after = ''
  return async (limit) => {
    const before = oldest()
    const week = timedIdFloor(weekStart(before))
    const statements: Statement[] = [
      { text: messageRemoval, values: [after, week, before, limit] },
      { text: deliveryRemoval, values: [week, limit] },
      { text: requestRemoval, values: [week, before, limit] },
    ]
    const [, messages, ...others] = await engine.batch([guardPlan, ...statements])
    const ids = (messages?.rows ?? []).map(({ id }) => String(id)).sort()
    // Those that are kept are not read again for each slice.
    after = ids.length === limit ? (ids.at(-1) ?? '') : ''
    return Math.max(ids.length, ...others.map(({ affected }) => affected))
  }
}
