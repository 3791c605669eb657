/** The circuit breaker of one integration: closed it counts the calls of this node, open it is a row that all nodes share. */
import type { CircuitBreaker } from '@postrider/contract'
import type { Log } from '../base/log.ts'
import type { LogEvent } from '../base/log-events.ts'
import type { Metrics } from '../base/metrics.ts'
import { iso } from '../base/time/clock.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import {
  type BreakerRow,
  changeBreaker,
  insertBreaker,
  type NamedBreakerRow,
} from '../database/tables/workspace/integration-limits.ts'
import {
  afterProbe,
  breakerState,
  type CallHealth,
  callsAtOnce,
  noResults,
  type OpenBreaker,
  type OpenReason,
  opened,
  openedBy,
  probing,
  type Results,
  withResult,
} from './circuit-breaker.ts'

export interface BreakerOptions {
  engine: Engine
  log: Log
  metrics: Metrics
  now(): number
  random(): number
  workspaceId: number
  id: string
  nodes(): { count: number }
  /** Reads what is shared again. */
  refresh(): void
  /** Notifies every node. */
  notify(): void
}

/** An integration as the log and the metrics name it. */
export interface Named {
  provider: { key: string }
  title: string
}

/** `atOnce`: the calls that were in progress with it. */
export interface EndedCall {
  version: number
  startedAt: number
  atOnce: number
}

export interface Probe {
  end(health: CallHealth | undefined, error: string | undefined): void
}

/** Longer ones are cut: the history of a message has the whole of it. */
const ERROR_LENGTH_MAX = 500
/** Another node has the probe: this one looks again after this time. */
const PROBE_AGAIN_MS = 1_000

export class SharedBreaker {
  readonly #options: BreakerOptions
  #results: Results
  /** Calls that started earlier do not count. */
  #countedFrom = Number.NEGATIVE_INFINITY
  #row: BreakerRow | undefined
  /** The version of the integration that decisions see. */
  #version = 0
  #named: Named | undefined
  #writes = 0
  #writtenAt = Number.NEGATIVE_INFINITY
  #claiming = false

  constructor(options: BreakerOptions) {
    this.#options = options
    this.#results = noResults(options.now())
  }

  /** Undefined: closed. */
  get open(): OpenBreaker | undefined {
    return this.#row && this.#row.version >= this.#version ? breakerOf(this.#row) : undefined
  }

  /** The row may be of an earlier version of the integration. */
  get hasRow(): boolean {
    return this.#row !== undefined
  }

  /** Undefined before the first call, or before another node's breaker was read. */
  get named(): Named | undefined {
    return this.#named
  }

