/** A request for many messages: one row, written before the call is answered, expanded one bounded step at a time. */
import { replayRateDefault, type SendBody } from '@postrider/contract'
import { failpoint } from '../base/failpoint.ts'
import { childId } from '../base/ids.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { SecretKey } from '../base/secret.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import { DatabaseRefused, type Engine, type Statement } from '../database/engine.ts'
import { lanes } from '../database/tables/messages/lanes.ts'
import { type NewMessage, readableMessage } from '../database/tables/messages/live-messages.ts'
import type { LaterExclusion } from '../database/tables/messages/replays.ts'
import {
  countWaiting,
  deadLetterRequest,
  type LiveRequest,
  type NewRequest,
  type RequestStep,
  requestInsert,
  requestQueue,
  takeStep,
} from '../database/tables/messages/requests.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import { cancelStep } from '../messages/cancel-request.ts'
import { type Intake, leaseDirectly, leasedRow } from '../messages/direct-lease.ts'
import { inputAddresses, inputText, newMessage } from '../messages/message-row.ts'
import type { Marks, Mode, SharedInput } from '../messages/send.ts'
import { leaseNames } from '../queue/lease.ts'
import { createQueuePoll, IDLE_MS } from '../queue/poll.ts'
import type { Target } from './read-recipients.ts'
import { REPLAY_LANE, type ReplayTarget, replayStep } from './replay.ts'
import { type ExpandedRecipient, isRecomputing, type Place, recipientsAfter, type SourcePage } from './sources.ts'

/** The recipients of a request, and the attributes by which its messages are found. */
export interface RequestTargets {
  targets: readonly (Target | ReplayTarget)[]
  /** Messages that a replay creates a minute. */
  ratePerMinute?: number
  marks?: Marks
  /** Nothing is sent before this time. */
  notBefore?: number
  /** For a bulk job: the message as written, its delay after the run, and data by locale. */
  definition?: Record<string, unknown>
  delay?: NonNullable<SendBody['delay']>
  locales?: Readonly<Record<string, Record<string, unknown>>>
}

export interface FanOutRequest {
  id: string
  workspaceId: number
  mode: Mode
  kind: NewRequest['kind']
  shared: SharedInput
  addressing: RequestTargets
  created: number
  /** How many messages a replay was confirmed for. */
  received?: number
  /** `key/<name>`, `operator`; absent for an automation. */
  source?: string
}

/** Due immediately; a bulk job waits until it is run. */
export function requestWrite(tokens: TokenCipher, request: FanOutRequest): Statement {
  const { id, workspaceId, mode, kind, shared, addressing, created, received, source } = request
  const isDue = kind !== 'bulk'
  const { targets, targetData } = withoutData(addressing.targets)
  return requestInsert({
    id,
    workspace_id: workspaceId,
    kind,
    mode,
    lane: laneOf(targets),
    // Members of lists, audiences and tenants are read when the messages may be sent.
    due_at: !isDue ? null : laneOf(targets) === lanes.transactional ? created : (addressing.notBefore ?? created),
    status: isDue ? 'PROCESSING' : 'CREATED',
    created,
    ...(received !== undefined && { received }),
    event: shared.event || shared.template || null,
    not_before: addressing.notBefore ?? null,
    source: source ?? null,
    input: inputText(tokens, workspaceId, targetData ? { ...shared, targetData } : shared),
    targets: JSON.stringify(tokens.encrypt(workspaceId, { ...addressing, targets })),
  })
}

/** Recipients that are named one by one are few and urgent. */
function laneOf(targets: RequestTargets['targets']): number {
  if (targets.some(({ kind }) => kind === 'replay')) return REPLAY_LANE
  return targets.every(({ kind }) => kind === 'users') ? lanes.transactional : lanes.bulk
}

