/** /bulk: a job is created, filled with users, run, and watched. */
import { randomUUID } from 'node:crypto'
import { type BulkJob, type BulkMessage, BulkUser, bulkUsersPage, type MessageSend } from '@postrider/contract'
import { CallerError, invalidRequest, notFound, unavailable } from '../../../base/errors.ts'
import { childId } from '../../../base/ids.ts'
import { isObject, merge } from '../../../base/json/json.ts'
import { createOneAtATime } from '../../../base/keyed-lock.ts'
import { compileLiberalCheck } from '../../../base/schema/check.ts'
import { maskTokens } from '../../../base/secret.ts'
import { ConflictError, isDuplicate } from '../../../database/engine.ts'
import {
  addUsers,
  type BulkUserRow,
  findJob,
  type JobRow,
  listBulkUsers,
  runJob,
  usersAmong,
} from '../../../database/tables/messages/bulk-jobs.ts'
import { messagesAmong } from '../../../database/tables/messages/messages.ts'
import { readDelay, readMessage } from '../../../messages/accept/read-send.ts'
import { inputText } from '../../../messages/message-row.ts'
import type { OwnInput, SharedInput } from '../../../messages/send.ts'
import type { RequestTargets } from '../../../recipients/fan-out-request.ts'
import { readUser } from '../../../recipients/read-recipients.ts'
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
    const { message } = body
    const read = readJob(message, ctx.now)
    if (read.shared.content) checkContent(read.shared.content)
    // Its users come later.
    const planned = { shared: read.shared, targets: [], notBefore: undefined }
    if (ctx.strict) await refuseProblemsOfMany(jobWarnings(body), planned, ctx)
    const addressing = { targets: [{ kind: 'bulk' }] as const, ...read.addressing, definition: message }
    return request(ctx, { kind: 'bulk', shared: read.shared, addressing }, (jobId) => success('bulk.create', { jobId }))
  },
  'bulk.ingest': {
    inTurn: ({ params }, run) => ofOneJob(params.job_id, run),
    handle: async ({ params: { job_id }, body: { users } }, ctx) => {
      const { entries, unfit } = readUsers(users)
      const { app, caller } = ctx
      const { database } = app
      const recipients = entries.map(({ own }) => own.recipient)
      const taken = await usersAmong(database, caller.workspaceId, job_id, recipients)
      const { fresh, refused } = withoutDuplicates(entries, taken)
      const errors = [...unfit, ...refused.map(({ user }) => ({ error: 'Duplicate user', user: { ...user } }))]
      const rows = fresh.map(({ user, own }) => ({
        recipient: own.recipient,
        input: inputText(database.tokens, caller.workspaceId, own),
        given: JSON.stringify(database.tokens.encrypt(caller.workspaceId, user)),
      }))
      return {
        reply: success('bulk.ingest', { total: fresh.length, errors }),
        writes: addUsers(caller.workspaceId, job_id, rows),
        async onConflict(error) {
          if (isDuplicate(error)) return retry('The users of the job are being added by others')
          if (!(error instanceof ConflictError)) return undefined
          return (await isThere(ctx, job_id)) ? alreadyRun() : notFound()
        },
      }
    },
  },
  'bulk.run': async ({ params: { job_id } }, ctx) => {
    const { app, caller, now } = ctx
    const { targets } = await jobOf(ctx, job_id)
    return {
      reply: success('bulk.run', { status: 'ACCEPTED' }),
      writes: runJob(caller.workspaceId, job_id, timed(targets, now), now),
      onConflict: otherwise(alreadyRun),
      afterCommit: () => app.fanOut.wake(),
    }
  },
  'bulk.get': async ({ params: { job_id } }, ctx) => success('bulk.get', { job: jobRecord(await jobOf(ctx, job_id)) }),
  'bulk.getRun': async ({ params: { job_id } }, ctx) =>
    success('bulk.getRun', { job: jobRecord(await jobOf(ctx, job_id)) }),
  'bulk.users': async ({ params: { job_id }, query: { cursor, limit = bulkUsersPage } }, ctx) => {
    const job = await jobOf(ctx, job_id)
    const { database, secretKey } = ctx.app
    const page = await listBulkUsers(
      database,
      { workspaceId: ctx.caller.workspaceId, id: job_id },
      cursor,
      limit,
      PAGE_BYTES_MAX,
    )
    const secret = secretKey.derive('fan-out')
    const ids = page.rows.map(({ recipient }) => childId(secret, job_id, recipient))
    const made = new Set(await messagesAmong(database, ctx.caller.workspaceId, ids))
    const done = expandedTo(job)
    return success('bulk.users', {
      items: page.rows.map((row, n) => record(row, ids[n] ?? '', made, done)),
      paging: paging(page),
    })
  },
} satisfies ResourceHandlers<'bulk'>

