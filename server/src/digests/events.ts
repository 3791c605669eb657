/** Events of digests: their schedule, their categories, and the message of the digest. */
import { digestEventBytesMax, type TopicDigest } from '@postrider/contract'
import { timedId } from '../base/ids.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import type { NewDigestEvent } from '../database/tables/digests/digest-events.ts'
import type { DigestFacts } from '../messages/facts.ts'
import type { Mode, SendInput } from '../messages/send.ts'
import { releaseOf, scheduleFor } from './schedule.ts'
import { categoriesOf, keptOf, rankOf, type Terms } from './terms.ts'

/** All events are read when the digest is released. */
export const isTooLarge = (data: JsonObject): boolean => Buffer.byteLength(JSON.stringify(data)) > digestEventBytesMax

/** The digest of a topic, validated when it was written. */
export const readDigest = (stored: unknown): TopicDigest | undefined =>
  isObject(stored) ? (stored as unknown as TopicDigest) : undefined

/** Undefined: the topic has no digest. */
export function digestFacts(
  topicId: string,
  stored: unknown,
  chosen: string | null,
  now: number,
): DigestFacts | undefined {
  const digest = readDigest(stored)
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

export interface CollectedEvent {
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
