/** Statuses of messages with their rank, reasons, history event types and candidate reasons. */
import { type Static, Type } from 'typebox'

export const messageStatuses = [
  'ENQUEUED',
  'DELAYED',
  'ROUTED',
  'HELD',
  'SENT',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'UNMAPPED',
  'UNROUTABLE',
  'UNDELIVERABLE',
  'FILTERED',
  'CANCELED',
  'THROTTLED',
  'DIGESTED',
  'SIMULATED',
] as const

const meanings: Record<(typeof messageStatuses)[number], string> = {
  ENQUEUED: 'accepted, not yet processed',
  DELAYED: 'waiting for its delay',
  ROUTED: 'channels chosen, not yet accepted by a provider',
  HELD: 'waiting until an integration is repaired, where the workspace holds such messages',
  SENT: 'accepted by a provider',
  DELIVERED: 'delivery confirmed by the provider',
  OPENED: 'opened for the first time',
  CLICKED: 'a link was clicked for the first time',
  UNMAPPED: 'the event is not mapped to a notification',
  UNROUTABLE: 'no channel or provider could be chosen',
  UNDELIVERABLE: 'rejected, bounced, opted out, or every attempt failed',
  FILTERED: 'stopped by a condition',
  CANCELED: 'canceled through the API',
  THROTTLED: 'stopped by a send limit',
  DIGESTED: 'added to a digest',
  SIMULATED: 'sent with a mock key: rendered, no provider called',
}

export const MessageStatus = Type.Enum([...messageStatuses], {
  title: 'MessageStatus',
  description: `Status of a message: ${Object.entries(meanings)
    .map(([status, meaning]) => `\`${status}\` (${meaning})`)
    .join(', ')}.`,
})
export type MessageStatus = Static<typeof MessageStatus>

/** The status of a delivery only rises; a receipt of lower rank only adds its time. */
export const statusRank: Partial<Record<MessageStatus, number>> = {
  ENQUEUED: 1,
  DELAYED: 1,
  ROUTED: 2,
  HELD: 2,
  SENT: 3,
  DELIVERED: 4,
  OPENED: 5,
  CLICKED: 6,
}

/** Processing has ended; receipts, opens and clicks can still follow. */
export const finalStatuses: ReadonlySet<MessageStatus> = new Set([
  'SENT',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'UNMAPPED',
  'UNROUTABLE',
  'UNDELIVERABLE',
  'FILTERED',
  'CANCELED',
  'THROTTLED',
  'DIGESTED',
  'SIMULATED',
])

export const deliveryStatuses = ['ROUTED', 'SENT', 'DELIVERED', 'OPENED', 'CLICKED', 'UNDELIVERABLE'] as const
export const DeliveryStatus = Type.Enum([...deliveryStatuses], {
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

export const historyTypes = [
  'ENQUEUED',
  'DELAYED',
  'MAPPED',
  'UNMAPPED',
  'PROFILE_LOADED',
  'FILTERED',
  'THROTTLED',
  'DIGESTED',
  'RENDERED',
  'SIMULATED',
  'DELIVERING',
  'HELD',
  'SENT',
  'DEFERRED',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'COMPLAINED',
  'UNSUBSCRIBED',
  'UNDELIVERABLE',
  'UNROUTABLE',
  'CANCELED',
] as const
export const HistoryType = Type.Enum([...historyTypes], {
  title: 'HistoryType',
  description: 'Type of a history event.',
})
export type HistoryType = Static<typeof HistoryType>

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
  'UNSUBSCRIBED',
] as const
export const CandidateReason = Type.Enum([...candidateReasons], {
  title: 'CandidateReason',
  description:
    'Reason why a candidate is not used. `EXPIRED`: the `expiry` of the message has passed, and the channel is an inbox. `INCOMPLETE_PROFILE_DATA`: the profile lacks an address or key that the provider requires. `MISSING_CONFIGURATION`: the integration is disabled or incomplete. `NO_PROVIDERS`: the channel has no integration. `SANDBOX`: the mailbox is skipped because its channel, or one that is tried before or after it, has a real integration, or in production ever had one. `SUPPRESSED`: the address is on the list of suppressed addresses. `TOKEN_INACTIVE`: the token of the device is `failed`, `revoked` or expired. `UNSUBSCRIBED`: the recipient opted out of the channel.',
})
export type CandidateReason = Static<typeof CandidateReason>
