/** The guide for users of Novu, run as it stands beside an API that answers as Novu documents it, moves its data. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { providers } from '@postrider/server/providers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, sendAndSettle, withApp } from '../support/app.ts'
import { shell, stepsOf } from './guide.ts'
import { codeBlocks, root } from './markdown.ts'

const execute = promisify(execFile)
const guide = readFileSync(join(root, 'docs/guides/coming-from-novu.md'), 'utf8')
const program = codeBlocks(guide).find(({ language }) => language === 'js')?.text ?? ''
const key = 'novu-secret'

/** Pages of three, whatever the limit is; the second page is refused once. Shapes are those of Novu's SDK 3.18. */
const PAGE = 3
const stamps = { createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' }
const subscriber = (subscriberId: string, fields: object = {}) => ({
  _id: `64da692e${subscriberId}`,
  _environmentId: '64da692e9a94fb2e6449ad01',
  _organizationId: '64da692e9a94fb2e6449ad02',
  subscriberId,
  email: `${subscriberId.split('|').at(-1)}@example.com`,
  lastName: null,
  isOnline: null,
  deleted: false,
  ...stamps,
  ...fields,
})
const fcm = { providerId: 'fcm', integrationId: '1', credentials: { deviceTokens: ['fcm-token-1', 'fcm-token-2'] } }
const slack = { providerId: 'slack', integrationId: '2', credentials: { webhookUrl: 'https://slack.example.com/x' } }
const subscribers = [
  subscriber('ada', {
    firstName: 'Ada',
    phone: '+12025550143',
    locale: 'en_US',
    timezone: 'Europe/London',
    data: { plan: 'pro', seats: 3 },
    channels: [slack, fcm],
  }),
  subscriber('grace', { firstName: 'Grace', channels: [] }),
  subscriber('auth0|alan', { firstName: 'Alan', channels: null }),
  ...['p1', 'p2', 'p3', 'p4'].map((id) => subscriber(id)),
]
const topics = new Map([
  ['post:42', ['ada', 'grace', 'auth0|alan', 'p1', 'p2', 'p3', 'p4']],
  ['team_news', ['grace']],
])

type Channels = Record<string, boolean>
const preferences = (global: Channels, workflows: Record<string, Channels>) => ({
  global: { enabled: true, channels: global },
  workflows: Object.entries(workflows).map(([identifier, channels]) => ({
    enabled: true,
    channels,
    overrides: [],
    workflow: { slug: `${identifier}_wf_64da`, identifier, name: identifier },
  })),
})
const everywhere = { email: true, sms: true, in_app: true }
const choices = new Map([
  ['ada', preferences({}, { 'order-shipped': { ...everywhere, sms: false } })],
  [
    'grace',
    preferences({ email: false }, { 'order-shipped': { email: true, in_app: true }, 'in-app-only': { in_app: false } }),
  ],
  ['auth0|alan', preferences({}, { 'order-shipped': { email: false, sms: false, in_app: true } })],
  ['p1', preferences({}, { 'order-shipped': { ...everywhere, in_app: false } })],
])
const noChoice = preferences({}, { 'order-shipped': everywhere })

const paths: string[] = []
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://novu.example.com')
  const path = url.pathname.split('/').slice(1).map(decodeURIComponent)
  const attempts = paths.filter((earlier) => earlier === request.url).length
  paths.push(request.url ?? '')
  if (request.headers.authorization !== `ApiKey ${key}`) return reply(response, 401, { message: 'Unauthorized' })
  if (cursorOf(url) === PAGE && attempts === 0) {
    response.setHeader('Retry-After', '1')
    return reply(response, path[1] === 'subscribers' ? 429 : 503, { message: 'API rate limit exceeded' })
  }
  const page = pageOf(path, url)
  return page ? reply(response, 200, page) : reply(response, 404, { message: 'Not found' })
})

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

function pageOf(path: string[], url: URL): object | undefined {
  const [version, kind, id, part] = path
  if (version !== 'v2' || (part !== 'preferences' && url.searchParams.get('limit') !== '100')) return undefined
  if (kind === 'subscribers' && !id) return paged(subscribers, url)
  if (kind === 'subscribers' && part === 'preferences') return { data: choices.get(id ?? '') ?? noChoice }
  if (kind === 'topics' && !id)
    return paged(
      [...topics.keys()].map((topic) => ({ _id: topic, key: topic, ...stamps })),
      url,
    )
  const members = kind === 'topics' && part === 'subscriptions' ? topics.get(id ?? '') : undefined
  return (
    members &&
    paged(
      members.map((subscriberId) => ({ _id: '1', identifier: '2', subscriber: { _id: '3', subscriberId } })),
      url,
    )
  )
}

const cursorOf = (url: URL) => Number(url.searchParams.get('after')?.replace('+/=', '') ?? 0)

