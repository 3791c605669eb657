/** Makes the things that paths of operations name, through the API: one entry for each parameter, for tests that go over all operations. */
import { type Operation, resourceOf } from '@postrider/contract'
import { type ApiCaller, mustCall } from './api-client.ts'
import type { RecordingApp } from './recording-app.ts'
import { insertDeadLetter } from './rows.ts'
import { until } from './until.ts'

const isRecording = (api: ApiCaller): api is RecordingApp => 'engine' in api && 'time' in api

/** JSON of any shape. */
type Made = ReturnType<typeof JSON.parse>
/** Makes one and gives its id. `mark` is in every name that can be chosen; `before` holds the parameters left of it. */
export type Fixture = (api: ApiCaller, mark: string, before: Record<string, string>) => Promise<string>
/** A parameter that names no row: one of its values. */
interface Choice {
  choice: string
  /** Makes the thing of that name. */
  make?: (api: ApiCaller, mark: string) => Promise<unknown>
}

/** With the user in it. */
const tenantIn: Fixture = async (api, mark) => {
  await mustCall(api, 'PUT', `/tenants/${mark}-tenant`, { name: `${mark} tenant`, properties: { mark } })
  await mustCall(api, 'PUT', `/users/${mark}-user/tenants/${mark}-tenant`, { profile: { mark } })
  return `${mark}-tenant`
}

/** One for each mark, so that topics are found where they are looked for. */
const section: Fixture = async (api, mark) => {
  const { results } = await mustCall(api, 'GET', '/preferences/sections')
  const madeSection = results.findLast(({ name }: Made) => name === mark)
  return madeSection?.id ?? (await mustCall(api, 'POST', '/preferences/sections', { name: mark })).id
}
/** Opted out by default, so that no recipient gets its messages. */
const topic: Fixture = async (api, mark) => {
  const place = await section(api, mark, {})
  return (
    await mustCall(api, 'POST', `/preferences/sections/${place}/topics`, { name: mark, default_status: 'OPTED_OUT' })
  ).id
}

/** Short: with more letters in common, one environment's event would be suggested for that of another. */
const eventIn: Fixture = async (api, mark) => {
  await mustCall(api, 'PUT', `/events/${mark}-e`, { id: `${mark}-notification`, type: 'notification' })
  return `${mark}-e`
}

