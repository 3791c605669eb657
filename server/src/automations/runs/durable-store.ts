/** The durable run store: reads come from the database, requests are sent, and the change of a step is one commit under the lease of its run. */
import type { AutomationAction, MessageStatus } from '@postrider/contract'
import { failpoint } from '../../base/failpoint.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { SecretKey } from '../../base/secret.ts'
import { ConflictError, type Engine, type Statement } from '../../database/engine.ts'
import { expectRows, guardPlan } from '../../database/query.ts'
import {
  batchDrop,
  batchHold,
  batchItems,
  closing,
  collectItem,
  findBatch,
} from '../../database/tables/automations/batches.ts'
import { runsInsert } from '../../database/tables/automations/live-runs.ts'
import { type RunChange, recordRuns, recordStatement } from '../../database/tables/automations/runs.ts'
import { passage } from '../../database/tables/automations/throttles.ts'
import { statusesOf } from '../../database/tables/messages/messages.ts'
import { findProfiles } from '../../database/tables/users/users.ts'
import {
  findStoredReply,
  replyInsert,
  sealReply,
  UNREADABLE,
} from '../../database/tables/workspace/idempotency-keys.ts'
import type { TokenCipher } from '../../database/token-cipher.ts'
import { messageRow } from '../../messages/accept/accept.ts'
import { inputAddresses } from '../../messages/message-row.ts'
import type { Idempotency, Mode } from '../../messages/send.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import type { Transport } from '../../transport/transport.ts'
import type { RunStart, StepRecord } from '../run.ts'
import type { Effects, RequestEffect, RunStore, StepChange, StepOutcome, StoredProfile, Verdict } from '../run-store.ts'
import type { CommitPart } from '../step.ts'
import { behaviorOf } from '../steps/steps.generated.ts'
import { changeRows, newRun } from './run-rows.ts'
import { createStoredReader } from './stored-reader.ts'

export interface DurableStoreOptions extends CommitOptions {
  engine: Engine
  secretKey: SecretKey
  transport: Transport
  /** Aborts requests of `fetch-data`. */
  signal: AbortSignal
}

type ProfileKey = { workspaceId: number; id: string }

/** A profile has at most 256 kB: one query reads 16 MB. */
const PROFILES_MAX = 64

export function createDurableStore(options: DurableStoreOptions): RunStore {
  const { engine, secretKey, transport, signal, now } = options
  const commit = createCommit(options)
  const storedReader = createStoredReader(engine)
  // Runs that come due together share a query: the next one collects ids while one is in progress.
  const profiles = groupCommit<ProfileKey, StoredProfile | undefined>({
    itemsMax: PROFILES_MAX,
    bytesMax: Number.POSITIVE_INFINITY,
    bytesOf: () => 0,
    flush: (requests) => findProfiles(engine, requests),
  })
  return {
    secret: secretKey.derive('automations'),
    now,
    async statuses(workspaceId, ids) {
      const rows = await statusesOf(engine, workspaceId, ids)
      return new Map(rows.map(({ id, status }) => [id, status as MessageStatus]))
    },
    ...storedReader,
    digestOptOut: (digest) => storedReader.digestOptOut(digest, now()),
    profile: (workspaceId, recipient, tenantId) =>
      tenantId === undefined
        ? profiles.add({ workspaceId, id: recipient })
        : storedReader.profile(workspaceId, recipient, tenantId),
    async useOfKey(workspaceId, { route, key }) {
      const storedReply = await findStoredReply(engine, secretKey, { workspaceId, route, key }, now())
      if (storedReply === UNREADABLE) return { result: {} }
      if (!storedReply) return undefined
      const { content, digest } = storedReply
      return { result: JSON.parse(content) as JsonObject, ...(digest !== undefined && { digest }) }
    },
    async batch(batchId) {
      const row = await findBatch(engine, batchId)
      return row && { items: row.live_items, added: row.items, closesAt: row.closes, full: !row.is_open }
    },
    async batchItems(batchId, from, limit) {
      return (await batchItems(engine, batchId, from, limit)).map((item) => JSON.parse(item) as JsonObject)
    },
    async sendRequest(request, timeoutMs) {
      const reply = await transport.perform(request, { signal, timeoutMs })
      if (reply.kind === 'http' || reply.kind === 'failure') return reply
      throw new Error(`An HTTP request was answered by ${reply.kind}`)
    },
    async commit(run, change) {
      failpoint('before-run-step-commit')
      const verdict = await commit(run, change)
      failpoint('after-run-step-commit')
      return verdict
    },
  }
}

