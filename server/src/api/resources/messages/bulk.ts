/** /bulk: a job is created, filled with users, run, watched, and canceled. */
import { type BulkUserForecast, bulkJobsPage, bulkUsersPage, type DecisionCode } from '@postrider/contract'
import { CallerError, invalidRequest, notFound, unavailable } from '../../../base/errors.ts'
import { textsOf } from '../../../base/finding.ts'
import { childId } from '../../../base/ids.ts'
import { createKeyedLock } from '../../../base/keyed-lock.ts'
import {
  jobRecord,
  jobSummary,
  newBulkUser,
  type ReadUser,
  readJob,
  readUsers,
  startedTargets,
  userRecord,
  withoutDuplicates,
} from '../../../bulk/job.ts'
import { userMistakes } from '../../../bulk/user-mistakes.ts'
import { ConflictError, isDuplicate } from '../../../database/engine.ts'
import {
  addUsers,
  findJob,
  type JobRow,
  listBulkUsers,
  listJobs,
  runJob,
  usersAmong,
} from '../../../database/tables/messages/bulk-jobs.ts'
import { messagesAmong } from '../../../database/tables/messages/messages.ts'
import { requestCancel } from '../../../database/tables/messages/requests.ts'
import { readDelay } from '../../../messages/accept/read-send.ts'
import { jobMistakes, keptMistakes } from '../../../messages/accept/send-mistakes.ts'
import { completed } from '../../../messages/send.ts'
import type { Forecast } from '../../../messages/timeline/forecast.ts'
import { localized } from '../../../recipients/sources.ts'
import { auditEvent } from '../../audit.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { requireSender } from '../../key-kinds.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'
import { checkSendToMany } from '../../strict-sends.ts'
import { warn } from '../../warnings.ts'
import { checkContent, request } from './send.ts'

const alreadyRun = () => invalidRequest('Job has already been run', { code: 'job_already_run' })
const tooLate = () => new CallerError('too_late_to_cancel', 'The job has ended')

/** Why a job takes no users and cannot be run. */
const closed = ({ status }: JobRow) =>
  status === 'CANCELED' ? invalidRequest('The job was canceled', { code: 'job_canceled' }) : alreadyRun()

/** Calls for one job wait for each other at its row; waiting here holds no connection. */
const ofOneJob = createKeyedLock(() => unavailable('Too many calls add users to this job'))

/** More of them say nothing that the first ones do not. */
const PROBLEMS_MAX = 20

/** The size of one page; a single user may have more. */
const PAGE_BYTES_MAX = 1_048_576

