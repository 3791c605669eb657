/** Previews of a simulation: its messages, the first of them explained, the recipients of its sends to many, and its digests. */
import type { Explanation, MessageStatus, SimulatedDigest, SimulatedMessage } from '@postrider/contract'
import { childId, timedIdFloor } from '../../base/ids.ts'
import { type JsonObject, jsonBytes } from '../../base/json/json.ts'
import { iso } from '../../base/time/clock.ts'
import { digestFacts, digestInput, placesOf } from '../../digests/events.ts'
import { bestOf, digestData } from '../../digests/terms.ts'
import type { DigestFacts } from '../../messages/facts.ts'
import { completed, type SendInput } from '../../messages/send.ts'
import type { Explained, ExplainOptions } from '../../messages/timeline/explain.ts'
import type { Target } from '../../recipients/read-recipients.ts'
import type { ExpandedRecipient, Place, SourcePage } from '../../recipients/sources.ts'
import type { RequestEffect } from '../run-store.ts'
import type { StoredReader } from '../runs/stored-reader.ts'
import type { SimulatedDigestEvent, SimulatedRequest, SimulatedSend, Written } from './in-memory-data.ts'
import type { InMemoryRuns } from './in-memory-store.ts'
import type { OverriddenData } from './overrides.ts'

/** An event that a previewed message about a topic adds to a digest. */
interface CollectedEvent {
  at: number
  recipient: string
  /** Empty without a tenant. */
  tenantId: string
  data: JsonObject
  facts: DigestFacts
}

export interface PreviewRequest {
  id: string
  input: SendInput
  /** When the message is created. */
  at: number
  notBefore?: number | undefined
  listId?: string | undefined
  written: Written
  /** Omits the explanation. */
  bare?: boolean
}

export type PreviewMessage = (message: PreviewRequest) => Promise<SimulatedMessage>

/** Explained messages of a simulation: each is a decision with its content. */
const EXPLAINED_MAX = 100

/** Decisions on a delayed message: it is decided again at each opening time, with the profile of that time. */
const OPENINGS_MAX = 10

interface Decision {
  /** When the message is decided next. */
  due: number
  /** Number of decisions. */
  times: number
  /** The final explanation. */
  explanation?: Explanation
}

export function createMessagePreviews(
  explain: (input: SendInput, options: ExplainOptions) => Promise<Explained>,
  overrides: Pick<OverriddenData, 'suppliedProfile' | 'storedList'>,
) {
  const decisions = new Map<string, Decision>()
  const collected: CollectedEvent[] = []

  const decideOnce = async ({ input, at, notBefore, listId, written }: PreviewRequest, decision: Decision) => {
    const { recipient, tenantId = '', data = {} } = input
    const { due } = decision
    const storedProfile = written.profile(recipient, due > at ? due : undefined) ?? overrides.suppliedProfile(recipient)
    const options = { notBefore, at: due, listId: overrides.storedList(listId), storedProfile }
    const { explanation, digest: facts } = await explain(input, options)
    const { delayed_until: later } = explanation.decision
    decision.times += 1
    if (later !== undefined && later > due && decision.times < OPENINGS_MAX) decision.due = later
    else decision.explanation = explanation
    if (facts) collected.push({ at: due, recipient, tenantId, data, facts })
  }
  /** Decides on the message until this time; undefined if too many messages are explained. */
  const decide = async (message: PreviewRequest, by: number): Promise<Decision | undefined> => {
    const decision = decisions.get(message.id) ?? { due: dueOf(message), times: 0 }
    if (!decisions.has(message.id) && decisions.size >= EXPLAINED_MAX) return undefined
    decisions.set(message.id, decision)
    while (!decision.explanation && decision.due <= by) await decideOnce(message, decision)
    return decision
  }
  return {
    collected,
    /** The status at a time, for a message whose status the caller does not supply. */
    async statusOf(message: PreviewRequest, now: number): Promise<MessageStatus> {
      const { due, explanation } = (await decide(message, now)) ?? { due: dueOf(message) }
      if (due > now) return 'DELAYED'
      const status = explanation?.decision.status ?? 'ROUTED'
      return status === 'ROUTED' ? 'SENT' : status
    },
    previewMessage: async (message: PreviewRequest): Promise<SimulatedMessage> => {
      const { id, input, at, bare = false } = message
      const decision = bare ? undefined : await decide(message, Number.POSITIVE_INFINITY)
      const { due, explanation } = decision ?? { due: dueOf(message) }
      const goes = explanation && ['ROUTED', 'SIMULATED'].includes(explanation.decision.status)
      const selected = goes ? explanation.candidates.filter((candidate) => candidate.selected) : []
      return {
        message_id: id,
        recipient: input.recipient,
        event: input.event,
        ...(due > at && { due_at: iso(due) }),
        channels: [...new Set(selected.map(({ channel }) => channel))],
        ...(explanation && { explanation }),
      }
    },
  }
}

