/** The stages of a message: leased, loaded, decided (decide/decide.ts), delivering (deliver/delivering-message.ts), settled. */
import type { FindingCode, MessageStatus } from '@postrider/contract'
import type { CopiesMail } from '../base/exchange.ts'
import type { DeadLetter } from '../database/leased-queue.ts'
import type { NewDigestEvent } from '../database/tables/digests/digests.ts'
import { ERASURE_SOURCE } from '../database/tables/messages/cancellations.ts'
import type { LiveMessage } from '../database/tables/messages/live-messages.ts'
import type { MailboxMessage } from '../database/tables/messages/records.ts'
import type { StoppedRequest } from '../database/tables/messages/stopped-requests.ts'
import type { DeadToken } from '../database/tables/users/users.ts'
import type { Pause } from '../queue/delivery-pause.ts'
import { WorkerLease } from '../queue/lease.ts'
import type { DecisionInput } from './decide/decision.ts'
import { type DecisionSnapshot, parseSnapshot } from './decision-snapshot.ts'
import { type GoneAddress, parseDeliveries, type StoredDelivery, type StoredHistoryEvent } from './delivery.ts'
import type { Notification } from './facts.ts'
import type { SendInput } from './send.ts'

export type { DeadToken, MailboxMessage }

/** An accepted delivery whose result is read at `dueAt`. */
export interface NewTicket {
  n: number
  integration: string
  ticket: string
  at: number
  dueAt: number
}

/** An accepted mail for copies that were refused for now: they are tried again at `dueAt`, and not after `ends`. */
export interface NewDeferredCopies {
  n: number
  integration: string
  /** The `config` of the override: a secret as a whole. */
  config?: unknown
  mail: CopiesMail
  atMostOnce: boolean
  dueAt: number
  ends: number
}

/** A row that was accepted or claimed under a lease of this process. */
export interface ClaimedMessage {
  readonly message: Readonly<LiveMessage>
  /** Parsed, where the caller has it. */
  readonly input?: SendInput
}

/** The parts of a message that loading reads. */
export interface LoadRequest {
  readonly message: {
    readonly id: string
    readonly workspace_id: number
    readonly mode: string
    readonly first_due: number
    readonly recipient: string
    readonly list_id?: string | null
  }
  readonly input: SendInput
  /** The snapshot of an earlier decision. */
  readonly snapshot: DecisionSnapshot | undefined
  /** An earlier decision is explained: with the preferences of its snapshot. */
  readonly asOfSnapshot?: boolean
  /** In place of the one that its event leads to. */
  readonly notification?: Notification
}

/** A message under a lease of this process, with what its earlier attempts left. Only the lease changes. */
export interface LeasedMessage extends LoadRequest {
  /** As accepted or claimed. */
  readonly message: Readonly<LiveMessage>
  readonly deliveries: readonly StoredDelivery[]
  readonly lease: MessageLease
}

/** A call of a provider that has not ended: its delivery as it was before. */
export interface CallInProgress {
  readonly delivery: StoredDelivery
  readonly startedAt: number
}

/** The end of a lease, and what it depends on. */
export interface LeaseContext {
  /** When it runs out. */
  readonly until: number
  /** Aborted when the lease can no longer be renewed; shared by all messages under it. */
  readonly signal: AbortSignal
  /** The pause of all deliveries. */
  readonly pause?: Pick<Pause, 'since'> | undefined
}

/** The lease of a message in flight: everything of a leased message that changes while this process works on it. */
export class MessageLease extends WorkerLease {
  readonly row: Readonly<LiveMessage>
  readonly signal: AbortSignal
  #cancellation: Cancellation | undefined
  readonly #pause: LeaseContext['pause']
  #isRequestPaused = false
  readonly #calls = new Set<CallInProgress>()
  #stalls: number
  #status: string
  #flushes: number

  constructor(row: Readonly<LiveMessage>, { until, signal, pause }: LeaseContext) {
    super(row, until)
    this.row = row
    this.signal = signal
    this.#pause = pause
    this.#cancellation = row.cancel_requested ? { source: row.cancel_source ?? undefined } : undefined
    this.#stalls = row.stalls ?? 0
    this.#status = row.status
    this.#flushes = row.flushes
  }

  get cancellation(): Cancellation | undefined {
    return this.#cancellation
  }

  /** No provider call starts any more. The first cancellation counts. */
  cancel(cancellation: Cancellation): void {
    this.#cancellation ??= cancellation
  }

