/** Fields of bodies that name things: which operation, what they name, and a body that holds one. */
import { type OperationId, operations } from '@postrider/contract'

export interface Pointing {
  field: string
  operation: OperationId
  /** The fixture whose id stands in the field. */
  place: string
  /** Other parameters of the path than the asker's own. */
  at?: Record<string, string>
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
    field: 'lists.listId',
    operation: 'profiles.subscribe',
    place: 'list_id',
    body: (listId) => ({ lists: [{ listId }] }),
  },
  ...(['lists.addSubscriptions', 'lists.replaceSubscriptions'] as const).flatMap((operation): Pointing[] => [
    {
      field: 'recipients.recipientId',
      operation,
      place: 'user_id',
      body: (recipientId) => ({ recipients: [{ recipientId }] }),
    },
    { field: 'recipientId', operation, place: 'user_id', body: (recipientId) => [{ recipientId }] },
  ]),
  {
    field: 'parent_tenant_id',
    operation: 'tenants.put',
    place: 'tenant_id',
    at: { tenant_id: 'below' },
    body: (parent) => ({ name: 'Below', parent_tenant_id: parent }),
  },
  {
    field: 'parent_account_id',
    operation: 'accounts.put',
    place: 'account_id',
    at: { account_id: 'below' },
    body: (parent) => ({ name: 'Below', parent_account_id: parent }),
  },
  {
    field: 'tenants.tenant_id',
    operation: 'memberships.add',
    place: 'tenant_id',
    body: (tenant_id) => ({ tenants: [{ tenant_id }] }),
  },
  ...(['accounts.addUser', 'accounts.putUser'] as const).map(
    (operation): Pointing => ({
      field: 'accounts.account_id',
      operation,
      place: 'account_id',
      body: (account_id) => ({ profile: {}, accounts: [{ account_id }] }),
    }),
  ),
  { field: 'id', operation: 'events.put', place: 'notifications.id', body: (id) => ({ id, type: 'notification' }) },
]

/** Fields of any operation that lead to nothing, by the end of their place. */
const idle: readonly RegExp[] = [
  // Stored as they are.
  /^brand$/,
  /\bbrand\.id$/,
  /\bbrand_id$/,
  /\btopic_id$/,
  /\bdefault_preferences\.items\.id$/,
  /\bstrategy_id$/,
  // What an app says of a device.
  /\bdevice\.\w+$/,
  // Preferences by notification id: the recipient's concern alone.
  /\bnotifications$/,
]

interface Plain {
  properties?: Record<string, Plain>
  items?: Plain
  anyOf?: Plain[]
}

const LIKE_A_NAME =
  /^(id|event|recipient|brand|list|template|topic|user|tenant|audience|account|notification)s?$|(_id|Id)s?$/

/** Fields that look as if they named something and stand in neither table. */
export function unknownFields(): string[] {
  const known = new Set(pointing.map(({ operation, field }) => `${operation}: ${field}`))
  return operations.flatMap(({ id, body = {} }) =>
    [...new Set(namesIn(body as Plain))]
      .filter((field) => !known.has(`${id}: ${field}`) && !idle.some((end) => end.test(field)))
      .map((field) => `${id}: ${field}`),
  )
}

const holdsFields = ({ properties, items, anyOf }: Plain): boolean =>
  properties !== undefined || (items !== undefined && holdsFields(items)) || (anyOf ?? []).some(holdsFields)

/** Paths of fields with a text that look like names of things. */
function* namesIn({ properties = {}, items, anyOf = [] }: Plain, path = ''): Generator<string> {
  for (const [name, field] of Object.entries(properties)) {
    const place = path === '' ? name : `${path}.${name}`
    if (LIKE_A_NAME.test(name) && !holdsFields(field)) yield place
    yield* namesIn(field, place)
  }
  for (const inner of items ? [items, ...anyOf] : anyOf) yield* namesIn(inner, path)
}
