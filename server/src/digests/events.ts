/** Events of digests: their schedule and categories, their addition in the commit of a step, and the message of the digest. */
import { digestEventBytesMax, type TopicDigest } from '@postrider/contract'
import { timedId } from '../base/ids.ts'
import { isObject, type JsonObject, jsonBytes } from '../base/json/json.ts'
import { quoted } from '../base/quote.ts'
import type { Engine, Reader, Statement } from '../database/engine.ts'
import { digestEventInsert, type NewDigestEvent } from '../database/tables/digests/digests.ts'
import { lanes } from '../database/tables/messages/lanes.ts'
import { topicDigest } from '../database/tables/preferences/topics.ts'
import type { DigestFacts } from '../messages/facts.ts'
import type { Mode, SendInput } from '../messages/send.ts'
import { releaseOf, scheduleFor } from './schedule.ts'
import { categoriesOf, keptOf, rankOf, type Terms } from './terms.ts'

/** All events are read when the digest is released. */
export const isTooLarge = (data: JsonObject): boolean => jsonBytes(data) > digestEventBytesMax

/** The digest of a topic, validated when it was written. */
export const readDigest = (value: unknown): TopicDigest | undefined =>
  isObject(value) ? (value as unknown as TopicDigest) : undefined

/** Undefined: the topic has no digest. */
export function digestFacts(
  topicId: string,
  value: unknown,
  chosen: string | null,
  now: number,
): DigestFacts | undefined {
  const digest = readDigest(value)
  const schedule = digest && scheduleFor(digest, chosen)
  if (!digest || !schedule) return undefined
  const { template_id: template, categories } = digest
  return {
    topicId,
    scheduleId: schedule.schedule_id,
    until: releaseOf(schedule, now),
    terms: { template, categories },
  }
}

interface CollectedEvent {
  workspaceId: number
  mode: Mode
  recipient: string
  tenantId?: string
  data: JsonObject
}

export function keptEvent(
  event: CollectedEvent,
  { topicId, scheduleId, until, terms }: DigestFacts,
  now: number,
): NewDigestEvent {
  const { workspaceId, mode, recipient, tenantId = '', data } = event
  return {
    digestId: timedId(now),
    workspaceId,
    mode,
    topicId,
    recipient,
    tenantId,
    scheduleId,
    dueAt: until,
    terms: JSON.stringify(terms),
    data: JSON.stringify(data),
    categories: placesOf(terms, data),
  }
}

/** The categories of an event, and what decides in each whether it is kept. */
export const placesOf = (terms: Terms, data: JsonObject): NewDigestEvent['categories'] =>
  categoriesOf(terms, data).map((category) => ({
    category: category.category_key,
    keep: keptOf(category),
    order: ({ FIRST: 'first', NONE: 'first', LAST: 'last', HIGHEST: 'rank', LOWEST: 'rank' } as const)[category.retain],
    rank: rankOf(category, data),
  }))

/** The message of a digest. */
export function digestInput(
  { terms, topicId, recipient, tenantId }: { terms: Terms; topicId: string; recipient: string; tenantId: string },
  data: JsonObject,
): SendInput {
  return {
    event: terms.template,
    template: terms.template,
    recipient,
    topic: topicId,
    isDigest: true,
    data,
    ...(tenantId !== '' && { tenantId }),
  }
}

export interface DigestEvent extends CollectedEvent {
  /** The id of the message about the event; the same id again is added once. */
  id: string
  topicId: string
  runId?: string
}

/** Why no digest can take the event; undefined if one can. */
export async function digestProblem(
  engine: Reader,
  { workspaceId, topicId, data }: Pick<DigestEvent, 'workspaceId' | 'topicId' | 'data'>,
): Promise<string | undefined> {
  if (isTooLarge(data)) return `The data for a digest have at most ${digestEventBytesMax} bytes`
  const topic = await topicDigest(engine, workspaceId, topicId, '', '')
  return readDigest(topic?.digest) ? undefined : `The topic ${quoted(topicId)} has no digest`
}

/** The statements that add the event. None if the topic has no digest any more. */
export async function digestEventAdd(engine: Engine, event: DigestEvent, now: number): Promise<Statement[]> {
  const { id, workspaceId, topicId, recipient, tenantId = '', data, runId } = event
  const topic = await topicDigest(engine, workspaceId, topicId, recipient, tenantId)
  const facts = digestFacts(topicId, topic?.digest, topic?.chosen ?? null, now)
  if (!facts) return []
  const { template } = facts.terms
  const tenant = tenantId === '' ? {} : { tenantId }
  const message = {
    id,
    event: template,
    runId: runId ?? null,
    input: JSON.stringify({ event: template, recipient, data, topic: topicId, ...tenant }),
    history: JSON.stringify([{ type: 'DIGESTED', ts: now, topic_id: topicId, until: facts.until }]),
    lane: lanes.automation,
  }
  return digestEventInsert(keptEvent(event, facts, now), message, now)
}