export function previewRequest({ id, at, send, written }: SimulatedSend): PreviewRequest {
  const { input, notBefore, marks } = send
  return { id, input, at, notBefore, listId: marks?.listId, written }
}

const dueOf = ({ at, notBefore = at }: PreviewRequest) => Math.max(at, notBefore)

/** A page of recipients of the target, with the subscriptions that runs had written. */
export type ReadRecipients = (written: Written, target: Target, after: Place, limit: number) => Promise<SourcePage>

export interface RecipientPreview {
  /** The first of them. */
  messages: { id: string; input: SendInput; listId: string | undefined }[]
  /** How many recipients were found. */
  recipients: number
  /** Counting stopped at the limit. */
  more: boolean
}

/** The page size of a fan-out. */
const PAGE = 250
/** Counts up to a thousand recipients. */
const REQUEST_PAGES_MAX = 4
/** The maximum of a simulation: some hundred queries. */
const PAGES_MAX = 100
/** Messages shown for one request. */
const SHOWN_MAX = 100

/** Shared by the requests of one simulation, which are previewed one after the other. */
export function createRecipientPreviews(read: ReadRecipients, secret: Buffer) {
  let pages = 0
  return async ({ id, shared, addressing, written }: SimulatedRequest): Promise<RecipientPreview> => {
    // A recipient of several targets gets one message, from the first target.
    const seenRecipients = new Set<string>()
    const messages: RecipientPreview['messages'] = []
    const pagesMax = Math.min(PAGES_MAX, pages + REQUEST_PAGES_MAX)
    for (const target of addressing.targets) {
      let place: Place | undefined = null
      while (place !== undefined) {
        if (pages >= pagesMax) return { messages, recipients: seenRecipients.size, more: true }
        pages += 1
        const page: SourcePage = await read(written, target, place, PAGE)
        for (const addressee of page.recipients) {
          const { recipient } = addressee.ownInput
          if (seenRecipients.has(recipient)) continue
          seenRecipients.add(recipient)
          if (messages.length >= SHOWN_MAX) continue
          const input = inputOf(shared, target, addressee)
          messages.push({ id: childId(secret, id, recipient), input, listId: addressee.marks?.listId })
        }
        place = page.next
      }
    }
    return { messages, recipients: seenRecipients.size, more: false }
  }
}

/** Data of the target override the shared data; data of the recipient override both. */
function inputOf(shared: RequestEffect['shared'], target: Target, { ownInput }: ExpandedRecipient): SendInput {
  const data = 'data' in target ? target.data : undefined
  return data
    ? completed({ ...shared, targetData: { 0: data } }, { ...ownInput, target: 0 })
    : completed(shared, ownInput)
}

// Each digest is released when it is due, as one message.
export interface Releasing {
  /** Events of previewed messages about topics. */
  collected: readonly CollectedEvent[]
  previewMessage: PreviewMessage
  secret: Buffer
  topicOf: TopicOf
}

type TopicOf = (topicId: string, recipient: string) => ReturnType<StoredReader['topicDigest']>

/** The maximum data of all digests of a simulation, as JSON. */
const DATA_BYTES_MAX = 1_048_576