/** Moves the data of a target to the shared input, so that it is stored once. */
function withoutData(all: RequestTargets['targets']): {
  targets: RequestTargets['targets']
  targetData?: Record<number, JsonObject>
} {
  const targetData: Record<number, JsonObject> = {}
  const targets = all.map((target, place) => {
    if (!('data' in target) || !target.data) return target
    const { data, ...rest } = target
    targetData[place] = data
    return rest
  })
  return Object.keys(targetData).length > 0 ? { targets, targetData } : { targets }
}

export interface ExpandOptions {
  engine: Engine
  secretKey: SecretKey
  log: Log
  metrics: Pick<Metrics, 'finished'>
  /** The lease of messages that this process starts at once. */
  leaseMs: number
  intake: Intake
  now(): number
  /** Called after a step that left messages to claim. */
  wake(): void
  /** Called with the number of inserted messages. */
  accepted(workspaceId: number, count: number): void
}

interface Progress {
  /** The index of the current target, and the cursor in it. */
  target: number
  after: Place
}

/** `excluded`: how many confirmed messages were left out, by reason. */
export interface ReplayProgress extends Progress {
  excluded: Partial<Record<LaterExclusion, number>>
}

/** One insert of some 5 ms. */
const STEP_MAX = 250
/** How long a request is expanded before the next one has its turn: named recipients wait for it. */
const TURN_MS = 100
/** Smaller steps cost more than they start. */
const STEP_MIN = 64
/** Longer than any step; it is not renewed. */
const STEP_LEASE_MS = MINUTE
/** The wait for a new audience: its members are computed within seconds. */
const MEMBERS_WAIT_MS = 5 * MINUTE
const AGAIN_MS = SECOND / 2
const FULL_MS = 50
/** For a second after a step: messages end and make room, or another node makes a step and releases the request. */
const SOON_MS = 10
const SOON_POLLS = 100
/** The bound of bulk messages that wait for a claim, or for a later attempt within a minute: of a slow integration. */
const WAITING_MAX = 2_000
const WAITING_MS = MINUTE

/** Executes one step of the request that waits longest; returns how many milliseconds to sleep. */
export function createExpander(options: ExpandOptions): () => Promise<number> {
  const { engine, log, now, intake } = options
  const newLease = leaseNames(engine)
  let due = 0
  let isFull = false
  let soonPolls = 0
  /** As many as can start at once: the table of live messages stays small. */
  const countRoom = async () => {
    isFull = intake.bulkRoom < STEP_MIN
    if (isFull) return
    const time = now()
    // Messages that wait longer do not count: an outage of one provider must not block other requests.
    const bounds = { lane: lanes.bulk, now: time, before: time + WAITING_MS, atMost: WAITING_MAX }
    const waiting = await countWaiting(engine, bounds)
    due = waiting.due
    isFull = waiting.all >= WAITING_MAX || intake.bulkRoom - due < STEP_MIN
  }
  return createQueuePoll({
    ...{ engine, log, now, queue: requestQueue, leaseMs: STEP_LEASE_MS },
    async claim(take) {
      await countRoom()
      return await take({ laneMax: isFull ? lanes.automation : REPLAY_LANE })
    },
    async start(requests) {
      for (const request of requests) await expand(request, { ...options, room: () => intake.bulkRoom - due, newLease })
    },
    deadLetter: (_request, letter) => deadLetterRequest(engine, letter),
    sleepMs(requests) {
      soonPolls = requests.length > 0 ? SOON_POLLS : Math.max(0, soonPolls - 1)
      if (requests.length > 0) return 0
      if (!isFull) return undefined
      return soonPolls > 0 ? SOON_MS : FULL_MS
    },
    idleMs: () => (soonPolls > 0 ? SOON_MS : IDLE_MS),
  })
}

interface StepOptions extends ExpandOptions {
  /** Bulk messages that may start now, less those that wait for a claim. */
  room(): number
  newLease(): string
}

