/** Whether a server stays responsive: pinged again and again while it is busy with something else. */
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

const PING_EVERY_MS = 200

export interface Pings {
  /** The longest wait for an answer, in milliseconds; the time in which either process stood still is left out. */
  stop(): Promise<number>
}

/**
 * `stoodMs`: how long the server has stood in line for a processor so far, in milliseconds.
 * Only the time in which this process had nothing to do counts as waiting: an answer that lies there
 * while the next requests are drawn, for seconds at times, is not the server's delay.
 */
export function watchPings(ping: () => Promise<unknown>, stoodMs: () => number): Pings {
  let slowest = 0
  let stopped = false
  const watching = (async () => {
    while (!stopped) {
      const [began, stood] = [performance.eventLoopUtilization(), stoodMs()]
      await ping().catch(() => undefined)
      const waited = performance.eventLoopUtilization(began).idle - Math.max(0, stoodMs() - stood)
      slowest = Math.max(slowest, waited)
      await pause(PING_EVERY_MS)
    }
  })()
  return {
    async stop() {
      stopped = true
      await watching
      return Math.round(slowest)
    },
  }
}

/** How long the main thread of a process has stood in line for a processor so far, in milliseconds; 0 where the system does not count it. */
export function runQueueMs(pid: number): number {
  try {
    // Nanoseconds, the second of three numbers.
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
