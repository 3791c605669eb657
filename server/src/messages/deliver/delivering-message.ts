/** A message while its deliveries are in progress: the one owner of everything that changes until it settles. */
import type { MessageStatus, Reason } from '@postrider/contract'
import { copyWith } from '../../base/perf/copy-with.ts'
import type { Decision } from '../decide/decide.ts'
import type { Ending, RouteCandidate, Routed } from '../decide/decision.ts'
import { type DecisionSnapshot, decisionEvents, refreshSnapshot, snapshotOf } from '../decision-snapshot.ts'
import type { GoneAddress, StoredDelivery, StoredHistoryEvent } from '../delivery.ts'
import type {
  DeadToken,
  LeasedMessage,
  MailboxMessage,
  MessageChanges,
  MessageState,
  Settlement,
} from '../leased-message.ts'
import type { Recorder } from '../record/record.ts'
import { abandon, type DeliveryChange, inDoubt } from './failover.ts'
import { deliveryBy, type Progress } from './progress.ts'

/** The error of an attempt whose process died. */
export const INTERRUPTED = 'The attempt was interrupted'

export class DeliveringMessage {
  readonly leased: LeasedMessage
  /** Attempts in progress, or waiting for a slot, by the key of their candidate. */
  readonly attempts = new Map<string, Promise<void>>()
  readonly #recorder: Recorder
  #plan: Routed
  #snapshot: DecisionSnapshot
  #deliveries: readonly StoredDelivery[]
  // Not written yet.
  #events: StoredHistoryEvent[]
  #mailbox: MailboxMessage[] = []
  #suppressions: GoneAddress[] = []
  #deadTokens: DeadToken[] = []
  #postponedUntil: number | undefined
  #latestWrite: Promise<boolean> | undefined

  constructor(leased: LeasedMessage, decision: Extract<Decision, { kind: 'routed' }>, recorder: Recorder) {
    const { plan } = decision
    this.leased = leased
    this.#recorder = recorder
    this.#plan = plan
    this.#snapshot = leased.snapshot ? refreshSnapshot(leased.snapshot, plan) : snapshotOf(decision)
    this.#events = leased.snapshot ? [] : decisionEvents(decision, plan.now)
    this.#deliveries = leased.deliveries
  }

  get plan(): Routed {
    return this.#plan
  }

  get deliveries(): readonly StoredDelivery[] {
    return this.#deliveries
  }

  get snapshot(): DecisionSnapshot {
    return this.#snapshot
  }

  /** When a slot is to be free; undefined: none was missing. */
  get postponedUntil(): number | undefined {
    return this.#postponedUntil
  }

  /** Decided again, with facts of now. */
  replan(decision: Decision): void {
    this.#snapshot = refreshSnapshot(this.#snapshot, decision.plan)
    if (decision.kind === 'routed') this.#plan = decision.plan
  }

  /** The whole message waits for a slot. */
  postpone(until: number): void {
    this.#postponedUntil = until
  }

  /** The delivery of a candidate, new on its first turn. */
  deliveryOf(candidate: RouteCandidate, now: number): StoredDelivery {
    const existing = deliveryBy(candidate, this.#deliveries)
    if (existing) return existing
    const { channel, integration, device } = candidate
    const delivery: StoredDelivery = {
      n: this.#deliveries.length,
      channel,
      provider: integration.provider.key,
      integration: integration.id,
      state: 'waiting',
      attempts: 0,
      firstAt: now,
      log: [],
    }
    const added = device ? copyWith(delivery, { device }) : delivery
    this.#deliveries = [...this.#deliveries, added]
    return added
  }

  apply({ delivery, events }: DeliveryChange): void {
    this.#deliveries = this.#deliveries.with(delivery.n, delivery)
    this.#events.push(...events)
  }

  addEvent(event: StoredHistoryEvent): void {
    this.#events.push(event)
  }

  /** The provider said that the address is gone for good. */
  suppress(address: GoneAddress): void {
    this.#suppressions.push(address)
  }

  keepInMailbox(content: MailboxMessage): void {
    this.#mailbox.push(content)
  }

  /** Its provider said that the token does not exist any more. */
  addDeadToken(token: DeadToken): void {
    this.#deadTokens.push(token)
  }

  /** Writes what has changed while attempts go on. False when the lease was lost. */
  write(): Promise<boolean> {
    return this.#write(() => openState(this.#deliveries))
  }

  /** Writes the last state of this processing, when no attempt is in progress. */
  settle({ state, deliveries, events }: Settlement): Promise<boolean> {
    this.#deliveries = deliveries
    this.#events.push(...events)
    return this.#write(() => state)
  }

  /** One write at a time, each of what holds when its turn comes, so that an older state never replaces a newer one. */
  #write(stateOf: () => MessageState): Promise<boolean> {
    const write = () => this.#recorder.record(this.leased, stateOf(), this.#takeChanges())
    this.#latestWrite = this.#latestWrite ? this.#latestWrite.then(write) : write()
    return this.#latestWrite
  }

  /** Events, mailbox content and suppressed addresses are written once. */
  #takeChanges(): MessageChanges {
    const changes = {
      snapshot: this.#snapshot,
      deliveries: this.#deliveries,
      events: this.#events,
      mailbox: this.#mailbox,
      suppressions: this.#suppressions,
      ...(this.#deadTokens.length > 0 && { deadTokens: this.#deadTokens }),
    }
    this.#deadTokens = []
    this.#events = []
    this.#mailbox = []
    this.#suppressions = []
    return changes
  }
}

