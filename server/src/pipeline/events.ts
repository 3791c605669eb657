/** History events as stored: small, without anything that can be computed again from the message's own inputs. */
import type { HistoryType } from '@postrider/contract'
import type { Decision } from './decide/decide.ts'
import type { StoredDelivery } from './delivery.ts'

export interface StoredEvent {
  type: HistoryType
  ts: number
  /** Of RENDERED: which delivery's words. */
  n?: number
  [field: string]: unknown
}

export function via({ channel, integration, provider }: Pick<StoredDelivery, 'channel' | 'integration' | 'provider'>) {
  return { channel: { id: channel }, integration: { id: integration, provider } }
}

/** What the decision itself leaves in the history, in the order of its steps. */
export function decisionEvents(decision: Decision, now: number): StoredEvent[] {
  const known = decision.kind === 'routed' ? decision.plan : decision.known
  const { event } = known.input
  const events: StoredEvent[] = []
  const notificationId = known.facts.mapping?.notificationId
  if (notificationId !== undefined)
    events.push({ type: 'MAPPED', ts: now, event_id: event, notification_id: notificationId })
  if ('profile' in known && known.profile) events.push({ type: 'PROFILE_LOADED', ts: now })
  if (decision.kind === 'stopped') events.push(stopEvent(decision.stop, event, now))
  return events
}

function stopEvent(stop: Extract<Decision, { kind: 'stopped' }>['stop'], event: string, now: number): StoredEvent {
  const { status, reason, error } = stop
  if (status === 'UNMAPPED') return { type: status, ts: now, event_id: event }
  const channel = { id: '' }
  if (status === 'FILTERED') return { type: status, ts: now, channel, reason }
  return { type: status, ts: now, channel, reason, error_message: error }
}
