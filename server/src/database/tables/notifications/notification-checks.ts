/** The checks of a submission of a notification, written and read as a whole. */
import { timedId } from '../../../base/ids.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, statement } from '../../query.ts'
import { outboxInsert, outboxInsertFrom } from '../webhooks/webhook-outbox.ts'

export interface SubmissionPlace {
  workspaceId: number
  notificationId: string
  submissionId: string
}

export async function findChecks(engine: Reader, place: SubmissionPlace): Promise<unknown[] | undefined> {
  const found = await firstRow(
    engine,
    query
      .selectFrom('notification_checks')
      .select('checks')
      .where('workspace_id', '=', place.workspaceId)
      .where('notification_id', '=', place.notificationId)
      .where('submission_id', '=', place.submissionId),
  )
  return found?.checks
}

// `xmax` is not 0 for an updated row.
const putText = `with put as (
    insert into notification_checks (workspace_id, notification_id, submission_id, checks, updated)
    values ($1::smallint, $2, $3, $4::jsonb, $5::bigint)
    on conflict (workspace_id, notification_id, submission_id)
      do update set checks = excluded.checks, updated = excluded.updated
    returning workspace_id, notification_id, submission_id, xmax = 0 as is_first
  )
  ${outboxInsertFrom(`(
    select $6::text as id, workspace_id, 'notification:submitted' as type, null::text as message_id, $5::bigint as at,
      json_build_object('id', notification_id, 'submission_id', submission_id)::text as payload
    from put where is_first
  ) a`)}`

/** Creates or replaces the checks. */
export function putChecks(
  { workspaceId, notificationId, submissionId }: SubmissionPlace,
  checks: readonly unknown[],
  now: number,
): Statement[] {
  const values = [workspaceId, notificationId, submissionId, JSON.stringify(checks), now, timedId(now)]
  return [{ text: putText, values, name: 'put-checks' }]
}

/** Must affect a row; affects none when there were none. */
export function deleteChecks(place: SubmissionPlace, now: number): Statement[] {
  const { workspaceId, notificationId, submissionId } = place
  const removal = query
    .deleteFrom('notification_checks')
    .where('workspace_id', '=', workspaceId)
    .where('notification_id', '=', notificationId)
    .where('submission_id', '=', submissionId)
  const data = { id: notificationId, submission_id: submissionId, canceled_at: now }
  const announcement = outboxInsert([{ workspaceId, type: 'notification:submission_canceled', data }], now)
  return [expectRows(statement(removal)), announcement]
}
