/** The pipeline, composed: accept, claim, process, cancel, explain. */
import type { MessageExplanation, NotificationChanges, ProviderOutage } from '@postrider/contract'
import { startTimeBudget } from '../base/budget.ts'
import { failpoint } from '../base/failpoint.ts'
import { timedId } from '../base/ids.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import type { Metrics } from '../base/metrics.ts'
import type { SecretKey } from '../base/secret.ts'
import type { Clock } from '../base/time/clock.ts'
import { CONFIG_CHANNEL, type Engine } from '../database/engine.ts'
import { messageQueue } from '../database/tables/messages/live-messages.ts'
import { limitStates } from '../database/tables/workspace/integration-limits.ts'
import { createCallLog } from '../limits/call-log.ts'
import { type IntegrationGates, openIntegrationGates } from '../limits/integration-gates.ts'
import type { RecipientLinks } from '../preferences/recipient-links.ts'
import { namesOf, type Provider } from '../providers/provider.ts'
import type { Pause } from '../queue/delivery-pause.ts'
import { createSlots } from '../queue/delivery-slots.ts'
import { createQueuePoll, startWorker, type Worker } from '../queue/poll.ts'
import type { Tracker } from '../tracking/tracker.ts'
import type { Transport } from '../transport/transport.ts'
import { createAcceptor } from './accept/accept.ts'
import { type PlannedSend, type SendProblems, sendProblems } from './accept/send-problems.ts'
import { type Cancellations, createCancellations } from './cancellations.ts'
import { type AttemptOptions, SLOT_WAIT_MS } from './deliver/attempt.ts'
import type { Intake } from './direct-lease.ts'
import { defaultWindows, type Windows } from './facts.ts'
import { claimFairly } from './lane-shares.ts'
import { createLoader, type Loader } from './load/load.ts'
import { withStoredProfile } from './load/recipients.ts'
import { createSharedInputs } from './load/shared-inputs.ts'
import { createWorkspaceConfigCache, notificationOf, type WorkspaceConfigCache } from './load/workspace-config-cache.ts'
import { createRecorder } from './record/record.ts'
import { createRequestStops, type RequestStops } from './request-stops.ts'
import { createRunner, type Runner } from './runner.ts'
import type { Accepted, HistoryEvent, MessageOutput, Mode, Send, SendInput } from './send.ts'
import { compareVersions, type VersionComparison } from './timeline/changes.ts'
import { type ContentPreview, previewContent } from './timeline/content-preview.ts'
import { type Explained, type ExplainOptions, explain, withOutage } from './timeline/explain.ts'
import { type Forecast, forecast } from './timeline/forecast.ts'
import { createTimelines, type ExplainedTime } from './timeline/message-timeline.ts'
import { type OutageDrill, outageDrill } from './timeline/outage.ts'

export interface PipelineOptions {
  engine: Engine
  secretKey: SecretKey
  providers: ReadonlyMap<string, Provider>
  transport: Transport
  clock: Clock
  log: Log
  metrics: Metrics
  leaseMs: number
  windows?: Windows
  /** Where the provider of an integration is to report to. Absent without a public address. */
  callbackUrl?: ((workspaceId: number, integrationId: string) => string) | undefined
  /** Links for recipients in messages. Absent without a public address. */
  links?: RecipientLinks | undefined
  tracker?: Tracker
  /** The envelope sender of a mail whose bounces go to the mailbox. */
  bounceAddress?: AttemptOptions['bounceAddress']
  /** False on a node that only accepts. */
  works: boolean
  /** While deliveries are paused nothing is claimed or started. */
  pause?: Pause | undefined
  workspaceName(id: number): string
}

export interface Pipeline extends Pick<Cancellations, 'cancel' | 'cancelMany'> {
  readonly requests: RequestStops
  /** Resolves when the message is on disk. Throws `DatabaseUnavailable` and `CallerError`. */
  accept(send: Send): Promise<Accepted>
  explain(workspaceId: number, mode: Mode, input: SendInput, options?: ExplainOptions): Promise<Explained>
  /** Undefined for content that this release refuses. */
  previewContent(workspaceId: number, mode: Mode, draft: PreviewedDraft): Promise<ContentPreview | undefined>
  /** Effects of publishing a draft on recent messages. */
  changes(workspaceId: number, comparison: VersionComparison): Promise<NotificationChanges>
  /** Recent messages without an integration. */
  outage(workspaceId: number, drill: OutageDrill): Promise<Omit<ProviderOutage, 'integration'>>
  /** The problems for which strict sends are refused, for each of these sends. */
  sendProblems(workspaceId: number, mode: Mode, sends: readonly PlannedSend[]): Promise<SendProblems[]>
  /** The result that each of these sends would have now, in order. */
  forecasts(workspaceId: number, mode: Mode, sends: readonly PlannedSend[]): Promise<Forecast[]>
  /** The next three: undefined for an unknown message. */
  explainMessage(workspaceId: number, messageId: string, asOf: ExplainedTime): Promise<MessageExplanation | undefined>
  history(workspaceId: number, messageId: string): Promise<HistoryEvent[] | undefined>
  output(workspaceId: number, messageId: string): Promise<MessageOutput[] | undefined>
  gates: Pick<IntegrationGates, 'enter'>
  /** Takes new messages over at once, where this process has room. */
  intake: Intake
  /** Closes the circuit breaker of an integration, so that its next calls are made; false when it is closed. */
  resetBreaker(workspaceId: number, integrationId: string): Promise<boolean>
  /** Adds the calls that this node has counted to the health of their integrations. */
  flushHealth(): Promise<void>
  /** Messages were inserted by other means than `accept`. */
  wake(): void
  /** A message has blocked the process this many times. */
  stalled(messageId: string, stalls: number): void
  /** Nothing is accepted or claimed afterwards; what is in progress ends within `graceMs`. */
  stop(graceMs: number): Promise<void>
}

