/** The stages of a message: leased, loaded, decided (decide/decide.ts), delivering (deliver/delivering-message.ts), settled. */
import type { MessageStatus } from '@postrider/contract'
import type { NewDigestEvent } from '../database/tables/digests/digests.ts'
import type { LiveMessage } from '../database/tables/messages/live-messages.ts'
import type { MailboxMessage } from '../database/tables/messages/records.ts'
import type { DeadToken } from '../database/tables/users/users.ts'
import type { Held } from '../queue/lease.ts'
import type { DecisionInput } from './decide/decision.ts'
import { type DecisionSnapshot, parseSnapshot } from './decision-snapshot.ts'
import { type GoneAddress, parseDeliveries, type StoredDelivery, type StoredEvent } from './delivery.ts'
import type { SendInput } from './send.ts'

export type { DeadToken, MailboxMessage }

/** A row that was accepted or claimed under a lease of this process. */
export interface ClaimedMessage {
  message: LiveMessage
  /** Parsed, where the caller has it. */
  input?: SendInput
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
}

/** A message under a lease of this process, with what its earlier attempts left. */
export interface LeasedMessage extends Held, LoadRequest {
  /** As last read or written: `record/` advances `status` and `flushes`, the watchdog `stalls`. */
  readonly message: LiveMessage
  readonly deliveries: readonly StoredDelivery[]
  /** Aborted when the lease can no longer be renewed; shared by all messages under it. */
  readonly signal: AbortSignal
  /** No provider call starts any more. */
  canceled: boolean
  callsInProgress: number
}

/** A leased message with everything that its decision is made from. */
export interface LoadedMessage {
  readonly leased: LeasedMessage
  readonly decisionInput: DecisionInput
}

/** Changes of processing that are not written yet. */
export interface MessageChanges {
  readonly snapshot: DecisionSnapshot | undefined
  readonly deliveries: readonly StoredDelivery[]
  readonly events: readonly StoredEvent[]
  /** The sent messages for the mailbox. */
  readonly mailbox?: readonly MailboxMessage[]
  readonly suppressions?: readonly GoneAddress[]
  /** Tokens of the recipient that a provider does not know any more. */
  readonly deadTokens?: readonly DeadToken[]
  /** The event of the message for a digest. */
  readonly digestEvent?: NewDigestEvent
}

/** The state that a message is written in. */
export interface MessageState {
  status: MessageStatus
  /** When it may be claimed again; null when the status is final. */
  dueAt: number | null
  /** Attempts are in progress. */
  keepLease: boolean
  error?: string | undefined
  reason?: string | undefined
  canceledAt?: number
}

/** The last stage: nothing is in progress any more, and what has changed is written with its state. */
export interface Settlement {
  readonly state: MessageState
  readonly deliveries: readonly StoredDelivery[]
  readonly events: readonly StoredEvent[]
}

/** `until`: when the lease runs out. */
export function leasedMessage({ message, input }: ClaimedMessage, signal: AbortSignal, until: number): LeasedMessage {
  return {
    id: message.id,
    lease: message.lease,
    until,
    lost: false,
    message,
    // The own part of a message of many; loading completes it.
    input: input ?? (JSON.parse(message.input) as SendInput),
    snapshot: message.pinned ? parseSnapshot(message.pinned) : undefined,
    deliveries: parseDeliveries(message.deliveries),
    signal,
    canceled: message.cancel_requested,
    callsInProgress: 0,
  }
}

/** The first time it may have been the machine; a message that blocked the process twice is not tried again. */
const STALLS_MAX = 2

export const hasStalled = ({ stalls }: Pick<LiveMessage, 'stalls'>): boolean => (stalls ?? 0) >= STALLS_MAX