/** The highest status of the deliveries; UNDELIVERABLE only when every candidate has ended so. */
export function statusOf(state: Progress['state'], deliveries: readonly StoredDelivery[]): MessageStatus {
  if (deliveries.some((delivery) => delivery.clickedAt !== undefined)) return 'CLICKED'
  if (deliveries.some((delivery) => delivery.openedAt !== undefined)) return 'OPENED'
  if (deliveries.some((delivery) => delivery.deliveredAt !== undefined)) return 'DELIVERED'
  if (deliveries.some((delivery) => delivery.state === 'sent')) return 'SENT'
  return state === 'failed' ? 'UNDELIVERABLE' : 'ROUTED'
}

/** While attempts are in progress. */
const openState = (deliveries: readonly StoredDelivery[]): MessageState => ({
  status: statusOf('open', deliveries),
  dueAt: null,
  keepLease: true,
})

/** No attempt is in progress: final, or due again later. `postponedUntil`: no slot was free. */
export function settlementOf(
  { state, nextAt = Number.POSITIVE_INFINITY }: Progress,
  deliveries: readonly StoredDelivery[],
  now: number,
  postponedUntil = Number.POSITIVE_INFINITY,
): Settlement {
  if (state === 'open') {
    const dueAt = Math.min(nextAt, postponedUntil)
    const due = Number.isFinite(dueAt) ? dueAt : now
    return { state: { status: statusOf(state, deliveries), dueAt: due, keepLease: false }, deliveries, events: [] }
  }
  const ended =
    state === 'accepted' ? abandonWaiting(deliveries, 'Another candidate was accepted', now) : unchanged(deliveries)
  const status = statusOf(state, ended.deliveries)
  if (status !== 'UNDELIVERABLE') return { state: { status, dueAt: null, keepLease: false }, ...ended }
  const last = ended.deliveries.findLast((delivery) => delivery.state === 'failed')
  const reason: Reason = last?.reason ?? 'PROVIDER_ERROR'
  return { state: { status, dueAt: null, keepLease: false, error: last?.error, reason }, ...ended }
}

/** No snapshot is taken: when its hours open, it is decided with the facts of then. */
export function postponement(deliveries: readonly StoredDelivery[], until: number, now: number): Settlement {
  const status = deliveries.length > 0 ? statusOf('open', deliveries) : 'DELAYED'
  return {
    state: { status, dueAt: until, keepLease: false },
    deliveries,
    events: [{ type: 'DELAYED', ts: now, until }],
  }
}

/** The deliveries cannot go on: the time of the message is over, the recipient opted out, or no candidate is left. */
export function giveUp(deliveries: readonly StoredDelivery[], { error, reason }: Ending, now: number): Settlement {
  const isRefused = reason === 'UNSUBSCRIBED' || reason === 'OPT_IN_REQUIRED' || reason === 'SUPPRESSED'
  const ended = changeEach(deliveries, (delivery) => {
    if (delivery.state === 'started') return inDoubt(delivery, INTERRUPTED, now)
    if (delivery.state !== 'waiting') return undefined
    return abandon(delivery, isRefused ? error : (delivery.error ?? error), now, reason)
  })
  const isSent = ended.deliveries.some(({ state }) => state === 'sent')
  const result: Progress = { state: isSent ? 'accepted' : 'failed', start: [], nextAt: undefined }
  const { state } = settlementOf(result, ended.deliveries, now)
  return { state, ...ended }
}

/** A delivery that was sent counts, and no other follows it. */
export function canceledSettlement(deliveries: readonly StoredDelivery[], now: number): Settlement {
  if (!deliveries.some(({ state }) => state === 'sent'))
    return {
      state: { status: 'CANCELED', dueAt: null, keepLease: false, canceledAt: now },
      deliveries,
      events: [{ type: 'CANCELED', ts: now }],
    }
  const ended = abandonWaiting(deliveries, 'Canceled when another channel had been sent', now)
  return { state: { status: statusOf('accepted', ended.deliveries), dueAt: null, keepLease: false }, ...ended }
}

interface Changed {
  deliveries: readonly StoredDelivery[]
  events: StoredHistoryEvent[]
}

const unchanged = (deliveries: readonly StoredDelivery[]): Changed => ({ deliveries, events: [] })

/** Each keeps the error it waited for, or has this one. */
function abandonWaiting(deliveries: readonly StoredDelivery[], error: string, now: number): Changed {
  if (!deliveries.some(({ state }) => state === 'waiting')) return unchanged(deliveries)
  return changeEach(deliveries, (delivery) =>
    delivery.state === 'waiting' ? abandon(delivery, delivery.error ?? error, now, 'PROVIDER_ERROR') : undefined,
  )
}

/** The deliveries with these changes, and their events. */
function changeEach(
  deliveries: readonly StoredDelivery[],
  change: (delivery: StoredDelivery) => DeliveryChange | undefined,
): Changed {
  const events: StoredHistoryEvent[] = []
  const changed = deliveries.map((delivery) => {
    const made = change(delivery)
    if (made) events.push(...made.events)
    return made?.delivery ?? delivery
  })
  return { deliveries: changed, events }
}
