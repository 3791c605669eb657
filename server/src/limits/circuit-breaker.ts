/** The rule of the circuit breaker, pure: results of calls open it, probes while it is open close it or wait longer. */
import { MINUTE, SECOND } from '../base/time/duration.ts'

/**
 * The result of a call, for the integration and not for the message. `failed`: no use, or unclear. `unreachable`: no
 * connection. `misconfigured`: refused for the integration's sake. `unauthorized`: its credentials were refused.
 */
export type CallHealth = 'good' | 'failed' | 'unreachable' | 'misconfigured' | 'unauthorized'

export type OpenReason = 'failures' | 'connection' | 'configuration' | 'authentication'

/** Only a person mends it. */
export const isMisconfigured = (reason: OpenReason): boolean =>
  reason === 'configuration' || reason === 'authentication'

/** Results of calls through a closed breaker: two halves of the window, and how the latest ones ended. */
export interface Results {
  /** When the current half started. */
  since: number
  calls: number
  failed: number
  callsBefore: number
  failedBefore: number
  /** Failures since the last good call. */
  failedInARow: number
  /** The latest of them that are alike. */
  alike: CallHealth
  alikeInARow: number
  /** A call was good, and none failed after it. */
  proven: boolean
  /** Calls in progress at a time that good calls have shown to be fine, and the most of this half of the window. */
  shown: number
  peak: number
}

/** An open breaker, as all nodes share it. */
export interface OpenBreaker {
  since: number
  reason: OpenReason
  /** The latest error of the provider. */
  error: string
  waits: number
  probeAt: number
  probing: boolean
  good: number
}

/** A dead provider costs this many calls at most, over all nodes; of five nodes and more, five calls each. */
const CALLS_MIN = 20
const CALLS_OF_NODE_MIN = 5
const HALF_WINDOW_MS = 15 * SECOND
const FAILED_SHARE = 0.5
const ALIKE_MAX = 5
const GOOD_PROBES = 3
const WAIT_MIN_MS = 10 * SECOND
const WAIT_MAX_MS = 15 * MINUTE
const JITTER = 0.2
/** Longer than any attempt: when a prober has died, another node probes after this time. */
const PROBE_MS = 45 * SECOND

export const noResults = (now: number): Results => ({
  ...{ since: now, calls: 0, failed: 0, callsBefore: 0, failedBefore: 0 },
  ...{ failedInARow: 0, alike: 'good', alikeInARow: 0, proven: false, shown: 0, peak: 0 },
})

/** `atOnce`: the calls that were in progress with this one. */
export function withResult(before: Results, result: CallHealth, now: number, atOnce = 1, nodes = 1): Results {
  const isFailed = result !== 'good'
  const age = now - before.since
  const isOver = age >= HALF_WINDOW_MS
  const isNext = isOver && age < 2 * HALF_WINDOW_MS
  const mayBe = callsAtOnce(before, nodes)
  // One more for each good call: twice as many each time that all of them have ended.
  const shown = isFailed ? 0 : atOnce >= mayBe ? mayBe + 1 : before.shown
  return {
    shown: isOver ? Math.min(shown, Math.max(before.peak, atOnce)) : shown,
    peak: isOver ? atOnce : Math.max(before.peak, atOnce),
    since: isOver ? now : before.since,
    calls: (isOver ? 0 : before.calls) + 1,
    failed: (isOver ? 0 : before.failed) + (isFailed ? 1 : 0),
    callsBefore: isOver ? (isNext ? before.calls : 0) : before.callsBefore,
    failedBefore: isOver ? (isNext ? before.failed : 0) : before.failedBefore,
    failedInARow: isFailed ? before.failedInARow + 1 : 0,
    alike: result,
    alikeInARow: result === before.alike ? before.alikeInARow + 1 : 1,
    proven: !isFailed,
  }
}

/** The part of one node. */
const callsOfNode = (nodes: number) => Math.max(CALLS_OF_NODE_MIN, Math.floor(CALLS_MIN / nodes))

/** Why these results open it; undefined: it stays closed. */
export function openedBy(results: Results, nodes: number): OpenReason | undefined {
  const { alike, alikeInARow, failedInARow } = results
  if (alike === 'good') return undefined
  if (alike === 'unauthorized') return 'authentication'
  if (alike === 'unreachable' && alikeInARow >= ALIKE_MAX) return 'connection'
  // Several, because a single one may be due to its message: a sender that is not verified, a template.
  if (alike === 'misconfigured' && alikeInARow >= ALIKE_MAX) return 'configuration'
  if (failedInARow >= callsOfNode(nodes)) return 'failures'
  const calls = results.calls + results.callsBefore
  const failed = results.failed + results.failedBefore
  return calls >= CALLS_MIN && failed >= calls * FAILED_SHARE ? 'failures' : undefined
}

/**
 * How many calls may be in progress on one node: as many as a dead provider may cost, and more only where good calls have
 * shown it. Otherwise a burst would make hundreds of calls before the first of them has failed.
 */
export const callsAtOnce = ({ proven, failedInARow, shown }: Results, nodes: number): number =>
  proven ? Math.max(callsOfNode(nodes), shown) : Math.max(1, callsOfNode(nodes) - failedInARow)

/** 10 s, 20 s, 40 s … 15 min, ± 20 %. `random` is in [0, 1). */
function waitMs(waits: number, random: number): number {
  const wait = Math.min(WAIT_MIN_MS * 2 ** Math.min(waits - 1, 10), WAIT_MAX_MS)
  return Math.round(wait * (1 - JITTER + 2 * JITTER * random))
}

export const opened = (reason: OpenReason, error: string, now: number, random: number): OpenBreaker => ({
  ...{ since: now, reason, error, waits: 1, probeAt: now + waitMs(1, random), probing: false, good: 0 },
})

/** One node probes; the others wait until its result is written, or its time is over. */
export const probing = (breaker: OpenBreaker, now: number): OpenBreaker => ({
  ...breaker,
  probeAt: now + PROBE_MS,
  probing: true,
})

/** Undefined: closed. A probe that was not made, or that says nothing about the provider, gives its turn to the next. */
export function afterProbe(
  breaker: OpenBreaker,
  probe: { result: CallHealth | undefined; error?: string | undefined },
  now: number,
  random: number,
): OpenBreaker | undefined {
  const { result } = probe
  if (result === undefined) return { ...breaker, probeAt: now + SECOND, probing: false }
  if (result === 'good') {
    const good = breaker.good + 1
    return good >= GOOD_PROBES ? undefined : { ...breaker, good, probeAt: now, probing: false }
  }
  const waits = breaker.waits + 1
  // An outage says nothing about refused credentials: they are what has to be repaired.
  const isOutage = isMisconfigured(breaker.reason) && result !== 'unauthorized' && result !== 'misconfigured'
  const error = isOutage ? breaker.error : (probe.error ?? breaker.error)
  return { ...breaker, error, waits, probeAt: now + waitMs(waits, random), probing: false, good: 0 }
}

/** `half_open` from the start of a probe until it is closed, or open again. */
export const breakerState = ({ probing, good, probeAt }: OpenBreaker, now: number): 'open' | 'half_open' =>
  good > 0 || (probing && now < probeAt) ? 'half_open' : 'open'