  /** How many calls may be in progress on this node. */
  get callsAtOnce(): number {
    return callsAtOnce(this.#results, this.#options.nodes().count)
  }

  /** The latest call failed. */
  get isFailing(): boolean {
    return this.#results.failedInARow > 0
  }

  /** A change of the integration closes its breaker, and what was known before does not count. */
  see(version: number, named: Named): void {
    this.#named = named
    if (version <= this.#version) return
    const isFirst = this.#version === 0
    this.#version = version
    if (!isFirst && (!this.#row || this.#row.version < version)) this.#close(false)
  }

  /** A call through the closed breaker has ended. */
  count(health: CallHealth, error: string, { version, startedAt, atOnce }: EndedCall): void {
    if (this.#row || version < this.#version || startedAt < this.#countedFrom) return
    const { now, nodes } = this.#options
    this.#results = withResult(this.#results, health, now(), atOnce, nodes().count)
    const reason = openedBy(this.#results, nodes().count)
    if (reason) void this.#open(reason, error, version)
  }

  /** The one probe of all nodes; undefined where it is not due, or where another node has it. */
  async probe(): Promise<Probe | undefined> {
    const { engine, now, refresh } = this.#options
    const before = this.#row
    if (!before || this.#claiming || now() < before.probe_at) return undefined
    this.#claiming = true
    const claim = rowOf(probing(breakerOf(before), now()))
    const isOurs = await this.#written(changeBreaker(engine, before, claim, now()))
    this.#claiming = false
    if (!isOurs) {
      if (this.#row === before) this.#row = { ...before, probe_at: now() + PROBE_AGAIN_MS }
      refresh()
      return undefined
    }
    const claimed = { ...before, ...claim, revision: before.revision + 1 }
    this.#row = claimed
    if (before.good === 0)
      this.#log('info', 'integration.breaker_half_open', 'a circuit breaker is half open: one probe')
    return { end: (health, error) => void this.#endProbe(claimed, health, error) }
  }

  /** The row as it was in the database then, by the process's own clock; undefined: none. */
  share(read: NamedBreakerRow | undefined, readAt: number): void {
    // Out of date: this node has written it since, or is about to.
    if (this.#writes > 0 || readAt < this.#writtenAt) return
    if (read) this.#named = { provider: { key: read.provider }, title: read.title }
    if (!read) {
      if (this.#row) this.#close(false)
    } else if (!this.#row || read.since !== this.#row.since || read.revision >= this.#row.revision) this.#row = read
  }

  async #open(reason: OpenReason, error: string, version: number): Promise<void> {
    const { engine, metrics, now, random, workspaceId, id, refresh, notify } = this.#options
    const breaker = opened(reason, error.slice(0, ERROR_LENGTH_MAX), now(), random())
    const row = { ...rowOf(breaker), workspace_id: workspaceId, integration_id: id, version, revision: 0 }
    // At once: calls that would start meanwhile are refused.
    this.#row = row
    const isFirst = await this.#written(insertBreaker(engine, row))
    if (isFirst === undefined) {
      // Not written: the next failure opens it again.
      if (this.#row === row) this.#row = undefined
      return
    }
    if (!isFirst) return refresh()
    metrics.breakerOpened.inc({ ...labelsOf(this.#named), reason })
    this.#log(
      'warn',
      'integration.breaker_opened',
      'a circuit breaker opened: the integration is not called until a probe is good',
      { reason, error, probe_at: iso(breaker.probeAt) },
    )
    notify()
  }

  async #endProbe(claimed: BreakerRow, health: CallHealth | undefined, error: string | undefined): Promise<void> {
    const { engine, now, random, refresh, notify } = this.#options
    const after = afterProbe(breakerOf(claimed), { result: health, error }, now(), random())
    const isWritten = await this.#written(changeBreaker(engine, claimed, after && rowOf(after), now()))
    // The integration was changed, or the probe took too long and another one is in progress.
    if (!isWritten) return refresh()
    const isCurrent = this.#row?.version === claimed.version
    if (!after) {
      if (isCurrent) this.#close(true)
      this.#log('info', 'integration.breaker_closed', 'a circuit breaker closed: probes were good')
      return notify()
    }
    if (isCurrent) this.#row = { ...claimed, ...rowOf(after), revision: claimed.revision + 1 }
    if (after.waits > claimed.waits)
      this.#log('info', 'integration.probe_failed', 'a probe failed: the circuit breaker stays open', {
        error,
        probe_at: iso(after.probeAt),
      })
  }

  #close(proven: boolean): void {
    const now = this.#options.now()
    this.#row = undefined
    this.#results = { ...noResults(now), proven }
    this.#countedFrom = now
  }

  /** Undefined: the database did not answer. While a row is written, what was read of it is out of date. */
  async #written(write: Promise<boolean>): Promise<boolean | undefined> {
    this.#writes += 1
    try {
      return await write
    } catch (error) {
      const text = 'the state of a circuit breaker could not be written'
      this.#log(failureLevel(error), 'integration.breaker_not_written', text, { err: error })
      return undefined
    } finally {
      this.#writes -= 1
      this.#writtenAt = performance.now()
    }
  }

  #log(level: 'debug' | 'info' | 'warn', event: LogEvent, text: string, fields: object = {}): void {
    const { log, id } = this.#options
    log[level](
      { event, integration: id, title: this.#named?.title, provider: this.#named?.provider.key, ...fields },
      text,
    )
  }
}

type BreakerFields = Omit<BreakerRow, 'workspace_id' | 'integration_id' | 'version' | 'revision'>

const rowOf = ({ since, reason, error, waits, probeAt, probing, good }: OpenBreaker): BreakerFields => ({
  ...{ since, reason, error, waits, probe_at: probeAt, probing, good },
})

export const breakerOf = ({ since, reason, error, waits, probe_at, probing, good }: BreakerRow): OpenBreaker => ({
  ...{ since, reason: reason as OpenReason, error, waits, probeAt: probe_at, probing, good },
})

/** An integration as the metrics name it. */
export const labelsOf = (named: Named | undefined) => ({
  provider: named?.provider.key ?? '',
  integration: named?.title ?? '',
})

/** As the API shows it. */
export function breakerRecord(row: BreakerRow, now: number): CircuitBreaker {
  const breaker = breakerOf(row)
  const { reason, since, probeAt, error } = breaker
  return { state: breakerState(breaker, now), reason, since, next_probe: probeAt, error }
}

/** 0 closed, 1 half open, 2 open. */
export const breakerFigure = (open: OpenBreaker | undefined, now: number): number =>
  open === undefined ? 0 : breakerState(open, now) === 'half_open' ? 1 : 2
