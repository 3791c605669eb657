/** /messages/replay: messages that are sent again, after a dry run that counts them. */
import {
  type InputOf,
  type Replay,
  type ReplayPlan,
  type replayExclusions,
  replayMessagesMax,
  replayRateDefault,
} from '@postrider/contract'
import { CallerError, conflict, invalidField, invalidRequest, notFound } from '../../../base/errors.ts'
import { timedId } from '../../../base/ids.ts'
import { MINUTE } from '../../../base/time/duration.ts'
import { messagesAmong } from '../../../database/tables/messages/messages.ts'
import {
  countReplayable,
  findReplay,
  type LaterExclusion,
  onlyReplay,
  originalsInsert,
  type ReplayChoice,
  replayInProgress,
  replaySummaries,
} from '../../../database/tables/messages/replays.ts'
import { requestCancel } from '../../../database/tables/messages/requests.ts'
import { type ReplayProgress, type RequestTargets, requestWrite } from '../../../recipients/fan-out-request.ts'
import { auditEvent } from '../../audit.ts'
import { type CallContext, success } from '../../call.ts'
import { messageFilter } from '../../message-filter.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

type Body = InputOf<'replays.create'>['body']

/** A screen of them. */
const MESSAGES_SHOWN = 20
const EXCLUDED_SHOWN = 10

export const replays = {
  'replays.create': async ({ body }, ctx) => {
    const { app, caller, now } = ctx
    const choice = choiceOf(body, now)
    const isDryRun = body.dry_run ?? body.confirm === undefined
    if (!isDryRun && body.confirm === undefined)
      throw invalidField('confirm', 'must be `replayable` of a dry run when `dry_run` is false')
    const running = isDryRun ? undefined : await replayInProgress(app.database, caller.workspaceId)
    if (running !== undefined) throw inProgress(running)
    const plan = await planOf(ctx, choice, body)
    if (isDryRun) return success('replays.create', { dry_run: true, ...plan })
    const { replayable, set, rate_per_minute: ratePerMinute } = plan
    if (replayable !== body.confirm) throw countChanged(replayable, body.confirm)
    if (body.set !== undefined && set !== body.set) throw setChanged()
    const id = timedId(now)
    const { workspaceId, mode } = caller
    const request = {
      ...{ id, workspaceId, mode, kind: 'replay' as const, created: now, received: replayable },
      source: caller.name,
      shared: { event: '' },
      addressing: { targets: [{ kind: 'replay' as const }], ratePerMinute },
    }
    const originals = { requestId: id, confirmed: replayable, set }
    return {
      reply: success('replays.create', { dry_run: false, id, ...plan }),
      writes: [
        ...onlyReplay(workspaceId),
        requestWrite(app.database.tokens, request),
        await originalsInsert(app.database, workspaceId, choice, originals),
        auditEvent('replay:started', id, ctx),
      ],
      onConflict: otherwise(async () => {
        const other = await replayInProgress(app.database, workspaceId)
        // Messages that ended meanwhile are counted again.
        return other === undefined ? retry('The messages are being changed by others') : inProgress(other)
      }),
      afterCommit: () => app.jobs.wake('fan-out'),
    }
  },
  'replays.get': async ({ params: { replay_id } }, ctx) => success('replays.get', await replayOf(ctx, replay_id)),
  'replays.cancel': async ({ params: { replay_id } }, ctx) => {
    const replay = await replayOf(ctx, replay_id)
    if (replay.status === 'CANCELED') return success('replays.cancel', replay)
    const tooLate = () => new CallerError('too_late_to_cancel', 'The replay has ended')
    if (replay.status !== 'PROCESSING') throw tooLate()
    return {
      reply: success('replays.cancel', { ...replay, status: 'CANCELED' }),
      writes: [requestCancel(ctx.caller.workspaceId, 'replay', replay_id, { by: ctx.caller.name, now: ctx.now })],
      afterCommit: () => ctx.app.jobs.wake('fan-out'),
      onConflict: otherwise(tooLate),
    }
  },
} satisfies ResourceHandlers<'replays'>