  /** Its request is paused, or all deliveries: no provider call starts until they go on. */
  get isPaused(): boolean {
    return this.#isRequestPaused || this.#pause?.since !== undefined
  }

  get isRequestPaused(): boolean {
    return this.#isRequestPaused
  }

  /** Without `stopped` the request goes on. */
  stopWithRequest({ stopped, by }: Partial<Pick<StoppedRequest, 'stopped' | 'by'>>): void {
    this.#isRequestPaused = stopped === 'paused'
    if (stopped === 'canceled') this.cancel({ source: by })
  }

  /** Its request or another caller stops the message. */
  get isStopped(): boolean {
    return this.isPaused || this.#cancellation !== undefined
  }

  mayCall(now: number): boolean {
    return this.isValid(now) && !this.isStopped
  }

  get calls(): readonly CallInProgress[] {
    return [...this.#calls]
  }

  get isCalling(): boolean {
    return this.#calls.size > 0
  }

  startCall(call: CallInProgress): void {
    this.#calls.add(call)
  }

  endCall(call: CallInProgress): void {
    this.#calls.delete(call)
  }

  /** How often the message has blocked a process. */
  get stalls(): number {
    return this.#stalls
  }

  countStalls(stalls: number): void {
    this.#stalls = stalls
  }

  /** The status in the row. */
  get status(): string {
    return this.#status
  }

  /** How many times the row was written. */
  get flushes(): number {
    return this.#flushes
  }

  countWrite(status: string): void {
    this.#status = status
    this.#flushes += 1
  }
}

/** `source`: `key/<name>`, `operator`, or `erasure`; undefined where a node of an older version recorded none. */
export interface Cancellation {
  readonly source: string | undefined
}

/** The person is erased: what was not sent yet is canceled. */
export const BY_ERASURE: Cancellation = { source: ERASURE_SOURCE }

/** A leased message with everything that its decision is made from. */
export interface LoadedMessage {
  readonly leased: LeasedMessage
  readonly decisionInput: DecisionInput
}

/** Changes of processing that are not written yet. */
export interface MessageChanges {
  readonly snapshot: DecisionSnapshot | undefined
  readonly deliveries: readonly StoredDelivery[]
  readonly events: readonly StoredHistoryEvent[]
  /** The addresses that deliveries turned to. */
  readonly addresses?: readonly Pick<GoneAddress, 'kind' | 'address'>[]
  /** The sent messages for the mailbox. */
  readonly mailbox?: readonly MailboxMessage[]
  readonly suppressions?: readonly GoneAddress[]
  /** Tokens of the recipient that a provider does not know any more. */
  readonly deadTokens?: readonly DeadToken[]
  /** Deliveries whose provider keeps their results until they are read. */
  readonly tickets?: readonly NewTicket[]
  readonly deferredCopies?: readonly NewDeferredCopies[]
  /** The event of the message for a digest. */
  readonly digestEvent?: NewDigestEvent
  /** Absent where there are none. */
  readonly findings?: readonly FindingCode[]
}

/** The state that a message is written in. */
export interface MessageState {
  readonly status: MessageStatus
  /** When it may be claimed again; null when the status is final. */
  readonly dueAt: number | null
  /** Attempts are in progress. */
  readonly keepLease: boolean
  readonly error?: string | undefined
  readonly reason?: string | undefined
  readonly canceledAt?: number
  /** The message is given up: recorded in the same commit. */
  readonly deadLetter?: DeadLetter
}

/** The last stage: nothing is in progress any more, and what has changed is written with its state. */
export interface Settlement {
  readonly state: MessageState
  readonly deliveries: readonly StoredDelivery[]
  readonly events: readonly StoredHistoryEvent[]
}

export function leasedMessage({ message, input }: ClaimedMessage, context: LeaseContext): LeasedMessage {
  return {
    message,
    // The own part of a message of many; loading completes it.
    input: input ?? (JSON.parse(message.input) as SendInput),
    snapshot: message.pinned ? parseSnapshot(message.pinned) : undefined,
    deliveries: parseDeliveries(message.deliveries),
    lease: new MessageLease(message, context),
  }
}

/** The first time it may have been the machine; a message that blocked the process twice is not tried again. */
const STALLS_MAX = 2

export const hasStalled = ({ stalls }: MessageLease): boolean => stalls >= STALLS_MAX