/** A version of a notification, stored or not, and for whom it is rendered. */
export interface PreviewedDraft {
  notificationId: string
  payload: JsonObject
  input: SendInput
  /** Names of channels and providers; absent for those that the notification can go by. */
  channels: readonly string[] | undefined
}

/** Notifies nodes that messages wait for a claim. */
const CLAIM_CHANNEL = 'claim'
const WAKE_UP_MS = 10
/** One integration has half of them: enough for 5,000 calls a second that take 200 ms. */
const SLOTS_MAX = 2_048
const CLAIM_MAX = 200
/** How soon a full process checks again whether it can take more. */
const FULL_MS = 20

/** Throws `DatabaseUnavailable` before anything runs. */
export async function startPipeline(options: PipelineOptions): Promise<Pipeline> {
  const { engine, clock, log, metrics, pause, providers, works, leaseMs, workspaceName, links, tracker } = options
  const { now } = clock
  const { random } = Math
  const configCache = createWorkspaceConfigCache({ engine, secretKey: options.secretKey, providers, now })
  const sharedInputs = createSharedInputs(engine)
  const windows = options.windows ?? defaultWindows
  const loading = { engine, configCache, sharedInputs, windows, workspaceName, links, tracker }
  const loader = createLoader({ ...loading, now })
  const { suppressed, webhookWorkspaces } = configCache
  const recorder = createRecorder({ engine, log, metrics, now, suppressed, webhookWorkspaces })
  const gates = await openIntegrationGates({ engine, log, metrics, now, works, random, waitMs: SLOT_WAIT_MS })
  const callLog = createCallLog({ engine, log })
  const slots = createSlots(SLOTS_MAX)
  metrics.slotsUsed.from(() => slots.used)
  const { transport, callbackUrl, bounceAddress } = options
  const attempts = { transport, gates, slots, callLog, callbackUrl, bounceAddress, metrics, log, now, random }
  const processing = { ...attempts, loader, recorder }
  const runner = createRunner({ engine, log, metrics, leaseMs, now, works, pause, loader, recorder, processing })
  const { listen: listenToCancellations, ...cancellations } = createCancellations({ engine, runner, metrics, now })
  const { listen: listenToStops, ...requests } = createRequestStops({ engine, runner, metrics, now })
  const timelines = createTimelines({ engine, loader, sharedInputs, providers, now, callsOf: runner.callsOf })
  await engine.listen(CONFIG_CHANNEL, configCache.forget)

  let worker: Worker | undefined
  if (works) {
    await engine.listen(CLAIM_CHANNEL, () => worker?.wake())
    await listenToCancellations()
    await listenToStops()
    worker = startWorker({ name: 'claim', log, pause, poll: messagePoll(runner, { engine, log, leaseMs, now }) })
  }
  const wake = worker ? worker.wake : claimWakeUps(engine, log)
  const acceptor = createAcceptor({
    ...{ engine, metrics, leaseMs, now, workspaceName, wake },
    secretKey: options.secretKey,
    intake: runner,
  })

  return {
    accept: acceptor.accept,
    wake: () => worker?.wake(),
    ...cancellations,
    requests,
    explain: createExplain({ ...loading, now }),
    previewContent: createContentPreviews({ configCache, loader, providers, now }),
    sendProblems: (workspaceId, mode, sends) => sendProblems(workspaceId, mode, sends, { loader, providers, now }),
    forecasts: createForecasts({ engine, loader, providers, now }),
    changes: (workspaceId, comparison) => compareVersions(workspaceId, comparison, { ...loading, loader, now }),
    outage: (workspaceId, drill) => outageDrill(workspaceId, drill, { ...loading, loader, now }),
    explainMessage: timelines.explain,
    stalled: runner.countStalls,
    history: timelines.history,
    gates,
    intake: runner,
    resetBreaker: gates.reset,
    flushHealth: callLog.flush,
    output: timelines.output,
    async stop(graceMs) {
      await worker?.stop()
      await acceptor.drained()
      await runner.stop(graceMs)
      await callLog.stop()
    },
  }
}