/** `resource.parameter`, or the parameter alone where it means the same everywhere. */
export const fixtures: Readonly<Record<string, Fixture | Choice>> = {
  user_id: async (api, mark) => {
    await mustCall(api, 'PUT', `/profiles/${mark}-user`, { profile: { email: `${mark}@example.com` } })
    return `${mark}-user`
  },
  list_id: async (api, mark) => {
    await mustCall(api, 'PUT', `/lists/${mark}.list`, { name: mark })
    await mustCall(api, 'PUT', `/lists/${mark}.list/subscriptions/${mark}-user`, {})
    return `${mark}.list`
  },
  audience_id: async (api, mark) => {
    const filter = { operator: 'EXISTS', path: mark }
    await mustCall(api, 'PUT', `/audiences/${mark}-audience`, { name: `${mark} alone`, filter })
    return `${mark}-audience`
  },
  event_id: eventIn,
  tenant_id: tenantIn,
  account_id: tenantIn,
  token: async (api, mark) => {
    await mustCall(api, 'PUT', `/users/${mark}-user/tokens/${mark}-token`, { provider_key: 'expo', expiry_date: false })
    return `${mark}-token`
  },
  // It waits, so that it can be canceled.
  message_id: async (api, mark) => {
    const body = { event: `${mark}-nothing`, recipient: `${mark}-recipient`, delay: { duration: 3_600_000 } }
    return (await mustCall(api, 'POST', '/send', body)).messageId
  },
  'events.event': eventIn,
  'bulk.job_id': async (api, mark) => {
    const { jobId } = await mustCall(api, 'POST', '/bulk', { message: { event: `${mark}-nothing` } })
    return jobId
  },
  'requests.request_id': async (api, mark) => {
    const message = { to: [{ user_id: `${mark}-1` }, { user_id: `${mark}-2` }], content: { body: mark } }
    return (await mustCall(api, 'POST', '/send', { message })).requestId
  },
  // It waits, so that it can be canceled.
  'automations.run_id': async (api, mark) => {
    const automation = { steps: [{ action: 'delay', duration: '1 hour' }] }
    return (await mustCall(api, 'POST', '/automations/invoke', { automation, data: { mark } })).runId
  },
  'automations.template_id': async (api, mark) => {
    const automation = { steps: [{ action: 'delay', duration: '1 hour' }] }
    await mustCall(api, 'PUT', `/automations/templates/${mark}-automation`, { name: mark, automation })
    return `${mark}-automation`
  },
  // One message a minute, so that it can be canceled.
  'replays.replay_id': async (api, mark) => {
    const body = { event: `${mark}-nothing`, recipient: `${mark}-replayed`, delay: { duration: 3_600_000 } }
    const made = await Promise.all([1, 2].map(() => mustCall(api, 'POST', '/send', body)))
    const message_ids = made.map(({ messageId }) => messageId)
    for (const id of message_ids) await api.call('POST', `/messages/${id}/cancel`)
    const replay = { message_ids, rate_per_minute: 1 }
    const { replayable: confirm } = await mustCall(api, 'POST', '/messages/replay', replay)
    return (await mustCall(api, 'POST', '/messages/replay', { ...replay, confirm })).id
  },
  'messages.render_id': { choice: '0' },
  'messages.part': { choice: 'text' },
  'notifications.id': async (api, mark) => {
    const elements = [
      { type: 'meta', title: mark },
      { type: 'text', id: 'greeting', content: mark },
    ]
    const notification = { name: mark, alias: `${mark}-alias`, content: { elements } }
    return (await mustCall(api, 'POST', '/notifications', { notification, state: 'PUBLISHED' })).id
  },
  'notifications.element_id': { choice: 'greeting' },
  'notifications.locale': { choice: 'de' },
  'notifications.submission_id': async (api, mark, { id }) => {
    await mustCall(api, 'PUT', `/notifications/${id}/${mark}-submission/checks`, { checks: [] })
    return `${mark}-submission`
  },
  brand_id: async (api, mark) => {
    const { status } = await api.call('GET', `/brands/${mark}-brand`)
    if (status === 404) await mustCall(api, 'POST', '/brands', { id: `${mark}-brand`, name: mark, settings: {} })
    return `${mark}-brand`
  },
  'routingStrategies.id': async (api, mark) => {
    const body = { name: mark, routing: { method: 'single', channels: ['email'] } }
    return (await mustCall(api, 'POST', '/routing-strategies', body)).id
  },
  'translations.domain': { choice: 'default' },
  'translations.locale': {
    choice: 'de',
    make: (api, mark) => mustCall(api, 'PUT', '/translations/default/de', `msgid "${mark}"`),
  },
  // Switched off: the sandbox stands in for nothing real.
  'providers.id': async (api, mark) => {
    const body = {
      provider: 'twilio',
      title: mark,
      enabled: false,
      settings: { accountSid: 'A', authToken: 't', from: '+1' },
    }
    return (await mustCall(api, 'POST', '/providers', body)).id
  },
  suppression_id: async (api, mark) => {
    const address = `${mark}@suppressed.example`
    await mustCall(api, 'POST', '/suppressions', { suppressions: [{ address }] })
    return (await mustCall(api, 'GET', `/suppressions?address=${address}`)).results[0].id
  },
  erasure_id: async (api, mark) => (await mustCall(api, 'DELETE', `/profiles/${mark}-erased?erase=true`)).erasureId,
  'mailbox.id': async (api, mark) => {
    // By mail only: the sandbox takes over from no channel that was integrated.
    const routing = { method: 'single', channels: ['email'] }
    const content = { title: mark, body: mark }
    const message = { to: { user_id: mark, email: `${mark}@example.com` }, content, routing }
    const { requestId: messageId } = await mustCall(api, 'POST', '/send', { message })
    const kept = await until(
      () => api.call('GET', `/mailbox?message_id=${messageId}`),
      ({ json }) => json.results.length > 0,
    )
    return kept.json.results[0].id
  },
  recipient_id: async (api, mark) => {
    await mustCall(api, 'PUT', `/preferences/${mark}-user`, { categories: { [mark]: { status: 'OPTED_IN' } } })
    return `${mark}-user`
  },
  'digests.schedule_id': async (api, mark) => {
    const place = await section(api, mark, {})
    const digest = {
      template_id: `${mark}-nothing`,
      schedules: [{ frequency: 'monthly', time: '09:00', day_of_month: 1 }],
    }
    const body = { name: `${mark} digest`, default_status: 'OPTED_OUT', digest }
    const topic = await mustCall(api, 'POST', `/preferences/sections/${place}/topics`, body)
    return topic.digest.schedules[0].schedule_id
  },
  section_id: section,
  topic_id: topic,
  // Switched off: nothing listens there.
  'webhooks.id': async (api, mark) => {
    const body = { url: `https://${mark}.example`, enabled: false }
    return (await mustCall(api, 'POST', '/webhooks', body)).id
  },
  'webhooks.delivery_id': async (api, mark, { id }) => {
    await mustCall(api, 'PUT', `/webhooks/${id}`, { enabled: true, types: ['preferences:user:updated'] })
    await mustCall(api, 'PUT', `/preferences/${mark}-chooser`, { categories: { [mark]: { status: 'OPTED_IN' } } })
    await mustCall(api, 'PUT', `/webhooks/${id}`, { enabled: false })
    return (await mustCall(api, 'GET', `/webhooks/${id}/deliveries`)).results[0].id
  },
  'views.name': async (api, mark) =>
    (await mustCall(api, 'PUT', `/views/${mark}-view`, { page: 'messages', filters: { mark } })).name,
  audit_event_id: async (api, mark) => {
    await mustCall(api, 'POST', '/keys', { name: mark })
    return (await mustCall(api, 'GET', '/audit-events')).results[0].auditEventId
  },
  // No call makes one: without the database of the server, the id of none.
  'deadLetters.id': async (api) =>
    isRecording(api) ? (await insertDeadLetter(api.engine, api.time.now)).id : '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
  'service.name': { choice: 'sending' },
  'sessions.id': async (api, mark) => {
    const { key } = await mustCall(api, 'POST', '/keys', { name: mark })
    return (await mustCall(api, 'POST', '/session', { key })).session_id
  },
  'keys.id': async (api, mark) => (await mustCall(api, 'POST', '/keys', { name: mark })).id,
}

export const placeOf = ({ id }: Operation, name: string): string => `${resourceOf(id)}.${name}`

export const namesOf = ({ params }: Operation): string[] => Object.keys(params?.properties ?? {})

/** Throws for a parameter that has no entry here. */
export function fixtureOf(operation: Operation, name: string): Fixture | Choice {
  const place = placeOf(operation, name)
  const fixture = fixtures[place] ?? fixtures[name]
  if (!fixture) throw new Error(`${operation.id}: add to test/support/fixtures.ts how ${place} is made`)
  return fixture
}

export async function makeOne(
  fixture: Fixture | Choice,
  api: ApiCaller,
  mark: string,
  before: Record<string, string>,
): Promise<string> {
  if (!('choice' in fixture)) return fixture(api, mark, before)
  await fixture.make?.(api, mark)
  return fixture.choice
}

/** Parameters of the operation's path with new things of the api's own. */
export async function ownParams(operation: Operation, api: ApiCaller, mark: string): Promise<Record<string, string>> {
  const params: Record<string, string> = {}
  for (const name of namesOf(operation)) {
    const fixture = fixtureOf(operation, name)
    params[name] = await makeOne(fixture, api, mark, params)
  }
  return params
}

export const pathWith = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
