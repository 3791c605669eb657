/** Adds an event to the digest of its recipient, in the commit of a step. */
import { digestEventBytesMax } from '@postrider/contract'
import { quoted } from '../base/quote.ts'
import type { Engine, Reader, Statement } from '../database/engine.ts'
import { digestEventInsert } from '../database/tables/digests/digest-events.ts'
import { topicDigest } from '../database/tables/preferences/topics.ts'
import { lanes } from '../messages/send.ts'
import { type CollectedEvent, digestFacts, isTooLarge, keptEvent, readDigest } from './events.ts'

export interface DigestEvent extends CollectedEvent {
  /** The id of the message about the event; the same id again is added once. */
  id: string
  topicId: string
  runId?: string
}

/** Why no digest can take the event; undefined if one can. */
export async function digestRefusal(
  engine: Reader,
  { workspaceId, topicId, data }: Pick<DigestEvent, 'workspaceId' | 'topicId' | 'data'>,
): Promise<string | undefined> {
  if (isTooLarge(data)) return `The data for a digest have at most ${digestEventBytesMax} bytes`
  const found = await topicDigest(engine, workspaceId, topicId, '', '')
  return readDigest(found?.digest) ? undefined : `The topic ${quoted(topicId)} has no digest`
}

/** The statements that add the event. None if the topic has no digest any more. */
export async function digestEventAdd(engine: Engine, event: DigestEvent, now: number): Promise<Statement[]> {
  const { id, workspaceId, topicId, recipient, tenantId = '', data, runId } = event
  const found = await topicDigest(engine, workspaceId, topicId, recipient, tenantId)
  const facts = digestFacts(topicId, found?.digest, found?.chosen ?? null, now)
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
