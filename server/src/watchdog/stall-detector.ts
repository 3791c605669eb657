/** Detects from samples of the main thread that it is stalled, and which activity is to blame. Pure. */
import type { Activity, ActivitySample } from '../base/activity.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'

export const SAMPLE_MS = SECOND / 2
/** An activity that has held the thread for this long is written down: the process may be killed at any time. */
const SUSPECTED_MS = SECOND
/** Far above what any activity may take (250 ms) and below the patience of liveness probes. */
export const STALLED_MS = 5 * SECOND
/** Longer than a lease: by now other nodes work on what this process holds, and callers have given up. */
const HOPELESS_MS = MINUTE

export type Finding =
  /** It will count as a stall unless it is cleared. */
  | { kind: 'suspected'; activity: Activity }
  /** It ended before it was a stall. */
  | { kind: 'cleared'; activity: Activity }
  /** The event loop stands still; once for each standstill. The activity is the one at this moment. */
  | { kind: 'stalled'; activity: Activity | undefined; ms: number }
  | { kind: 'resumed'; ms: number }
  | { kind: 'hopeless'; activity: Activity | undefined; ms: number }

export type Observe = (sample: ActivitySample, now: number) => Finding[]

export function createObserver(start: number): Observe {
  let lastAt = start
  let turn = { count: -1, since: start }
  let section = { count: -1, since: start }
  let suspected: Activity | undefined
  let isStalled = false
  let isHopeless = false

  return ({ turns, sections, activity }, now) => {
    const findings: Finding[] = []
    // The whole process or machine was stopped meanwhile: that says nothing about the main thread.
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
      isHopeless = false
    } else if (!isStalled && ms >= STALLED_MS) {
      isStalled = true
      findings.push({ kind: 'stalled', activity, ms })
    } else if (!isHopeless && ms >= HOPELESS_MS) {
      isHopeless = true
      findings.push({ kind: 'hopeless', activity, ms })
    }
    return findings
  }
}
