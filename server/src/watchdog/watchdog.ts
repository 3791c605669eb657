/** Watches the main thread from a separate thread: logs the activity that blocks it, and counts stalls of messages. */
import { Worker } from 'node:worker_threads'
import { activityMemory, countTurn } from '../base/activity.ts'
import type { Log, LogLevel } from '../base/log.ts'
import type { Engine, ServerAddress } from '../database/engine.ts'
import { SAMPLE_MS } from './stall-detector.ts'

export interface WatchdogOptions {
  engine: Engine
  log: Log
  logLevel: LogLevel
  /** A message blocked the process; `stalls` is the total. Called when the main thread responds again. */
  stalled(messageId: string, stalls: number): void
}

export interface WatchdogData {
  memory: SharedArrayBuffer
  address: ServerAddress
  kind: Engine['kind']
  logLevel: LogLevel
}

export interface Stalled {
  messageId: string
  stalls: number
}

/** The thread samples a few numbers, and loads no more than the database driver. */
const HEAP_MB = 32
const YOUNG_HEAP_MB = 2

export function startWatchdog({ engine, log, logLevel, stalled }: WatchdogOptions): { stop(): Promise<void> } {
  const turns = setInterval(countTurn, SAMPLE_MS).unref()
  const workerData: WatchdogData = { memory: activityMemory, address: engine.address, kind: engine.kind, logLevel }
  const thread = new Worker(new URL('./watchdog-thread.js', import.meta.url), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
  })
  thread.unref()
  thread.on('message', ({ messageId, stalls }: Stalled) => stalled(messageId, stalls))
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
