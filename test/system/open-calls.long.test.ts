/** The cost of callers without a key: the processor time of each open operation with the largest body it takes, and how long others wait meanwhile. */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Postrider } from '@postrider/client'
import { bodyMaxOf, type Operation, operations, topicDataBytesMax, topicsMax } from '@postrider/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientOf } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { inTime } from '../support/in-time.ts'
import { callbackReaders, type PageTopic, pageForms, signedTokens } from '../support/open-calls.ts'
import { runQueueMs, watchPings } from '../support/pings.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { secretKey } from '../support/recording-app.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
const KEY = Buffer.alloc(32, 7)
const CALLS = 20
const AT_ONCE = 50
const CPU_MS_MAX = 20
const PING_MS_MAX = 250

/** Bodies consist of these, after a beginning: parsers of JSON, forms and mails take longest for them. */
const units: readonly [begin: string, unit: string][] = [
  ['', '['],
  ['', '{"a":'],
  ['[', '[],'],
  ['[', '{"a":1},'],
  ['[', '1,'],
  ['{"a":"', '\\n'],
  ['', 'a=&'],
  ['', '%5B'],
  ['', 'topic=a&'],
  ['', '\n'],
]
const filled = ([begin, unit]: readonly [string, string], bytes: number) =>
  begin + unit.repeat(Math.floor((bytes - begin.length) / unit.length))
const searches = [
  'search?q=mes+pre+con+sen+use+rec+tem+pro+int+aut+del+lis',
  'search?q=messqges+prefrences+conditoins+sendixg+usxrs+recpients+templtes+providxrs+automatoins',
  `search?q=${'x'.repeat(200)}`,
]
const guides = ['guides', 'providers', 'plain', 'reference.js', 'style.css', 'order.png', 'no-such-guide', ...searches]

/** A token for each call: a link is limited to 60 calls a minute, and a page is saved for a recipient who chose nothing. */
interface Call {
  title: string
  method: string
  path(n: number): string
  body?: (path: string) => string
  contentType?: string
  /** In the page that answers it. */
  shows?: string
}

const open: readonly Operation[] = operations.filter(({ access }) => access === 'open')
/** Every status of the calls of an operation: without a 429, each is read as far as it ever is. */
const statuses: Partial<Record<string, number[]>> = {
  'sessions.signIn': [201, 400, 401],
  'service.document': [200, 404],
  'callbacks.receive': [403, 404],
  'callbacks.verify': [403, 404],
  'preferencePages.showUnsubscribe': [200, 404],
  'preferencePages.unsubscribe': [200, 404],
  'preferencePages.show': [200, 404],
  'preferencePages.save': [200, 404],
  'tracking.open': [200, 404],
  'tracking.click': [302, 404],
  'tracking.follow': [302, 404],
}

let server: ServerProcess
let integrationId: string
let topics: PageTopic[]
let calls = 0

beforeAll(async () => {
  const env = {
    POSTRIDER_API_KEY: apiKey,
    POSTRIDER_SECRET_KEY: KEY.toString('base64'),
    // Wrong keys are limited by address.
    POSTRIDER_TRUSTED_PROXIES: '127.0.0.0/8',
  }
  server = await startServer({ env: { ...(await databaseEnvironment()), ...env } })
  const client = clientOf(server.url, apiKey)
  // Its signature is in the body, which is read to be verified.
  const { id } = await client.providers.create({
    provider: 'mailgun',
    title: 'Mailgun',
    settings: { apiKey: 'x', domain: 'example.com', fromAddress: 'a@example.com', webhookSigningKey: 'x' },
  })
  integrationId = id
  topics = await createTopics(client)
})
afterAll(async () => {
  server?.kill('SIGKILL')
  await server?.exited
})

/** As many as a workspace has, each with every channel and the most data. */
async function createTopics(client: Postrider): Promise<PageTopic[]> {
  const section = await client.sections.create({ name: 'Shop', routing_options: [], has_custom_routing: false })
  const channels = ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'] as const
  const created: PageTopic[] = []
  while (created.length < topicsMax) {
    const { id } = await client.topics.create(section.id, {
      ...{ name: `News of the shop in street ${created.length}`, default_status: 'OPTED_IN' },
      ...{ routing_options: [...channels], allowed_preferences: ['channel_preferences'] },
      topic_data: { text: 'x'.repeat(topicDataBytesMax - 100) },
    })
    created.push({ id, channels })
  }
  return created
}