function createExplain(loading: Parameters<typeof createLoader>[0]): Pipeline['explain'] {
  const { engine, now } = loading
  return async (workspaceId, mode, input, options = {}) => {
    const { notBefore, at = now(), listId, storedProfile, unavailable, foreseesCalls = false } = options
    const { recipient } = input
    const due = { first_due: notBefore ?? at, recipient, ...(listId !== undefined && { list_id: listId }) }
    const message = { id: '', workspace_id: workspaceId, mode, ...due }
    const asOf = createLoader({ ...loading, now: () => at })
    const loaded = await asOf.loadOne({ message, input, snapshot: undefined })
    const current = storedProfile ? await withStoredProfile(engine, workspaceId, loaded, storedProfile) : loaded
    const decisionInput = unavailable ? withOutage(current, unavailable) : current
    const { facts, firstDue } = decisionInput
    const isCalled = foreseesCalls && mode !== 'mock' && firstDue <= decisionInput.now
    const ids = isCalled ? facts.integrations.map(({ id }) => id) : []
    const explanation = explain(decisionInput, await limitStates(engine, workspaceId, ids))
    const { digest } = facts
    return { explanation, ...(digest && explanation.decision.status === 'DIGESTED' && { digest }) }
  }
}

function createContentPreviews({
  configCache,
  loader,
  providers,
  now,
}: Pick<PipelineOptions, 'providers'> & {
  configCache: Pick<WorkspaceConfigCache, 'routed'>
  loader: Loader
  now(): number
}): Pipeline['previewContent'] {
  return async (workspaceId, mode, { notificationId, payload, input, channels }) => {
    const notification = notificationOf(notificationId, 0, payload)
    if (!notification) return undefined
    const decisionInput = await loader.loadOne({
      message: { id: '', workspace_id: workspaceId, mode, first_due: now(), recipient: input.recipient },
      ...{ input, snapshot: undefined, notification: await configCache.routed(workspaceId, notification) },
    })
    return await previewContent(decisionInput, channels, providers)
  }
}

function createForecasts({
  engine,
  loader,
  providers,
  now,
}: Pick<PipelineOptions, 'engine' | 'providers'> & { loader: Loader; now(): number }): Pipeline['forecasts'] {
  const names = [...providers.values()].flatMap(namesOf)
  return async (workspaceId, mode, sends) => {
    const time = now()
    const requests = sends.map(({ input, notBefore = time }) => ({
      // With an id each, by which weights choose an integration.
      message: { id: timedId(time), workspace_id: workspaceId, mode, first_due: notBefore, recipient: input.recipient },
      input,
      snapshot: undefined,
    }))
    const decisionInputs = await loader.load(requests)
    const isCalled = mode !== 'mock' && decisionInputs.some(({ firstDue, now }) => firstDue <= now)
    const ids = isCalled ? decisionInputs.flatMap(({ facts }) => facts.integrations.map(({ id }) => id)) : []
    const states = await limitStates(engine, workspaceId, [...new Set(ids)])
    const forecasts: Forecast[] = []
    const budget = startTimeBudget(Number.POSITIVE_INFINITY)
    for (const decisionInput of decisionInputs) {
      await budget.yieldToEventLoop()
      const isDue = decisionInput.firstDue <= decisionInput.now
      forecasts.push(forecast(decisionInput, isDue ? states : new Map(), names))
    }
    return forecasts
  }
}

/** A node that only accepts notifies those that process; commits that come close together share a notification. */
function claimWakeUps(engine: Engine, log: Log): () => void {
  let isPlanned = false
  const notify = () => {
    isPlanned = false
    engine
      .notify(CLAIM_CHANNEL, '')
      .catch((error: unknown) => log.debug({ event: 'notification.lost', err: error }, 'wake-up notification lost'))
  }
  return () => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(notify, WAKE_UP_MS).unref()
  }
}

function messagePoll(
  runner: Runner,
  { engine, log, leaseMs, now }: Pick<PipelineOptions, 'engine' | 'log' | 'leaseMs'> & { now(): number },
): () => Promise<number> {
  let count = 0
  return createQueuePoll({
    ...{ engine, log, leaseMs, now, queue: messageQueue, fullMs: FULL_MS },
    async claim(take) {
      count = Math.min(runner.room, CLAIM_MAX)
      // The smallest claim takes one from each of the three lanes.
      if (count < 3) return undefined
      return await claimFairly(count, runner.bulkRoom, (shares) => take({ shares }))
    },
    start(claimed, until) {
      failpoint('after-claim')
      runner.start(
        claimed.map((message) => ({ message })),
        until,
      )
    },
    sleepMs(claimed) {
      if (claimed.length >= count) return 0
      // A full bulk lane is claimed from again when it has room.
      return runner.bulkRoom === 0 ? FULL_MS : undefined
    },
  })
}