export const bulk = {
  'bulk.list': async ({ query: { status, cursor, limit = bulkJobsPage } }, { app, caller }) => {
    const page = await listJobs(app.database, caller.workspaceId, status, cursor, limit)
    return success('bulk.list', { items: page.rows.map(jobSummary), paging: paging(page) })
  },
  'bulk.create': async ({ body }, ctx) => {
    const { shared: sharedPart, addressing } = readJob(body.message, ctx.now)
    if (sharedPart.content) checkContent(sharedPart.content)
    const mistakes = jobMistakes(body, ctx.now)
    warn(ctx, ...textsOf(mistakes))
    const shared = { ...sharedPart, ...keptMistakes(mistakes) }
    await checkSendToMany({ shared, targets: [], notBefore: undefined }, ctx)
    return request(ctx, { kind: 'bulk', shared, addressing }, (jobId) => success('bulk.create', { jobId }))
  },
  'bulk.explain': async ({ body }, ctx) => {
    const { shared, addressing } = readJob(body.message, ctx.now)
    if (shared.content) checkContent(shared.content)
    const { read, unfit } = readUsers(body.users)
    const { fresh, duplicates } = withoutDuplicates(read, new Map())
    const { notBefore } = readDelay(addressing.delay, ctx.now)
    const delayed = notBefore === undefined ? {} : { notBefore }
    // Without users, one without a profile stands for all of them.
    const recipients = fresh.length > 0 ? fresh.map(({ ownInput }) => ownInput) : [{ recipient: '' }]
    const sends = recipients.map((ownInput) => ({
      input: completed(shared, localized(ownInput, addressing.locales)),
      ...delayed,
    }))
    const { workspaceId, mode } = ctx.caller
    const forecasts = await ctx.app.pipeline.forecasts(workspaceId, mode, sends)
    const errors = [...unfit, ...duplicates].map(({ at, error }) => ({ user: at, error }))
    return success('bulk.explain', {
      ...jobForecast(forecasts),
      warnings: [...textsOf(jobMistakes(body, ctx.now)), ...userMistakes(body.users ?? [])],
      users: fresh.map((user, n) => userForecast(user, forecasts[n] as Forecast)),
      errors: errors.toSorted((left, right) => left.user - right.user),
    })
  },
  'bulk.ingest': {
    serialized: ({ params }, run) => ofOneJob(params.job_id, run),
    handle: async ({ params: { job_id }, body: { users } }, ctx) => {
      const { database } = ctx.app
      const { workspaceId, mode } = ctx.caller
      if (mode !== 'live') await sentJobOf(ctx, job_id)
      warn(ctx, ...userMistakes(users))
      const { read, unfit } = readUsers(users)
      const recipients = read.map(({ ownInput }) => ownInput.recipient)
      const inJob = await usersAmong(database, workspaceId, job_id, recipients)
      const { fresh, duplicates } = withoutDuplicates(read, inJob)
      const rows = fresh.map((user) => newBulkUser(database.tokens, workspaceId, user))
      const errors = [...unfit, ...duplicates].map(({ error, user }) => ({ error, user }))
      return {
        reply: success('bulk.ingest', { total: fresh.length, errors }),
        writes: addUsers(workspaceId, job_id, rows),
        async onConflict(error) {
          if (isDuplicate(error)) return retry('The users of the job are being added by others')
          if (!(error instanceof ConflictError)) return undefined
          const job = await findJob(database, workspaceId, job_id)
          return job ? closed(job) : notFound()
        },
      }
    },
  },
  'bulk.run': async ({ params: { job_id } }, ctx) => {
    const { app, caller, now } = ctx
    const { targets } = await sentJobOf(ctx, job_id)
    return {
      reply: success('bulk.run', { status: 'ACCEPTED' }),
      writes: runJob(caller.workspaceId, job_id, startedTargets(targets, now), now),
      onConflict: otherwise(async () => closed(await jobOf(ctx, job_id))),
      afterCommit: () => app.jobs.wake('fan-out'),
    }
  },
  'bulk.cancel': async ({ params: { job_id } }, ctx) => {
    const job = await sentJobOf(ctx, job_id)
    const reply = success('bulk.cancel', { job: { ...jobRecord(job), status: 'CANCELED' } })
    if (job.status === 'CANCELED') return reply
    if (job.status !== 'CREATED' && job.status !== 'PROCESSING') throw tooLate()
    return {
      reply,
      writes: [
        requestCancel(ctx.caller.workspaceId, 'bulk', job_id, { by: ctx.caller.name, now: ctx.now }),
        auditEvent('bulk:canceled', job_id, ctx),
      ],
      afterCommit: () => ctx.app.jobs.wake('fan-out'),
      // It has ended meanwhile, or another call has canceled it.
      onConflict: otherwise(() => retry('The job is being changed by others')),
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
    return success('bulk.users', {
      items: users.map(({ row, messageId }) => userRecord(row, existing.has(messageId) ? messageId : undefined, job)),
      paging: paging(page),
    })
  },
} satisfies ResourceHandlers<'bulk'>

/** The part of the reply that all users share. */
function jobForecast(forecasts: readonly Forecast[]) {
  const [first] = forecasts
  const { status, code, error = '' } = first ?? {}
  const isStopped = status !== undefined && code !== undefined && MAPPING_CODES.has(code)
  return {
    ...(isStopped && { stopped: { status, code, error } }),
    problems: [...new Set(forecasts.flatMap(({ problems }) => problems))].slice(0, PROBLEMS_MAX),
  }
}

/** The event or the template stops the messages of all users. */
const MAPPING_CODES: ReadonlySet<DecisionCode> = new Set([
  'event_unknown',
  'template_unknown',
  'notification_unpublished',
])

function userForecast(
  { at, ownInput }: ReadUser,
  { status, reason, code, error, due_at, calls, missing, unusable }: Forecast,
): BulkUserForecast {
  return {
    ...{ user: at, recipient: ownInput.recipient, status },
    ...(reason !== undefined && { reason }),
    ...(code !== undefined && { code }),
    ...(error !== undefined && { error }),
    ...(due_at !== undefined && { due_at }),
    deliveries: calls,
    ...(missing.length > 0 && { missing }),
    ...(unusable.length > 0 && { unusable }),
  }
}

/** A job that the caller may change. */
async function sentJobOf(ctx: CallContext, id: string): Promise<JobRow> {
  const job = await jobOf(ctx, id)
  requireSender(ctx.caller, job)
  return job
}

async function jobOf({ app, caller }: CallContext, id: string): Promise<JobRow> {
  const job = await findJob(app.database, caller.workspaceId, id)
  if (!job) throw notFound()
  return job
}
