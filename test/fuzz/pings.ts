/** Whether a server answers all along: asked for its life again and again while it is busy with something else. */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

const PING_EVERY_MS = 200
const NANOSECONDS = 1e6

export interface Pings {
  /** The longest wait for an answer, in milliseconds; the time in which either process stood still is left out. */
  stop(): Promise<number>
}

/** `stoodMs`: how long the server has stood in line for a processor so far, in milliseconds. */
export function watchPings(ping: () => Promise<unknown>, stoodMs: () => number): Pings {
  const stalls = monitorEventLoopDelay({ resolution: 10 })
  stalls.enable()
  let slowest = 0
  let stopped = false
  const watching = (async () => {
    while (!stopped) {
      stalls.reset()
      const [began, stood] = [performance.now(), stoodMs()]
      await ping().catch(() => undefined)
      const waited = performance.now() - began - Math.max(0, stoodMs() - stood) - stalls.max / NANOSECONDS
      slowest = Math.max(slowest, waited)
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