/** The cursor has characters that a query must encode. */
function paged(rows: object[], url: URL): object {
  const from = cursorOf(url)
  const next = from + PAGE < rows.length ? `+/=${from + PAGE}` : null
  return { data: rows.slice(from, from + PAGE), next, previous: null, totalCount: rows.length, totalCountCapped: false }
}

withApp((open) => {
  let app: App
  let outputs: string[]
  let novu = ''
  beforeAll(async () => {
    app = await open()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    novu = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    const scripts = stepsOf(guide.replaceAll('http://127.0.0.1:4600', app.url)).map(({ script }) =>
      script
        .replace('NOVU_URL=https://api.novu.co NOVU_KEY=…', `NOVU_URL=${novu} NOVU_KEY=${key}`)
        .replace(/^(?=NOVU_URL=)/m, () => `cat > read-novu.mjs <<'PROGRAM'\n${program}PROGRAM\n`),
    )
    const run = await shell(scripts, { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey })
    expect(run.code, run.outputs.at(-1)).toBe(0)
    outputs = run.outputs
  }, 120_000)
  afterAll(() => new Promise((resolve) => server.close(resolve)))

  test('the program is short, and the number of providers is that of the catalog', () => {
    expect(program.trim().split('\n').length).toBeLessThanOrEqual(35)
    expect(guide).toContain(`\`postrider providers catalog\` has ${providers.size}`)
  })

  test('a page that is refused for a time is read again, and none twice', () => {
    const refused = [...new Set(paths)].filter((path) => path.endsWith(`${PAGE}`) && path.includes('after='))
    expect(refused).toEqual([
      expect.stringMatching(/^\/v2\/subscribers\?limit=100&after=/),
      expect.stringMatching(/^\/v2\/topics\/post:42\/subscriptions\?limit=100&after=/),
    ])
    const once = [...new Set(paths)]
    expect(paths.toSorted()).toEqual([...once, ...refused].sort())
  })

  test('every subscriber is a profile, without fields that have no value', async () => {
    for (const { subscriberId, email } of subscribers)
      expect((await app.client.profiles.get(subscriberId)).profile).toMatchObject({ email })
    expect((await app.client.profiles.get('ada')).profile).toEqual({
      email: 'ada@example.com',
      phone_number: '+12025550143',
      firstName: 'Ada',
      locale: 'en_US',
      timezone: 'Europe/London',
      data: { plan: 'pro', seats: 3 },
      firebaseToken: ['fcm-token-1', 'fcm-token-2'],
    })
    expect((await app.client.profiles.get('p1')).profile).toEqual({ email: 'p1@example.com' })
  })

  test('every topic is a list with its members', async () => {
    for (const [topic, members] of topics) {
      const subscribed: string[] = []
      for await (const { recipientId } of app.client.lists.subscriptions(topic)) subscribed.push(recipientId)
      expect(subscribed.sort()).toEqual(members.toSorted())
    }
  })

  test('a choice holds for the template of its workflow', async () => {
    const data = { order: { id: 'A17', items: [{ name: 'Tea' }] } }
    const send = (recipient: string) => sendAndSettle(app.client, { event: 'order-shipped', recipient, data })
    for (const recipient of ['grace', 'auth0|alan'])
      expect(await send(recipient)).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' })
    for (const recipient of ['ada', 'p1', 'p2']) expect(await send(recipient)).toMatchObject({ status: 'DELIVERED' })
    const chosen = async (user: string) =>
      (await app.call('GET', `/users/${encodeURIComponent(user)}/preferences`)).json.items
    expect(await chosen('ada')).toMatchObject([
      { topic_name: 'order-shipped', status: 'OPTED_IN', custom_routing: ['email'] },
    ])
    for (const user of ['p1', 'p2']) expect(await chosen(user)).toMatchObject([{ has_custom_routing: false }])
  })

  test('a key that Novu refuses ends the program with the path and the status', async () => {
    const env = { PATH: process.env.PATH, NOVU_URL: novu, NOVU_KEY: 'wrong' }
    const { stderr } = await execute(process.execPath, ['--input-type=module', '--eval', program], { env }).catch(
      (error) => error,
    )
    expect(stderr).toContain('Error: /v2/subscribers?limit=100: 401')
  })

  test('a body with Liquid shows the values of the payload and of the subscriber', () => {
    const preview = outputs.find((output) => output.includes('Order A17 is on its way')) ?? ''
    expect(preview).toContain('Nothing is left.')
    expect(preview).toContain('Hello Ada, order A17 is on its way.\n\n  - Tea\n\n  It is wrapped.')
    expect(outputs.join('\n')).not.toMatch(/UNMAPPED|UNROUTABLE|UNDELIVERABLE/)
    expect(outputs.join('\n')).toMatch(
      /wait 10 minutes for the batch.*\n.* send a message to ada by email.*: 1 new comments/,
    )
  })
})
