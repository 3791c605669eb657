/** A change of a run as one commit under its lease; changes that only move their run on share commits with others. */
import type { JsonObject } from '../../base/json/json.ts'
import type { SecretKey } from '../../base/secret.ts'
import { ConflictError, type Engine, type Statement } from '../../database/engine.ts'
import { sealReply } from '../../database/idempotent-replies.ts'
import { expectRows } from '../../database/query.ts'
import { batchDrop, closing, collectItem, holding } from '../../database/tables/automations/batches.ts'
import { runsInsert } from '../../database/tables/automations/live-runs.ts'
import { tokenCancellation, tokenLock } from '../../database/tables/automations/run-cancellations.ts'
import { type RunChange, recordRuns, recordStatement } from '../../database/tables/automations/run-records.ts'
import { passage } from '../../database/tables/automations/throttles.ts'
import { guardPlan } from '../../database/tables/messages/live-messages.ts'
import { profileSave } from '../../database/tables/users/profiles.ts'
import { replyInsert } from '../../database/tables/workspace/idempotency-keys.ts'
import type { TokenCipher } from '../../database/token-cipher.ts'
import { keeping } from '../../digests/add-event.ts'
import { messageRow } from '../../messages/accept/accept.ts'
import type { Idempotency, Mode } from '../../messages/send.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import type { RunStart } from '../run.ts'
import type { Change, Effects, Outcome, RequestEffect, Verdict } from '../run-store.ts'
import { newRun, rowsOf } from './run-rows.ts'

export interface CommitOptions {
  engine: Engine
  secretKey: SecretKey
  now(): number
  /** Under which this process holds the run now; undefined: nothing of it may be written. */
  leaseOf(runId: string): string | undefined
  requestWrite(
    tokens: TokenCipher,
    request: RequestEffect & { workspaceId: number; mode: Mode; created: number },
  ): Statement
  /** Messages that are new in the table. */
  accepted(workspaceId: number, count: number): void
  /** What came into the tables, for those who look after them. */
  added(what: 'messages' | 'requests' | 'runs'): void
}

/** A write of a commit, and what it means that it found nothing to touch. */
interface Part {
  statement: Statement
  otherwise: Verdict
}

const ROWS_MAX = 500
const BYTES_MAX = 4 * 1_048_576

export function createCommit(options: CommitOptions): (run: RunStart, change: Change) => Promise<Verdict> {
  const { engine, now } = options
  const group = sharedCommits(engine)
  const all = (parts: readonly Part[]) => commitAll(engine, parts)

  const write = async (run: RunStart, change: Change, held: string): Promise<Verdict> => {
    const time = now()
    const leased = { lease: held, now: time }
    const changeTo = (outcome: Outcome, effects?: Effects): RunChange => ({
      ...rowsOf(run, outcome, leased, engine.tokens),
      messages: messagesOf(effects, time, options),
    })
    const record = (outcome: Outcome, effects?: Effects): Part => ({
      statement: recordStatement(changeTo(outcome, effects)),
      otherwise: 'lost',
    })
    switch (change.kind) {
      case 'plain': {
        const { outcome, effects } = change
        const { status, state, step } = outcome
        const { before, after } = await partsOf({ run, position: step.position }, effects, time, options)
        // Nobody closes it any more: whoever comes next opens another.
        if (status === 'ERROR' && state.waiting?.kind === 'batch')
          before.push({ statement: batchDrop(state.waiting.batchId, run.id), otherwise: 'done' })
        if (before.length + after.length > 0)
          return (await all([...before, record(outcome, effects), ...after])) ?? 'done'
        return (await group.add(changeTo(outcome, effects))) ? 'done' : 'lost'
      }
      case 'reserve': {
        const { key, max, periodMs, allowed, refused, effects } = change
        const window = { workspaceId: run.workspaceId, mode: run.mode, key, max, periodMs, now: time }
        const statement = passage(changeTo(allowed, effects), window)
        const { position } = allowed.step
        const { before, after } = await partsOf({ run, position }, effects, time, options)
        const verdict = await all([...before, { statement, otherwise: 'refused' }, ...after])
        if (verdict !== 'refused') return verdict ?? 'allowed'
        return (await group.add(changeTo(refused))) ? 'refused' : 'lost'
      }
      case 'collect': {
        const { batch, item, opened, added } = change
        const what = { ...batch, workspaceId: run.workspaceId, mode: run.mode, item: JSON.stringify(item), now: time }
        const done = await collectItem(engine, what, { opened: changeTo(opened), added: changeTo(added) })
        if (done === 'lost') return done
        // What it filled is to be closed.
        if (done.filled) options.added('runs')
        return done.verdict
      }
      case 'hold':
        return (
          (await all([{ statement: holding(changeTo(change.outcome), change.batchId, time), otherwise: 'lost' }])) ??
          'done'
        )
      case 'close': {
        const statement = closing(change.batchId, change.added, time)
        return (await all([{ statement, otherwise: 'again' }, record(change.outcome)])) ?? 'done'
      }
    }
  }

  return async (run, change) => {
    const held = options.leaseOf(run.id)
    if (!held) return 'lost'
    const verdict = await write(run, change, held)
    if (verdict === 'lost' || verdict === 'again') return verdict
    tell(run, change, verdict, options)
    return verdict
  }
}

