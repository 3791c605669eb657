/** The findings of a state of the system, the worst first: what the person on call has to know before any figure. */
import type { System, SystemNode } from '@postrider/client'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

export type Finding = { tone: 'bad' | 'warn' } & (
  | { kind: 'part'; part: string; message: string }
  | { kind: 'paused'; since: number; by: string | null }
  | { kind: 'no-worker' }
  | { kind: 'silent-node'; id: string; ms: number }
  | { kind: 'dead-node'; id: string; seen: number; abandoned: number | null }
  | { kind: 'late-lane'; lane: string; ms: number; overdue: number }
  | { kind: 'late-queue'; queue: string; ms: number }
  | { kind: 'check'; name: string; detail: string; hint?: string | undefined }
  | { kind: 'breaker'; id: string; title: string; provider: string; since: number | null }
  | { kind: 'day-limit'; id: string; title: string; provider: string; until: number }
  | { kind: 'provider'; id: string; title: string; working: number; failed: { at: number; error: string } }
  | { kind: 'undelivered'; share: number }
  | { kind: 'dead-letters'; open: number; recent: number }
  | { kind: 'connections'; id: string; waiting: number }
  | { kind: 'statement'; ms: number }
  | { kind: 'backup' }
)

type Limits = readonly [amber: number, red: number]

/** How long due messages may wait: a code for signing in is worthless after a minute, a newsletter is not. */
const laneLimits: Record<string, Limits> = {
  transactional: [10 * SECOND, MINUTE],
  automation: [MINUTE, 10 * MINUTE],
  bulk: [30 * MINUTE, 6 * 60 * MINUTE],
}
const QUEUE_LIMITS: Limits = [MINUTE, 10 * MINUTE]
/** Fewer that failed say nothing of the others. */
const FAILED_MIN = 5
const WORKING_MIN = 0.9
/** An integration whose last error is older works again. */
const ERROR_MS = 10 * MINUTE
const UNDELIVERED_MAX = 0.5
const STATEMENT_MS = 30 * SECOND
/** A node writes every ten seconds: it has missed two. */
const SILENT_NODE_MS = 25 * SECOND
/** So long a node that died is news; from then on only the messages that it left are. */
const DEAD_NODE_MS = 60 * MINUTE
/** A minute that is not over says nothing. */
const MINUTES = 10

const toneOf = (value: number, [warn, bad]: Limits) => (value >= bad ? 'bad' : value >= warn ? 'warn' : undefined)

/** It may be dead: what it works on waits. */
export const isSilent = ({ state, seen }: Pick<SystemNode, 'state' | 'seen'>, at: number) =>
  state === 'alive' && at - seen >= SILENT_NODE_MS

export type VerdictTone = 'good' | 'warn' | 'bad' | 'unknown'

/** A state that could not be read again says nothing of now. */
export function verdictTone(findings: readonly Finding[], isStale: boolean): VerdictTone {
  if (isStale) return 'unknown'
  if (findings.some(({ tone }) => tone === 'bad')) return 'bad'
  return findings.length > 0 ? 'warn' : 'good'
}

export function findingsOf(system: System): Finding[] {
  const all = [
    ...system.failures.map(({ part, message }): Finding => ({ tone: 'bad', kind: 'part', part, message })),
    ...ofWork(system),
    ...ofProviders(system),
    ...ofChecks(system),
  ]
  return [...all.filter(({ tone }) => tone === 'bad'), ...all.filter(({ tone }) => tone === 'warn')]
}

function* ofWork(system: System): Generator<Finding> {
  const { at, paused_since, paused_by, nodes, lanes, queues, traffic, dead_letters } = system
  if (paused_since !== null) yield { tone: 'warn', kind: 'paused', since: paused_since, by: paused_by }
  if (nodes && !nodes.some(({ state, role }) => state === 'alive' && role !== 'api'))
    yield { tone: 'bad', kind: 'no-worker' }
  for (const { id, state, seen, connections, abandoned } of nodes ?? []) {
    if (isSilent({ state, seen }, at)) yield { tone: 'warn', kind: 'silent-node', id, ms: at - seen }
    if (state === 'dead' && (abandoned !== 0 || at - seen < DEAD_NODE_MS))
      yield { tone: 'warn', kind: 'dead-node', id, seen, abandoned }
    if (state === 'alive' && connections.waiting > 0)
      yield { tone: 'warn', kind: 'connections', id, waiting: connections.waiting }
  }
  // Messages of a pause wait as they should.
  for (const { lane, oldest_ms, overdue } of paused_since === null ? (lanes ?? []) : []) {
    const tone = toneOf(oldest_ms ?? 0, laneLimits[lane] ?? QUEUE_LIMITS)
    if (tone) yield { tone, kind: 'late-lane', lane, ms: oldest_ms ?? 0, overdue }
  }
  for (const { queue, overdue_ms } of paused_since === null ? (queues ?? []) : []) {
    const tone = queue === 'messages' ? undefined : toneOf(overdue_ms ?? 0, QUEUE_LIMITS)
    if (tone) yield { tone, kind: 'late-queue', queue, ms: overdue_ms ?? 0 }
  }
  const latest = (traffic ?? []).slice(-MINUTES)
  const finished = latest.reduce((sum, minute) => sum + minute.finished, 0)
  const undelivered = latest.reduce((sum, minute) => sum + minute.undelivered, 0)
  if (undelivered >= FAILED_MIN && undelivered / finished > UNDELIVERED_MAX)
    yield { tone: 'bad', kind: 'undelivered', share: undelivered / finished }
  if (dead_letters && dead_letters.open > 0) yield { tone: 'warn', kind: 'dead-letters', ...dead_letters }
}

function* ofProviders({ at, providers }: System): Generator<Finding> {
  for (const {
    id,
    title,
    provider,
    enabled,
    circuit_breaker,
    open_since: since,
    limited_until,
    ...health
  } of providers ?? []) {
    if (!enabled) continue
    const { calls, working, last_error: failed } = health
    if (limited_until !== null) yield { tone: 'warn', kind: 'day-limit', id, title, provider, until: limited_until }
    if (circuit_breaker !== 'closed')
      yield { tone: circuit_breaker === 'open' ? 'bad' : 'warn', kind: 'breaker', id, title, provider, since }
    else if (working !== null && working < WORKING_MIN && calls * (1 - working) >= FAILED_MIN)
      if (failed && at - failed.at < ERROR_MS) yield { tone: 'warn', kind: 'provider', id, title, working, failed }
  }
}

function* ofChecks({ at, checks, statements, storage }: System): Generator<Finding> {
  for (const { name, state, detail, hint } of checks ?? [])
    if (state === 'fail' || state === 'warn')
      yield { tone: state === 'fail' ? 'bad' : 'warn', kind: 'check', name, detail, hint }
  const longest = Math.max(0, ...(statements?.running ?? []).map(({ ms }) => ms))
  if (longest >= STATEMENT_MS) yield { tone: 'warn', kind: 'statement', ms: longest }
  const { backup, oldest_message: oldest = null } = storage ?? {}
  if (backup && backup.last === null && oldest !== null && at - oldest > DAY) yield { tone: 'warn', kind: 'backup' }
}
