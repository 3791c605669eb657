/** Every place that takes a time zone says in its reply that one does not exist, and which is near. */
import { automationSteps, type OperationId, operations } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { type App, withApp } from '../support/app.ts'
import { publish } from './templates.ts'

interface Place {
  operation: OperationId
  /** Its place in the body; lists on the way count as nothing. `profile` has a zone by two names. */
  field: string
  /** The parameters of the path. */
  at?: Record<string, string>
  body(zone: string): unknown
}

const opening = (timezone: string) => ({ until: 'Mo-Fr 08:00-18:00', timezone })
const content = { title: 'Hello', body: 'Hello' }
const to = { user_id: 'ada', email: 'ada@example.com' }
const steps = [{ action: 'send' as const, template: 'welcome' }]

const sends: readonly Place[] = (['send.send', 'explain.explain'] as const).flatMap((operation): Place[] => [
  {
    operation,
    field: 'delay.timezone',
    body: (zone) => ({ event: 'welcome', recipient: 'ada', profile: to, delay: opening(zone) }),
  },
  {
    operation,
    field: 'profile.zoneinfo',
    body: (zoneinfo) => ({ event: 'welcome', recipient: 'ada', profile: { ...to, zoneinfo } }),
  },
  {
    operation,
    field: 'profile.timezone',
    body: (timezone) => ({ event: 'welcome', recipient: 'ada', profile: { ...to, timezone } }),
  },
  { operation, field: 'message.delay.timezone', body: (zone) => ({ message: { to, content, delay: opening(zone) } }) },
  { operation, field: 'message.to.timezone', body: (timezone) => ({ message: { to: { ...to, timezone }, content } }) },
  { operation, field: 'message.to.zoneinfo', body: (zoneinfo) => ({ message: { to: { ...to, zoneinfo }, content } }) },
])

const jobs: readonly Place[] = (['bulk.create', 'bulk.explain'] as const).flatMap((operation): Place[] => {
  const users = operation === 'bulk.explain' ? { users: [{ recipient: 'ada', email: to.email }] } : {}
  return [
    {
      operation,
      field: 'message.delay.timezone',
      body: (zone) => ({ message: { event: 'welcome', delay: opening(zone) }, ...users }),
    },
    {
      operation,
      field: 'message.message.delay.timezone',
      body: (zone) => ({ message: { message: { content, delay: opening(zone) } }, ...users }),
    },
  ]
})

const users: readonly Place[] = (['bulk.ingest', 'bulk.explain'] as const).flatMap((operation): Place[] => {
  const whole = operation === 'bulk.explain' ? { message: { event: 'welcome' } } : {}
  const named = (field: string, user: (zone: object) => object) =>
    ['zoneinfo', 'timezone'].map(
      (name): Place => ({
        operation,
        field: `${field}.${name}`,
        body: (zone) => ({ ...whole, users: [user({ [name]: zone })] }),
      }),
    )
  return [
    ...named('users.profile', (profile) => ({ recipient: 'ada', profile })),
    ...named('users.to', (zone) => ({ to: { ...to, ...zone } })),
  ]
})

const profile = (
  operation: OperationId,
  field: string,
  at: Record<string, string>,
  body: (profile: object) => unknown,
) =>
  ['zoneinfo', 'timezone'].map(
    (name): Place => ({ operation, field: `${field}.${name}`, at, body: (zone) => body({ [name]: zone }) }),
  )

