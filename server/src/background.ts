/** Every background job except the delivery of messages, on one page. */
import { createMembershipUpdater } from './audiences/update-members.ts'
import { createScheduler } from './automations/runs/triggers.ts'
import { type RunWorker, startRuns } from './automations/runs/worker.ts'
import type { Log } from './base/log.ts'
import type { Metrics } from './base/metrics.ts'
import type { SecretKey } from './base/secret.ts'
import type { Clock } from './base/time/clock.ts'
import { DAY, HOUR, MINUTE, SECOND } from './base/time/duration.ts'
import type { Engine } from './database/engine.ts'
import { dropPartitions, makePartitions, partitionedWeeks } from './database/partitions.ts'
import { createDueLook } from './database/queues.ts'
import { handOnBatches } from './database/tables/automations/batches.ts'
import { dropRuns } from './database/tables/automations/runs.ts'
import { dropThrottles } from './database/tables/automations/throttles.ts'
import { dropCounts, mergeCounts } from './database/tables/messages/counts.ts'
import { createMessageRemoval } from './database/tables/messages/old-messages.ts'
import { dropOriginals, dropReplayLinks } from './database/tables/messages/replays.ts'
import { dropUnrecognizedBounces } from './database/tables/messages/unrecognized-bounces.ts'
import { dropTranslationVersions } from './database/tables/notifications/translations.ts'
import { clearChangeBrowsers, dropReplacedChanges } from './database/tables/preferences/preference-changes.ts'
import { dropEndedSuppressions } from './database/tables/suppressions/suppressions.ts'
import { expireDeliveries } from './database/tables/webhooks/webhooks.ts'
import { clearKeyAddresses } from './database/tables/workspace/api-keys.ts'
import { dropAuditEvents } from './database/tables/workspace/audit-events.ts'
import { dropDeadLetters } from './database/tables/workspace/dead-letters.ts'
import { dropExpiredKeys } from './database/tables/workspace/idempotency-keys.ts'
import { dropInboundEvents } from './database/tables/workspace/inbound-events.ts'
import { dropHealth, mergeHealth } from './database/tables/workspace/integration-health.ts'
import { dropSessions } from './database/tables/workspace/sessions.ts'
import { dropSignInLinks } from './database/tables/workspace/sign-in-links.ts'
import { createDigestRelease } from './digests/release.ts'
import { createEraser } from './erasure/erase.ts'
import type { IntegrationGates } from './limits/integration-gates.ts'
import type { Intake } from './messages/direct-lease.ts'
import { createHeldRelease } from './messages/release.ts'
import { IDLE_MS, startWorker, type Worker } from './queue/poll.ts'
import { createCopySender } from './receipts/deferred-copies.ts'
import { createTicketReader, type TicketOptions } from './receipts/tickets.ts'
import { createReceiver } from './receipts/worker.ts'
import { createExpander, requestWrite } from './recipients/fan-out-request.ts'
import { WINDOW_MS } from './webhooks/attempt.ts'
import { startWebhooks, type WebhooksOptions } from './webhooks/worker.ts'

export interface BackgroundContext extends WebhooksOptions {
  engine: Engine
  clock: Clock
  log: Log
  retentionDays: number
  leaseMs: number
  secretKey: SecretKey
  providers: TicketOptions['providers']
  gates: Pick<IntegrationGates, 'enter'>
  metrics: Pick<Metrics, 'receipts' | 'finished' | 'webhookCalls'>
  /** Called after messages were inserted: they can be claimed. */
  messagesAdded(): void
  /** New messages of requests go on there at once. */
  intake: Intake
  /** Called with the number of new messages, for the metrics. */
  accepted(workspaceId: number, count: number): void
}

interface Task {
  name: string
  /** The job has no outside effect: it runs while deliveries are paused. */
  ignoresPause?: true
  /** The sleep before the first poll. */
  firstMs?: number
  /** Executes due work and returns how many milliseconds to sleep. */
  poll(): Promise<number>
}

/** No call waits for a job that runs as rarely as this. */
const UPKEEP_MS = 10 * MINUTE
/** Such jobs begin when the start is over: together they take every connection and read every table. */
const SETTLED_MS = 10 * SECOND

