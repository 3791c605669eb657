/** Erases people one bounded step at a time, in order; after a crash the next claim resumes at the last commit. */
import { failpoint } from '../base/failpoint.ts'
import { timedId } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { SecretKey } from '../base/secret.ts'
import { SECOND } from '../base/time/duration.ts'
import { ConflictError, type Engine, type Statement } from '../database/engine.ts'
import { guardPlan } from '../database/query.ts'
import {
  deadLetterErasure,
  type ErasureWork,
  erasureProgress,
  erasureQueue,
  finishErasure,
  type LiveErasure,
} from '../database/tables/erasure/erasures.ts'
import {
  bulkUsersWork,
  erasableMessages,
  fenceWork,
  hasMessages,
  messagesWork,
  nextNamingRequest,
  requestRewrite,
} from '../database/tables/erasure/messages.ts'
import {
  digestsWork,
  hasDigests,
  hasMailbox,
  hasPreferenceChanges,
  mailboxWork,
  preferenceChangesWork,
  repliesAfter,
  repliesWork,
  type Swept,
  sweepWork,
  sweptUpTo,
} from '../database/tables/erasure/traces.ts'
import { deferredCopiesWork } from '../database/tables/messages/deferred-copies.ts'
import { unrecognizedBouncesWork } from '../database/tables/messages/unrecognized-bounces.ts'
import { suppressionsWork } from '../database/tables/suppressions/suppressions.ts'
import { openReply } from '../database/tables/workspace/idempotency-keys.ts'
import { createQueuePoll } from '../queue/poll.ts'
import { hasCursorAt, namingPattern, redactFlush, redactMessage, redactRequest } from './redact.ts'

/** A provider call in flight may take 30 s; most take less than this. */
const WAIT_MS = SECOND / 4

/** Executes one step of the erasure that waits longest; returns how many milliseconds to sleep. */
export function createEraser(options: EraseOptions): () => Promise<number> {
  const { engine, log, leaseMs, now } = options
  return createQueuePoll({
    ...{ engine, log, leaseMs, now, queue: erasureQueue },
    claim: (take) => take({}),
    async start(erasures) {
      for (const erasure of erasures) await advance(erasure, options)
    },
    deadLetter: (_erasure, letter) => deadLetterErasure(engine, letter),
  })
}

async function advance(erasure: LiveErasure, options: EraseOptions): Promise<void> {
  const { engine, now } = options
  const step = order.find((name) => name === erasure.step)
  failpoint('before-erasure-step')
  if (step) await executeStep(erasure, step, options)
  // Messages accepted meanwhile are erased as well.
  else if (!(await finishErasure(engine, erasure, FIRST_STEP, now())))
    await engine.run(erasureProgress(erasure, { step: 'digests', place: null, dueAt: now() }))
  failpoint('after-erasure-step')
}

async function executeStep(erasure: LiveErasure, step: StepName, options: EraseOptions): Promise<void> {
  const { engine, now } = options
  const execute: ErasureStep = steps[step]
  const { work, first, left } = await execute(erasure, options)
  const next = order[order.indexOf(step) + 1] ?? 'finish'
  const at = {
    step: left.kind === 'nothing' ? next : step,
    place: left.kind === 'more' ? left.place : left.kind === 'held' ? erasure.place : null,
    dueAt: left.kind === 'held' ? now() + WAIT_MS : now(),
  }
  try {
    await engine.batch([guardPlan, ...(first ? [first] : []), erasureProgress(erasure, at, work)])
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    await engine.run(erasureProgress(erasure, { ...at, step, place: erasure.place }))
  }
}

interface EraseOptions {
  engine: Engine
  secretKey: SecretKey
  log: Log
  /** Longer than any step; it is not renewed. */
  leaseMs: number
  now(): number
}

/** The writes of a step and what remains of it. */
interface StepResult {
  work?: ErasureWork
  /** Before the work, in the same commit. */
  first?: Statement
  /** `more`: continue at `place`. `held`: wait for rows that a worker leases. */
  left: { kind: 'nothing' } | { kind: 'more'; place: string | null } | { kind: 'held' }
}

type ErasureStep = (erasure: LiveErasure, options: EraseOptions) => Promise<StepResult>

/** With their history a few megabytes at most. */
const MESSAGES_A_STEP = 200
/** Each text is searched. */
const REQUESTS_A_STEP = 200
/** Few enough that other statements do not wait long. */
const ROWS_A_STEP = 1_000
/** Each has up to 500 events. */
const DIGESTS_A_STEP = 100
/** Each is decrypted. */
const REPLIES_A_STEP = 500

