/**
 * Calls that come before an example of the contract: other examples, with their written ids replaced by the real ones.
 */
import { type Operation, type OperationId, operationById, successOf } from '@postrider/contract'
import type { ApiCallOptions, ApiReply } from '../support/api-client.ts'
import { pathWith, placeOf } from '../support/fixtures.ts'
import { until } from '../support/until.ts'
import { shapeOf } from './shape.ts'

type Call = (method: string, path: string, options?: ApiCallOptions) => Promise<ApiReply>

/** Examples that make what a parameter names: `resource.parameter`, or the parameter alone. */
const prerequisitesOfParameter: Readonly<Record<string, readonly OperationId[]>> = {
  user_id: ['profiles.replace'],
  recipient_id: ['preferences.replace'],
  list_id: ['lists.put'],
  audience_id: ['audiences.put'],
  event_id: ['events.put'],
  tenant_id: ['tenants.put'],
  account_id: ['tenants.put'],
  token: ['deviceTokens.put'],
  message_id: ['send.send'],
  topic_id: ['sections.create', 'topics.create'],
  schedule_id: ['sections.create', 'topics.create'],
  section_id: ['sections.create'],
  audit_event_id: ['keys.create', 'auditEvents.list'],
  'bulk.job_id': ['bulk.create', 'bulk.ingest'],
  'requests.request_id': ['lists.put', 'lists.subscribe', 'lists.send'],
  'notifications.id': ['notifications.create'],
  'notifications.submission_id': ['notifications.replaceChecks'],
  'brands.brand_id': ['brands.create'],
  'providers.id': ['providers.create'],
  'routingStrategies.id': ['routingStrategies.create'],
  'automations.run_id': ['automations.invoke'],
  'automations.template_id': ['automations.putTemplate'],
  'webhooks.id': ['webhooks.create'],
  'keys.id': ['keys.create'],
  'sessions.id': ['sessions.signIn'],
  'mailbox.id': ['send.send', 'mailbox.list'],
  suppression_id: ['suppressions.add', 'suppressions.list'],
}

/** A call that no example makes, with its reply by the examples. */
interface Step {
  method: string
  path: string
  body?: unknown
  exampleReply?: unknown
}

const later = { event: 'welcome', delay: { duration: 3_600_000 } }

/** A send to a list that waits for its time. */
const planned: Step = {
  method: 'POST',
  path: '/send/list',
  body: { ...later, list: 'news.product.eu' },
  exampleReply: { messageId: operationById['requests.get'].example.params.request_id },
}

/** A message that has ended without a delivery, and one that waits. */
const canceled: readonly (OperationId | Step)[] = [
  'messages.cancel',
  { method: 'POST', path: '/send', body: { ...later, recipient: 'user-7' } },
]

/** A replay of two messages at one a minute, so that it is in progress for a minute. */
const replaying: readonly (OperationId | Step)[] = [
  'messages.cancel',
  { method: 'POST', path: '/send', body: { ...later, recipient: 'user-8' }, exampleReply: { messageId: 'second' } },
  { method: 'POST', path: '/messages/second/cancel' },
  {
    method: 'POST',
    path: '/messages/replay',
    body: {
      message_ids: [operationById['messages.cancel'].example.params.message_id, 'second'],
      confirm: 2,
      rate_per_minute: 1,
    },
    exampleReply: { id: operationById['replays.get'].example.params.replay_id },
  },
]

/** An event for the digest of the topic. */
const collected: Step = {
  method: 'POST',
  path: '/automations/invoke',
  body: {
    recipient: 'user-7',
    data: { comments: {} },
    automation: {
      steps: [{ action: 'add-to-digest', subscription_topic_id: operationById['topics.get'].example.params.topic_id }],
    },
  },
}

