/** Previews the digests of a simulation: each is released when it is due, as one message. */
import type { SimulatedDigest } from '@postrider/contract'
import { childId, timedIdFloor } from '../../base/ids.ts'
import { iso } from '../../base/time/timestamp.ts'
import { digestFacts, digestInput } from '../../digests/events.ts'
import type { StoredReader } from '../runs/stored-reader.ts'
import { type CollectedEvent, dataOf, type ReleasedDigest, releasesOf } from './in-memory-digests.ts'
import type { DigestEvent } from './in-memory-effects.ts'
import type { InMemoryRuns } from './in-memory-store.ts'
import type { PreviewMessage } from './message-preview.ts'

export interface Releasing {
  /** By messages about topics. */
  collected: readonly CollectedEvent[]
  previewMessage: PreviewMessage
  secret: Buffer
  topicOf: TopicOf
}

type TopicOf = (topicId: string, recipient: string) => ReturnType<StoredReader['topicDigest']>

/** Data that are shown, as JSON, of all digests of a simulation. */
const DATA_BYTES_MAX = 1_048_576

export async function digestsOf(
  { collected: bySteps, profilesBy }: InMemoryRuns,
  { collected, previewMessage, secret, topicOf }: Releasing,
): Promise<SimulatedDigest[]> {
  const events = [...(await withFacts(bySteps, topicOf)), ...collected]
  const released: SimulatedDigest[] = []
  let left = DATA_BYTES_MAX
  for (const [number, digest] of releasesOf(events).entries()) {
    const { recipient, tenantId, facts, released: at } = digest
    const { topicId, terms } = facts
    const data = dataOf(digest)
    // On a schedule that releases at once several of one recipient have everything else in common.
    const id = childId(secret, `${timedIdFloor(at)}${JSON.stringify([topicId, tenantId, number])}`, recipient)
    const input = digestInput({ terms, topicId, recipient, tenantId }, data)
    const message = await previewMessage({ id, input, at, written: profilesBy(at) })
    left -= Buffer.byteLength(JSON.stringify(data))
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

/** Nothing is kept where no digest is there any more, as when a step is taken. */
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
