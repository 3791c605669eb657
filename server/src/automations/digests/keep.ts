/** Keeping an event for the digest of its recipient, in the commit of the step that brings it. */
import { digestEventBytesMax, type TopicDigest } from '@postrider/contract'
import { timedId } from '../../base/ids.ts'
import { isObject, type JsonObject } from '../../base/merge.ts'
import type { Engine, Statement } from '../../database/engine.ts'
import { keepEvent } from '../../database/tables/digests.ts'
import { topicDigest } from '../../database/tables/topics.ts'
import { lanes, type Mode } from '../../pipeline/message.ts'
import { releaseOf, scheduleFor } from './schedule.ts'
import { categoriesOf, keptOf, rankOf, type Terms } from './terms.ts'

export interface DigestEvent {
  /** Of the message that tells of it; the same again is kept once. */
  id: string
  workspaceId: number
  mode: Mode
  topicId: string
  recipient: string
  tenantId?: string
  data: JsonObject
  runId?: string
}

/** Why the event can be kept by nobody; undefined when it can. */
export async function digestRefusal(
  engine: Engine,
  { workspaceId, topicId, data }: Pick<DigestEvent, 'workspaceId' | 'topicId' | 'data'>,
): Promise<string | undefined> {
  if (Buffer.byteLength(JSON.stringify(data)) > digestEventBytesMax)
    return `The data for a digest have at most ${digestEventBytesMax} bytes`
  const found = await topicDigest(engine, workspaceId, topicId, '', '')
  return readDigest(found?.digest) ? undefined : `The topic ${topicId} has no digest`
}

/** For the commit of whoever brings the event. Nothing, when the digest was taken away in this moment. */
export async function keeping(engine: Engine, event: DigestEvent, now: number): Promise<Statement[]> {
  const { id, workspaceId, mode, topicId, recipient, tenantId = '', data, runId } = event
  const found = await topicDigest(engine, workspaceId, topicId, recipient, tenantId)
  const digest = readDigest(found?.digest)
  const schedule = digest && scheduleFor(digest, found?.chosen ?? null)
  if (!digest || !schedule) return []
  const terms: Terms = { template: digest.template_id, categories: digest.categories }
  const dueAt = releaseOf(schedule, now)
  return keepEvent({
    digestId: timedId(now),
    workspaceId,
    mode,
    topicId,
    recipient,
    tenantId,
    scheduleId: schedule.schedule_id,
    dueAt,
    now,
    terms: JSON.stringify(terms),
    data: JSON.stringify(data),
    categories: categoriesOf(terms, data).map((category) => ({
      category: category.category_key,
      keep: keptOf(category),
      order: ({ FIRST: 'first', NONE: 'first', LAST: 'last', HIGHEST: 'rank', LOWEST: 'rank' } as const)[
        category.retain
      ],
      rank: rankOf(category, data),
    })),
    message: {
      id,
      event: digest.template_id,
      runId: runId ?? null,
      input: JSON.stringify({
        event: digest.template_id,
        recipient,
        data,
        topic: topicId,
        ...(tenantId !== '' && { tenantId }),
      }),
      history: JSON.stringify([{ type: 'DIGESTED', ts: now, topic_id: topicId, until: dueAt }]),
      lane: lanes.automation,
    },
  })
}

/** As it was checked when it was written. */
export const readDigest = (stored: unknown): TopicDigest | undefined =>
  isObject(stored) ? (stored as unknown as TopicDigest) : undefined