/** `run` returns true when there is more to do immediately. */
const every = (everyMs: number, name: string, run: () => Promise<boolean>): Task => ({
  name,
  poll: async () => ((await run()) ? 0 : everyMs),
  firstMs: everyMs >= UPKEEP_MS ? SETTLED_MS : 0,
})

/** The latency of the watch: due rows, and changed profiles for audiences, are found within this time. */
const WATCH_MS = SECOND / 2
/** How long a replaced entry of the ledger of consent is evidence: the common period of limitation. */
const CONSENT_MS = 3 * 365 * DAY
/** After so many empty polls the interval doubles. */
const IDLE_POLLS = 60
/** Few enough that other statements do not wait long. */
const ROWS_A_STEP = 1_000
/** Messages go on within five seconds of a repair, two of which pass before the first look. */
const HELD_MS = 3 * SECOND

/** Aborted when a stop takes long: what is in flight ends. */
function tasks(context: BackgroundContext, signal: AbortSignal): Task[] {
  const { engine, clock, log, retentionDays, leaseMs } = context
  const now = () => clock.now()
  const oldest = () => now() - retentionDays * DAY
  const inSteps = (everyMs: number, name: string, step: (limit: number) => Promise<number>) =>
    every(everyMs, name, async () => (await step(ROWS_A_STEP)) === ROWS_A_STEP)
  return [
    { name: 'fan-out', poll: createExpander({ ...context, now, wake: context.messagesAdded }) },
    { name: 'schedules', poll: createScheduler({ ...context, now, wake: () => wakeJob(context, 'runs') }) },
    { name: 'digests', poll: createDigestRelease({ ...context, now, wake: context.messagesAdded }) },
    { name: 'erasure', poll: createEraser({ ...context, now }), ignoresPause: true },
    { name: 'receipts', poll: createReceiver({ ...context, now, wake: context.messagesAdded }), ignoresPause: true },
    { name: 'copies', poll: createCopySender({ ...context, now, signal, wake: () => wakeJob(context, 'receipts') }) },
    { name: 'tickets', poll: createTicketReader({ ...context, now, wake: () => wakeJob(context, 'receipts') }) },
    { ...every(IDLE_MS, 'update-members', createMembershipUpdater({ engine, clock }).step), ignoresPause: true },
    { ...every(HOUR, 'make-partitions', () => makePartitions(engine, now()).then(() => false)), ignoresPause: true },
    every(HOUR, 'drop-partitions', async () => {
      const report = await dropPartitions(engine, oldest())
      if (report.dropped.length + report.kept.length > 0)
        log.info({ event: 'retention.dropped', ...report }, 'weeks past retention dropped')
      return false
    }),
    inSteps(10 * MINUTE, 'drop-idempotency-keys', (limit) => dropExpiredKeys(engine, now(), limit)),
    inSteps(10 * MINUTE, 'drop-audit-events', (limit) => dropAuditEvents(engine, oldest(), limit)),
    inSteps(HOUR, 'drop-dead-letters', (limit) => dropDeadLetters(engine, oldest(), limit)),
    every(HOUR, 'drop-unrecognized-bounces', () => dropUnrecognizedBounces(engine, now()).then(() => false)),
    inSteps(10 * MINUTE, 'drop-sessions', (limit) => dropSessions(engine, now(), limit)),
    inSteps(HOUR, 'drop-sign-in-links', (limit) => dropSignInLinks(engine, now(), limit)),
    inSteps(10 * MINUTE, 'drop-inbound-events', (limit) => dropInboundEvents(engine, oldest(), limit)),
    // Finished rows of weeks that are kept: for a message that waits, and for a run.
    inSteps(HOUR, 'drop-messages', createMessageRemoval(engine, oldest)),
    inSteps(HOUR, 'drop-runs', (limit) => dropRuns(engine, oldest(), limit)),
    { ...inSteps(MINUTE, 'merge-counts', (limit) => mergeCounts(engine, now(), limit)), ignoresPause: true },
    inSteps(10 * MINUTE, 'drop-counts', (limit) => dropCounts(engine, oldest(), limit)),
    { ...inSteps(10 * MINUTE, 'merge-health', (limit) => mergeHealth(engine, now(), limit)), ignoresPause: true },
    inSteps(HOUR, 'drop-health', (limit) => dropHealth(engine, now(), limit)),
    inSteps(10 * MINUTE, 'drop-replay-links', (limit) => dropReplayLinks(engine, oldest(), limit)),
    // A message of the oldest week may have been decided with what was replaced a little before it began.
    inSteps(HOUR, 'drop-translation-versions', async (limit) => {
      const [oldestWeek] = (await partitionedWeeks(engine)).messages ?? []
      return oldestWeek === undefined ? 0 : dropTranslationVersions(engine, oldestWeek - MINUTE, limit)
    }),
    inSteps(10 * MINUTE, 'drop-originals', (limit) => dropOriginals(engine, limit)),
    inSteps(10 * MINUTE, 'drop-suppressions', (limit) => dropEndedSuppressions(engine, now(), limit)),
    inSteps(10 * MINUTE, 'clear-change-browsers', (limit) => clearChangeBrowsers(engine, oldest(), limit)),
    inSteps(HOUR, 'clear-key-addresses', (limit) => clearKeyAddresses(engine, oldest(), limit)),
    inSteps(HOUR, 'drop-replaced-changes', (limit) => dropReplacedChanges(engine, now() - CONSENT_MS, limit)),
    inSteps(10 * MINUTE, 'drop-throttles', (limit) => dropThrottles(engine, now(), limit)),
    every(HELD_MS, 'release-held', createHeldRelease({ engine, leaseMs, now, wake: context.messagesAdded })),
    every(MINUTE, 'hand-on-batches', async () => {
      const { slice, handedOn } = await handOnBatches(engine, now(), ROWS_A_STEP)
      if (handedOn > 0) wakeJob(context, 'runs')
      return slice === ROWS_A_STEP
    }),
    // Attempts end their own deliveries; these belong to disabled or deleted webhooks.
    inSteps(MINUTE, 'end-webhook-deliveries', (limit) => expireDeliveries(engine, now() - WINDOW_MS, now(), limit)),
  ]
}