async function expand(request: LiveRequest, options: StepOptions): Promise<void> {
  if (request.stopped === 'canceled') return cancelStep(request, options)
  const addressing = JSON.parse(request.targets) as RequestTargets
  const { target, after }: Progress = request.progress ? JSON.parse(request.progress) : { target: 0, after: null }
  const current = addressing.targets[target]
  if (!current) throw new Error(`The request ${request.id} has no target ${target}`)
  if (current.kind === 'replay') return expandReplay(request, addressing, options)
  const { id: requestId, workspace_id: workspaceId } = request
  const source = { engine: options.engine, workspaceId, requestId, locales: addressing.locales }
  if (after === null && (await isRecomputing(source, current)) && options.now() < request.created + MEMBERS_WAIT_MS)
    return wait(request, options)
  await expandTarget({ request, addressing, target }, after, {
    ...options,
    read: (place, limit) => recipientsAfter(source, current, place, limit),
  })
}

/** Never 0, also where the room has ended since the claim: an empty page is the end of its target. */
const stepSize = (room: number) => Math.max(STEP_MIN, Math.min(STEP_MAX, room))

interface TargetOptions extends StepOptions {
  read(place: Place, limit: number): Promise<SourcePage>
}

/** Steps of one target under one lease: the next page is read while a step is committed. */
async function expandTarget(
  { request, addressing, target }: { request: LiveRequest; addressing: RequestTargets; target: number },
  after: Place,
  options: TargetOptions,
): Promise<void> {
  const { now, read } = options
  const isBulk = request.lane === lanes.bulk
  const turnEnd = now() + TURN_MS
  const toMessage = messagesOf(request, addressing, target, options)
  let before = request.progress ?? ''
  let place = after
  let page = await read(place, isBulk ? stepSize(options.room()) : STEP_MAX)
  for (;;) {
    const { recipients, next } = page
    const isLast = next === undefined && target === addressing.targets.length - 1
    const following: Progress = next === undefined ? { target: target + 1, after: null } : { target, after: next }
    failpoint('mid-fan-out')
    const messages = recipients.map(toMessage)
    const room = options.room() - messages.length
    const continues = isBulk && next !== undefined && room >= STEP_MIN && now() < turnEnd
    const reading = continues ? read(next, stepSize(room)) : undefined
    // Awaited after the commit, which may fail first.
    reading?.catch(() => undefined)
    // The cursor of the last target stays readable.
    const progress = JSON.stringify(isLast ? { target, after: recipients.at(-1)?.at ?? place } : following)
    const step = {
      ...{ request, messages, failures: 0, progress },
      dueAt: isLast ? null : now(),
      keepLease: continues,
      status: isLast ? 'COMPLETED' : 'PROCESSING',
    } as const
    const isCommitted = await commitStep(step, before, options)
    failpoint('after-fan-out-step')
    if (!reading || !isCommitted) return
    page = await reading
    place = next ?? null
    before = progress
  }
}

async function expandReplay(
  request: LiveRequest,
  { ratePerMinute = replayRateDefault }: RequestTargets,
  options: StepOptions,
): Promise<void> {
  const { engine, secretKey, now } = options
  const before = request.progress ?? ''
  const { after, excluded: earlier = {} }: Partial<ReplayProgress> = request.progress
    ? JSON.parse(request.progress)
    : {}
  const from = { after: typeof after === 'string' ? after : undefined, ratePerMinute }
  failpoint('mid-fan-out')
  const tools = { engine, secret: secretKey.derive('fan-out'), now: now() }
  const { messages, excluded: left, last, waitMs } = await replayStep(tools, request, from)
  const excluded = { ...earlier }
  for (const reason of left) excluded[reason] = (excluded[reason] ?? 0) + 1
  const step = {
    ...{ request, messages, failures: 0, keepLease: false },
    progress: JSON.stringify({ target: 0, after: last ?? from.after ?? null, excluded } satisfies ReplayProgress),
    dueAt: last === undefined ? null : now() + waitMs,
    status: last === undefined ? 'COMPLETED' : 'PROCESSING',
  } as const
  await commitStep(step, before, options)
  failpoint('after-fan-out-step')
}

