/** Whether a server answers all along: asked for its life again and again while it is busy with something else. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

const PING_EVERY_MS = 200
const NANOSECONDS = 1e6

export interface Pings {
  /** The longest wait for an answer, in milliseconds; the time in which this process itself stood still is left out. */
  stop(): Promise<number>
}

export function watchPings(ping: () => Promise<unknown>): Pings {
  const stalls = monitorEventLoopDelay({ resolution: 10 })
  stalls.enable()
  let slowest = 0
  let stopped = false
  const watching = (async () => {
    while (!stopped) {
      stalls.reset()
      const began = performance.now()
      await ping().catch(() => undefined)
      slowest = Math.max(slowest, performance.now() - began - stalls.max / NANOSECONDS)
      await pause(PING_EVERY_MS)
    }
  })()
  return {
    async stop() {
      stopped = true
      await watching
      stalls.disable()
      return Math.round(slowest)
    },
  }
}
