/** Hostile strings in every field that the API takes: records of each kind, whose pages a test opens. */
import { type AutomationStep, type AutomationTemplateInput, isPostriderError, type Postrider } from '@postrider/client'
import type { engineOn } from '../support/engine.ts'
import { insertDeadLetterOf, insertNode } from '../support/rows.ts'
import { until } from '../support/until.ts'
import { integrate } from '../system/templates.ts'
import type { DashboardPeers } from './dashboard-data.ts'
import { inParallel } from './dashboard-server.ts'
import { groupsOf, hostileStrings, storableStrings } from './hostile-strings.ts'

const CALLS_AT_ONCE = 8
/** An automation has at most a hundred steps: one for each string. */
const GROUP = 90
const ENDED_WITHIN_MS = 120_000
/** A workspace, or a page, has no more of these. */
const SECTIONS = 40
/** Each is evaluated at every write of a profile. */
const AUDIENCES = 60
const INTEGRATIONS = 90
const WEBHOOKS = 18
const NODES = 40
/** Long lists of these add time to the test, and no new field. */
const UNMAPPED = 100
const JOBS = 150
const TRIGGERS_MAX = 20
/** So many conditions have 16 kB. */
const FILTER_VALUE_MAX = 40
const NAME_MAX = 256
const ID_MAX = 512
const LIST_ID_MAX = 150
const NOTE_MAX = 500
const TAG_MAX = 30
const TAGS_MAX = 9

export interface HostileData {
  /** How many strings the API took, by field. */
  taken: Record<string, number>
  /** Calls that the API failed at instead of refusing them. */
  crashes: string[]
  /** Each string that a database can hold, in one group; users, audiences and automations have the id `group-<index>`. */
  groups: Groups
  /** Ids of what was made of each group. */
  templates: (string | undefined)[]
  messages: (string | undefined)[]
  failedMessages: (string | undefined)[]
  runs: (string | undefined)[]
  jobs: (string | undefined)[]
  mailboxItems: string[]
  /** With deliveries. */
  webhook: string
}

/** Its beginning, without half a surrogate pair. */
const cut = (text: string, length: number) => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')

export async function makeHostileData(client: Postrider, peers: DashboardPeers, engine: Engine): Promise<HostileData> {
  const offers = recordedOffers()
  const groups = groupsOf(storableStrings, GROUP)
  await makePeople(client, offers, groups)
  const templates = await makeContent(client, offers, groups)
  const messages = await makeMessages(client, peers, offers, groups)
  const runs = await makeAutomations(client, offers, groups)
  const jobs = await makeBulkJobs(client, offers, groups)
  const webhook = await makeWebhooks(client, peers, offers)
  await makeOperations(client, engine, offers, templates[0] ?? '')
  const { taken, crashes } = offers
  return { taken, crashes, groups, templates, ...messages, runs, jobs, webhook }
}

type Engine = Awaited<ReturnType<typeof engineOn>>
type Groups = readonly (readonly string[])[]
type Offers = ReturnType<typeof recordedOffers>

/** Calls with hostile strings: the API may refuse a string, and must not fail at it. */
function recordedOffers() {
  const taken: Record<string, number> = {}
  const crashes: string[] = []

  async function offer<Result>(
    field: string,
    strings: number,
    call: () => Promise<Result>,
  ): Promise<Result | undefined> {
    try {
      const result = await call()
      taken[field] = (taken[field] ?? 0) + strings
      return result
    } catch (error) {
      // An id of `.` is refused by the client, half a surrogate pair by every path.
      const isRefused =
        error instanceof TypeError ||
        error instanceof URIError ||
        (isPostriderError(error) && error.status !== undefined && error.status < 500)
      if (!isRefused) crashes.push(`${field}: ${String(error)}`)
      return undefined
    }
  }

  const each = (
    field: string,
    work: (text: string, index: number) => Promise<unknown>,
    strings: readonly string[] = hostileStrings,
  ) => inParallel(strings, CALLS_AT_ONCE, async (text, index) => void (await offer(field, 1, () => work(text, index))))

  /** All parts together, or else those that are accepted one by one. */
  async function offerParts<Part, Result>(
    field: string,
    parts: readonly Part[],
    check: (part: Part) => Promise<unknown>,
    make: (parts: readonly Part[]) => Promise<Result>,
  ): Promise<Result | undefined> {
    const made = await offer(field, parts.length, () => make(parts))
    if (made !== undefined) return made
    const accepted: Part[] = []
    for (const part of parts) if (await offer(`part of ${field}`, 1, () => check(part))) accepted.push(part)
    return offer(field, accepted.length, () => make(accepted))
  }

  return { taken, crashes, offer, each, offerParts }
}