const countChanged = (replayable: number, confirmed: number | undefined) =>
  conflict(
    'count_changed',
    `${replayable} messages can be replayed now, not ${confirmed}. Repeat the dry run, or narrow the filter by enqueued_before.`,
    'confirm',
  )

const setChanged = () =>
  conflict(
    'count_changed',
    'As many messages can be replayed as in the dry run, but not the same ones. Repeat the dry run.',
    'set',
  )

const inProgress = (id: string) =>
  conflict('conflict', `The replay ${id} is in progress. Wait until it has ended, or cancel it.`)

/** Throws a 400. An empty filter would send everything again. */
function choiceOf({ filter, message_ids, include_replayed = false }: Body, now: number): ReplayChoice {
  const shared = { before: now, includesReplayed: include_replayed }
  if (message_ids) {
    if (filter) throw invalidField('message_ids', 'must not be given beside `filter`')
    return { ids: [...new Set(message_ids)], ...shared }
  }
  const { tags = [], ...conditions } = messageFilter(filter ?? {}, 'filter.')
  // Exclusions alone do not narrow the choice.
  const { archived: _, exceptReasons: __, ...narrowing } = conditions
  if (Object.keys(narrowing).length === 0 && tags.length === 0)
    throw invalidRequest('Name the messages to replay: give `message_ids`, or a `filter` with a condition', {
      code: 'missing_field',
      param: 'filter',
    })
  return { filter: { ...conditions, tags }, ...shared }
}

async function planOf(
  { app: { database }, caller: { workspaceId } }: CallContext,
  choice: ReplayChoice,
  { rate_per_minute = replayRateDefault }: Body,
): Promise<Omit<ReplayPlan, 'dry_run'>> {
  const bounds = { limit: replayMessagesMax + 1, shown: MESSAGES_SHOWN }
  const counts = await countReplayable(database, workspaceId, choice, bounds)
  const matched = counts.reduce((sum, { count }) => sum + count, 0)
  if (matched > replayMessagesMax)
    throw invalidRequest(
      `More than ${replayMessagesMax} messages match. Narrow the filter, for example by enqueued_after and enqueued_before.`,
      { code: 'invalid_field', param: 'filter' },
    )
  const { count: replayable = 0, ids = [], set = '' } = counts.find(({ reason }) => reason === null) ?? {}
  const existingIds = choice.ids ? new Set(await messagesAmong(database, workspaceId, choice.ids)) : undefined
  const missing = choice.ids?.filter((id) => !existingIds?.has(id)) ?? []
  const excluded = counts.flatMap(({ reason, count, ids }) =>
    reason === null ? [] : [{ reason: reason as Exclusion, count, message_ids: ids.slice(0, EXCLUDED_SHOWN) }],
  )
  if (missing.length > 0)
    excluded.push({ reason: 'not_found', count: missing.length, message_ids: missing.slice(0, EXCLUDED_SHOWN) })
  const messages = await replaySummaries(database, workspaceId, ids)
  return {
    replayable,
    set,
    messages: messages.map(({ error, status, ...message }) => ({
      ...message,
      status: status as ReplayPlan['messages'][number]['status'],
      ...(error !== null && { error }),
    })),
    excluded,
    rate_per_minute,
    duration_ms: Math.ceil((replayable * MINUTE) / rate_per_minute),
  }
}

type Exclusion = (typeof replayExclusions)[number]

async function replayOf({ app, caller }: CallContext, id: string): Promise<Replay> {
  const row = await findReplay(app.database, caller.workspaceId, id)
  if (!row) throw notFound()
  const { ratePerMinute = replayRateDefault } = JSON.parse(row.targets) as RequestTargets
  const { excluded = {} }: Partial<ReplayProgress> = row.progress === null ? {} : JSON.parse(row.progress)
  return {
    id,
    status: row.status as Replay['status'],
    created: row.created,
    replayable: row.received,
    replayed: row.enqueued,
    failures: row.failures,
    excluded: Object.entries(excluded).map(([reason, count]) => ({ reason: reason as LaterExclusion, count })),
    rate_per_minute: ratePerMinute,
    ...(row.error !== null && { error: row.error }),
  }
}
