/** Digests of a simulation: which events they keep, as the database keeps them, and when they are released. */
import type { JsonObject } from '../../base/json/json.ts'
import { placesOf } from '../../digests/events.ts'
import { bestOf, digestData } from '../../digests/terms.ts'
import type { DigestFacts } from '../../messages/facts.ts'

export interface CollectedEvent {
  at: number
  recipient: string
  /** Empty outside any tenant. */
  tenantId: string
  data: JsonObject
  facts: DigestFacts
}

interface NewDigestEvent {
  position: number
  rank: number | null
  data: JsonObject
}

export interface ReleasedDigest {
  recipient: string
  tenantId: string
  /** Of the latest event. */
  facts: DigestFacts
  events: number
  opened: number
  released: number
  counts: Record<string, number>
  kept: Map<string, NewDigestEvent[]>
}

/** In the order they are released. */
export function releasesOf(collected: readonly CollectedEvent[]): ReleasedDigest[] {
  const open = new Map<string, ReleasedDigest>()
  const all: ReleasedDigest[] = []
  for (const event of collected.toSorted((one, other) => one.at - other.at)) {
    const key = JSON.stringify([event.facts.topicId, event.recipient, event.tenantId])
    const before = open.get(key)
    // What comes at the moment of a release is too late for it.
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

/** What its message tells. */
export function dataOf({ facts, counts, kept }: ReleasedDigest): ReturnType<typeof digestData> {
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

/** The same as the statements of database/tables/digests/digest-events.ts. */
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