/** Repeats the same step a little later. */
async function wait(request: LiveRequest, { engine, now }: ExpandOptions): Promise<void> {
  const unchanged = { messages: [], failures: 0, progress: request.progress ?? '', keepLease: false } as const
  await takeStep(engine, { request, ...unchanged, dueAt: now() + AGAIN_MS, status: 'PROCESSING' })
}

/** False: the lease was lost. When data are invalid the step is split in halves, so that only the invalid message is left out. */
async function commitStep(
  step: RequestStep & { request: LiveRequest },
  before: string,
  options: StepOptions,
): Promise<boolean> {
  try {
    return await commitAndStart(step, options)
  } catch (error) {
    if (!(error instanceof DatabaseRefused && error.isDataError) || step.messages.length === 0) throw error
    if (step.messages.length === 1) {
      options.log.error(
        { event: 'message.not_stored', err: error, request: step.request.id },
        'a message of a request cannot be stored',
      )
      return commitStep({ ...step, messages: [], failures: step.failures + 1 }, before, options)
    }
    const half = Math.ceil(step.messages.length / 2)
    const kept = { keepLease: true, status: 'PROCESSING', progress: before } as const
    // If the process dies here the whole page is repeated; existing messages are not inserted again.
    await commitStep({ ...step, ...kept, messages: step.messages.slice(0, half) }, before, options)
    return commitStep({ ...step, messages: step.messages.slice(half) }, before, options)
  }
}

async function commitAndStart(step: RequestStep, options: StepOptions): Promise<boolean> {
  const { engine, now, intake, leaseMs } = options
  const time = now()
  const until = time + leaseMs
  const { messages } = step
  const room = messages[0]?.lane === lanes.bulk ? intake.bulkRoom : intake.room
  const leased = leaseDirectly(messages, room, { lease: options.newLease(), now: time, until })
  const ids = await takeStep(engine, step)
  if (!ids) return false
  const inserted = new Set(ids)
  const started = leased.filter(({ id }) => inserted.has(id))
  intake.start(
    started.map((row) => ({ message: readableMessage(engine.tokens, row.workspace_id, leasedRow(row)) })),
    until,
  )
  const [message] = messages
  if (message) options.accepted(message.workspace_id, ids.length)
  if (leased.length < messages.length) options.wake()
  return true
}

/** The message of each recipient of one target. */
function messagesOf(
  request: LiveRequest,
  { marks, notBefore }: RequestTargets,
  target: number,
  { engine, secretKey, now }: ExpandOptions,
): (recipient: ExpandedRecipient) => NewMessage {
  const { id: requestId, workspace_id: workspaceId, lane, mode } = request
  const shared = JSON.parse(request.input) as SharedInput
  const secret = secretKey.derive('fan-out')
  const ofTarget = shared.targetData?.[target] ? { target } : {}
  return (recipient) => {
    const { marks: ownMarks } = recipient
    const ownInput = { ...recipient.ownInput, ...ofTarget }
    const row = {
      id: childId(secret, requestId, ownInput.recipient),
      workspaceId,
      lane,
      mode,
      event: shared.event,
      recipient: ownInput.recipient,
      input: inputText(engine.tokens, workspaceId, ownInput),
      addresses: inputAddresses(engine.tokens, workspaceId, ownInput),
      marks: {
        ...marks,
        ...ownMarks,
        ...tenantOf(ownInput.tenantId ?? shared.tenantId),
        requestId,
        ...(request.kind === 'bulk' && { jobId: requestId }),
        ...(ownMarks?.listId !== undefined && { listMessageId: requestId }),
      },
      notBefore,
    }
    // Created now: late messages of a long request do not overtake other requests, and have their full time windows.
    return newMessage(row, now())
  }
}

const tenantOf = (tenantId: string | undefined) => (tenantId === undefined ? {} : { tenantId })
