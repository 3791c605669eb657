/** The words for where a message stands: statuses with their rank, reasons, history types, candidates. */
import { type Static, Type } from 'typebox'

export const messageStatuses = [
  'ENQUEUED',
  'DELAYED',
  'ROUTED',
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
  ENQUEUED: 'accepted, waiting to be processed',
  DELAYED: 'waiting for its delay',
  ROUTED: 'channels are chosen, no provider has accepted it yet',
  SENT: 'a provider accepted it',
  DELIVERED: 'the provider confirmed delivery',
  OPENED: 'opened for the first time',
  CLICKED: 'a link was followed for the first time',
  UNMAPPED: 'the event is not mapped to a notification',
  UNROUTABLE: 'no channel or provider could be chosen',
  UNDELIVERABLE: 'refused, bounced, opted out, or every attempt failed',
  FILTERED: 'stopped by a condition',
  CANCELED: 'stopped through the cancel endpoint',
  THROTTLED: 'stopped by a send limit',
  DIGESTED: 'kept for a digest',
  SIMULATED: 'sent with a mock key: rendered, no provider called',
}

export const MessageStatus = Type.Enum([...messageStatuses], {
  title: 'MessageStatus',
  description: `Where a message stands: ${Object.entries(meanings)
    .map(([status, meaning]) => `\`${status}\` (${meaning})`)
    .join(', ')}.`,
})
export type MessageStatus = Static<typeof MessageStatus>

/** Within a delivery a status only rises; a receipt of lower rank only fills in its time. */
export const statusRank: Partial<Record<MessageStatus, number>> = {
  ENQUEUED: 1,
  DELAYED: 1,
  ROUTED: 2,
  SENT: 3,
  DELIVERED: 4,
  OPENED: 5,
  CLICKED: 6,
}

/** Nothing more is done on our side; receipts, opens and clicks may still follow. */
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
  description: 'Where one delivery (message × channel × integration) stands; `ROUTED` until a provider accepted it.',
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
] as const
export const Reason = Type.Enum([...reasons], {
  title: 'Reason',
  description:
    'Why a message went no further; `error` says it in words. `NO_CHANNELS`: its routing names no channel. `NO_PROVIDERS`: no integration of its channels can be used. `INCOMPLETE_PROFILE_DATA`: the profile has no address that an integration can use. `IN_DOUBT`: an at-most-once attempt was interrupted and is not repeated. `EXPIRED`: its time to be sent ran out. `FAILED`: the fault was ours.',
})
export type Reason = Static<typeof Reason>

export const ReasonCode = Type.Enum(['HARD', 'SOFT'], {
  title: 'ReasonCode',
  description: 'Of a bounce: whether the address is bad for good.',
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
  'SENT',
  'DELIVERED',
  'OPENED',
  'CLICKED',
  'UNDELIVERABLE',
  'UNROUTABLE',
  'CANCELED',
] as const
export const HistoryType = Type.Enum([...historyTypes], {
  title: 'HistoryType',
  description: 'What happened to a message.',
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
  'UNSUBSCRIBED',
] as const
export const CandidateReason = Type.Enum([...candidateReasons], {
  title: 'CandidateReason',
  description:
    'Why a candidate is not used. `EXPIRED`: the `expiry` of the message is over, and it is an inbox. `INCOMPLETE_PROFILE_DATA`: the profile lacks what the provider needs. `MISSING_CONFIGURATION`: the integration is switched off or unfinished. `NO_PROVIDERS`: the channel has no integration. `SANDBOX`: the mailbox steps back because its channel, or one that is tried in turn with it, has a real integration, or in production ever had one. `UNSUBSCRIBED`: the recipient does not want the channel.',
})
export type CandidateReason = Static<typeof CandidateReason>