function jobRecord({ targets, received, enqueued, failures, status }: JobRow): BulkJob {
  const definition = maskTokens((JSON.parse(targets) as { definition?: Record<string, unknown> }).definition ?? {})
  return { definition, received, enqueued, failures, status: status as BulkJob['status'] }
}

interface Entry {
  user: BulkUser
  own: OwnInput
}

const readUserBody = compileLiberalCheck(BulkUser, 'user') as (value: unknown) => BulkUser

/** Those that can be sent to, and why the others cannot. */
function readUsers(users: readonly Record<string, unknown>[]) {
  const entries: Entry[] = []
  const unfit: { error: string; user: Record<string, unknown> }[] = []
  for (const user of users) {
    try {
      const read = readUserBody(user)
      entries.push({ user: read, own: ownOf(read) })
    } catch (error) {
      if (!(error instanceof CallerError)) throw error
      unfit.push({ error: error.message, user })
    }
  }
  return { entries, unfit }
}

/** The first of equal entries is added. */
function withoutDuplicates(entries: readonly Entry[], taken: Set<string>): { fresh: Entry[]; refused: Entry[] } {
  const seen = new Set(taken)
  const fresh: Entry[] = []
  const refused: Entry[] = []
  for (const entry of entries) {
    if (seen.has(entry.own.recipient)) refused.push(entry)
    else fresh.push(entry)
    seen.add(entry.own.recipient)
  }
  return { fresh, refused }
}

const isThere = async ({ app, caller }: CallContext, id: string) =>
  (await findJob(app.database, caller.workspaceId, id)) !== undefined

async function jobOf({ app, caller }: CallContext, id: string): Promise<JobRow> {
  const job = await findJob(app.database, caller.workspaceId, id)
  if (!job) throw notFound()
  return job
}

/** The targets of a job that is run now. */
function timed(targets: string, now: number): string {
  const addressing = JSON.parse(targets) as RequestTargets
  const { notBefore } = readDelay(addressing.delay, now)
  return notBefore === undefined ? targets : JSON.stringify({ ...addressing, notBefore })
}

/** The position of the last user whose turn has been. */
function expandedTo({ status, progress }: JobRow): number {
  if (status === 'COMPLETED') return Number.POSITIVE_INFINITY
  const { after }: { after?: unknown } = progress ? JSON.parse(progress) : {}
  return typeof after === 'number' ? after : 0
}

function record({ position, recipient, given }: BulkUserRow, id: string, made: ReadonlySet<string>, done: number) {
  const isMade = made.has(id)
  const stated = Object.entries(JSON.parse(given) as Record<string, unknown>).filter(([, value]) => value !== null)
  return {
    ...maskTokens(Object.fromEntries(stated)),
    recipient,
    status: isMade ? ('ENQUEUED' as const) : position <= done ? ('ERROR' as const) : ('PENDING' as const),
    ...(isMade && { messageId: id }),
  }
}

/** Either generation, or the second one level down. */
function readJob(given: BulkMessage, now: number) {
  const message = { ...given, ...given.message } as BulkMessage
  const { event, template, content } = message
  if (!event && !template && !content)
    throw invalidRequest("The 'event' parameter is required.", { code: 'missing_field', param: 'message.event' })
  const { shared, marks } = readMessage({
    ...message,
    to: {},
    template: template ?? (content ? null : event),
  } as MessageSend)
  // Looked at now, for its faults and its hours; how long it waits counts from its run.
  const { openingHours } = readDelay(message.delay, now)
  const override = merge(given.override ?? {}, shared.override)
  const { template: _stated, ...nameless } = shared
  const whole: SharedInput = {
    ...nameless,
    ...(event && { event }),
    ...(template && !content && { template }),
    ...(given.brand && { brand: given.brand }),
    ...(Object.keys(override).length > 0 && { override }),
    ...(openingHours && { openingHours }),
  }
  const locales = isObject(given.locale) ? (given.locale as Record<string, Record<string, unknown>>) : undefined
  return {
    shared: whole,
    addressing: { marks, ...(message.delay && { delay: message.delay }), ...(locales && { locales }) },
  }
}

/** `to` and the flat keys of older clients; what is said of the user itself beats `to`. */
function ownOf({ recipient, user_id, email, profile, data, preferences, to }: BulkUser): OwnInput {
  const id = recipient || user_id || to?.user_id
  const own = to ? readUser({ ...to, user_id: id ?? null }) : undefined
  const contacts = merge(own?.profile ?? {}, { ...(email ? { email } : {}), ...(isObject(profile) ? profile : {}) })
  if (!id && Object.keys(contacts).length === 0) throw invalidRequest('The user has neither an id nor an address')
  return {
    ...own,
    recipient: id ? String(id) : (own?.recipient ?? `anon_${randomUUID()}`),
    ...(Object.keys(contacts).length > 0 && { profile: contacts }),
    ...(data && { data: { ...own?.data, ...data } }),
    ...(preferences && { preferences }),
  }
}
