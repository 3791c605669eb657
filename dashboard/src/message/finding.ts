/** The finding about a message that went wrong: the one thing that a person can repair, or none. */
import type {
  Candidate,
  DecisionParamsByCode,
  DeliveryRecord,
  HistoryEvent,
  MessageDetail,
  MessageExplanation,
} from '@postrider/client'
import { calledAndDeleted, channelsLeftOut, integrationsToRepair, isDeleted } from '@postrider/client/sentence'
import { addressKeys } from './outcome.ts'

type SuppressionReason = NonNullable<Candidate['suppression']>['reason']

export type Finding =
  /** The address came with the send, and another one is stored. */
  | { kind: 'otherAddress'; used: string; stored: string }
  /** The address came with the send, and none is stored. */
  | { kind: 'invalidAddress' }
  | { kind: 'noAddress' }
  /** `isByMessage`: since this message bounced, or its recipient complained. */
  | { kind: 'suppressed'; address: string | undefined; reason: SuppressionReason | undefined; isByMessage: boolean }
  | { kind: 'unmapped' }
  | { kind: 'unknownTemplate' }
  /** One of these integrations has to be repaired, or switched on. */
  | { kind: 'integrations'; integrations: readonly { id: string; title: string }[]; isHeld: boolean }
  /** It waits for these, or was tried by them, and they have been deleted. */
  | { kind: 'deleted'; titles: readonly string[]; isHeld: boolean }
  | { kind: 'noIntegration' }
  /** Refused, as its provider does not accept their credentials. */
  | { kind: 'credentials'; integrations: readonly { id: string; title: string }[] }

export interface FindingInput {
  message: Pick<MessageDetail, 'status' | 'reason' | 'enqueued'>
  explanation: Pick<MessageExplanation, 'candidates' | 'deliveries' | 'profile' | 'steps'>
  events: readonly HistoryEvent[]
  /** As it would be decided now, for a message that can have suppressed its address. */
  now?: Pick<MessageExplanation, 'candidates' | 'profile'> | undefined
}

/** Whether the address can be suppressed since this message: it bounced for good, or the recipient objected to it. */
export const canHaveSuppressed = (
  { status }: Pick<MessageDetail, 'status'>,
  events: readonly HistoryEvent[],
): boolean =>
  events.some(
    (event) =>
      event.type === 'COMPLAINED' ||
      event.type === 'UNSUBSCRIBED' ||
      (status === 'UNDELIVERABLE' &&
        event.type === 'UNDELIVERABLE' &&
        (event.suppressed !== undefined || event.reasonCode === 'HARD')),
  )

export function findingOf({ message, explanation, events, now }: FindingInput): Finding | undefined {
  const { status, reason } = message
  if (status === 'UNMAPPED') {
    const isTemplate = explanation.steps.some(({ code }) => code === 'template_unknown')
    return { kind: isTemplate ? 'unknownTemplate' : 'unmapped' }
  }
  const deleted = status === 'UNDELIVERABLE' && isOfDecision(reason) ? calledAndDeleted(explanation) : []
  if (deleted.length > 0) return { kind: 'deleted', titles: titlesOf(deleted), isHeld: false }
  if (reason === 'INCOMPLETE_PROFILE_DATA') return unaddressed({ message, explanation, events })
  if (status === 'HELD' || reason === 'NO_PROVIDERS') {
    const all = integrationsToRepair(explanation)
    const integrations = all.filter((each) => !each.isDeleted).map(({ id, title }) => ({ id, title }))
    if (integrations.length > 0) return { kind: 'integrations', integrations, isHeld: status === 'HELD' }
    if (status === 'HELD' && all.length > 0) return { kind: 'deleted', titles: titlesOf(all), isHeld: true }
    return channelsLeftOut(reason, explanation).length > 0 ? undefined : { kind: 'noIntegration' }
  }
  const other = status === 'UNDELIVERABLE' && otherAddress({ explanation, events })
  if (other) return { kind: 'otherAddress', ...other }
  if (status === 'UNDELIVERABLE' && reason === 'SUPPRESSED') return suppressed(explanation, message)
  if (now && canHaveSuppressed(message, events) && now.candidates.some(({ suppression }) => suppression))
    return suppressed(now, message)
  const unauthorized =
    status === 'UNDELIVERABLE'
      ? explanation.deliveries.filter((delivery) => hasRefusedCredentials(delivery) && !isDeleted(delivery))
      : []
  const titles = new Map(unauthorized.map(({ integration, provider, title = provider }) => [integration, title]))
  if (titles.size === 0) return undefined
  return { kind: 'credentials', integrations: [...titles].map(([id, title]) => ({ id, title })) }
}

