/** The finding about a message that went wrong: the one thing that a person can repair, or none. */
import type { HistoryEvent, MessageDetail, MessageExplanation } from '@postrider/client'

export type Finding =
  /** The address came with the send, and another one is stored. */
  | { kind: 'otherAddress'; used: string; stored: string }
  | { kind: 'noAddress' }
  | { kind: 'suppressed'; address: string | undefined }
  | { kind: 'unmapped' }
  | { kind: 'unknownTemplate' }
  /** An integration has to be repaired, or switched on. */
  | { kind: 'integration'; integration: string; title: string; isHeld: boolean }
  | { kind: 'noIntegration' }

export interface FindingInput {
  message: Pick<MessageDetail, 'status' | 'reason'>
  explanation: Pick<MessageExplanation, 'candidates' | 'deliveries' | 'profile' | 'steps'>
  events: readonly HistoryEvent[]
}

export function findingOf({ message, explanation, events }: FindingInput): Finding | undefined {
  const { status, reason } = message
  const { candidates, deliveries, profile } = explanation
  if (status === 'UNMAPPED') {
    const isTemplate = explanation.steps.some(({ code }) => code === 'template_unknown')
    return { kind: isTemplate ? 'unknownTemplate' : 'unmapped' }
  }
  if (reason === 'INCOMPLETE_PROFILE_DATA') return { kind: 'noAddress' }
  if (status === 'HELD' || reason === 'NO_PROVIDERS') {
    const waiting = deliveries.find(({ status: each }) => each === 'ROUTED')
    const off = candidates.find(({ reason: each }) => each === 'MISSING_CONFIGURATION')
    const { integration, title, provider } = waiting ?? off ?? {}
    return integration === undefined
      ? { kind: 'noIntegration' }
      : { kind: 'integration', integration, title: title ?? provider ?? integration, isHeld: status === 'HELD' }
  }
  if (status !== 'UNDELIVERABLE') return undefined
  const other = otherAddress({ explanation, events })
  if (other) return { kind: 'otherAddress', ...other }
  if (reason !== 'SUPPRESSED') return undefined
  const channel = candidates.find(({ suppression }) => suppression)?.channel
  const address = profile[channel === 'sms' ? 'phone_number' : 'email']
  // The role of the reader may not see it.
  const isShown = typeof address === 'string' && !address.includes('•')
  return { kind: 'suppressed', address: isShown ? address : undefined }
}

const addressKeys = { email: 'email', sms: 'phone_number' } as const

/** Where the address itself was at fault: refused, bounced, or suppressed before. */
function otherAddress({
  explanation: { candidates },
  events,
}: Pick<FindingInput, 'explanation' | 'events'>): { used: string; stored: string } | undefined {
  const merged = events.findLast((event) => event.type === 'PROFILE_LOADED')
  const channelsToBlame = new Set<string>([
    ...candidates.flatMap(({ channel, suppression }) => (suppression ? [channel] : [])),
    ...events.flatMap((event) =>
      event.type === 'UNDELIVERABLE' && (event.suppressed || event.reason === 'BOUNCED') ? [event.channel.id] : [],
    ),
  ])
  for (const [channel, key] of Object.entries(addressKeys)) {
    const usedAddress = merged?.received_profile[key]
    const storedAddress = merged?.stored_profile[key]
    if (!channelsToBlame.has(channel) || typeof usedAddress !== 'string' || typeof storedAddress !== 'string') continue
    if (storedAddress !== '' && usedAddress !== storedAddress) return { used: usedAddress, stored: storedAddress }
  }
  return undefined
}
