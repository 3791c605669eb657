/** A message while its deliveries are in progress: the one owner of everything that changes until it settles. */
import type { FindingCode } from '@postrider/contract'
import type { Finding } from '../../base/finding.ts'
import { foundBy } from '../../providers/address.ts'
import type { Decision, DecisionOf } from '../decide/decide.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { planFindings } from '../decide/message-findings.ts'
import { type DecisionSnapshot, decisionEvents, refreshSnapshot, snapshotOf } from '../decision-snapshot.ts'
import type { GoneAddress, StoredDelivery, StoredHistoryEvent } from '../delivery.ts'
import type {
  DeadToken,
  LeasedMessage,
  MailboxMessage,
  MessageChanges,
  MessageState,
  NewDeferredCopies,
  NewTicket,
  Settlement,
} from '../leased-message.ts'
import type { Recorder } from '../record/record.ts'
import type { DeliveryChange } from './failover.ts'
import { branchOf, deliveryBy, newDelivery } from './progress.ts'
import { statusOf } from './settlement.ts'

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
  /** Candidates that had a turn; a later plan may have other addresses. */
  #tried: RouteCandidate[] = []
  #mailbox: MailboxMessage[] = []
  #suppressions: GoneAddress[] = []
  #deadTokens: DeadToken[] = []
  #tickets: NewTicket[] = []
  #deferredCopies: NewDeferredCopies[] = []
  /** Most messages have none. */
  #findings: Set<FindingCode> | undefined
  #postponedUntil: number | undefined
  #latestWrite: Promise<boolean> | undefined

  constructor(leased: LeasedMessage, decision: DecisionOf<'routed'>, recorder: Recorder) {
    const { plan } = decision
    this.leased = leased
    this.#recorder = recorder
    this.#plan = plan
    this.#snapshot = leased.snapshot ? refreshSnapshot(leased.snapshot, plan) : snapshotOf(decision)
    this.#events = leased.snapshot ? [] : decisionEvents(decision, plan.now)
    this.#deliveries = leased.deliveries
    this.addFindings(planFindings(plan))
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
    if (!this.#tried.includes(candidate)) this.#tried.push(candidate)
    const existing = deliveryBy(candidate, this.#deliveries)
    if (existing) return existing
    const added = newDelivery(candidate, this.#deliveries.length, now, branchOf(candidate, this.#plan.route))
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

  addFindings(findings: readonly Finding[]): void {
    if (findings.length === 0) return
    this.#findings ??= new Set()
    for (const { code } of findings) this.#findings.add(code)
  }

  /** Its provider keeps the result of the delivery until it is read. */
  addTicket(ticket: NewTicket): void {
    this.#tickets.push(ticket)
  }

  /** Its mail server refused copies for now. */
  addDeferredCopies(copies: NewDeferredCopies): void {
    this.#deferredCopies.push(copies)
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
      addresses: this.#tried.flatMap(({ channel, to }) => foundBy(channel, to)),
      mailbox: this.#mailbox,
      suppressions: this.#suppressions,
      ...(this.#deadTokens.length > 0 && { deadTokens: this.#deadTokens }),
      ...(this.#tickets.length > 0 && { tickets: this.#tickets }),
      ...(this.#deferredCopies.length > 0 && { deferredCopies: this.#deferredCopies }),
      ...(this.#findings && { findings: [...this.#findings] }),
    }
    this.#tried = []
    this.#deadTokens = []
    this.#tickets = []
    this.#deferredCopies = []
    this.#findings = undefined
    this.#events = []
    this.#mailbox = []
    this.#suppressions = []
    return changes
  }
}

/** While attempts are in progress. */
const openState = (deliveries: readonly StoredDelivery[]): MessageState => ({
  status: statusOf('open', deliveries),
  dueAt: null,
  keepLease: true,
})