/** Calls for the body or the reply, besides those for the parameters. */
const prerequisitesOfOperation: Readonly<Partial<Record<OperationId, readonly (OperationId | Step)[]>>> = {
  'erasures.get': [
    { method: 'PUT', path: '/profiles/leaver', body: { profile: { name: 'Leaver' } } },
    { method: 'PUT', path: '/lists/news.product.eu/subscriptions/leaver' },
    { method: 'POST', path: '/send', body: { ...later, recipient: 'leaver' } },
    {
      method: 'DELETE',
      path: '/profiles/leaver?erase=true',
      exampleReply: { erasureId: operationById['erasures.get'].example.reply.erasureId },
    },
  ],
  'send.send': [{ method: 'PUT', path: '/lists/news', body: { name: 'News' } }],
  'tracking.get': ['tracking.replace'],
  'profiles.list': [
    {
      method: 'PUT',
      path: '/profiles/user-7',
      body: { profile: { name: 'Ada Lovelace', email: 'ada@example.com', phone_number: '+12025550143' } },
    },
  ],
  'profiles.lists': ['lists.subscribe'],
  'lists.subscriptions': ['lists.subscribe'],
  'lists.unsubscribe': ['lists.subscribe'],
  'profiles.subscribe': ['lists.put'],
  'lists.list': ['lists.put'],
  'tenants.list': ['tenants.put'],
  'tenants.users': ['memberships.put'],
  'memberships.remove': ['memberships.put'],
  'accounts.list': ['tenants.put'],
  'memberships.list': ['memberships.put'],
  'memberships.add': ['tenants.put'],
  'accounts.putUser': ['tenants.put'],
  'accounts.addUser': ['tenants.put'],
  'deviceTokens.list': ['deviceTokens.put'],
  'preferences.topics': ['preferences.putTopic'],
  'preferences.topic': ['preferences.putTopic'],
  'preferences.replaceTopics': ['topics.create'],
  'preferences.updateTopics': ['topics.create'],
  'preferences.list': [
    {
      method: 'POST',
      path: '/notifications',
      body: {
        notification: {
          name: 'Digest',
          settings: { category: 'news' },
          content: { title: 'News', body: 'All of it.' },
        },
        state: 'PUBLISHED',
      },
    },
  ],
  'sections.list': ['topics.create'],
  'sections.get': ['topics.create'],
  'sections.replace': ['topics.create'],
  'topics.list': ['topics.create'],
  'digests.list': ['sections.create', 'topics.create', collected],
  'digests.instances': [collected],
  'audiences.list': ['audiences.put'],
  'audiences.preview': [{ method: 'PUT', path: '/profiles/user-7', body: { profile: { title: 'Software Engineer' } } }],
  'audiences.members': [{ method: 'PUT', path: '/profiles/user-7', body: { profile: { title: 'Software Engineer' } } }],
  'events.list': ['events.put'],
  'events.put': ['notifications.create'],
  'messages.list': ['send.send'],
  'messages.outputPart': ['messages.output'],
  'messages.cancel': [
    {
      method: 'POST',
      path: '/send',
      body: { ...later, recipient: 'user-7' },
      exampleReply: { messageId: operationById['messages.cancel'].example.params.message_id },
    },
  ],
  'messages.cancelMany': [{ method: 'POST', path: '/send', body: { ...later, recipient: 'user-7' } }],
  'requests.list': ['lists.send'],
  'requests.cancel': [planned],
  'requests.pause': [planned],
  'requests.resume': [planned],
  'replays.create': canceled,
  // A workspace has one replay at a time: none is left in progress.
  'replays.get': ['replays.cancel'],
  'replays.cancel': replaying,
  'bulk.list': ['bulk.create'],
  'bulk.users': ['bulk.run'],
  'notifications.replaceElement': ['notifications.replaceContent'],
  'notifications.replaceLocale': ['notifications.replaceContent'],
  'notifications.translate': ['notifications.replaceContent', 'notifications.publish'],
  'notifications.translateDraft': ['notifications.replaceContent'],
  'routingStrategies.list': ['routingStrategies.create'],
  'translations.get': ['translations.put'],
  'translations.list': ['translations.put'],
  'translations.delete': ['translations.put'],
  'notifications.list': ['notifications.create'],
  'brands.create': [{ method: 'DELETE', path: '/brands/acme' }],
  'brands.list': ['brands.create'],
  'providers.list': ['providers.create'],
  'automations.runs': ['automations.invoke'],
  'automations.templates': ['automations.putTemplate'],
  'webhooks.list': ['webhooks.create'],
  'webhooks.deliveries': ['send.send'],
  'webhooks.replay': ['send.send', 'webhooks.deliveries'],
  'views.list': ['views.put'],
  'views.delete': ['views.put'],
  'keys.list': ['keys.create'],
  'sessions.signIn': ['keys.create'],
  'sessions.list': ['sessions.signIn'],
  'auditEvents.list': ['keys.create'],
  'mailbox.list': ['send.send'],
  'suppressions.list': ['suppressions.add'],
}