/** The call of each group; undefined where it was refused. */
async function perGroup<Result>(
  groups: Groups,
  work: (group: readonly string[], index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  await inParallel(groups, CALLS_AT_ONCE, async (group, index) => {
    results[index] = await work(group, index)
  })
  return results
}

/** The API takes no member of this name. */
const asObject = (group: readonly string[]) =>
  Object.fromEntries(group.filter((text) => text !== '__proto__').map((text) => [text, text]))

async function makePeople(client: Postrider, { each, offer }: Offers, groups: Groups): Promise<void> {
  await each('user id', (text) => client.profiles.replace(text, { profile: { name: text, email: text, [text]: text } }))
  await each(
    'list id',
    (text) => client.lists.put(text, { name: text }),
    storableStrings.filter((text) => text.length <= LIST_ID_MAX),
  )
  await each(
    'list name',
    (text, index) => client.lists.put(`list-${index}`, { name: cut(text, NAME_MAX) }),
    storableStrings,
  )
  await each(
    'tenant name',
    (text, index) =>
      client.tenants.put(`tenant-${index}`, {
        name: cut(text, NAME_MAX),
        user_profile: asObject([text]),
        properties: asObject([text]),
      }),
    storableStrings,
  )
  const { id: section } = await client.sections.create({ name: 'Section' })
  await each('section name', (name) => client.sections.create({ name }), hostileStrings.slice(0, SECTIONS))
  await each('topic name', (name) => client.topics.create(section, { name, default_status: 'OPTED_IN' }))
  await offer('suppression', storableStrings.length, () =>
    client.suppressions.add({
      suppressions: storableStrings.map((text, index) => ({
        ...{ address: `s${index}@example.com`, note: cut(text, NOTE_MAX) },
      })),
    }),
  )
  await each('suppressed address', (address) =>
    client.suppressions.add({ suppressions: [{ kind: 'chat_id', address }] }),
  )
  await each(
    'audience name',
    (name, index) =>
      client.audiences.put(`audience-${index}`, { name, filter: { operator: 'EQ', path: 'name', value: name } }),
    spread(AUDIENCES),
  )
  await perGroup(groups, async (group, index) => {
    const user = `group-${index}`
    await client.profiles.replace(user, {
      profile: { ...asObject(group), name: group[0], email: `${user}@example.com`, nested: { list: group } },
    })
    await offer('subscriber', group.length, () =>
      client.lists.addSubscriptions('list-0', {
        recipients: group.map((text) => ({ recipientId: cut(text, ID_MAX) })),
      }),
    )
    await offer('audience filter', group.length, () =>
      client.audiences.put(user, {
        name: cut(group[0] ?? '', NAME_MAX),
        filter: {
          operator: 'OR',
          filters: group
            .filter((_, at) => at % 3 === index % 3)
            .map((text) => ({ operator: 'EQ', path: 'name', value: cut(text, FILTER_VALUE_MAX) })),
        },
      }),
    )
    const records = group.map((_, at) => index * GROUP + at)
    await client.profiles.subscribe(user, { lists: records.map((record) => ({ listId: `list-${record}` })) })
    const tenants = records.map((record) => ({ tenant_id: `tenant-${record}`, profile: asObject(group.slice(0, 5)) }))
    await offer('membership', tenants.length, () => client.memberships.add(user, { tenants }))
    for (const [at, text] of group.entries())
      await offer('device', 1, () =>
        client.deviceTokens.put(user, `token-${at}`, {
          provider_key: 'expo',
          device: { manufacturer: text, model: text },
        }),
      )
  })
}

/** Ids of the templates, by group. */
async function makeContent(
  client: Postrider,
  { each, offerParts }: Offers,
  groups: Groups,
): Promise<(string | undefined)[]> {
  await each(
    'brand name',
    (text, index) =>
      client.brands.create({
        ...{ id: `brand-${index}`, name: cut(text, NAME_MAX) },
        settings: { email: { footer: { markdown: text } } },
      } as never),
    storableStrings,
  )
  await each('template name', (name) =>
    client.notifications.create({ notification: { name, content: { title: name, body: name } } }),
  )
  return perGroup(groups, async (group) => {
    const withBlocks = (elements: readonly object[]) =>
      ({
        notification: {
          name: cut(group[0] ?? '', NAME_MAX),
          tags: group.slice(0, TAGS_MAX).map((text) => cut(text, TAG_MAX)),
          content: { version: '2022-01-01', elements },
        },
      }) as never
    const made = await offerParts(
      'block',
      group.flatMap((text, at) => {
        const kinds = [
          { type: 'text', content: text },
          { type: 'action', content: text, href: text },
          { type: 'quote', content: text },
          { type: 'html', content: text },
        ]
        const meta = { type: 'meta', title: text }
        return [meta, ...kinds].filter((_, kind) => kind === at % 5 || kind === (at + 1) % 5)
      }),
      (block) => client.notifications.inspect(withBlocks([block])),
      (blocks) => client.notifications.create(withBlocks(blocks)),
    )
    return made?.id
  })
}

type MessageData = Pick<HostileData, 'messages' | 'failedMessages' | 'mailboxItems'>

async function makeMessages(
  client: Postrider,
  peers: DashboardPeers,
  { each, offer }: Offers,
  groups: Groups,
): Promise<MessageData> {
  const send = async (message: object) =>
    ((await client.send({ message } as never)) as unknown as { requestId: string }).requestId
  const sendGroups = () =>
    perGroup(groups, (group, index) =>
      offer('message of a group', group.length, () =>
        send({
          to: { user_id: `group-${index}`, email: `group-${index}@example.com` },
          content: {
            version: '2022-01-01',
            elements: group.flatMap((_, at) => [
              { type: 'text', content: `{value_${at}}` },
              { type: 'action', content: `{value_${at}}`, href: `{value_${at}}` },
            ]),
          },
          data: { ...asObject(group), ...Object.fromEntries(group.map((text, at) => [`value_${at}`, text])) },
          routing: { method: 'single', channels: ['email'] },
        }),
      ),
    )
  await each('message', (text, index) =>
    send({
      to: { user_id: text, email: `m-${index}@example.com` },
      content: index % 2 === 0 ? { title: `T ${text}`, body: text } : { title: 'Data', body: '{name}' },
      data: { ...asObject([text]), name: text },
      metadata: { tags: [cut(text, TAG_MAX)], trace_id: text },
    }),
  )
  await each(
    'unmapped event',
    (text) => client.send({ event: `${text} `, recipient: text, data: { name: text } } as never),
    spread(UNMAPPED),
  )
  const messages = await sendGroups()
  await areRouted(client)
  const mailboxItems: string[] = []
  for await (const { id } of client.mailbox.list({ limit: 100 })) mailboxItems.push(id)
  // From here on a provider refuses mail, and says why in the strings of the group.
  peers.http.answer('/v3/mail/send', ({ body }) => {
    const group = groups[Number(/group-(\d+)@/.exec(body)?.[1] ?? 0)] ?? []
    return { status: 400, body: { errors: group.map((message) => ({ message, field: message })) } }
  })
  await integrate(client, {
    ...{ provider: 'sendgrid', title: hostileStrings[0] ?? '', priority: 1 },
    settings: { baseUrl: peers.http.url, apiKey: 'SG.hostile', fromAddress: 'a@example.com' },
  })
  const failedMessages = await sendGroups()
  await areRouted(client)
  return { messages, failedMessages, mailboxItems }
}

async function areRouted(client: Postrider): Promise<void> {
  await until(
    () => client.messages.list({ status: ['ENQUEUED', 'ROUTED'], limit: 1 }),
    ({ results }) => results.length === 0,
    ENDED_WITHIN_MS,
  )
}

/** Ids of runs, by group. */
async function makeAutomations(
  client: Postrider,
  { each, offer, offerParts }: Offers,
  groups: Groups,
): Promise<(string | undefined)[]> {
  await each('automation', (text, index) =>
    client.automations.putTemplate(`automation-${index}`, {
      ...{ name: text, alias: text, triggers: [{ type: 'event', event: text }] },
      automation: { cancelation_token: text, steps: [{ action: 'cancel', cancelation_token: text }] },
    }),
  )
  await each('inbound event', (text) =>
    client.inbound.trackEvent({
      ...{ type: 'track', event: text, messageId: text, userId: text },
      properties: asObject([text]),
    }),
  )
  const runs = await perGroup(groups, async (group, index) => {
    const id = `group-${index}`
    // The others are expressions to a step.
    const words = group.filter((text) => !text.includes('${'))
    const withSteps = (steps: readonly object[]): AutomationTemplateInput => ({
      name: cut(group[0] ?? '', NAME_MAX),
      triggers: group.slice(0, TRIGGERS_MAX).map((text) => ({ type: 'event' as const, event: `${text} ` })),
      automation: {
        steps: [
          // Its simulation shows the message, and the last step fails.
          { action: 'send', message: { content: { title: 'Words', body: words.join('\n') } } },
          ...steps,
          { action: 'invoke', template: `${group[1]} ` },
        ] as AutomationStep[],
      },
    })
    await offerParts(
      'step',
      group.map((text, at) =>
        at % 2 === 0
          ? { action: 'cancel', cancelation_token: cut(text, NAME_MAX) }
          : { action: 'update-profile', recipient_id: id, profile: asObject([text]), merge: 'overwrite' },
      ),
      (step) => client.automations.inspect(withSteps([step])),
      (steps) => client.automations.putTemplate(id, withSteps(steps)),
    )
    const context = { recipient: id, data: asObject(group), profile: asObject(group) }
    return (await offer('run', group.length, () => client.automations.invokeTemplate(id, context)))?.runId
  })
  for (const id of runs)
    if (id !== undefined)
      await until(
        () => client.automations.run(id),
        ({ status }) => status !== 'PROCESSING' && status !== 'WAITING',
        ENDED_WITHIN_MS,
      )
  return runs
}

/** Ids of the jobs, by group. */
async function makeBulkJobs(
  client: Postrider,
  { each, offer }: Offers,
  groups: Groups,
): Promise<(string | undefined)[]> {
  await each('bulk event', (event) => client.bulk.create({ message: { event, data: asObject([event]) } }), spread(JOBS))
  const jobs = await perGroup(groups, async (group) => {
    // No template has the event: each message of the job fails.
    const job = await offer('bulk job', 1, () =>
      client.bulk.create({ message: { event: `${group[0]} `, data: asObject(group) } }),
    )
    if (!job) return undefined
    const users = group.map((text) => ({ recipient: text, profile: { name: text }, data: asObject([text]) }))
    await offer('bulk user', users.length, () => client.bulk.ingest(job.jobId, { users }))
    await client.bulk.run(job.jobId)
    return job.jobId
  })
  for (const id of jobs)
    if (id !== undefined)
      await until(
        () => client.bulk.get(id),
        ({ job }) => job.status === 'COMPLETED',
        ENDED_WITHIN_MS,
      )
  await areRouted(client)
  return jobs
}

/** The id of a webhook whose receiver answers with the strings. */
async function makeWebhooks(client: Postrider, peers: DashboardPeers, { each }: Offers): Promise<string> {
  await each(
    'webhook path',
    (text) => client.webhooks.create({ url: `${peers.http.url}/${encodeURIComponent(text)}`, types: ['sms:received'] }),
    spread(WEBHOOKS),
  )
  let reply = 0
  peers.http.answer('/hook', () => ({ body: storableStrings[reply++ % storableStrings.length] ?? '' }))
  const { id } = await client.webhooks.create({ url: `${peers.http.url}/hook`, types: ['preferences:user:updated'] })
  const { id: section } = await client.sections.create({ name: 'Preferences' })
  const { id: topic } = await client.topics.create(section, { name: 'Topic', default_status: 'OPTED_IN' })
  await each(
    'preference of a user',
    (text) => client.preferences.putTopic(text, topic, { topic: { status: 'OPTED_OUT' } }),
    storableStrings,
  )
  await until(
    () => client.webhooks.deliveries(id, { status: 'WAITING', limit: 1 }),
    ({ results }) => results.length === 0,
    ENDED_WITHIN_MS,
  )
  return id
}

/** Integrations, keys and the like, and rows that only a failing process or another node writes. */
async function makeOperations(client: Postrider, engine: Engine, { each }: Offers, template: string): Promise<void> {
  await each(
    'integration title',
    (title) =>
      client.providers.create({
        ...{ provider: 'smtp', title, enabled: false },
        settings: { host: '127.0.0.1', fromAddress: 'a@example.com', fromName: title },
      } as never),
    spread(INTEGRATIONS),
  )
  await each('key name', (name) => client.keys.create({ name, role: 'viewer' }))
  await each('view name', (text) => client.views.put(text, { page: 'messages', filters: { event: text } }))
  const now = Date.now()
  await each('dead letter', (text) => insertDeadLetterOf(engine, now, text), storableStrings)
  await each('node', (text) => insertNode(engine, now, text), spread(NODES))
  // The last changes: the audit log begins with them.
  await each('event', (text) => client.events.put(text, { id: template, type: 'notification' }))
}

/** So many of the strings, of all kinds. */
export const spread = (count: number): readonly string[] => {
  const step = Math.ceil(storableStrings.length / count)
  return storableStrings.filter((_, index) => index % step === 0)
}
