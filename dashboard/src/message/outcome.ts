/** How each candidate of a message fared, and what a decision of now would change. */
import type { Candidate, DeliveryRecord, MessageDetail, MessageExplanation, RenderedCandidate } from '@postrider/client'
import { endsInDoubt } from '@postrider/client/sentence'

export type CandidateOutcome =
  | { kind: 'accepted'; delivery: DeliveryRecord; tookMs: number | undefined }
  | { kind: 'failed'; delivery: DeliveryRecord }
  /** It may have arrived. */
  | { kind: 'inDoubt'; delivery: DeliveryRecord }
  /** It had its turn without an attempt: not called, or limited by its provider. Another one took the message, or it ended. */
  | { kind: 'notCalled'; delivery: DeliveryRecord }
  | { kind: 'trying'; delivery: DeliveryRecord }
  | { kind: 'next' }
  | { kind: 'notNeeded' }
  | { kind: 'skipped'; reason: NonNullable<Candidate['reason']> | undefined }

const isOf = (candidate: Candidate) => (delivery: DeliveryRecord) =>
  delivery.channel === candidate.channel &&
  delivery.integration === candidate.integration &&
  delivery.device?.id === candidate.device?.id

export function candidateOutcome(
  candidate: Candidate,
  deliveries: readonly DeliveryRecord[],
  isFinal: boolean,
  isCanceled = false,
): CandidateOutcome {
  if (!candidate.selected) return { kind: 'skipped', reason: candidate.reason }
  const delivery = deliveries.find(isOf(candidate))
  if (!delivery) return { kind: isFinal ? 'notNeeded' : 'next' }
  if (delivery.status === 'UNDELIVERABLE' && endsInDoubt(delivery)) return { kind: 'inDoubt', delivery }
  if (delivery.status === 'UNDELIVERABLE')
    // Content that cannot be rendered fails without a call.
    return { kind: delivery.attempts_total === 0 && delivery.reason !== 'FAILED' ? 'notCalled' : 'failed', delivery }
  // A delivery that was prepared and never tried, because another one was accepted.
  if (delivery.status === 'ROUTED')
    return isFinal && delivery.attempts_total === 0 && (delivery.next_attempt_at === undefined || isCanceled)
      ? { kind: 'notNeeded' }
      : { kind: isCanceled ? 'failed' : 'trying', delivery }
  const first = delivery.attempts[0]
  const last = delivery.attempts.at(-1)
  return { kind: 'accepted', delivery, tookMs: first && last?.ended ? last.ended - first.started : undefined }
}

/** The place of the content that is shown first: as it was accepted, else as it was tried last. */
export function shownFirst(
  rendered: readonly Pick<RenderedCandidate, 'channel' | 'integration'>[],
  deliveries: readonly DeliveryRecord[],
): number {
  const indexOf = ({ channel, integration }: DeliveryRecord) =>
    rendered.findIndex((each) => each.channel === channel && each.integration === integration)
  const tried = deliveries.filter((delivery) => delivery.attempts_total > 0 && indexOf(delivery) >= 0)
  const shown = tried.find(({ status }) => status !== 'ROUTED' && status !== 'UNDELIVERABLE') ?? tried.at(-1)
  return shown ? indexOf(shown) : 0
}

/** The keys of the profile that hold the addresses of these channels. */
export const addressKeys = { email: 'email', sms: 'phone_number' } as const

/** The address that the first integration would be called with; undefined where the reader's role does not see it. */
export function firstAddress({
  rendered,
  profile,
}: Pick<MessageExplanation, 'rendered' | 'profile'>): string | undefined {
  const channel = rendered.find(({ error }) => error === undefined)?.channel
  const address = channel === 'email' || channel === 'sms' ? profile[addressKeys[channel]] : undefined
  return typeof address === 'string' && address !== '' && !address.includes('•') ? address : undefined
}

/** With the address that the first integration would be called with; a recipient without a user is that address. */
export function recipientOf(
  { recipient, address: name = recipient }: Pick<MessageDetail, 'recipient' | 'address'>,
  explanation: Pick<MessageExplanation, 'rendered' | 'profile'>,
): string {
  const address = firstAddress(explanation)
  return address === undefined || address === name ? name : `${name} (${address})`
}

const goingOn: ReadonlySet<string> = new Set(['ROUTED', 'DELAYED', 'DIGESTED', 'HELD', 'SIMULATED'])

/** Its recipient would not get it, not even later. */
export const isStopped = ({ decision }: Pick<MessageExplanation, 'decision'>): boolean => !goingOn.has(decision.status)

export interface Change {
  what: 'decision' | 'template' | 'candidate' | 'content' | 'profile'
  /** The channel and the provider, the path in the profile, or empty. */
  of: string
  before: string
  after: string
}

/** In reading order: the result, then its causes. */
export function changes(before: MessageExplanation, now: MessageExplanation): Change[] {
  const differences: Change[] = []
  const add = (what: Change['what'], of: string, from: string, to: string) => {
    if (from !== to) differences.push({ what, of, before: from, after: to })
  }
  const verdict = ({ decision: { status, reason } }: MessageExplanation) => [status, reason].filter(Boolean).join(' ')
  add('decision', '', verdict(before), verdict(now))
  add('template', '', before.notification?.version ?? '', now.notification?.version ?? '')
  const state = (candidate: Candidate | undefined) =>
    candidate === undefined ? '' : candidate.selected ? String(candidate.order + 1) : (candidate.reason ?? '–')
  for (const [name, pair] of pairByName(before.candidates, now.candidates))
    add('candidate', name, state(pair.before), state(pair.now))
  const words = (rendered: MessageExplanation['rendered'][number] | undefined) =>
    [rendered?.content.subject || rendered?.content.title, rendered?.content.text || rendered?.content.body]
      .filter(Boolean)
      .join('\n')
  for (const [name, pair] of pairByName(before.rendered, now.rendered))
    if (pair.before && pair.now) add('content', name, words(pair.before), words(pair.now))
  const flatBefore = flat(before.profile)
  const flatNow = flat(now.profile)
  for (const path of new Set([...flatBefore.keys(), ...flatNow.keys()]))
    add('profile', path, flatBefore.get(path) ?? '', flatNow.get(path) ?? '')
  return differences
}

interface Named {
  channel: string
  provider?: string | undefined
  title?: string | undefined
}
const nameOf = ({ channel, provider, title }: Named) => [channel, title ?? provider].filter(Boolean).join(' · ')

function pairByName<Entry extends Named>(before: readonly Entry[], now: readonly Entry[]) {
  const pairs = new Map<string, { before?: Entry; now?: Entry }>()
  for (const entry of before) pairs.set(nameOf(entry), { before: entry })
  for (const entry of now) pairs.set(nameOf(entry), { ...pairs.get(nameOf(entry)), now: entry })
  return pairs
}

/** A profile is at most this deep where it is shown by paths. */
const DEPTH_MAX = 6

/** `address.city`: the values of an object by their paths, as text. */
export function flat(value: unknown, path = '', depth = 0): Map<string, string> {
  if (typeof value !== 'object' || value === null || depth === DEPTH_MAX)
    return new Map([[path, typeof value === 'string' ? value : (JSON.stringify(value) ?? '')]])
  const entries = Object.entries(value)
  if (entries.length === 0) return path === '' ? new Map() : new Map([[path, JSON.stringify(value)]])
  return new Map(entries.flatMap(([key, child]) => [...flat(child, path === '' ? key : `${path}.${key}`, depth + 1)]))
}
