/** What the paths of operations name, made through the API: one entry for each parameter, for tests that go over all operations. */
import { type Operation, resourceOf } from '@postrider/contract'
import { until } from './until.ts'

export interface Asker {
  ask(method: string, path: string, options?: { body?: unknown }): Promise<{ status: number; text: string; json: Made }>
}

/** JSON of any shape. */
type Made = ReturnType<typeof JSON.parse>
/** Makes one and gives its id. `mark` is in every name that can be chosen; `before` holds the parameters left of it. */
export type Fixture = (asker: Asker, mark: string, before: Record<string, string>) => Promise<string>
/** A parameter that names no row: one of its values. */
interface Choice {
  choice: string
  /** What stands there. */
  make?: (asker: Asker, mark: string) => Promise<unknown>
}

const made = async (asker: Asker, method: string, path: string, body: unknown): Promise<Made> => {
  const answer = await asker.ask(method, path, { body })
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
  return answer.json
}

/** With the user in it. */
const tenantIn: Fixture = async (asker, mark) => {
  await made(asker, 'PUT', `/tenants/${mark}-tenant`, { name: `${mark} tenant`, properties: { mark } })
  await made(asker, 'PUT', `/users/${mark}-user/tenants/${mark}-tenant`, { profile: { mark } })
  return `${mark}-tenant`
}

/** One for each mark, so that topics are found where they are looked for. */
const section: Fixture = async (asker, mark) => {
  const { results } = await made(asker, 'GET', '/preferences/sections', undefined)
  const known = results.findLast(({ name }: Made) => name === mark)
  return known?.id ?? (await made(asker, 'POST', '/preferences/sections', { name: mark })).id
}
/** Nobody gets anything of it unasked. */
const topic: Fixture = async (asker, mark) => {
  const place = await section(asker, mark, {})
  return (
    await made(asker, 'POST', `/preferences/sections/${place}/topics`, { name: mark, default_status: 'OPTED_OUT' })
  ).id
}

const eventIn: Fixture = async (asker, mark) => {
  await made(asker, 'PUT', `/events/${mark}-event`, { id: `${mark}-notification`, type: 'notification' })
  return `${mark}-event`
}

