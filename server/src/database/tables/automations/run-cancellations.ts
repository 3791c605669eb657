/** Canceling runs, by id and by token: from here on nothing that a worker finds out about them is written. */
import type { Statement } from '../../engine.ts'
import { expectRows } from '../../query.ts'
import { LIST_SOURCE } from './live-runs.ts'

const OVER = `status = 'CANCELED', due_at = null, lease = null`

/** The current step of a canceled run is canceled too. */
const STEP_OVER = `update run_steps s set status = 'CANCELED', updated = $1`

/** The run $2, $3 and the runs of its lists, if in progress. */
const WITH_LISTS = `ids as materialized (
    select id from runs where workspace_id = $2 and id = $3 and due_at is not null
    union all select id from runs
      where workspace_id = $2 and lane = 2 and source[1] = '${LIST_SOURCE}' || $3 and due_at is not null)`

const lockLists = `with ${WITH_LISTS} select $1::bigint from runs where id in (select id from ids) order by id for update`

/** With the runs of its lists, which go on when it has ended. False when all of them are over, or there is none. */
export function cancelRun(workspaceId: number, id: string, now: number): Statement[] {
  const text = `with ${WITH_LISTS}, steps as (
      ${STEP_OVER} where run_id in (select id from ids) and status in ('WAITING', 'PROCESSING'))
    update runs set ${OVER}, updated = $1 where id in (select id from ids)`
  const values = [now, workspaceId, id]
  return [{ text: lockLists, values }, expectRows({ text, values })]
}

/**
 * Cancels every other run in progress with the token, in one statement: afterwards no worker can commit a step of them.
 * The result of the canceling step has their number.
 */
export const tokenCancellation = (
  { workspaceId, mode, token }: { workspaceId: number; mode: string; token: string },
  by: { runId: string; position: number },
  now: number,
): Statement => ({
  text: `with c as (
      update runs set ${OVER}, updated = $1
      where workspace_id = $2 and cancelation_token = $3 and id <> $4 and mode = $5 and due_at is not null returning id),
    told as (
      update run_steps set result = (result::jsonb || jsonb_build_object('canceled', (select count(*) from c)))::text
      where run_id = $4 and position = $6)
    ${STEP_OVER} from c where s.run_id = c.id and s.status in ('WAITING', 'PROCESSING')`,
  values: [now, workspaceId, token, by.runId, mode, by.position],
  name: 'cancel-runs-by-token',
})

/** Locks the runs in one order before a cancellation: two runs that cancel each other wait instead of deadlocking. */
export const tokenLock = (workspaceId: number, mode: string, token: string, own: string): Statement => ({
  text: `with held as materialized (
      select id from runs where workspace_id = $1 and cancelation_token = $2 and mode = $4 and due_at is not null
      union select $3)
    select 1 from runs where id in (select id from held) order by id for update`,
  values: [workspaceId, token, own, mode],
  name: 'lock-runs-by-token',
})
