/** Statuses of messages and deliveries, reasons, and candidate reasons. */
import { type Static, Type } from 'typebox'

/** How far a message with this status is; final unless it is in progress. */
type StatusOutcome = 'in_progress' | 'sent' | 'failed' | 'stopped' | 'collected'

interface StatusRow {
  meaning: string
  outcome: StatusOutcome
  /** The status of a delivery only rises; a receipt of lower rank only adds its time. */
  rank?: number
  /** A delivery has it, too. */
  delivery?: true
  /** Nothing is to do before a time or a repair: such a message is no backlog. */
  idle?: true
}

/** Everything that depends on a status follows from its row. */
const statuses = {
  ENQUEUED: { meaning: 'accepted, not yet processed', outcome: 'in_progress', rank: 1 },
  DELAYED: { meaning: 'waiting for its delay', outcome: 'in_progress', rank: 1, idle: true },
  ROUTED: {
    meaning: 'channels chosen, not yet accepted by a provider',
    outcome: 'in_progress',
    rank: 2,
    delivery: true,
  },
  HELD: {
    meaning: 'waiting until an integration is repaired, where the workspace holds such messages',
    outcome: 'in_progress',
    rank: 2,
    idle: true,
  },
  SENT: { meaning: 'accepted by a provider', outcome: 'sent', rank: 3, delivery: true },
  DELIVERED: { meaning: 'delivery confirmed by the provider', outcome: 'sent', rank: 4, delivery: true },
  OPENED: { meaning: 'opened for the first time', outcome: 'sent', rank: 5, delivery: true },
  CLICKED: { meaning: 'a link was clicked for the first time', outcome: 'sent', rank: 6, delivery: true },
  UNMAPPED: { meaning: 'the event is not mapped to a notification', outcome: 'failed' },
  UNROUTABLE: { meaning: 'no channel or provider could be chosen', outcome: 'failed' },
  UNDELIVERABLE: {
    meaning: 'rejected, bounced, opted out, or every attempt failed',
    outcome: 'failed',
    delivery: true,
  },
  FILTERED: { meaning: 'stopped by a condition', outcome: 'stopped' },
  CANCELED: { meaning: 'canceled through the API', outcome: 'stopped' },
  THROTTLED: { meaning: 'stopped by a send limit', outcome: 'stopped' },
  DIGESTED: { meaning: 'added to a digest', outcome: 'collected' },
  SIMULATED: { meaning: 'sent with a mock key: rendered, no provider called', outcome: 'sent' },
} as const satisfies Record<string, StatusRow>

type Statuses = typeof statuses
const rows = Object.entries<StatusRow>(statuses) as [keyof Statuses, StatusRow][]
const statusesWith = (holds: (row: StatusRow) => unknown) =>
  rows.filter(([, row]) => holds(row)).map(([status]) => status)

export const messageStatuses = statusesWith(() => true)
export const MessageStatus = Type.Enum([...messageStatuses], {
  title: 'MessageStatus',
  description: `Status of a message: ${rows.map(([status, { meaning }]) => `\`${status}\` (${meaning})`).join(', ')}.`,
})
export type MessageStatus = Static<typeof MessageStatus>

export const statusRank: Partial<Record<MessageStatus, number>> = Object.fromEntries(
  rows.flatMap(([status, { rank }]) => (rank === undefined ? [] : [[status, rank]])),
)

export const statusOutcome = Object.fromEntries(rows.map(([status, { outcome }]) => [status, outcome])) as Record<
  MessageStatus,
  StatusOutcome
>

/** Processing has ended; receipts, opens and clicks can still follow. */
export const finalStatuses: ReadonlySet<MessageStatus> = new Set(
  statusesWith(({ outcome }) => outcome !== 'in_progress'),
)

/** A provider accepted or refused the message: receipts can still change it. */
export const receivingStatuses: ReadonlySet<MessageStatus> = new Set(
  statusesWith(({ outcome, delivery }) => delivery && outcome !== 'in_progress'),
)

/** The arrival is certain. */
export const confirmedStatuses: ReadonlySet<MessageStatus> = new Set(
  statusesWith(({ rank }) => rank !== undefined && rank >= statuses.DELIVERED.rank),
)

/** Statuses of messages that wait for a node, if they wait. */
export const backlogStatuses = statusesWith(({ idle }) => !idle)

type DeliveryStatusOf = { [S in keyof Statuses]: Statuses[S] extends { delivery: true } ? S : never }[keyof Statuses]
const deliveryStatuses = statusesWith(({ delivery }) => delivery) as DeliveryStatusOf[]
export const DeliveryStatus = Type.Enum(deliveryStatuses, {
  title: 'DeliveryStatus',
  description: 'Status of a delivery (message × channel × integration); `ROUTED` until a provider accepts it.',
})
export type DeliveryStatus = Static<typeof DeliveryStatus>

export const reasons = [
  'FILTERED',
  'NO_CHANNELS',
  'NO_PROVIDERS',
  'INCOMPLETE_PROFILE_DATA',
  'OPT_IN_REQUIRED',
  'PROVIDER_ERROR',
  'UNPUBLISHED',
  'UNSUBSCRIBED',
  'BOUNCED',
  'FAILED',
  'IN_DOUBT',
  'EXPIRED',
  'SUPPRESSED',
] as const
export const Reason = Type.Enum([...reasons], {
  title: 'Reason',
  description:
    'Reason why a message was not delivered; `error` has the explanation. `NO_CHANNELS`: the routing has no channel. `NO_PROVIDERS`: no integration of the channels can be used. `INCOMPLETE_PROFILE_DATA`: the profile has no address that an integration can use. `IN_DOUBT`: an at-most-once attempt was interrupted and is not retried. `EXPIRED`: the time limit of the message passed. `SUPPRESSED`: every usable address is suppressed. `FAILED`: internal error.',
})
export type Reason = Static<typeof Reason>

export const ReasonCode = Type.Enum(['HARD', 'SOFT'], {
  title: 'ReasonCode',
  description: 'Kind of bounce: `HARD` is permanent, `SOFT` is temporary.',
})

export const candidateReasons = [
  'CHANNEL_DISABLED',
  'EXPIRED',
  'FILTERED',
  'INCOMPLETE_PROFILE_DATA',
  'MISSING_CONFIGURATION',
  'NO_PROVIDERS',
  'OPT_IN_REQUIRED',
  'SANDBOX',
  'SUPPRESSED',
  'TOKEN_INACTIVE',
  'UNAVAILABLE',
  'UNSUBSCRIBED',
] as const
export const CandidateReason = Type.Enum([...candidateReasons], {
  title: 'CandidateReason',
  description:
    'Reason why a candidate is not used. `EXPIRED`: the `expiry` of the message has passed, and the channel is an inbox. `INCOMPLETE_PROFILE_DATA`: the profile lacks an address or key that the provider requires. `MISSING_CONFIGURATION`: the integration is disabled or incomplete. `NO_PROVIDERS`: the channel has no integration. `SANDBOX`: the mailbox is skipped because its channel, or one that is tried before or after it, has a real integration, or in production ever had one. `SUPPRESSED`: the address is on the list of suppressed addresses. `TOKEN_INACTIVE`: the token of the device is `failed`, `revoked` or expired. `UNAVAILABLE`: the call explains an outage of the integration. `UNSUBSCRIBED`: the preferences allow only other channels.',
})
export type CandidateReason = Static<typeof CandidateReason>
