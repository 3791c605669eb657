/** The checks of a submission of a notification, written and read as a whole. */
import type { Engine } from '../engine.ts'
import { affected, firstRow, query } from '../query.ts'

export interface SubmissionPlace {
  workspaceId: number
  notificationId: string
  submissionId: string
}

export async function findChecks(engine: Engine, place: SubmissionPlace): Promise<unknown[] | undefined> {
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

/** Whatever was there before. */
export async function putChecks(
  engine: Engine,
  { workspaceId, notificationId, submissionId }: SubmissionPlace,
  checks: readonly unknown[],
  now: number,
): Promise<void> {
  const change = { checks: JSON.stringify(checks), updated: now }
  const insert = query
    .insertInto('notification_checks')
    .values({ workspace_id: workspaceId, notification_id: notificationId, submission_id: submissionId, ...change })
  await affected(
    engine,
    insert.onConflict((conflict) =>
      conflict.columns(['workspace_id', 'notification_id', 'submission_id']).doUpdateSet(change),
    ),
  )
}

/** False when there were none. */
export async function deleteChecks(engine: Engine, place: SubmissionPlace): Promise<boolean> {
  const removal = query
    .deleteFrom('notification_checks')
    .where('workspace_id', '=', place.workspaceId)
    .where('notification_id', '=', place.notificationId)
    .where('submission_id', '=', place.submissionId)
  return (await affected(engine, removal)) > 0
}
