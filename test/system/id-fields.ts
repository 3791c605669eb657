/** Fields of bodies that name things: which operation, what they name, and a body that holds one. */
import { type OperationId, operations } from '@postrider/contract'

export interface IdField {
  /** Its place in the body; lists on the way count as nothing. */
  field: string
  operation: OperationId
  /** The fixture that makes the id in the field. */
  place: string
  /** Other parameters of the path than the asker's own. */
  at?: Record<string, string>
  body(id: string): unknown
}

const profile = { email: 'user@example.com' }
const content = { title: 'Hello', body: 'Hello' }

/** Sends to the id, and to a recipient who always gets a message. */
const toMany = (to: object, more: object = {}) => ({ message: { to: [to, { user_id: 'last' }], content, ...more } })

const sends: readonly IdField[] = [
  ...(['send.send', 'explain.explain'] as const).flatMap((operation): IdField[] => [
    { field: 'event', operation, place: 'notifications.id', body: (event) => ({ event, recipient: 'r', profile }) },
    { field: 'event', operation, place: 'event_id', body: (event) => ({ event, recipient: 'r', profile }) },
    { field: 'recipient', operation, place: 'user_id', body: (recipient) => ({ event: 'welcome', recipient }) },
    {
      field: 'brand',
      operation,
      place: 'brand_id',
      body: (brand) => ({ event: 'welcome', recipient: 'r', profile, brand }),
    },
    {
      field: 'message.brand_id',
      operation,
      place: 'brand_id',
      body: (brand_id) => ({ message: { to: { user_id: 'r', ...profile }, content, brand_id } }),
    },
    {
      field: 'message.channels.brand_id',
      operation,
      place: 'brand_id',
      body: (brand_id) => ({
        message: { to: { user_id: 'r', ...profile }, content, channels: { email: { brand_id } } },
      }),
    },
    {
      field: 'message.template',
      operation,
      place: 'notifications.id',
      body: (template) => ({ message: { to: { user_id: 'r', ...profile }, template } }),
    },
    {
      field: 'message.preferences.subscription_topic_id',
      operation,
      place: 'topic_id',
      body: (subscription_topic_id) => ({
        message: { to: { user_id: 'r', ...profile }, content, preferences: { subscription_topic_id } },
      }),
    },
    {
      field: 'message.context.tenant_id',
      operation,
      place: 'tenant_id',
      body: (tenant_id) => ({ message: { to: { user_id: 'r', ...profile }, content, context: { tenant_id } } }),
    },
    {
      field: 'message.to.context.tenant_id',
      operation,
      place: 'tenant_id',
      body: (tenant_id) => ({ message: { to: { user_id: 'r', ...profile, context: { tenant_id } }, content } }),
    },
  ]),
  ...['user_id', 'list_id', 'audience_id', 'tenant_id', 'account_id'].map(
    (name): IdField => ({
      field: `message.to.${name}`,
      operation: 'send.send',
      place: name,
      body: (id) => toMany({ [name]: id }),
    }),
  ),
]