const profiles: readonly Place[] = [
  ...profile('profiles.merge', 'profile', { user_id: 'ben' }, (profile) => ({ profile })),
  ...profile('profiles.merge', 'patch', { user_id: 'ben1' }, (profile) => ({
    patch: [{ op: 'add', path: `/${Object.keys(profile)[0]}`, value: Object.values(profile)[0] }],
  })),
  ...profile('profiles.patch', 'patch', { user_id: 'ben2' }, (profile) => ({
    patch: [{ op: 'add', path: `/${Object.keys(profile)[0]}`, value: Object.values(profile)[0] }],
  })),
  ...profile('profiles.replace', 'profile', { user_id: 'eve' }, (profile) => ({ profile })),
  ...profile('profiles.import', 'profiles.profile', {}, (profile) => ({ profiles: [{ id: 'ivy', profile }] })),
  ...profile('tenants.put', 'user_profile', { tenant_id: 'acme' }, (user_profile) => ({ name: 'Acme', user_profile })),
  ...profile('accounts.put', 'user_profile', { account_id: 'acme' }, (user_profile) => ({
    name: 'Acme',
    user_profile,
  })),
  ...profile('memberships.put', 'profile', { user_id: 'ada', tenant_id: 'acme' }, (profile) => ({ profile })),
  ...profile('memberships.add', 'tenants.profile', { user_id: 'ada' }, (profile) => ({
    tenants: [{ tenant_id: 'acme', profile }],
  })),
  ...profile('accounts.putUser', 'profile', { user_id: 'ida' }, (profile) => ({ profile, accounts: [] })),
  ...profile('accounts.putUser', 'accounts.profile', { user_id: 'ida' }, (profile) => ({
    profile: {},
    accounts: [{ account_id: 'acme', profile }],
  })),
  ...profile('accounts.addUser', 'accounts.profile', { user_id: 'ida' }, (profile) => ({
    accounts: [{ account_id: 'acme', profile }],
  })),
  ...profile('accounts.addUser', 'profile', { user_id: 'ida' }, (profile) => [{ account_id: 'acme', profile }]),
  ...profile('events.routing', 'recipients.profile', { event: 'welcome' }, (profile) => ({
    recipients: [{ recipient: 'ada', profile }],
  })),
  ...profile('notifications.preview', 'profile', {}, (profile) => ({
    notification: { name: 'Hello', content },
    profile,
  })),
]

const step = (fields: object) => ({ automation: { steps: [fields] } })
const automationOperations = [
  'automations.invoke',
  'automations.putTemplate',
  'automations.inspect',
  'simulate.simulate',
] as const

const automations: readonly Place[] = automationOperations.flatMap((operation): Place[] => {
  const fields: [string, (zone: string) => object][] = [
    ['delay.timezone', (timezone) => ({ action: 'delay', until: 'Mo-Fr 08:00-18:00', timezone })],
    [
      'update-profile.profile.zoneinfo',
      (zoneinfo) => ({ action: 'update-profile', recipient_id: 'ada', profile: { zoneinfo } }),
    ],
    [
      'update-profile.profile.timezone',
      (timezone) => ({ action: 'update-profile', recipient_id: 'ada', profile: { timezone } }),
    ],
    [
      'send.profile.zoneinfo',
      (zoneinfo) => ({ action: 'send', template: 'welcome', recipient: 'ada', profile: { zoneinfo } }),
    ],
    [
      'send.profile.timezone',
      (timezone) => ({ action: 'send', template: 'welcome', recipient: 'ada', profile: { timezone } }),
    ],
    ['send.message.delay.timezone', (zone) => ({ action: 'send', message: { to, content, delay: opening(zone) } })],
    ['send.message.to.timezone', (timezone) => ({ action: 'send', message: { to: { ...to, timezone }, content } })],
    ['send.message.to.zoneinfo', (zoneinfo) => ({ action: 'send', message: { to: { ...to, zoneinfo }, content } })],
    [
      'invoke.context.profile.zoneinfo',
      (zoneinfo) => ({ action: 'invoke', template: 'welcome', context: { profile: { zoneinfo } } }),
    ],
  ]
  return fields.map(([field, make]) => ({
    operation,
    field: `steps.${field}`,
    at: { template_id: 'a' },
    body: (zone) => step(make(zone)),
  }))
})

const contexts: readonly Place[] = [
  ...profile('automations.invoke', 'profile', {}, (profile) => ({ automation: { steps }, recipient: 'ada', profile })),
  ...profile('automations.invokeTemplate', 'profile', { template_id: 'plain' }, (profile) => ({
    recipient: 'ada',
    profile,
  })),
  ...profile('simulate.simulate', 'context.profile', {}, (profile) => ({
    automation: { steps },
    context: { recipient: 'ada', profile },
  })),
  ...profile('simulate.simulate', 'further.context.profile', {}, (profile) => ({
    automation: { steps },
    context: { recipient: 'ada' },
    further: [{ after: '1 hour', context: { recipient: 'bob', profile } }],
  })),
  ...(['automations.putTemplate', 'automations.inspect'] as const).map(
    (operation): Place => ({
      operation,
      field: 'triggers.timezone',
      at: { template_id: 'a' },
      body: (timezone) => ({ automation: { steps }, triggers: [{ type: 'schedule', cron: '0 9 * * 1', timezone }] }),
    }),
  ),
]

