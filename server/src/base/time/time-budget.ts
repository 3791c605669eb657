/** Long work in a process that serves others: lets them in by time, and knows when its own time is over. */
import { setImmediate as pause } from 'node:timers/promises'

export interface Pace {
  /** Returns at once unless it is time to let others in. */
  breathe(): Promise<void>
  isOver(): boolean
}

/** A call that comes in meanwhile waits for this and one step. */
const BREATH_MS = 10

export function startPace(msMax: number): Pace {
  const began = performance.now()
  let since = began
  return {
    isOver: () => performance.now() - began > msMax,
    async breathe() {
      if (performance.now() - since < BREATH_MS) return
      await pause()
      since = performance.now()
    },
  }
}
