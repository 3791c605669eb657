/** Watches the main thread from a separate thread: logs the activity that blocks it, and counts stalls of messages. */
import { Worker } from 'node:worker_threads'
import { type Activity, type ActivitySample, activityMemory, countTurn } from '../base/activity.ts'
import type { Log, LogLevel } from '../base/log.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine, ServerAddress } from '../database/engine.ts'

export interface WatchdogOptions {
  engine: Engine
  log: Log
  logLevel: LogLevel
  /** A message blocked the process; `stalls` is the total. Called when the main thread responds again. */
  stalled(messageId: string, stalls: number): void
  /** The process did not respond for five seconds. Called when it responds again. */
  processStalled(): void
}

export interface WatchdogData {
  memory: SharedArrayBuffer
  address: ServerAddress
  kind: Engine['kind']
  logLevel: LogLevel
}

/** From the thread. */
export type WatchdogMessage = { kind: 'message'; messageId: string; stalls: number } | { kind: 'process' }

/** The thread samples a few numbers, and loads no more than the database driver. */
const HEAP_MB = 32
const YOUNG_HEAP_MB = 2

export function startWatchdog({ engine, log, logLevel, ...counters }: WatchdogOptions): { stop(): Promise<void> } {
  const turns = setInterval(countTurn, SAMPLE_MS).unref()
  const workerData: WatchdogData = { memory: activityMemory, address: engine.address, kind: engine.kind, logLevel }
  const thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  })
  thread.unref()
  thread.on('message', (message: WatchdogMessage) => {
    if (message.kind === 'process') counters.processStalled()
    else counters.stalled(message.messageId, message.stalls)
  })
  thread.on('error', (err) =>
    log.error({ event: 'watchdog.ended', err }, 'the watchdog has ended; the service keeps running'),
  )
  return {
    async stop() {
      clearInterval(turns)
      await thread.terminate()
    },
  }
}

// Stalls are detected from samples of the main thread; the detection is pure.
export const SAMPLE_MS = SECOND / 2
/** An activity that blocks the thread for this long is recorded: the process may be killed at any time. */
const SUSPECTED_MS = SECOND
/** Far above what any activity may take (250 ms) and below the patience of liveness probes. */
const STALLED_MS = 5 * SECOND
/** Longer than a lease: other nodes have claimed the messages of this process, and callers have timed out. */
const UNRESPONSIVE_MS = MINUTE

export type WatchdogFinding =
  /** Counts as a stall unless it is cleared. */
  | { kind: 'suspected'; activity: Activity }
  /** The activity ended before the stall threshold. */
  | { kind: 'cleared'; activity: Activity }
  /** The event loop is blocked; reported once. The activity is the current one. */
  | { kind: 'stalled'; activity: Activity | undefined; ms: number }
  | { kind: 'resumed'; ms: number }
  | { kind: 'unresponsive'; activity: Activity | undefined; ms: number }

export type Observe = (sample: ActivitySample, now: number) => WatchdogFinding[]

export function createObserver(start: number): Observe {
  let lastAt = start
  let turn = { count: -1, since: start }
  let section = { count: -1, since: start }
  let suspected: Activity | undefined
  let isStalled = false
  let isUnresponsive = false

  return ({ turns, sections, activity }, now) => {
    const findings: WatchdogFinding[] = []
    // The whole process or machine was suspended meanwhile: no evidence of a stall.
    if (now - lastAt > SAMPLE_MS + SECOND) {
      turn.since = now
      section.since = now
    }
    lastAt = now

    if (sections !== section.count) {
      if (suspected && now - section.since < STALLED_MS) findings.push({ kind: 'cleared', activity: suspected })
      suspected = undefined
      section = { count: sections, since: now }
    } else if (activity && !suspected && now - section.since >= SUSPECTED_MS) {
      suspected = activity
      findings.push({ kind: 'suspected', activity })
    }

    const ms = now - turn.since
    if (turns !== turn.count) {
      if (isStalled) findings.push({ kind: 'resumed', ms })
      turn = { count: turns, since: now }
      isStalled = false
      isUnresponsive = false
    } else if (!isStalled && ms >= STALLED_MS) {
      isStalled = true
      findings.push({ kind: 'stalled', activity, ms })
    } else if (!isUnresponsive && ms >= UNRESPONSIVE_MS) {
      isUnresponsive = true
      findings.push({ kind: 'unresponsive', activity, ms })
    }
    return findings
  }
}