const sharedCommits = (engine: Engine) =>
  groupCommit<RunChange, boolean>({
    itemsMax: ROWS_MAX,
    bytesMax: BYTES_MAX,
    bytesOf: sizeOf,
    async flush(changes) {
      const written = await recordRuns(engine, changes)
      return changes.map(({ run }) => written.has(run.id))
    },
  })

/** All or nothing; undefined when all of it was written. */
async function commitAll(engine: Engine, parts: readonly Part[]): Promise<Verdict | undefined> {
  try {
    await engine.batch([guardPlan, ...parts.map(({ statement }) => statement)])
    return undefined
  } catch (error) {
    const part = error instanceof ConflictError ? parts[error.statementIndex - 1] : undefined
    if (part) return part.otherwise
    throw error
  }
}

const sizeOf = ({ run, step, messages }: RunChange) =>
  messages.reduce((sum, { input }) => sum + input.length, (run.state?.length ?? 0) + (step.result?.length ?? 0))

/** They are written with the run; the keys among them are claimed before. */
function messagesOf(effects: Effects | undefined, time: number, { secretKey, engine }: CommitOptions) {
  return (effects?.sends ?? []).map(({ send, ...place }) =>
    messageRow(send, { ...place, time }, { secretKey, tokens: engine.tokens }),
  )
}

/** Whoever used the key at the same time has committed first: the step finds what was made for it. */
function claimOf(workspaceId: number, made: JsonObject, use: Idempotency, secretKey: SecretKey, time: number): Part {
  const { route, key, expires } = use
  const place = { workspaceId, route, key }
  const reply = sealReply(secretKey, place, JSON.stringify(made))
  return { statement: expectRows(replyInsert(place, { status: 200, reply, expires }, time)), otherwise: 'again' }
}

/** What else an effect is, around the record of the run: whoever needs several locks takes them in one order. */
async function partsOf(
  { run, position }: { run: RunStart; position: number },
  effects: Effects | undefined,
  time: number,
  options: CommitOptions,
) {
  const before: Part[] = []
  const after: Part[] = []
  const { sends = [], request, profile, cancel, runs, digest } = effects ?? {}
  const { workspaceId, mode } = run
  const claim = (made: JsonObject, use: Idempotency | undefined) => {
    if (use) before.push(claimOf(workspaceId, made, use, options.secretKey, time))
  }
  for (const { id, send } of sends) claim({ messageId: id }, send.idempotency)
  if (request) {
    const { idempotency, ...wanted } = request
    claim({ requestId: request.id }, idempotency)
    const statement = options.requestWrite(options.engine.tokens, { ...wanted, workspaceId, mode, created: time })
    after.push({ statement, otherwise: 'done' })
  }
  if (profile) {
    const { recipient, profile: saved, version } = profile
    after.push({
      statement: profileSave(options.engine.tokens, workspaceId, recipient, saved, version, time),
      otherwise: 'again',
    })
  }
  if (cancel !== undefined) {
    before.push({ statement: tokenLock(workspaceId, mode, cancel, run.id), otherwise: 'done' })
    const statement = tokenCancellation({ workspaceId, mode, token: cancel }, { runId: run.id, position }, time)
    after.push({ statement, otherwise: 'done' })
  }
  if (digest) {
    const kept = await keeping(options.engine, { ...digest, workspaceId, mode, runId: run.id }, time)
    after.push(...kept.map((statement): Part => ({ statement, otherwise: 'done' })))
  }
  if (runs?.length)
    after.push({ statement: runsInsert(runs.map((one) => newRun(one, options.engine.tokens))), otherwise: 'done' })
  return { before, after }
}

function tell({ workspaceId }: RunStart, change: Change, verdict: Verdict, { accepted, added }: CommitOptions): void {
  const effects = change.kind === 'plain' || change.kind === 'reserve' ? change.effects : undefined
  if (!effects || verdict === 'refused') return
  if (effects.sends?.length) {
    accepted(workspaceId, effects.sends.length)
    added('messages')
  }
  if (effects.request) added('requests')
  if (effects.runs?.length) added('runs')
}
