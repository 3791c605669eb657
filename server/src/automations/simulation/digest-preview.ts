/** Previews the digests of a simulation: each is released when it is due, as one message. */
import type { SimulatedDigest } from '@postrider/contract'
import { childId, timedIdFloor } from '../../base/ids.ts'
import { type JsonObject, jsonBytes } from '../../base/json/json.ts'
import { iso } from '../../base/time/timestamp.ts'
import { digestFacts, digestInput, placesOf } from '../../digests/events.ts'
import { bestOf, digestData } from '../../digests/terms.ts'
import type { DigestFacts } from '../../messages/facts.ts'
import type { StoredReader } from '../runs/stored-reader.ts'
import type { DigestEvent } from './in-memory-data.ts'
import type { InMemoryRuns } from './in-memory-store.ts'
import type { CollectedEvent, PreviewMessage } from './message-preview.ts'

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
async function withFacts(events: readonly DigestEvent[], topicOf: TopicOf): Promise<CollectedEvent[]> {
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
  for (const event of collected.toSorted((one, other) => one.at - other.at)) {
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
  return all.sort((one, other) => one.released - other.released)
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

/** As the statements of database/tables/digests/digest-events.ts. */
function keep(digest: ReleasedDigest, { at, data, facts }: CollectedEvent): void {
  digest.events += 1
  digest.facts = facts
  digest.released = Math.min(digest.released, Math.max(at, facts.until))
  const position = digest.events
  for (const { category, keep, order, rank: own } of placesOf(facts.terms, data)) {
    digest.counts[category] = (digest.counts[category] ?? 0) + 1
    const rank = order === 'first' ? -position : order === 'last' ? position : own
    digest.kept.set(category, bestOf([...(digest.kept.get(category) ?? []), { position, rank, data }], keep))
  }
}