const digest = (timezone: string) => ({
  template_id: 'welcome',
  schedules: [{ frequency: 'daily', time: '09:00', timezone }],
})
const topic = (timezone: string) => ({ name: 'Topic', default_status: 'OPTED_IN', digest: digest(timezone) })
const others: readonly Place[] = [
  { operation: 'topics.create', field: 'digest.schedules.timezone', body: topic },
  {
    operation: 'topics.replace',
    field: 'digest.schedules.timezone',
    body: topic,
  },
  {
    operation: 'lists.send',
    field: 'delay.timezone',
    body: (zone) => ({ list: 'news', event: 'welcome', delay: opening(zone) }),
  },
  {
    operation: 'notifications.create',
    field: 'content',
    body: (zone) => ({
      notification: { name: 'Hello', content: { title: 'x', body: `{{datetime-format day "%H" "${zone}"}}` } },
      state: 'PUBLISHED',
    }),
  },
]

const places = [...sends, ...jobs, ...users, ...profiles, ...automations, ...contexts, ...others]

/** A test of a provider waits for no time. */
const WITHOUT_ZONE = ['providers.test: profile']

interface Plain {
  properties?: Record<string, Plain>
  items?: Plain
  anyOf?: Plain[]
}

/** Paths of fields that are a time zone, and of profiles. */
function* zonesIn({ properties = {}, items, anyOf = [] }: Plain, path = ''): Generator<string> {
  for (const [name, field] of Object.entries(properties)) {
    const place = path === '' ? name : `${path}.${name}`
    if (/^(time_?zone|tz|zoneinfo|profile|user_profile)$/i.test(name)) yield place
    yield* zonesIn(field, place)
  }
  for (const inner of items ? [items, ...anyOf] : anyOf) yield* zonesIn(inner, path)
}

test('every field for a time zone, and every profile, is in the table', () => {
  const ofOperations = operations.flatMap(({ id, body, variant }) =>
    [body, variant?.body].flatMap((schema) => [...zonesIn((schema ?? {}) as Plain)].map((field) => `${id}: ${field}`)),
  )
  const ofSteps = Object.entries(automationSteps).flatMap(([action, { fields }]) =>
    [...zonesIn(fields as Plain)].flatMap((field) =>
      automationOperations.map((operation) => `${operation}: steps.${action}.${field}`),
    ),
  )
  const listed = [...places.map(({ operation, field }) => `${operation}: ${field}`), ...WITHOUT_ZONE]
  const isListed = (place: string) => listed.some((other) => other === place || other.startsWith(`${place}.`))
  expect([...ofOperations, ...ofSteps].filter((place) => !isListed(place))).toEqual([])
})

withApp((open) => {
  let app: App
  const ids: Record<string, string> = {}
  beforeAll(async () => {
    app = await open()
    await publish(app.client, 'welcome', {})
    await app.client.lists.put('news', { name: 'News' })
    await app.client.tenants.put('acme', { name: 'Acme' })
    await app.client.automations.putTemplate('plain', { automation: { steps } })
    const { id: sectionId } = await mustCall(app, 'POST', '/preferences/sections', { name: 'Section' })
    const topicPath = `/preferences/sections/${sectionId}/topics`
    const { id: topicId } = await mustCall(app, 'POST', topicPath, topic('Europe/Berlin'))
    const { jobId } = await mustCall(app, 'POST', '/bulk', { message: { event: 'welcome' } })
    Object.assign(ids, { section_id: sectionId, topic_id: topicId, job_id: jobId })
  })

  const answerTo = async ({ operation, at = {}, body }: Place, zone: string) => {
    const named = operations.find(({ id }) => id === operation)
    if (!named) throw new Error(`There is no operation ${operation}`)
    const path = named.path.replaceAll(/:(\w+)/g, (_, name) => at[name] ?? ids[name] ?? name)
    const { status, headers, json } = await app.call(named.method, path, { body: body(zone) })
    const { message = '', warnings = [] } = json ?? {}
    const ofRows = (warnings as (string | { warnings: string[] })[]).flatMap((entry) =>
      typeof entry === 'string' ? entry : entry.warnings,
    )
    return { status, sentences: [message, ...JSON.parse(headers.get('postrider-warnings') ?? '[]'), ...ofRows] }
  }

  test.each(places.map((place) => [`${place.operation}: ${place.field}`, place] as const))(
    '%s',
    async (_name, place) => {
      const misspelled = await answerTo(place, 'Europe/Berln')
      const sentence = misspelled.sentences.find((text) => text.includes('`Europe/Berln`'))
      expect(sentence).toMatch(/ Did you mean `Europe\/Berlin`\?$/)
      const right = await answerTo(place, 'Europe/Berlin')
      expect(right.status).toBeLessThan(300)
      expect(right.sentences.filter((text) => text.includes('Europe/Berlin'))).toEqual([])
    },
  )
})
