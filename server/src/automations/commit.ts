/** A change of a run as one commit under its lease; changes that only move their run on share commits with others. */
import type { SecretKey } from '../base/secret.ts'
import { type Engine, Overtaken, type Statement } from '../database/engine.ts'
import { closing, collectItem, holding } from '../database/tables/batches.ts'
import { guardPlan, keyedInsert } from '../database/tables/live-messages.ts'
import { profileSave } from '../database/tables/profiles.ts'
import { type RunChange, recordRuns, recordStatement } from '../database/tables/run-records.ts'
import { runsInsert, tokenCancellation, tokenLock } from '../database/tables/runs.ts'
import { passage } from '../database/tables/throttles.ts'
import { messageRow } from '../pipeline/accept.ts'
import type { Mode } from '../pipeline/message.ts'
import { groupCommit } from '../queue/group-commit.ts'
import { keeping } from './digests/keep.ts'
import type { RunStart } from './run.ts'
import { newRun, rowsOf } from './run-rows.ts'
import type { Change, Effects, NewRequest, Outcome, Verdict } from './world.ts'

export interface CommitOptions {
  engine: Engine
  secretKey: SecretKey
  now(): number
  /** Under which this process holds the run now; undefined: nothing of it may be written. */
  leaseOf(runId: string): string | undefined
  requestWrite(request: NewRequest & { workspaceId: number; mode: Mode; created: number }): Statement
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
      ...rowsOf(run, outcome, leased),
      messages: messagesOf(effects, time, options),
    })
    const record = (outcome: Outcome, effects?: Effects): Part => ({
      statement: recordStatement(changeTo(outcome, effects)),
      otherwise: 'lost',
    })
    switch (change.kind) {
      case 'plain': {
        const { outcome, effects } = change
        const { before, after } = await partsOf(run, effects, time, options)
        if (before.length + after.length > 0)
          return (await all([...before, record(outcome, effects), ...after])) ?? 'done'
        return (await group.add(changeTo(outcome, effects))) ? 'done' : 'lost'
      }
      case 'reserve': {
        const { key, max, periodMs, allowed, refused, effects } = change
        const window = { workspaceId: run.workspaceId, mode: run.mode, key, max, periodMs, now: time }
        const statement = passage(changeTo(allowed, effects), window)
        const { before, after } = await partsOf(run, effects, time, options)
        const verdict = await all([...before, { statement, otherwise: 'refused' }, ...after])
        if (verdict !== 'refused') return verdict ?? 'allowed'
        return (await group.add(changeTo(refused))) ? 'refused' : 'lost'
      }
      case 'collect': {
        const { batch, item, opened, added } = change
        const what = { ...batch, workspaceId: run.workspaceId, mode: run.mode, item: JSON.stringify(item), now: time }
        return collectItem(engine, what, { opened: changeTo(opened), added: changeTo(added) })
      }
      case 'hold':
        return (
          (await all([{ statement: holding(changeTo(change.outcome), change.batchId, time), otherwise: 'lost' }])) ??
          'done'
        )
      case 'close': {
        const statement = closing(change.batchId, change.items, time)
        return (await all([{ statement, otherwise: 'again' }, record(change.outcome)])) ?? 'done'
      }
    }
  }

  return async (run, change) => {
    const held = options.leaseOf(run.id)
    if (!held) return 'lost'
    const verdict = await write(run, change, held)
    if (verdict === 'lost' || verdict === 'again') return verdict
    tell(change, verdict, options)
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
    await engine.batch([guardPlan, ...parts.map(({ statement }) => statement)], 'record')
    return undefined
  } catch (error) {
    const part = error instanceof Overtaken ? parts[error.place - 1] : undefined
    if (part) return part.otherwise
    throw error
  }
}

const sizeOf = ({ run, step, messages }: RunChange) =>
  messages.reduce((sum, { input }) => sum + input.length, (run.state?.length ?? 0) + (step.result?.length ?? 0))

/** Those without a key of their own: they are written with the run. */
function messagesOf(effects: Effects | undefined, time: number, { secretKey }: CommitOptions) {
  const plain = (effects?.sends ?? []).filter(({ send }) => !send.idempotency)
  return plain.map(({ send, ...place }) => messageRow(send, { ...place, time }, secretKey))
}

/** What else an effect is, around the record of the run: whoever needs several locks takes them in one order. */
async function partsOf(run: RunStart, effects: Effects | undefined, time: number, options: CommitOptions) {
  const before: Part[] = []
  const after: Part[] = []
  const { sends = [], request, profile, cancel, runs, digest } = effects ?? {}
  const keyed = sends.filter(({ send }) => send.idempotency)
  const { workspaceId, mode } = run
  if (keyed.length > 0) {
    const rows = keyed.map(({ send, ...place }) => messageRow(send, { ...place, time }, options.secretKey))
    after.push({ statement: keyedInsert(rows, time), otherwise: 'done' })
  }
  if (request)
    after.push({
      statement: options.requestWrite({ ...request, workspaceId, mode, created: time }),
      otherwise: 'done',
    })
  if (profile) {
    const { recipient, profile: saved, version } = profile
    after.push({ statement: profileSave(workspaceId, recipient, saved, version, time), otherwise: 'again' })
  }
  if (cancel !== undefined) {
    before.push({ statement: tokenLock(workspaceId, cancel, run.id), otherwise: 'done' })
    after.push({ statement: tokenCancellation(workspaceId, cancel, run.id, time), otherwise: 'done' })
  }
  if (digest) {
    const tenant = run.marks?.tenantId
    const event = { ...digest, workspaceId, mode, runId: run.id, ...(tenant !== undefined && { tenantId: tenant }) }
    const kept = await keeping(options.engine, event, time)
    after.push(...kept.map((statement): Part => ({ statement, otherwise: 'done' })))
  }
  if (runs?.length) after.push({ statement: runsInsert(runs.map((one) => newRun(one))), otherwise: 'done' })
  return { before, after }
}

function tell(change: Change, verdict: Verdict, { added }: CommitOptions): void {
  // What it filled is to be closed.
  if (change.kind === 'collect') added('runs')
  const effects = change.kind === 'plain' || change.kind === 'reserve' ? change.effects : undefined
  if (!effects || verdict === 'refused') return
  if (effects.sends?.length) added('messages')
  if (effects.request) added('requests')
  if (effects.runs?.length) added('runs')
}