/** The channel of wake-up notifications with the name of a job; a lost one costs one sleep of the job. */
const WAKE_CHANNEL = 'work'

export interface Background {
  runs: RunWorker
  /** Mails in flight end after this time. */
  stop(graceMs: number): Promise<void>
}

/** Throws `DatabaseUnavailable` before anything runs. */
export async function startBackgroundJobs(context: BackgroundContext): Promise<Background> {
  const { engine, log } = context
  const workers = new Map<string, Worker>()
  const stopping = new AbortController()
  await engine.listen(WAKE_CHANNEL, (name) => workers.get(name)?.wake())
  for (const { name, poll, ignoresPause, firstMs } of tasks(context, stopping.signal))
    workers.set(name, startWorker({ name, log, poll, pause: ignoresPause ? undefined : context.pause, firstMs }))
  const webhooks = startWebhooks(context)
  const runs = startRuns({
    ...context,
    requestWrite,
    added: (what) => (what === 'messages' ? context.messagesAdded() : wakeJob(context, 'fan-out')),
  })
  workers.set('runs', runs)
  const wakers = new Map<string, () => void>([
    ...[...workers].map(([name, worker]) => [name, worker.wake] as const),
    ['webhooks', webhooks.wake],
    ['messages', context.messagesAdded],
  ])
  const look = createDueLook(engine, () => context.clock.now())
  let idlePolls = 0
  const poll = async () => {
    const due = await look()
    for (const queue of due) wakers.get(queue)?.()
    idlePolls = due.length > 0 ? 0 : idlePolls + 1
    return idlePolls > IDLE_POLLS ? 2 * WATCH_MS : WATCH_MS
  }
  const watch = startWorker({ name: 'watch', log, poll })
  return {
    runs,
    async stop(graceMs) {
      const late = setTimeout(() => stopping.abort(), graceMs)
      await Promise.all([watch, webhooks, ...workers.values()].map((worker) => worker.stop()))
      clearTimeout(late)
    },
  }
}

/** Wakes a job on every node. */
export function wakeJob({ engine, log }: { engine: Engine; log: Log }, task: string): void {
  engine
    .notify(WAKE_CHANNEL, task)
    .catch((error: unknown) => log.debug({ event: 'notification.lost', err: error, task }, 'wake-up notification lost'))
}
