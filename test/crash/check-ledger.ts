/** Checks a ledger for broken promises: lost, late, needlessly duplicated, accepted twice. Pure. */
import { type Call, isAccepted, type Kill, type Ledger, type Outage, type Receipt } from './ledger.ts'
import { runningMs } from './standstills.ts'

export interface Rules {
  leaseMs: number
  /** Beyond the lease: to start again, to notice, to catch up. */
  takeoverMarginMs?: number
}

export interface LedgerFindings {
  accepted: number
  /** Messages that arrived and were taken, also those whose reply got lost. */
  received: number
  /** Accepted and never taken by the provider. */
  lost: string[]
  /** Due when a process crashed, and not attempted again in time. */
  late: string[]
  /** Second arrivals that no crash explains. */
  unexplained: string[]
  /** Sends that became more than one message. */
  doubled: string[]
  /** Second arrivals in all. */
  duplicates: number
  takeoverMsMax: number
}

const TAKEOVER_MARGIN_MS = 15_000
/** An attempt in flight at a crash was replied to shortly before it, if at all: its outcome was not recorded yet. */
const BEFORE_KILL_MS = 2_000
// Bytes that a crashed process had written can arrive shortly after its end was seen.
const AFTER_KILL_MS = 250
/** The first pause of the retry table, with its jitter. */
const RETRY_MS = 6_000

export function checkLedger(
  { calls, receipts, outages, standstills, ...ledger }: Ledger,
  rules: Rules,
): LedgerFindings {
  const elapsed: Elapsed = (from, to) => runningMs(standstills, from, to)
  const kills = [...ledger.kills, ...outages.flatMap((outage) => lostLeases(outage, rules))]
  const accepted = new Map<string, Call>()
  for (const call of calls)
    if (isAccepted(call) && call.messageId && !accepted.has(call.messageId)) accepted.set(call.messageId, call)
  const arrivals = byMessage(receipts)
  const limitMs = rules.leaseMs + (rules.takeoverMarginMs ?? TAKEOVER_MARGIN_MS)
  const taken = (list: readonly Receipt[] = []) => list.some(({ status }) => status === 200)

  const repeats = [...arrivals.values()].flatMap(repeatsOf)
  const takeovers = [...accepted].flatMap(([id, call]) => takeoversOf(id, call, arrivals.get(id) ?? [], kills, elapsed))
  const repeated = repeats.flatMap((repeat) => {
    const kill = killOf(repeat.first, kills, elapsed)
    return kill ? [{ id: repeat.first.messageId, ms: elapsed(kill.gone, repeat.second.at) }] : []
  })
  const delays = [...takeovers, ...repeated]
  return {
    accepted: accepted.size,
    received: [...arrivals.values()].filter(taken).length,
    lost: [...accepted.keys()].filter((id) => !taken(arrivals.get(id))),
    late: delays.filter(({ ms }) => ms > limitMs).map(({ id, ms }) => `${id} after ${ms} ms`),
    unexplained: repeats
      .filter(({ first }) => !killOf(first, kills, elapsed))
      .map(({ first, second }) => `${first.messageId} at ${first.at} and ${second.at}${nearest(first, kills)}`),
    doubled: doubledSends(calls, receipts),
    duplicates: repeats.length,
    takeoverMsMax: Math.max(0, ...delays.map(({ ms }) => ms)),
  }
}

/**
 * Leases are renewed after a third of their time and given up after eight ninths: in between outcomes wait for the
 * database.
 */
const lostLeases = ({ at, back }: Outage, { leaseMs }: Rules): Kill[] =>
  back - at > leaseMs / 2 ? [{ node: -1, how: 'an outage longer than a lease', at, gone: back }] : []

function byMessage(receipts: readonly Receipt[]): Map<string, Receipt[]> {
  const arrivals = new Map<string, Receipt[]>()
  for (const receipt of [...receipts].sort((a, b) => a.at - b.at)) {
    const list = arrivals.get(receipt.messageId)
    if (list) list.push(receipt)
    else arrivals.set(receipt.messageId, [receipt])
  }
  return arrivals
}

/** Arrivals after one that was taken; after an error reply the next attempt is required. */
function repeatsOf(list: readonly Receipt[]): { first: Receipt; second: Receipt }[] {
  return list.flatMap((second, index) => {
    const first = list[index - 1]
    return first?.status === 200 ? [{ first, second }] : []
  })
}

/** Milliseconds between two times that were written down, without those in which nothing could be. */
type Elapsed = (from: number, to: number) => number

const killOf = ({ at: arrived, replied = arrived }: Receipt, kills: readonly Kill[], elapsed: Elapsed) =>
  kills.find(({ at, gone }) => elapsed(replied, at) <= BEFORE_KILL_MS && elapsed(gone, arrived) <= AFTER_KILL_MS)

function nearest({ at }: Receipt, kills: readonly Kill[]): string {
  const [kill] = kills.toSorted((a, b) => Math.abs(a.gone - at) - Math.abs(b.gone - at))
  return kill
    ? `; nearest crash: ${kill.how}, ordered ${kill.at - at} and seen ${kill.gone - at} ms after the first`
    : ''
}

/** The delay by each crash of a message that was due by then and had not been taken. */
function takeoversOf(id: string, call: Call, list: readonly Receipt[], kills: readonly Kill[], elapsed: Elapsed) {
  const accepted = call.answered ?? call.sent
  return kills.flatMap(({ at, gone }) => {
    const before = list.findLast((receipt) => receipt.at <= at)
    if (before?.status === 200) return []
    const due = before ? before.at + RETRY_MS : Math.max(accepted, call.notBefore ?? 0)
    const next = list.find((receipt) => receipt.at > at)
    return due <= at && next ? [{ id, ms: elapsed(gone, next.at) }] : []
  })
}

function doubledSends(calls: readonly Call[], receipts: readonly Receipt[]): string[] {
  const messages = new Map<number, Set<string>>()
  for (const { send, messageId } of [...calls, ...receipts]) {
    if (!messageId) continue
    const ids = messages.get(send) ?? new Set()
    messages.set(send, ids.add(messageId))
  }
  return [...messages]
    .filter(([, ids]) => ids.size > 1)
    .map(([send, ids]) => `send ${send} became ${[...ids].join(' and ')}`)
}
