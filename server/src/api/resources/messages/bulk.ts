/** /bulk: a job is created, filled with users, run, and watched. */
import { bulkUsersPage } from '@postrider/contract'
import { invalidRequest, notFound, unavailable } from '../../../base/errors.ts'
import { childId } from '../../../base/ids.ts'
import { createOneAtATime } from '../../../base/keyed-lock.ts'
import { jobRecord, readJob, startedTargets } from '../../../bulk/job.ts'
import { expandedTo, newBulkUser, readUsers, userRecord, withoutDuplicates } from '../../../bulk/users.ts'
import { ConflictError, isDuplicate } from '../../../database/engine.ts'
import {
  addUsers,
  findJob,
  type JobRow,
  listBulkUsers,
  runJob,
  usersAmong,
} from '../../../database/tables/messages/bulk-jobs.ts'
import { messagesAmong } from '../../../database/tables/messages/messages.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'
import { jobWarnings, refuseProblemsOfMany } from '../../strict-sends.ts'
import { checkContent, request } from './send.ts'

const alreadyRun = () => invalidRequest('Job has already been run', { code: 'job_already_run' })

/** Calls for one job wait for each other at its row; waiting here holds no connection. */
const ofOneJob = createOneAtATime(() => unavailable('Too many calls add users to this job'))

/** The size of one page; a single user may have more. */
const PAGE_BYTES_MAX = 1_048_576

export const bulk = {
  'bulk.create': async ({ body }, ctx) => {
    const { shared, addressing } = readJob(body.message, ctx.now)
    if (shared.content) checkContent(shared.content)
    if (ctx.strict) await refuseProblemsOfMany(jobWarnings(body), { shared, targets: [], notBefore: undefined }, ctx)
    return request(ctx, { kind: 'bulk', shared, addressing }, (jobId) => success('bulk.create', { jobId }))
  },
  'bulk.ingest': {
    inTurn: ({ params }, run) => ofOneJob(params.job_id, run),
    handle: async ({ params: { job_id }, body: { users } }, ctx) => {
      const { database } = ctx.app
      const { workspaceId } = ctx.caller
      const { read, unfit } = readUsers(users)
      const recipients = read.map(({ own }) => own.recipient)
      const inJob = await usersAmong(database, workspaceId, job_id, recipients)
      const { fresh, duplicates } = withoutDuplicates(read, inJob)
      const rows = fresh.map((user) => newBulkUser(database.tokens, workspaceId, user))
      return {
        reply: success('bulk.ingest', { total: fresh.length, errors: [...unfit, ...duplicates] }),
        writes: addUsers(workspaceId, job_id, rows),
        async onConflict(error) {
          if (isDuplicate(error)) return retry('The users of the job are being added by others')
          if (!(error instanceof ConflictError)) return undefined
          return (await findJob(database, workspaceId, job_id)) ? alreadyRun() : notFound()
        },
      }
    },
  },
  'bulk.run': async ({ params: { job_id } }, ctx) => {
    const { app, caller, now } = ctx
    const { targets } = await jobOf(ctx, job_id)
    return {
      reply: success('bulk.run', { status: 'ACCEPTED' }),
      writes: runJob(caller.workspaceId, job_id, startedTargets(targets, now), now),
      onConflict: otherwise(alreadyRun),
      afterCommit: () => app.fanOut.wake(),
    }
  },
  'bulk.get': async ({ params: { job_id } }, ctx) => success('bulk.get', { job: jobRecord(await jobOf(ctx, job_id)) }),
  'bulk.getRun': async ({ params: { job_id } }, ctx) =>
    success('bulk.getRun', { job: jobRecord(await jobOf(ctx, job_id)) }),
  'bulk.users': async ({ params: { job_id }, query: { cursor, limit = bulkUsersPage } }, ctx) => {
    const { workspaceId } = ctx.caller
    const { database, secretKey } = ctx.app
    const job = await jobOf(ctx, job_id)
    const page = await listBulkUsers(database, { workspaceId, id: job_id }, cursor, limit, PAGE_BYTES_MAX)
    const secret = secretKey.derive('fan-out')
    const users = page.rows.map((row) => ({ row, messageId: childId(secret, job_id, row.recipient) }))
    const ids = users.map(({ messageId }) => messageId)
    const existing = new Set(await messagesAmong(database, workspaceId, ids))
    const done = expandedTo(job)
    return success('bulk.users', {
      items: users.map(({ row, messageId }) => userRecord(row, existing.has(messageId) ? messageId : undefined, done)),
      paging: paging(page),
    })
  },
} satisfies ResourceHandlers<'bulk'>

async function jobOf({ app, caller }: CallContext, id: string): Promise<JobRow> {
  const job = await findJob(app.database, caller.workspaceId, id)
  if (!job) throw notFound()
  return job
}
