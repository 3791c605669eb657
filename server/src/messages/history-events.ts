/** History events as stored: small, without anything that can be computed again from the message's own inputs. */
import type { HistoryType } from '@postrider/contract'
import type { Decision } from './decide/decide.ts'
import type { Ending } from './decide/decision.ts'

export interface StoredEvent {
  type: HistoryType
  ts: number
  /** The delivery it tells of, whose channel, integration and reference are stored with the message. */
  n?: number
  [field: string]: unknown
}

/** What the decision itself leaves in the history, in the order of its steps. */
export function decisionEvents(decision: Decision, now: number): StoredEvent[] {
  const known = decision.kind === 'routed' ? decision.plan : decision.known
  const events: StoredEvent[] = []
  if (known.facts.mapping && !known.input.content)
    events.push({ type: 'MAPPED', ts: now, notification_id: known.facts.mapping.notificationId })
  if ('profile' in known && known.profile) events.push({ type: 'PROFILE_LOADED', ts: now })
  if (decision.kind === 'stopped') events.push(stopEvent(decision.stop, now))
  if (decision.kind === 'collected') {
    const { topicId, until } = decision.stop.digest
    events.push({ type: 'DIGESTED', ts: now, topic_id: topicId, until })
  }
  return events
}

function stopEvent({ status, reason, error }: Ending, now: number): StoredEvent {
  if (status === 'UNMAPPED') return { type: status, ts: now }
  return { type: status, ts: now, channel: { id: '' }, reason, error_message: error }
}