// Changes without further effects share commits.
interface CommitOptions {
  engine: Engine
  secretKey: SecretKey
  now(): number
  /** The lease of this process on the run; undefined: nothing of it may be written. */
  leaseOf(runId: string): string | undefined
  requestWrite(
    tokens: TokenCipher,
    request: RequestEffect & { workspaceId: number; mode: Mode; created: number },
  ): Statement
  /** Called with the number of new messages. */
  accepted(workspaceId: number, count: number): void
  /** Called after a commit with the table that has new rows. */
  added(what: 'messages' | 'requests' | 'runs'): void
}

const ROWS_MAX = 500
const BYTES_MAX = 4 * 1_048_576

function createCommit(options: CommitOptions): (run: RunStart, change: StepChange) => Promise<Verdict> {
  const { engine, now } = options
  const group = sharedCommits(engine)
  const all = (parts: readonly CommitPart[]) => commitAll(engine, parts)

  const write = async (run: RunStart, change: StepChange, lease: string): Promise<Verdict> => {
    const time = now()
    const leased = { lease, now: time }
    const changeTo = (outcome: StepOutcome, effects?: Effects): RunChange => ({
      ...changeRows(run, outcome, leased, engine.tokens),
      messages: messagesOf(effects, time, options),
    })
    const record = (outcome: StepOutcome, effects?: Effects): CommitPart => ({
      statement: recordStatement(changeTo(outcome, effects)),
      otherwise: 'lost',
    })
    switch (change.kind) {
      case 'plain': {
        const { outcome, effects } = change
        const { status, state, step } = outcome
        const parts = await partsOf({ run, step }, effects, time, options)
        // The run that would close the batch has ended: the next run opens another.
        if (status === 'ERROR' && state.waiting?.kind === 'batch')
          parts.push({ statement: batchDrop(state.waiting.batchId, run.id), otherwise: 'done', isFirst: true })
        if (parts.length > 0) return (await all(around(record(outcome, effects), parts))) ?? 'done'
        return (await group.add(changeTo(outcome, effects))) ? 'done' : 'lost'
      }
      case 'reserve': {
        const { key, max, periodMs, allowed, refused, effects } = change
        const window = { workspaceId: run.workspaceId, mode: run.mode, key, max, periodMs, now: time }
        const statement = passage(changeTo(allowed, effects), window)
        const parts = await partsOf({ run, step: allowed.step }, effects, time, options)
        const verdict = await all(around({ statement, otherwise: 'refused' }, parts))
        if (verdict !== 'refused') return verdict ?? 'allowed'
        return (await group.add(changeTo(refused))) ? 'refused' : 'lost'
      }
      case 'collect': {
        const { batch, item, opened, added } = change
        const what = { ...batch, workspaceId: run.workspaceId, mode: run.mode, item: JSON.stringify(item), now: time }
        const done = await collectItem(engine, what, { opened: changeTo(opened), added: changeTo(added) })
        if (done === 'lost') return done
        // A full batch is closed at once.
        if (done.filled) options.added('runs')
        return done.verdict
      }
      case 'hold':
        return (
          (await all([{ statement: batchHold(changeTo(change.outcome), change.batchId, time), otherwise: 'lost' }])) ??
          'done'
        )
      case 'close': {
        const statement = closing(change.batchId, change.added, time)
        return (await all([{ statement, otherwise: 'again' }, record(change.outcome)])) ?? 'done'
      }
    }
  }

  return async (run, change) => {
    const lease = options.leaseOf(run.id)
    if (!lease) return 'lost'
    const verdict = await write(run, change, lease)
    if (verdict === 'lost' || verdict === 'again') return verdict
    notify(run, change, verdict, options)
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

/** Every commit takes its locks in this order. */
const around = (record: CommitPart, parts: readonly CommitPart[]): CommitPart[] => [
  ...parts.filter(({ isFirst }) => isFirst),
  record,
  ...parts.filter(({ isFirst }) => !isFirst),
]

/** All or nothing; undefined if all of it was written. */
async function commitAll(engine: Engine, parts: readonly CommitPart[]): Promise<Verdict | undefined> {
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

/** Messages are written with the record of the run, after their idempotency keys. */
function messagesOf(effects: Effects | undefined, time: number, { secretKey, engine }: CommitOptions) {
  const { tokens } = engine
  return (effects?.sends ?? []).map(({ send, ...place }) => {
    const row = messageRow(send, { ...place, time }, { secretKey, tokens })
    row.addresses = inputAddresses(tokens, send.workspaceId, send.input)
    return row
  })
}

/** If another commit used the key at the same time, the step is executed again and finds its result. */
function claimOf(
  workspaceId: number,
  made: JsonObject,
  use: Idempotency,
  secretKey: SecretKey,
  time: number,
): CommitPart {
  const { route, key, expires, digest } = use
  const place = { workspaceId, route, key }
  const reply = sealReply(secretKey, place, JSON.stringify(made), digest)
  return {
    statement: expectRows(replyInsert(place, { status: 200, reply, expires }, time)),
    otherwise: 'again',
    isFirst: true,
  }
}

/** The effects besides messages, around the record of the run. */
async function partsOf(
  { run, step: { action, position } }: { run: RunStart; step: StepRecord },
  effects: Effects | undefined,
  now: number,
  options: CommitOptions,
): Promise<CommitPart[]> {
  const { sends = [], request, runs, ofStep } = effects ?? {}
  const { engine, secretKey, requestWrite } = options
  const { workspaceId, mode } = run
  const keys: { made: JsonObject; use: Idempotency | undefined }[] = [
    ...sends.map(({ id, send }) => ({ made: { messageId: id }, use: send.idempotency })),
    ...(request ? [{ made: { requestId: request.id }, use: request.idempotency }] : []),
  ]
  const parts = keys.flatMap(({ made, use }) => (use ? [claimOf(workspaceId, made, use, secretKey, now)] : []))
  if (request) {
    const { idempotency: _idempotency, ...fields } = request
    const statement = requestWrite(engine.tokens, { ...fields, workspaceId, mode, created: now })
    parts.push({ statement, otherwise: 'done' })
  }
  if (ofStep !== undefined) {
    const writer = behaviorOf(action as AutomationAction).effect
    if (!writer) throw new Error(`The step ${action} has an effect that it cannot write`)
    parts.push(...(await writer.durable(ofStep, { engine, run, position, now })))
  }
  if (runs?.length)
    parts.push({ statement: runsInsert(runs.map((run) => newRun(run, engine.tokens))), otherwise: 'done' })
  return parts
}

function notify(
  { workspaceId }: RunStart,
  change: StepChange,
  verdict: Verdict,
  { accepted, added }: CommitOptions,
): void {
  const effects = change.kind === 'plain' || change.kind === 'reserve' ? change.effects : undefined
  if (!effects || verdict === 'refused') return
  if (effects.sends?.length) {
    accepted(workspaceId, effects.sends.length)
    added('messages')
  }
  if (effects.request) added('requests')
  if (effects.runs?.length) added('runs')
}
