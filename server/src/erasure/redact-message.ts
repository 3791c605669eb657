/** A stored message without its recipient: what was done about it and when stays, what was said and to whom goes. */
import type { ErasableFlush, ErasableMessage, ErasedMessage } from '../database/tables/erasure/messages.ts'
import { deliveriesText, parseDeliveries, type StoredDelivery, type StoredEvent } from '../messages/delivery.ts'

/** `announcement` is the id under which webhooks hear of it when it is cancelled. */
export function withoutRecipient(
  message: ErasableMessage,
  person: string,
  pseudonym: string,
  announcement: string,
): ErasedMessage {
  const { id, flushes, event, due_at, sent, tags, notification, considered, released } = message
  const deliveries = parseDeliveries(message.deliveries).map(bareDelivery)
  const pinned = {
    ...(notification !== null && { notification }),
    ...(considered !== null && { considered }),
    ...(released !== null && { released }),
  }
  return {
    id,
    flushes,
    tags: tags?.filter((tag) => !mentions(tag, person)) ?? null,
    input: JSON.stringify({ event, recipient: pseudonym }),
    pinned: Object.keys(pinned).length > 0 ? JSON.stringify(pinned) : null,
    deliveries: deliveries.length > 0 ? deliveriesText(deliveries) : null,
    events: message.events && bareEvents(message.events),
    announcement: due_at !== null && sent === null ? announcement : null,
  }
}

/** As a word of its own: `user:7` mentions 7, `v17` does not. */
function mentions(tag: string, person: string): boolean {
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character)
  for (let at = tag.indexOf(person); at >= 0; at = tag.indexOf(person, at + 1))
    if (!isWord(tag[at - 1]) && !isWord(tag[at + person.length])) return true
  return false
}

/** Providers repeat addresses in their errors, and their references lead back to the person. */
function bareDelivery(delivery: StoredDelivery): StoredDelivery {
  const { error: _error, reference: _reference, nextAt: _nextAt, log, ...kept } = delivery
  return { ...kept, log: log.map(({ error: _said, ...attempt }) => attempt) }
}

/** Fields of history events that say nothing of anybody. */
const KEPT = new Set([
  'type',
  'ts',
  'n',
  'reason',
  'reasonCode',
  'until',
  'attempt',
  'next_attempt_at',
  'notification_id',
])

export const bareFlush = ({ events, ...place }: ErasableFlush): ErasableFlush => ({
  ...place,
  events: bareEvents(events),
})

function bareEvents(events: string): string {
  const bare = (JSON.parse(events) as StoredEvent[]).map((event) => ({
    ...Object.fromEntries(Object.entries(event).filter(([field]) => KEPT.has(field))),
    // Required where they stand; of a message without candidates the channel has no name.
    ...(event.type === 'DELIVERING' && { error: '' }),
    ...(event.n === undefined && 'channel' in event && { channel: { id: '' } }),
  }))
  return JSON.stringify(bare)
}