/** Written ids of the examples, each with the real one. */
export type IdMap = Map<string, string>

/** Whole strings, and the segments of paths. */
const withRealIds = <T>(value: T, ids: IdMap): T =>
  JSON.parse(JSON.stringify(value), (_, here) =>
    typeof here === 'string'
      ? here
          .split('/')
          .map((part) => ids.get(part) ?? part)
          .join('/')
      : here,
  ) as T

/** The call of an operation's example. */
function callOf({ method, path, body, example }: Operation, ids: IdMap): [string, string, ApiCallOptions] {
  const query = Object.entries(withRealIds(example?.query ?? {}, ids)).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => `${name}=${encodeURIComponent(String(item))}`),
  )
  const target =
    pathWith(path, withRealIds(example?.params ?? {}, ids)) + (query.length > 0 ? `?${query.join('&')}` : '')
  return [method, target, body && example?.body !== undefined ? { body: withRealIds(example.body, ids) } : {}]
}

/** The reply to the example; a read is polled until the reply has the shape of the example: deliveries and members appear shortly after the call. */
export async function settledCall(operation: Operation, send: Call, ids: IdMap): Promise<ApiReply> {
  const { method, example } = operation
  const call = () => send(...callOf(operation, ids))
  if (method !== 'GET' || example?.reply === undefined) return call()
  const exampleShape = String(replyShape(operation, example.reply))
  const fits = ({ json }: ApiReply) => String(replyShape(operation, json)) === exampleShape
  return until(call, fits).catch(call)
}

/** The keys of a reply of success. */
function replyShape(operation: Operation, reply: unknown): string[] {
  const { schema } = successOf(operation)
  return schema && !operation.produces ? shapeOf(reply, schema) : []
}

/** Does what comes before the operation; later values win, as the last of several things with one name. */
export async function runPrerequisites(operation: Operation, send: Call): Promise<IdMap> {
  const ids: IdMap = new Map()
  const done = new Set<string>([operation.id])
  const runOnce = async (id: OperationId) => {
    if (done.has(id)) return
    done.add(id)
    const definition: Operation = operationById[id]
    await before(definition)
    const answer = await settledCall(definition, send, ids)
    accepted(answer, `${id} before ${operation.id}`)
    if (answer.json !== undefined) learn(definition.example?.reply, answer.json, ids)
  }
  const before = async (prerequisite: Operation) => {
    for (const name of Object.keys(prerequisite.params?.properties ?? {}))
      for (const id of prerequisitesOfParameter[placeOf(prerequisite, name)] ?? prerequisitesOfParameter[name] ?? [])
        await runOnce(id)
    for (const step of prerequisitesOfOperation[prerequisite.id as OperationId] ?? []) {
      if (typeof step === 'string') await runOnce(step)
      else {
        const { exampleReply, ...call } = step
        const { method, path, body } = withRealIds(call, ids)
        const answer = await send(method, path, body === undefined ? {} : { body })
        // A reply is learned from only if the call did what it is for.
        accepted(answer, `${method} ${path} before ${operation.id}`, exampleReply === undefined)
        learn(exampleReply, answer.json, ids)
      }
    }
  }
  await before(operation)
  return ids
}

/** `isRepeatable`: a thing with a name of its own may exist already, and a deleted one may be gone. */
function accepted({ status, text }: ApiReply, what: string, isRepeatable = true): void {
  if (status >= 300 && !(isRepeatable && (status === 409 || status === 404)))
    throw new Error(`${what}: ${status} ${text}`)
}

/** Collects ids and keys that differ between the example and the reply. */
function learn(written: unknown, real: unknown, ids: IdMap): void {
  if (typeof written !== 'object' || typeof real !== 'object' || written === null || real === null) return
  for (const [key, value] of Object.entries(written)) {
    const here = (real as Record<string, unknown>)[key]
    if (typeof value === 'string' && typeof here === 'string' && /id$|^key$/i.test(key)) ids.set(value, here)
    else learn(value, here, ids)
  }
}