export const idFields: readonly IdField[] = [
  ...sends,
  { field: 'list', operation: 'lists.send', place: 'list_id', body: (list) => ({ list, event: 'welcome' }) },
  {
    field: 'event',
    operation: 'lists.send',
    place: 'notifications.id',
    body: (event) => ({ list: 'theirs.list', event }),
  },
  {
    field: 'brand',
    operation: 'lists.send',
    place: 'brand_id',
    body: (brand) => ({ list: 'theirs.list', event: 'welcome', brand }),
  },
  {
    field: 'recipients.recipient',
    operation: 'events.routing',
    place: 'user_id',
    at: { event: 'welcome' },
    body: (recipient) => ({ recipients: [{ recipient }] }),
  },
  {
    field: 'profiles.id',
    operation: 'profiles.import',
    place: 'user_id',
    body: (id) => ({ profiles: [{ id, profile: {} }] }),
  },
  {
    field: 'lists.listId',
    operation: 'profiles.subscribe',
    place: 'list_id',
    body: (listId) => ({ lists: [{ listId }] }),
  },
  ...(['lists.addSubscriptions', 'lists.replaceSubscriptions'] as const).flatMap((operation): IdField[] => [
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
    (operation): IdField => ({
      field: 'accounts.account_id',
      operation,
      place: 'account_id',
      body: (account_id) => ({ profile: {}, accounts: [{ account_id }] }),
    }),
  ),
  {
    field: 'account_id',
    operation: 'accounts.addUser',
    place: 'account_id',
    body: (account_id) => [{ account_id }],
  },
  {
    field: 'user_id',
    operation: 'digests.releaseOne',
    place: 'user_id',
    body: (user_id) => ({ user_id }),
  },
  {
    field: 'tenant_id',
    operation: 'digests.releaseOne',
    place: 'tenant_id',
    body: (tenant_id) => ({ user_id: 'r', tenant_id }),
  },
  ...(['replays.create', 'messages.release', 'messages.cancelMany'] as const).map(
    (operation): IdField => ({
      field: 'message_ids',
      operation,
      place: 'message_id',
      body: (id) => ({ message_ids: [id] }),
    }),
  ),
  {
    field: 'id',
    operation: 'automations.inspect',
    place: 'automations.template_id',
    body: (id) => ({ id, automation: { steps: [id, 'another'].map((template) => ({ action: 'invoke', template })) } }),
  },
  {
    field: 'notification_id',
    operation: 'notifications.preview',
    place: 'notifications.id',
    body: (notification_id) => ({ notification_id }),
  },
  ...(
    [
      ['recipient', 'user_id'],
      ['brand_id', 'brand_id'],
      ['tenant_id', 'tenant_id'],
    ] as const
  ).map(
    ([field, place]): IdField => ({
      ...{ field, place },
      operation: 'notifications.preview',
      body: (id) => ({ notification: { name: 'Hello', content }, [field]: id }),
    }),
  ),
  { field: 'id', operation: 'events.put', place: 'notifications.id', body: (id) => ({ id, type: 'notification' }) },
]

/** `operation: field` of what needs no entry above. */
const others: readonly RegExp[] = [
  // Stored with a notification, a topic or a tenant, and looked up as those of a send are.
  /^topics\.\w+: digest\.template_id$/,
  /\bnotification\.brand\.id$/,
  /^(tenants|accounts)\.put: brand_id$/,
  /\bchannels\.brand_id$/,
  /\btopic_id$/,
  /\bdefault_preferences\.items\.id$/,
  /\bstrategy_id$/,
  // Compared with those of the topic alone, which the path or the field beside it names.
  /\b(digest_schedule_id|schedules\.schedule_id)$/,
  /\bmetadata\.(event|trace_id)$/,
  // Conditions of the list of messages, which is read by workspace.
  /^(replays\.create|messages\.(release|cancelMany)): filter\.\w+$/,
  // A test sends by the code of a send, which has entries above.
  /^providers\.test: recipient$/,
  // A name of the caller's own, kept by workspace.
  /^inbound\.trackEvent: /,
  /\btriggers\.event$/,
  // A new name, and parts of the content or the submission that the path names.
  /^(brands|sections|topics|routingStrategies)\.create: id$/,
  /\b(elements|blocks|channels|checks)\.id$/,
  // Descriptions of a device by its app.
  /\bdevice\.\w+$/,
  // Preferences by notification id: the recipient's concern alone.
  /\bnotifications$/,
  // Only a message to one is explained.
  /^explain\.explain: message\.to\./,
  // Fields of steps are handed on to sends, which have entries above; a simulation reads the same as explain.
  /^automations\.invoke(Template)?: (brand|template|recipient)$/,
  /^simulate\.simulate: /,
  // A job is read and expanded by the code of a send, which has entries above.
  /^bulk\.(create: message|ingest: users|explain: (message|users))\./,
]

interface Plain {
  properties?: Record<string, Plain>
  items?: Plain
  anyOf?: Plain[]
}

const LIKE_A_NAME =
  /^(id|event|recipient|brand|list|template|topic|user|tenant|audience|account|notification)s?$|(_id|Id)s?$/

/** Fields with a name like an id that stand in neither table. */
export function unknownFields(): string[] {
  const listed = new Set(idFields.map(({ operation, field }) => `${operation}: ${field}`))
  const fields = operations.flatMap(({ id, body, variant }) =>
    [body, variant?.body].flatMap((schema) => [...namesIn((schema ?? {}) as Plain)].map((field) => `${id}: ${field}`)),
  )
  return [...new Set(fields)].filter((field) => !listed.has(field) && !others.some((other) => other.test(field)))
}

const holdsFields = ({ properties, items, anyOf }: Plain): boolean =>
  properties !== undefined || (items !== undefined && holdsFields(items)) || (anyOf ?? []).some(holdsFields)

/** Paths of string fields with a name like an id. */
function* namesIn({ properties = {}, items, anyOf = [] }: Plain, path = ''): Generator<string> {
  for (const [name, field] of Object.entries(properties)) {
    const place = path === '' ? name : `${path}.${name}`
    if (LIKE_A_NAME.test(name) && !holdsFields(field)) yield place
    yield* namesIn(field, place)
  }
  for (const inner of items ? [items, ...anyOf] : anyOf) yield* namesIn(inner, path)
}
