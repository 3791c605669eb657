/** Calls within a limit per second or day that all nodes share: those that wait take them together, at most twenty times a second. */
import { DAY, SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import { takeCalls } from '../database/tables/workspace/integration-limits.ts'

export interface RateLimits {
  perSecond: number | undefined
  perDay: number | undefined
}

/** `limited`: not before `after`, and then spread, one each `stepMs`. */
export type Turn = { kind: 'granted' } | { kind: 'limited'; limit: 'rate' | 'day'; after: number; stepMs: number }

export interface CallRate {
  /** Resolves when the call may start. */
  take(limits: RateLimits): Promise<Turn>
}

export interface CallRateOptions {
  engine: Engine
  now(): number
  workspaceId: number
  integrationId: string
  /** How long a call may wait in memory. */
  waitMs: number
}

interface Waiter {
  limits: RateLimits
  grant(turn: Turn): void
  fail(error: unknown): void
}

/** Those that come meanwhile share the next request. */
const REQUEST_MS = 50
const CALLS_MAX = 1_000
/** Faster than the limit, because those that return do not come at even times: none of it stays unused. */
const RETURN_SHARE = 0.9
/** Without a limit per second: a thousand return over five seconds. */
const DAY_STEP_MS = 5

/** Microseconds between two calls. */
const intervalUsOf = ({ perSecond }: RateLimits) => (perSecond === undefined ? 0 : Math.round(1_000_000 / perSecond))

export function createCallRate({ engine, now, workspaceId, integrationId, waitMs }: CallRateOptions): CallRate {
  let waiting: Waiter[] = []
  let timer: NodeJS.Timeout | undefined
  let requesting = false
  let requestedAt = Number.NEGATIVE_INFINITY

  const request = async () => {
    timer = undefined
    const some = waiting.slice(0, CALLS_MAX)
    waiting = waiting.slice(CALLS_MAX)
    requesting = true
    requestedAt = now()
    // The limits of the latest facts.
    const limits = some.at(-1)?.limits ?? { perSecond: undefined, perDay: undefined }
    const intervalUs = intervalUsOf(limits)
    const day = Math.floor(requestedAt / DAY)
    try {
      const { given, start_in_us, used } = await takeCalls(engine, {
        ...{ workspaceId, integrationId, calls: some.length, intervalUs, withinUs: waitMs * SECOND, day },
        perDay: limits.perDay ?? null,
      })
      const isDayUsed = limits.perDay !== undefined && used >= limits.perDay
      const stepMs = intervalUs > 0 ? (intervalUs / SECOND) * RETURN_SHARE : DAY_STEP_MS
      const limited: Turn = isDayUsed
        ? { kind: 'limited', limit: 'day', after: (day + 1) * DAY, stepMs }
        : { kind: 'limited', limit: 'rate', after: now() + Math.max(waitMs, start_in_us / SECOND), stepMs }
      some.forEach(({ grant }, at) => {
        const inMs = (start_in_us + at * intervalUs) / SECOND
        if (at >= given) grant(limited)
        else if (intervalUs === 0 || inMs < 1) grant({ kind: 'granted' })
        else setTimeout(grant, inMs, { kind: 'granted' })
      })
    } catch (error) {
      for (const { fail } of some) fail(error)
    }
    requesting = false
    plan()
  }
  const plan = () => {
    if (requesting || timer || waiting.length === 0) return
    timer = setTimeout(() => void request(), Math.max(0, requestedAt + REQUEST_MS - now()))
  }

  return {
    take: (limits) =>
      new Promise((grant, fail) => {
        waiting.push({ limits, grant, fail })
        plan()
      }),
  }
}
