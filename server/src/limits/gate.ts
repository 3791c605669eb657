/** The gate of one integration on this node: its breaker, its calls in progress, those that wait for a limit, and its part of a limit of all nodes. */
import type { Sample } from '../base/scraped-figures.ts'
import { DAY, MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import { type NamedBreakerRow, takeCalls } from '../database/tables/workspace/integration-limits.ts'
import { type CallHealth, isMisconfigured, type OpenBreaker } from './circuit-breaker.ts'
import { type BreakerOptions, breakerFigure, labelsOf, type Probe, SharedBreaker } from './shared-breaker.ts'

/** An integration as a decision sees it. */
export interface GatedIntegration {
  id: string
  version: number
  title: string
  provider: { key: string }
  limits: CallLimits
}

/** Over all nodes; a day is one of UTC. */
export interface CallLimits {
  perSecond?: number
  concurrency?: number
  perDay?: number
}

export type Entry = Pass | Refused

/** The integration must not be called now: try again after about this time. */
export interface Refused {
  kind: 'refused'
  error: string
  waitMs: number
  /** The circuit breaker is open: a repair of the integration closes it. */
  isBroken?: true
  /** The breaker is open because credentials or settings are refused. */
  isMisconfigured?: boolean
}

/** A call that may start now. */
export interface Pass {
  kind: 'passed'
  /** Called once. `health`: what the call says about the integration; undefined: nothing, or none was made. */
  leave(health?: CallHealth, error?: string): void
}

export interface EnterOptions {
  /** How long the call may wait in memory. */
  waitMs: number
  /** False for an address of the message or its recipient, which says nothing about the integration. */
  isOwnAddress: boolean
}

type LimitKind = 'breaker' | 'failing' | 'concurrency' | 'rate' | 'day'

interface Waiter {
  integration: GatedIntegration
  options: EnterOptions
  grant(entry: Entry | Promise<Entry>): void
  timer: NodeJS.Timeout
}

/** They wait for less than a second. */
const WAITERS_MAX = 512
const RETURN_MIN_MS = SECOND
/** A thousand refused messages return over five seconds: claiming them again costs less than a provider call. */
const RETURN_STEP_MS = 5
/** They do not return later than this after the first one. */
const RETURN_SPREAD_MS = 15 * MINUTE

export interface GateOptions extends BreakerOptions {
  nodes(): Nodes
  waitMs: number
}

export class Gate {
  readonly #options: GateOptions
  readonly #breaker: SharedBreaker
  readonly #rate: CallRate
  readonly #waiters = new Set<Waiter>()
  /** By limit: when the next refused message returns. */
  readonly #returns = new Map<LimitKind, number>()
  #inProgress = 0
  #enteredAt: number

  constructor(options: GateOptions) {
    this.#options = options
    this.#enteredAt = options.now()
    this.#breaker = new SharedBreaker(options)
    this.#rate = createCallRate({ ...options, integrationId: options.id })
  }

  enter(integration: GatedIntegration, options: EnterOptions): Promise<Entry> {
    this.#enteredAt = this.#options.now()
    this.#breaker.see(integration.version, integration)
    const { open } = this.#breaker
    if (open && options.isOwnAddress) return this.#enterOpen(integration, open)
    if (this.#hasRoom(integration, options)) return this.#admit(integration, options.isOwnAddress)
    return this.#wait(integration, options)
  }

  async #enterOpen(integration: GatedIntegration, open: OpenBreaker): Promise<Entry> {
    return this.#options.now() < open.probeAt ? this.#refuseOpen(integration, open) : this.#probe(integration)
  }

  /** The shared state of its breaker, as it was read then. */
  share(row: NamedBreakerRow | undefined, readAt: number): void {
    this.#breaker.share(row, readAt)
    this.#wake()
  }

  /** Its breaker is closed, no call has come since then, none is in progress, and none waits. */
  isIdleSince(time: number): boolean {
    return !this.#breaker.hasRow && this.#enteredAt < time && this.#inProgress === 0 && this.#waiters.size === 0
  }

  /** For the metrics; undefined before the first call through a closed breaker. */
  get reading(): Sample<'provider' | 'integration'> | undefined {
    const { named, open } = this.#breaker
    return named && { labels: labelsOf(named), value: breakerFigure(open, this.#options.now()) }
  }

  #concurrency({ limits }: GatedIntegration): number {
    const { nodes, id } = this.#options
    return limits.concurrency === undefined ? Number.POSITIVE_INFINITY : concurrencyOf(limits.concurrency, nodes(), id)
  }

  #hasRoom(integration: GatedIntegration, { isOwnAddress }: EnterOptions): boolean {
    if (isOwnAddress && this.#inProgress >= this.#breaker.callsAtOnce) return false
    return this.#inProgress < this.#concurrency(integration)
  }

  /** There is room: the call waits only for its turn within a rate. */
  async #admit(integration: GatedIntegration, isOwnAddress: boolean, probe?: Probe): Promise<Entry> {
    this.#inProgress += 1
    const pass = this.#pass(integration, isOwnAddress, probe)
    const { perSecond, perDay } = integration.limits
    if (perSecond === undefined && perDay === undefined) return pass
    try {
      const turn = await this.#rate.take({ perSecond, perDay })
      if (turn.kind === 'granted') return pass
      pass.leave()
      return this.#refuse(integration, turn)
    } catch (error) {
      // The database is unavailable: no call is made.
      pass.leave()
      throw error
    }
  }

  #pass({ version }: GatedIntegration, isOwnAddress: boolean, probe: Probe | undefined): Pass {
    const startedAt = this.#options.now()
    return {
      kind: 'passed',
      leave: (health, error = '') => {
        const atOnce = this.#inProgress
        this.#inProgress -= 1
        if (probe) probe.end(health, error)
        else if (isOwnAddress && health !== undefined)
          this.#breaker.count(health, error, { version, startedAt, atOnce })
        this.#wake()
      },
    }
  }

  async #probe(integration: GatedIntegration): Promise<Entry> {
    const probe = await this.#breaker.probe()
    if (probe) return this.#admit(integration, true, probe)
    const { open } = this.#breaker
    return open ? this.#refuseOpen(integration, open) : this.#admit(integration, true)
  }

  async #wait(integration: GatedIntegration, options: EnterOptions): Promise<Entry> {
    if (this.#waiters.size >= WAITERS_MAX || this.#concurrency(integration) === 0)
      return this.#giveUp(integration, options)
    return await new Promise((grant) => {
      const late = () => {
        this.#waiters.delete(waiter)
        grant(this.#giveUp(integration, options))
      }
      const waiter: Waiter = { integration, options, grant, timer: setTimeout(late, options.waitMs) }
      this.#waiters.add(waiter)
    })
  }

  /** No result came: a provider that is slow is not held up, one whose calls fail is. */
  async #giveUp(integration: GatedIntegration, { isOwnAddress }: EnterOptions): Promise<Entry> {
    if (this.#inProgress >= this.#concurrency(integration)) return this.#refuse(integration, { limit: 'concurrency' })
    if (isOwnAddress && this.#breaker.isFailing) return this.#refuse(integration, { limit: 'failing' })
    return this.#admit(integration, isOwnAddress)
  }

  /** In their order, as long as there is room. */
  #wake(): void {
    for (const waiter of this.#waiters) {
      const { integration, options } = waiter
      const open = options.isOwnAddress ? this.#breaker.open : undefined
      if (!open && !this.#hasRoom(integration, options)) return
      this.#waiters.delete(waiter)
      clearTimeout(waiter.timer)
      waiter.grant(open ? this.#refuseOpen(integration, open) : this.#admit(integration, options.isOwnAddress))
    }
  }

  #refuseOpen(integration: GatedIntegration, { probeAt, probing, error, reason }: OpenBreaker): Refused {
    const after = probing ? 0 : probeAt
    const refused = this.#refuse(integration, { limit: 'breaker', after }, breakerText(error))
    refused.isBroken = true
    if (isMisconfigured(reason)) refused.isMisconfigured = true
    return refused
  }

  /** Refused messages return one after the other, so that they are not claimed again all at once. */
  #refuse(
    { provider, title, limits }: GatedIntegration,
    { limit, after = 0, stepMs = RETURN_STEP_MS }: { limit: LimitKind; after?: number; stepMs?: number },
    error = limitTexts[limit](limits),
  ): Refused {
    const now = this.#options.now()
    const first = Math.max(after, now + RETURN_MIN_MS)
    const at = Math.min(Math.max(this.#returns.get(limit) ?? 0, first), first + RETURN_SPREAD_MS)
    this.#returns.set(limit, at + stepMs)
    this.#options.metrics.limited.inc({ provider: provider.key, integration: title, limit })
    return { kind: 'refused', error, waitMs: Math.ceil(at - now) }
  }
}

export const breakerText = (error: string) => `Circuit breaker open: ${error}`

/** Why a call is refused. */
export const limitTexts: Readonly<Record<LimitKind, (limits: CallLimits) => string>> = {
  breaker: () => 'The circuit breaker of the integration is open',
  failing: () => 'The latest calls of the integration failed: few are made until one succeeds',
  concurrency: ({ concurrency }) => `The integration's limit of ${concurrency} at a time is reached`,
  rate: ({ perSecond }) => `The integration's limit of ${perSecond} per second is reached`,
  day: ({ perDay }) => `The integration's limit of ${perDay} per day is reached`,
}

interface RateLimits {
  perSecond: number | undefined
  perDay: number | undefined
}

/** `limited`: not before `after`, and then spread, one each `stepMs`. */
type Turn = { kind: 'granted' } | { kind: 'limited'; limit: 'rate' | 'day'; after: number; stepMs: number }

interface CallRate {
  /** Resolves when the call may start. */
  take(limits: RateLimits): Promise<Turn>
}

interface CallRateOptions {
  engine: Engine
  now(): number
  workspaceId: number
  integrationId: string
  /** How long a call may wait in memory. */
  waitMs: number
}

interface RateWaiter {
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

/** Calls that all nodes share: those that wait take them together, at most twenty times a second. */
function createCallRate({ engine, now, workspaceId, integrationId, waitMs }: CallRateOptions): CallRate {
  let waiting: RateWaiter[] = []
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
      const {
        given: grantedCalls,
        start_in_us,
        used,
      } = await takeCalls(engine, {
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
        if (at >= grantedCalls) grant(limited)
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

/** The nodes that divide a limit among them. */
export interface Nodes {
  /** Those that deliver, this one included. */
  count: number
  /** This node's place among them, from 0. */
  position: number
}

/** `numbers`: one for each node, in order. A node whose own number is missing counts itself last. */
export function nodesOf(numbers: readonly number[], nodeNumber: number): Nodes {
  const position = numbers.indexOf(nodeNumber)
  return position < 0 ? { count: numbers.length + 1, position: numbers.length } : { count: numbers.length, position }
}

/** Divides a number of calls at a time; the nodes that get one more differ from integration to integration. */
export function concurrencyOf(total: number, { count, position }: Nodes, integrationId: string): number {
  const shift = integrationId.charCodeAt(integrationId.length - 1) || 0
  return Math.floor(total / count) + ((position + shift) % count < total % count ? 1 : 0)
}
