/** Watches the main thread from a thread of its own: what holds it is named, and counted against a message that does. */
import { Worker } from 'node:worker_threads'
import { activityMemory, countTurn } from '../base/activity.ts'
import type { Log, LogLevel } from '../base/log.ts'
import type { Engine, ServerAddress } from '../database/engine.ts'
import { SAMPLE_MS } from './stall-detector.ts'

export interface WatchdogOptions {
  engine: Engine
  log: Log
  logLevel: LogLevel
  /** A message blocked the process, so many times by now. Called when the main thread goes on. */
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

/** It samples a few numbers; a database driver is all it ever loads. */
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
    log.error({ event: 'watchdog.ended', err }, 'the watchdog has ended; the service runs on'),
  )
  return {
    async stop() {
      clearInterval(turns)
      await thread.terminate()
    },
  }
}