export async function digestsOf(
  { data: { digestEvents, writtenBy } }: InMemoryRuns,
  { collected, previewMessage, secret, topicOf }: Releasing,
): Promise<SimulatedDigest[]> {
  const events = [...(await withFacts(digestEvents, topicOf)), ...collected]
  const released: SimulatedDigest[] = []
  let left = DATA_BYTES_MAX
  for (const [number, digest] of releasesOf(events).entries()) {
    const { recipient, tenantId, facts, released: at } = digest
    const { topicId, terms } = facts
    const data = dataOf(digest)
    // Digests of one recipient released at the same time differ only by number.
    const id = childId(secret, `${timedIdFloor(at)}${JSON.stringify([topicId, tenantId, number])}`, recipient)
    const input = digestInput({ terms, topicId, recipient, tenantId }, data)
    const message = await previewMessage({ id, input, at, written: writtenBy(at) })
    left -= jsonBytes(data)
    released.push({ ...shown(digest), ...(left >= 0 && { data }), message })
  }
  return released
}

function shown({ recipient, tenantId, facts, events, opened, released }: ReleasedDigest) {
  return {
    topic_id: facts.topicId,
    schedule_id: facts.scheduleId,
    recipient,
    ...(tenantId !== '' && { tenant_id: tenantId }),
    collected: events,
    opened_at: iso(opened),
    released_at: iso(released),
  }
}

/** Events of topics without a digest are dropped, as in production. */
async function withFacts(events: readonly SimulatedDigestEvent[], topicOf: TopicOf): Promise<CollectedEvent[]> {
  const topics = new Map<string, Awaited<ReturnType<TopicOf>>>()
  const collected: CollectedEvent[] = []
  for (const { at, topicId, recipient, data } of events) {
    const key = JSON.stringify([topicId, recipient])
    if (!topics.has(key)) topics.set(key, await topicOf(topicId, recipient))
    const topic = topics.get(key)
    const facts = digestFacts(topicId, topic?.digest, topic?.chosen ?? null, at)
    if (facts) collected.push({ at, recipient, tenantId: '', data, facts })
  }
  return collected
}

interface KeptEvent {
  position: number
  rank: number | null
  data: JsonObject
}

interface ReleasedDigest {
  recipient: string
  tenantId: string
  /** The facts of the latest event. */
  facts: DigestFacts
  events: number
  opened: number
  released: number
  counts: Record<string, number>
  kept: Map<string, KeptEvent[]>
}

/** The digests in the order of their release. */
function releasesOf(collected: readonly CollectedEvent[]): ReleasedDigest[] {
  const open = new Map<string, ReleasedDigest>()
  const all: ReleasedDigest[] = []
  for (const event of collected.toSorted((left, right) => left.at - right.at)) {
    const key = JSON.stringify([event.facts.topicId, event.recipient, event.tenantId])
    const before = open.get(key)
    // An event at the time of the release is too late for it.
    const isOpen = before !== undefined && before.released > event.at
    const digest = isOpen ? before : opened(event)
    if (!isOpen) {
      open.set(key, digest)
      all.push(digest)
    }
    keep(digest, event)
  }
  return all.sort((left, right) => left.released - right.released)
}

/** The data of the digest message. */
function dataOf({ facts, counts, kept }: ReleasedDigest): ReturnType<typeof digestData> {
  const events = [...kept].flatMap(([category, those]) =>
    those.map(({ position, rank, data }) => ({ category, position, rank, data: JSON.stringify(data) })),
  )
  return digestData(facts.terms, counts, events)
}

const opened = ({ at, recipient, tenantId, facts }: CollectedEvent): ReleasedDigest => ({
  recipient,
  tenantId,
  facts,
  events: 0,
  opened: at,
  released: Math.max(at, facts.until),
  counts: {},
  kept: new Map(),
})

/** As the statements of database/tables/digests/digests.ts. */
function keep(digest: ReleasedDigest, { at, data, facts }: CollectedEvent): void {
  digest.events += 1
  digest.facts = facts
  digest.released = Math.min(digest.released, Math.max(at, facts.until))
  const position = digest.events
  for (const { category, keep, order, rank: valueRank } of placesOf(facts.terms, data)) {
    digest.counts[category] = (digest.counts[category] ?? 0) + 1
    const rank = order === 'first' ? -position : order === 'last' ? position : valueRank
    digest.kept.set(category, bestOf([...(digest.kept.get(category) ?? []), { position, rank, data }], keep))
  }
}