/** Integrations are there no more, or none of them has an address: the decision of then does not know the one that was tried. */
const isOfDecision = (reason: FindingInput['message']['reason']) =>
  reason === 'INCOMPLETE_PROFILE_DATA' || reason === 'NO_PROVIDERS'

const titlesOf = (all: readonly { title?: string | undefined; provider?: string }[]): string[] => [
  ...new Set(all.map(({ title, provider = '' }) => title ?? provider)),
]

/** The codes of a server that refuses credentials; a 403 may be due to the message, such as its sender. */
const unauthorizedCodes = { http: [401, 407], smtp: [530, 534, 535, 538] }

function hasRefusedCredentials({ attempts }: DeliveryRecord): boolean {
  const { outcome, request, reply } = attempts.at(-1) ?? {}
  return outcome === 'rejected' && unauthorizedCodes[request?.protocol ?? 'http'].includes(reply?.status ?? 0)
}

/** The profile is not to blame for a channel that was left out for another cause. */
function unaddressed({ message, explanation, events }: FindingInput): Finding | undefined {
  if (channelsLeftOut(message.reason, explanation).length > 0) return undefined
  const other = otherAddress({ explanation, events })
  if (other) return { kind: 'otherAddress', ...other }
  const sentProfile = events.findLast((event) => event.type === 'PROFILE_LOADED')?.received_profile ?? {}
  const isOfSend = invalidValues(explanation).some(({ keys }) => keys.some((key) => sentProfile[key] !== undefined))
  return { kind: isOfSend ? 'invalidAddress' : 'noAddress' }
}

/** The values that integrations cannot use as an address. */
const invalidValues = ({ steps }: Pick<MessageExplanation, 'steps'>) =>
  steps
    .flatMap(({ code, params }) => (code === 'no_address' ? (params as DecisionParamsByCode['no_address']).needs : []))
    .filter(({ need }) => need === 'usable_value')

function suppressed(
  { candidates, profile }: NonNullable<FindingInput['now']>,
  { enqueued }: FindingInput['message'],
): Finding {
  const { channel, suppression } = candidates.find((candidate) => candidate.suppression) ?? {}
  const address = channel === 'email' || channel === 'sms' ? profile[addressKeys[channel]] : undefined
  // The role of the reader may not see it.
  const isShown = typeof address === 'string' && !address.includes('•')
  return {
    kind: 'suppressed',
    address: isShown ? address : undefined,
    reason: suppression?.reason,
    isByMessage: suppression !== undefined && suppression.created >= enqueued,
  }
}

/** Where the address itself was at fault: refused, bounced, suppressed before, or not valid. */
function otherAddress({
  explanation,
  events,
}: Pick<FindingInput, 'explanation' | 'events'>): { used: string; stored: string } | undefined {
  const merged = events.findLast((event) => event.type === 'PROFILE_LOADED')
  const channelsToBlame = new Set<string>([
    ...explanation.candidates.flatMap(({ channel, suppression }) => (suppression ? [channel] : [])),
    ...events.flatMap((event) =>
      event.type === 'UNDELIVERABLE' && (event.suppressed || event.reason === 'BOUNCED') ? [event.channel.id] : [],
    ),
    ...invalidValues(explanation).map(({ channel }) => channel),
  ])
  for (const [channel, key] of Object.entries(addressKeys)) {
    const usedAddress = merged?.received_profile[key]
    const storedAddress = merged?.stored_profile[key]
    if (!channelsToBlame.has(channel) || typeof usedAddress !== 'string' || typeof storedAddress !== 'string') continue
    if (storedAddress !== '' && usedAddress !== storedAddress) return { used: usedAddress, stored: storedAddress }
  }
  return undefined
}
