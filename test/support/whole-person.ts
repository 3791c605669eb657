/** A person in every resource that can hold personal data, made through the API. */
import { type ApiCaller, mustCall } from './api-client.ts'
import { until } from './until.ts'

export interface Person {
  id: string
  email: string
  phone: string
  /** In data, properties and whatever else is free. */
  marker: string
  token: string
}

export const textsOf = ({ id, email, phone, marker, token }: Person): string[] => [id, email, phone, marker, token]

/** Tables that hold the person afterwards; no other table can hold personal data. */
export const personalTables = [
  'audience_members',
  'batch_items',
  'bulk_users',
  'device_tokens',
  'digest_events',
  'digests',
  'idempotency_keys',
  'inbound_events',
  'list_subscriptions',
  'mailbox',
  'messages',
  'preference_changes',
  'preferences',
  'profiles',
  'requests',
  'run_steps',
  'runs',
  'suppressions',
  'tenant_members',
  'topic_preferences',
  'views',
]

/** They hold personal data only where a later version adds it; erasure is tested there with hand-made rows. */
export const rareTables = ['audit_events', 'deferred_copies', 'history', 'unrecognized_bounces', 'webhook_deliveries']

/** Filled before, emptied by the time everything is quiet, or written by the erasure itself. */
export const passingTables = ['audience_changes', 'erasures', 'receipts']

export const otherTables = [
  'audience_writes',
  'audiences',
  'automation_templates',
  'automation_triggers',
  'automation_versions',
  'batches',
  'brand_versions',
  'brands',
  'dead_letters',
  'events',
  'integration_breakers',
  'integration_health',
  'integration_usage',
  'integrations',
  'keys',
  'lists',
  'message_counts',
  'migrations',
  'moves',
  'nodes',
  'notification_checks',
  'notification_versions',
  'notifications',
  'pauses',
  'preference_pages',
  'preference_sections',
  'preference_topics',
  'providers_used',
  'replay_originals',
  'replayed_messages',
  'routing_strategies',
  'secret_keys',
  'sessions',
  'sign_in_links',
  'tenant_topic_defaults',
  'tenants',
  'throttles',
  'tickets',
  'translation_versions',
  'translations',
  'webhooks',
  'workspaces',
]

/** `refuser` is where a webhook and an integration call; it repeats the request in its error reply. */
export async function makePerson(api: ApiCaller, { id, email, phone, marker, token }: Person, refuser: string) {
  const made = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    mustCall(api, method, path, body, headers)
  const at = encodeURIComponent(id)
  const profile = { email, phone_number: phone, note: marker }
  const me = { user_id: id, email, data: { marker } }
  await made('PUT', '/views/One', { page: 'messages', filters: { recipient: id } })
  await made('PUT', '/audiences/noted', { filter: { operator: 'EXISTS', path: 'note' } })
  await made('POST', '/webhooks', { url: `${refuser}/webhook`, types: ['message:updated'] })
  await made('PUT', `/profiles/${at}`, { profile })
  await made('PUT', `/preferences/${at}`, { categories: { [marker]: { status: 'OPTED_IN' } } })
  const section = await made('POST', '/preferences/sections', { name: 'News' })
  const monthly = { frequency: 'monthly', time: '09:00', day_of_month: 28 }
  const digest = { template_id: 'welcome', schedules: [monthly] }
  const topic = { name: 'Monthly', default_status: 'OPTED_IN', digest }
  const { id: topicId } = await made('POST', `/preferences/sections/${section.id}/topics`, topic)
  await made('PUT', `/users/${at}/preferences/${topicId}`, { topic: { status: 'OPTED_IN' } })
  await made('PUT', `/lists/team.all/subscriptions/${at}`, {})
  await made('PUT', '/tenants/acme', { name: 'Acme' })
  await made('PUT', `/users/${at}/tenants/acme`, { profile })
  await made('PUT', `/users/${at}/tokens/${token}`, { provider_key: 'expo', properties: { marker } })
  await made('POST', '/suppressions', { suppressions: [{ address: token, kind: 'device_token', note: marker }] })
  await until(
    () => made('GET', '/audiences/noted/members'),
    ({ items }) => items.length > 0,
  )

  const hook = { provider: 'webhook', settings: { url: `${refuser}/refuse` } }
  await made('POST', '/providers', hook)
  const content = { title: 'Hello', body: `About {marker}` }
  const refused = { channels: ['webhook'], method: 'single' }
  const byMail = { channels: ['email'], method: 'single' }
  const once = { 'idempotency-key': 'once' }
  const message = { content, routing: byMail }
  const single = [
    await made('POST', '/send', { event: 'welcome', recipient: id, profile, data: { marker } }, once),
    await made('POST', '/send', { message: { ...message, to: me, metadata: { trace_id: id, tags: ['spring', id] } } }),
    await made('POST', '/send', { message: { content, routing: refused, to: { ...me, webhook: { note: marker } } } }),
  ].map(({ messageId, requestId }) => messageId ?? requestId)
  const late = { event: 'welcome', recipient: id, profile, data: { marker }, delay: { duration: 86_400_000 } }
  const { messageId: delayed } = await made('POST', '/send', late)
  const others = [{ user_id: 'unrelated', email: 'unrelated@example.com' }]
  const data = { marker }
  const several = [
    await made('POST', '/send', { message: { ...message, data, to: [me] } }),
    await made('POST', '/send', { message: { ...message, to: [...others, me] } }),
    await made('POST', '/send', { message: { ...message, to: { list_id: 'team.all' } } }),
    await made('POST', '/send', { message: { ...message, to: { tenant_id: 'acme' } } }),
    await made('POST', '/send', { message: { ...message, to: { audience_id: 'noted' } } }),
  ].map(({ requestId }) => requestId)
  const batch = { action: 'add-to-batch', scope: 'user', wait_period: 'P1D', max_wait_period: 'P2D' }
  const collect = { action: 'add-to-digest', subscription_topic_id: topicId }
  const drip = [{ action: 'send', template: 'welcome', if: `data.marker === 'no ${marker}'` }, collect, batch]
  const automation = { steps: drip, cancelation_token: `drip-${id}` }
  const { runId } = await made('POST', '/automations/invoke', { automation, recipient: id, profile, data })
  await until(
    () => made('GET', `/automations/runs/${runId}`),
    ({ status }) => status === 'WAITING',
  )
  const users = [{ recipient: id, profile, data }, { recipient: 'unrelated' }]
  for (const isRun of [true, false]) {
    const { jobId } = await made('POST', '/bulk', { message: { event: 'welcome' } })
    await made('POST', `/bulk/${jobId}`, { users })
    // The reply repeats the users that were refused.
    await made('POST', `/bulk/${jobId}`, { users }, { 'idempotency-key': `twice-${isRun}` })
    if (isRun) several.push(jobId)
    if (isRun) await made('POST', `/bulk/${jobId}/run`)
  }
  const event = { type: 'track', event: 'order', properties: { marker } }
  await made('POST', '/inbound/courier', { ...event, messageId: 'event-1', userId: id })
  await made('POST', '/inbound/courier', { ...event, messageId: 'event-2', properties: { user_id: id, marker } })
  return { single, delayed: String(delayed), several }
}