const sweep =
  (swept: Swept): ErasureStep =>
  async (erasure, { engine }) => {
    const last = await sweptUpTo(engine, swept, erasure, ROWS_A_STEP)
    const work = sweepWork(swept, erasure, last, namingPattern(erasure.person))
    return { work, left: last === undefined ? { kind: 'nothing' } : { kind: 'more', place: last } }
  }

/** Runs, requests and digests before the messages they make. */
const steps = {
  fence: async (erasure, { now }) => ({ work: fenceWork(erasure, now()), left: { kind: 'nothing' } }),
  runs: sweep('runs'),
  requests: async (erasure, { engine, now }) => {
    const { naming, last } = await nextNamingRequest(engine, erasure, REQUESTS_A_STEP)
    if (naming && naming.due_at !== null && hasCursorAt(naming, erasure.person)) return { left: { kind: 'held' } }
    const left: StepResult['left'] = last === undefined ? { kind: 'nothing' } : { kind: 'more', place: last }
    const work = bulkUsersWork(erasure, last, naming?.id, now())
    if (!naming) return { work, left }
    const { removed, ...parts } = redactRequest(naming, erasure.person)
    const counts = `jsonb_build_object('requestRecipients', ${removed}) || ${work.counts}`
    return { first: requestRewrite(naming, parts, now()), work: { ...work, counts }, left }
  },
  // Pending digests would become messages; a lease does not protect them.
  digests: async (erasure, { engine }) =>
    (await hasDigests(engine, erasure))
      ? { work: digestsWork(erasure, DIGESTS_A_STEP), left: { kind: 'more', place: null } }
      : { left: { kind: 'nothing' } },
  messages: async (erasure, { engine, now }) => {
    const time = now()
    const { messages, history } = await erasableMessages(engine, erasure, time, MESSAGES_A_STEP)
    if (messages.length === 0)
      return { left: (await hasMessages(engine, erasure)) ? { kind: 'held' } : { kind: 'nothing' } }
    const { person, pseudonym } = erasure
    const erased = messages.map((message) => redactMessage(message, person, pseudonym, timedId(time)))
    const work = messagesWork(erasure, erased, history.map(redactFlush), time)
    return { work, left: { kind: 'more', place: null } }
  },
  mailbox: async (erasure, { engine }) =>
    (await hasMailbox(engine, erasure))
      ? { work: mailboxWork(erasure, ROWS_A_STEP), left: { kind: 'more', place: null } }
      : { left: { kind: 'nothing' } },
  copies: async (erasure) => ({ work: deferredCopiesWork(erasure), left: { kind: 'nothing' } }),
  // At most a hundred.
  bounces: async (erasure) => ({ work: unrecognizedBouncesWork(erasure), left: { kind: 'nothing' } }),
  // No outcome of a message adds one any more.
  suppressions: async (erasure, { engine }) => {
    const work = await suppressionsWork(engine, erasure, ROWS_A_STEP)
    return work ? { work, left: { kind: 'more', place: null } } : { left: { kind: 'nothing' } }
  },
  preferenceChanges: async (erasure, { engine }) =>
    (await hasPreferenceChanges(engine, erasure))
      ? { work: preferenceChangesWork(erasure, ROWS_A_STEP), left: { kind: 'more', place: null } }
      : { left: { kind: 'nothing' } },
  replies: async (erasure, { engine, secretKey }) => {
    const after = erasure.place === null ? { route: '', key: '' } : JSON.parse(erasure.place)
    const replies = await repliesAfter(engine, erasure, after, REPLIES_A_STEP)
    const naming = new RegExp(namingPattern(erasure.person), 'u')
    const named = replies.filter((reply) => naming.test(openReply(secretKey, erasure.workspace_id, reply) ?? ''))
    const last = replies.length < REPLIES_A_STEP ? undefined : replies.at(-1)
    const place = last && JSON.stringify({ route: last.route, key: last.key })
    return {
      work: repliesWork(erasure, named),
      left: place === undefined ? { kind: 'nothing' } : { kind: 'more', place },
    }
  },
  inbound: sweep('inbound'),
  webhooks: sweep('webhooks'),
  views: sweep('views'),
  audit: sweep('audit'),
  // Runs that were committed after the first sweep, from a page of recipients that was read before.
  lateRuns: sweep('runs'),
} satisfies Record<string, ErasureStep>

type StepName = keyof typeof steps

const order = Object.keys(steps) as StepName[]
export const FIRST_STEP: StepName = 'fence'
