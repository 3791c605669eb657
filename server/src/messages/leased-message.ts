/** A leased message while this process works on it. */
import type { MessageStatus } from '@postrider/contract'
import type { NewDigestEvent } from '../database/tables/digests/digest-events.ts'
import type { LiveMessage } from '../database/tables/messages/live-messages.ts'
import type { KeptMessage, MessageRecord } from '../database/tables/messages/records.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import type { Held } from '../queue/lease.ts'
import { candidateKey } from './decide/candidates.ts'
import type { RouteCandidate } from './decide/decision.ts'
import { type DecisionSnapshot, parseSnapshot, snapshotText } from './decision-snapshot.ts'
import { parseDeliveries, type StoredDelivery, type StoredEvent } from './delivery.ts'
import type { SendInput } from './send.ts'

/** What loading needs to know of a message. */
export interface LoadRequest {
  message: {
    id: string
    workspace_id: number
    mode: string
    first_due: number
    recipient: string
    list_id?: string | null
  }
  input: SendInput
  snapshot: DecisionSnapshot | undefined
  /** What was decided is told again: with the preferences of then. */
  asOfSnapshot?: boolean
}

export interface LeasedMessage extends Held {
  readonly message: LiveMessage
  /** Of a message of many only its own part, until the shared one is read. */
  input: SendInput
  snapshot: DecisionSnapshot | undefined
  deliveries: StoredDelivery[]
  /** Not yet on disk. */
  events: StoredEvent[]
  kept: KeptMessage[]
  /** What a digest keeps of it, from the commit that records it so. */
  digested?: NewDigestEvent
  /** Those that are under candidate or wait for a slot, by the key of their candidate. */
  readonly attempts: Map<string, Promise<void>>
  /** Provider calls at this moment. */
  calling: number
  /** No slot was free: look again at this moment. */
  postponedUntil: number | undefined
  canceled: boolean
  /** Of all messages under one lease; aborted when it can no longer be renewed. */
  readonly signal: AbortSignal
  /** The latest write; the next one waits for it. */
  saving?: Promise<unknown>
  /** Told when the work on it has ended here; `over` when it has. */
  waiting?: (() => void)[]
  over: boolean
}

export interface ClaimedMessage {
  message: LiveMessage
  /** Given when it is at hand anyway. */
  input?: SendInput
}

/** `until`: when its lease runs out. */
export function leasedMessage({ message, input }: ClaimedMessage, signal: AbortSignal, until: number): LeasedMessage {
  return {
    id: message.id,
    lease: message.lease,
    until,
    lost: false,
    message,
    input: input ?? (JSON.parse(message.input) as SendInput),
    snapshot: message.pinned ? parseSnapshot(message.pinned) : undefined,
    deliveries: parseDeliveries(message.deliveries),
    events: [],
    kept: [],
    attempts: new Map(),
    calling: 0,
    postponedUntil: undefined,
    canceled: message.cancel_requested,
    signal,
    over: false,
  }
}

/** Resolves when the work on it has ended here. */
export function ended(leased: LeasedMessage): Promise<void> {
  if (leased.over) return Promise.resolve()
  return new Promise((resolve) => {
    leased.waiting ??= []
    leased.waiting.push(resolve)
  })
}

export function endJob(leased: LeasedMessage): void {
  leased.over = true
  for (const tell of leased.waiting ?? []) tell()
}

/** The delivery of a candidate: the one there is, or the first attempt of a new one. */
export function deliveryOf(leased: LeasedMessage, candidate: RouteCandidate, now: number): StoredDelivery {
  const known = leased.deliveries.find((one) => candidateKey(one.channel, one.integration) === candidate.key)
  if (known) return known
  const delivery: StoredDelivery = {
    n: leased.deliveries.length,
    channel: candidate.channel,
    provider: candidate.integration.provider.key,
    integration: candidate.integration.id,
    state: 'waiting',
    attempts: 0,
    firstAt: now,
    log: [],
  }
  leased.deliveries.push(delivery)
  return delivery
}

/** Takes over what an attempt, or its absence, came to. */
export function apply(
  leased: LeasedMessage,
  { delivery, events }: { delivery: StoredDelivery; events: StoredEvent[] },
): void {
  leased.deliveries = leased.deliveries.map((one) => (one.n === delivery.n ? delivery : one))
  leased.events.push(...events)
}

export interface State {
  status: MessageStatus
  /** Null when it is final. */
  dueAt: number | null
  keepLease: boolean
  error?: string | undefined
  reason?: string | undefined
  canceledAt?: number
}

/** What is written now. Takes the events and the kept content along: they are written once. */
export function snapshot(
  leased: LeasedMessage,
  state: State,
  tokens: TokenCipher,
): { record: MessageRecord; kept: KeptMessage[] } {
  const { message, deliveries } = leased
  const kept = leased.kept.splice(0)
  const record: MessageRecord = {
    id: message.id,
    lease: message.lease,
    flushes: message.flushes,
    next_lease: state.keepLease ? message.lease : null,
    due_at: state.dueAt,
    status: state.status,
    notification_id: leased.snapshot?.notification?.id ?? message.notification_id,
    sent: earliest(deliveries, 'sentAt') ?? message.sent,
    delivered: earliest(deliveries, 'deliveredAt') ?? message.delivered,
    canceled_at: state.canceledAt ?? null,
    error: state.error ?? null,
    reason: state.reason ?? null,
    pinned: leased.snapshot ? snapshotText(leased.snapshot, message.workspace_id, tokens) : null,
    deliveries: deliveries.length > 0 ? JSON.stringify(deliveries) : null,
    events: JSON.stringify(leased.events.splice(0)),
  }
  return { record, kept }
}

function earliest(deliveries: readonly StoredDelivery[], stage: 'sentAt' | 'deliveredAt'): number | undefined {
  let first: number | undefined
  for (const { [stage]: time } of deliveries)
    if (time !== undefined && (first === undefined || time < first)) first = time
  return first
}