/** With a token that was given out and with one that was not. */
function callsOf({ method, path, ...rest }: Operation): Call[] {
  const signed = (n: number) => {
    const tokens = signedTokens(secretKey(KEY), integrationId, { n, topicId: topics[0]?.id ?? '' })
    return path.replace(':token', tokens[`${method} ${path}`] ?? tokens[path] ?? '')
  }
  const unknown = (n: number) => path.replace(':token', `eA${n}`)
  const paths: [title: string, path: (n: number) => string][] = path.includes(':token')
    ? [
        ['a link', signed],
        ['a link that was not given out', unknown],
      ]
    : path === '/docs/:name'
      ? guides.map((name) => [name, () => path.replace(':name', name)])
      : [['', () => path]]
  if (method === 'GET') return paths.map(([title, each]) => ({ title, method, path: each }))
  const max = bodyMaxOf({ ...rest, access: 'open' })
  const large = paths.flatMap(([title, each]) =>
    units.map((unit) => ({ title: `${title} ${unit.join('')}`, method, path: each, body: () => filled(unit, max) })),
  )
  return [...large, ...validCalls(method, path, signed, max)]
}

/** Bodies that are accepted. */
function validCalls(method: string, path: string, signed: (n: number) => string, max: number): Call[] {
  if (path === '/session') {
    const credentials = { 'a key': { key: apiKey }, 'a wrong key': { key: 'x'.repeat(100) }, 'a link': { link: 'x' } }
    return Object.entries(credentials).map(([title, body]) => ({
      ...{ title, method, path: signed, contentType: 'application/json' },
      body: () => JSON.stringify(body).padEnd(max),
    }))
  }
  if (path !== '/u/:token' && path !== '/p/:token') return []
  const contentType = 'application/x-www-form-urlencoded'
  return Object.entries(pageForms(secretKey(KEY), topics)).map(([title, form]) => ({
    ...{ title, method, path: signed, contentType },
    // A form that is not accepted is answered by an alert, or without a notice.
    shows: 'role="status"',
    body: (link) => form(link.split('/').at(-1) ?? ''),
  }))
}

async function perform({ method, path, body, contentType, shows = '' }: Call, agent: Agent): Promise<number> {
  calls += 1
  const link = path(calls)
  const call = request(server.url + link, {
    ...{ method, agent },
    headers: {
      'accept-encoding': 'gzip',
      'x-forwarded-for': `10.0.${calls >> 8}.${calls & 255}`,
      ...(contentType && { 'content-type': contentType }),
    },
  })
  // Answered before its body, it is reset.
  call.on('error', () => undefined)
  call.end(body?.(link))
  const [reply] = (await once(call, 'response')) as [IncomingMessage]
  expect(await text(reply)).toContain(shows)
  return reply.statusCode ?? 0
}

async function processorMs(): Promise<number> {
  const figures = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^postrider_process_cpu_seconds_total (\S+)/m.exec(figures)?.[1]) * 1_000
}

test.each(open)('$id', { timeout: 300_000 }, async (operation) => {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const worst = { cpuMs: 0, pingMs: 0, title: '' }
  const answered = new Set<number>()
  for (const call of callsOf(operation)) {
    const performOne = async () => answered.add(await perform(call, agent))
    // Made and compressed once.
    await performOne()
    const before = await processorMs()
    for (let n = 0; n < CALLS; n += 1) await performOne()
    const cpuMs = ((await processorMs()) - before) / CALLS
    const pings = watchPings(
      async () => (await fetch(`${server.url}/livez`)).text(),
      () => runQueueMs(server.pid),
    )
    await Promise.all(Array.from({ length: AT_ONCE }, performOne))
    const pingMs = await pings.stop()
    if (cpuMs > worst.cpuMs) Object.assign(worst, { cpuMs, title: call.title.slice(0, 60) })
    worst.pingMs = Math.max(worst.pingMs, pingMs)
  }
  agent.destroy()
  console.log(
    `${operation.id}: ${worst.cpuMs.toFixed(1)} ms of processor time a call (${worst.title}), ping ${worst.pingMs} ms`,
  )
  expect([...answered].sort()).toEqual(statuses[operation.id] ?? [200])
  inTime(() => {
    expect(worst.cpuMs).toBeLessThanOrEqual(CPU_MS_MAX)
    expect(worst.pingMs).toBeLessThanOrEqual(PING_MS_MAX)
  })
})

test.each(callbackReaders)(
  'a callback of $provider is read as quickly, before it is verified',
  async ({ provider, read }) => {
    const types = ['application/json', 'application/x-www-form-urlencoded', 'message/rfc822']
    let worst = 0
    for (const type of types)
      for (const unit of units) {
        const body = Buffer.from(filled(unit, 1_048_576))
        await read({ 'content-type': type }, body)
        const before = process.cpuUsage()
        for (let n = 0; n < CALLS; n += 1) await read({ 'content-type': type }, body)
        const { user, system } = process.cpuUsage(before)
        worst = Math.max(worst, (user + system) / 1_000 / CALLS)
      }
    console.log(`${provider}: ${worst.toFixed(1)} ms of processor time`)
    inTime(() => expect(worst).toBeLessThanOrEqual(CPU_MS_MAX))
  },
)
