/** Fields of bodies that name things: which operation, what they name, and a body that holds one. */
import { type OperationId, operations } from '@postrider/contract'

export interface Pointing {
  field: string
  operation: OperationId
  /** The fixture whose id stands in the field. */
  place: string
  body(id: string): unknown
}

const profile = { email: 'somebody@example.com' }

export const pointing: readonly Pointing[] = [
  ...(['send.send', 'explain.explain'] as const).flatMap((operation): Pointing[] => [
    { field: 'event', operation, place: 'notifications.id', body: (event) => ({ event, recipient: 'r', profile }) },
    { field: 'event', operation, place: 'event_id', body: (event) => ({ event, recipient: 'r', profile }) },
    { field: 'recipient', operation, place: 'user_id', body: (recipient) => ({ event: 'welcome', recipient }) },
  ]),
  {
    field: 'listId',
    operation: 'profiles.subscribe',
    place: 'list_id',
    body: (listId) => ({ lists: [{ listId }] }),
  },
  ...(['lists.addSubscriptions', 'lists.replaceSubscriptions'] as const).map((operation): Pointing => ({
    field: 'recipientId',
    operation,
    place: 'user_id',
    body: (recipientId) => ({ recipients: [{ recipientId }] }),
  })),
  { field: 'id', operation: 'events.put', place: 'notifications.id', body: (id) => ({ id, type: 'notification' }) },
]

/** They are stored as they are and lead to nothing. */
const idle: ReadonlySet<string> = new Set(['brand', 'topic_id', 'strategy_id'])
/** Preferences by notification id: whose ids stand there is nobody's concern but the recipient's. */
const maps: ReadonlySet<string> = new Set(['notifications'])

interface Plain {
  properties?: Record<string, Plain>
  items?: Plain
  anyOf?: Plain[]
}

const LIKE_A_NAME =
  /^(id|event|recipient|brand|list|template|topic|user|tenant|audience|account|notification)s?$|(_id|Id)s?$/

/** Fields that look as if they named something and stand in neither table. */
export function unknownFields(): string[] {
  const known = new Set([...idle, ...maps, ...pointing.map(({ field }) => field)])
  return operations.flatMap(({ id, body = {} }) =>
    [...namesIn(body as Plain)].filter((name) => !known.has(name)).map((name) => `${id}: ${name}`),
  )
}

const holdsFields = ({ properties, items, anyOf }: Plain): boolean =>
  properties !== undefined || (items !== undefined && holdsFields(items)) || (anyOf ?? []).some(holdsFields)

/** Names of fields with a text that look like names of things. */
function* namesIn({ properties = {}, items, anyOf = [] }: Plain): Generator<string> {
  for (const [name, field] of Object.entries(properties)) {
    if (LIKE_A_NAME.test(name) && !holdsFields(field)) yield name
    yield* namesIn(field)
  }
  for (const inner of items ? [items, ...anyOf] : anyOf) yield* namesIn(inner)
}