/** `resource.parameter`, or the parameter alone where it means the same everywhere. */
export const fixtures: Readonly<Record<string, Fixture | Choice>> = {
  user_id: async (asker, mark) => {
    await made(asker, 'PUT', `/profiles/${mark}-user`, { profile: { email: `${mark}@example.com` } })
    return `${mark}-user`
  },
  list_id: async (asker, mark) => {
    await made(asker, 'PUT', `/lists/${mark}.list`, { name: mark })
    await made(asker, 'PUT', `/lists/${mark}.list/subscriptions/${mark}-user`, {})
    return `${mark}.list`
  },
  audience_id: async (asker, mark) => {
    const filter = { operator: 'EXISTS', path: mark }
    await made(asker, 'PUT', `/audiences/${mark}-audience`, { name: `${mark} alone`, filter })
    return `${mark}-audience`
  },
  event_id: eventIn,
  tenant_id: tenantIn,
  account_id: tenantIn,
  token: async (asker, mark) => {
    await made(asker, 'PUT', `/users/${mark}-user/tokens/${mark}-token`, { provider_key: 'expo', expiry_date: false })
    return `${mark}-token`
  },
  // It waits, so that it can be cancelled.
  message_id: async (asker, mark) => {
    const body = { event: `${mark}-nothing`, recipient: `${mark}-recipient`, delay: { duration: 3_600_000 } }
    return (await made(asker, 'POST', '/send', body)).messageId
  },
  'events.event': eventIn,
  'bulk.job_id': async (asker, mark) => {
    const { jobId } = await made(asker, 'POST', '/bulk', { message: { event: `${mark}-nothing` } })
    return jobId
  },
  'requests.request_id': async (asker, mark) => {
    const message = { to: [{ user_id: `${mark}-1` }, { user_id: `${mark}-2` }], content: { body: mark } }
    return (await made(asker, 'POST', '/send', { message })).requestId
  },
  // It waits, so that it can be canceled.
  'automations.run_id': async (asker, mark) => {
    const automation = { steps: [{ action: 'delay', duration: '1 hour' }] }
    return (await made(asker, 'POST', '/automations/invoke', { automation, data: { mark } })).runId
  },
  'automations.template_id': async (asker, mark) => {
    const automation = { steps: [{ action: 'delay', duration: '1 hour' }] }
    await made(asker, 'PUT', `/automations/templates/${mark}-automation`, { name: mark, automation })
    return `${mark}-automation`
  },
  'messages.render_id': { choice: '0' },
  'messages.part': { choice: 'text' },
  'notifications.id': async (asker, mark) => {
    const elements = [
      { type: 'meta', title: mark },
      { type: 'text', id: 'greeting', content: mark },
    ]
    const notification = { name: mark, alias: `${mark}-alias`, content: { elements } }
    return (await made(asker, 'POST', '/notifications', { notification, state: 'PUBLISHED' })).id
  },
  'notifications.element_id': { choice: 'greeting' },
  'notifications.locale': { choice: 'de' },
  'notifications.submission_id': async (asker, mark, { id }) => {
    await made(asker, 'PUT', `/notifications/${id}/${mark}-submission/checks`, { checks: [] })
    return `${mark}-submission`
  },
  brand_id: async (asker, mark) => {
    const { status } = await asker.ask('GET', `/brands/${mark}-brand`)
    if (status === 404) await made(asker, 'POST', '/brands', { id: `${mark}-brand`, name: mark, settings: {} })
    return `${mark}-brand`
  },
  'translations.domain': { choice: 'default' },
  'translations.locale': {
    choice: 'de',
    make: (asker, mark) => made(asker, 'PUT', '/translations/default/de', `msgid "${mark}"`),
  },
  // Switched off: the sandbox stands in for nothing real.
  'providers.id': async (asker, mark) => {
    const body = {
      provider: 'twilio',
      title: mark,
      enabled: false,
      settings: { accountSid: 'A', authToken: 't', from: '+1' },
    }
    return (await made(asker, 'POST', '/providers', body)).id
  },
  erasure_id: async (asker, mark) =>
    (await made(asker, 'DELETE', `/profiles/${mark}-erased?erase=true`, undefined)).erasureId,
  'mailbox.id': async (asker, mark) => {
    // By mail only: the sandbox takes over from no channel that was integrated.
    const routing = { method: 'single', channels: ['email'] }
    const content = { title: mark, body: mark }
    const message = { to: { user_id: mark, email: `${mark}@example.com` }, content, routing }
    const { requestId: messageId } = await made(asker, 'POST', '/send', { message })
    const kept = await until(
      () => asker.ask('GET', `/mailbox?message_id=${messageId}`),
      ({ json }) => json.results.length > 0,
    )
    return kept.json.results[0].id
  },
  recipient_id: async (asker, mark) => {
    await made(asker, 'PUT', `/preferences/${mark}-user`, { categories: { [mark]: { status: 'OPTED_IN' } } })
    return `${mark}-user`
  },
  'digests.schedule_id': async (asker, mark) => {
    const place = await section(asker, mark, {})
    const digest = {
      template_id: `${mark}-nothing`,
      schedules: [{ frequency: 'monthly', time: '09:00', day_of_month: 1 }],
    }
    const body = { name: `${mark} digest`, default_status: 'OPTED_OUT', digest }
    const topic = await made(asker, 'POST', `/preferences/sections/${place}/topics`, body)
    return topic.digest.schedules[0].schedule_id
  },
  section_id: section,
  topic_id: topic,
  // Switched off: nobody answers there.
  'webhooks.id': async (asker, mark) => {
    const body = { url: `https://${mark}.example`, enabled: false }
    return (await made(asker, 'POST', '/webhooks', body)).id
  },
  audit_event_id: async (asker, mark) => {
    await made(asker, 'POST', '/keys', { name: mark })
    return (await made(asker, 'GET', '/audit-events', undefined)).results[0].auditEventId
  },
  'service.name': { choice: 'sending' },
  'keys.id': async (asker, mark) => (await made(asker, 'POST', '/keys', { name: mark })).id,
}

export const placeOf = ({ id }: Operation, name: string): string => `${resourceOf(id)}.${name}`

export const namesOf = ({ params }: Operation): string[] => Object.keys(params?.properties ?? {})

/** Throws for a parameter that has no entry here. */
export function fixtureOf(operation: Operation, name: string): Fixture | Choice {
  const place = placeOf(operation, name)
  const fixture = fixtures[place] ?? fixtures[name]
  if (!fixture) throw new Error(`${operation.id}: say in test/support/fixtures.ts how ${place} is made`)
  return fixture
}

export async function makeOne(
  fixture: Fixture | Choice,
  asker: Asker,
  mark: string,
  before: Record<string, string>,
): Promise<string> {
  if (!('choice' in fixture)) return fixture(asker, mark, before)
  await fixture.make?.(asker, mark)
  return fixture.choice
}

/** Parameters of the operation's path with new things of the asker's own. */
export async function ownParams(operation: Operation, asker: Asker, mark: string): Promise<Record<string, string>> {
  const own: Record<string, string> = {}
  for (const name of namesOf(operation)) {
    const fixture = fixtureOf(operation, name)
    own[name] = await makeOne(fixture, asker, mark, own)
  }
  return own
}

export const pathWith = (path: string, params: Record<string, string>): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
