/** No secret leaks: canaries in every credential appear where they belong and nowhere else. */
import type { IntegrationWrite, Postrider } from '@postrider/client'
import { finalStatuses } from '@postrider/contract'
import { providers } from '@postrider/server/providers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { apiCaller, mustCall } from '../support/api-client.ts'
import { clientOf } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { encryptedTables, onDatabaseOf } from '../support/installation.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/peers/smtp.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'
import { profile as addresses, localSettings, secretsOf } from './every-provider.ts'
import { integrate, publish } from './templates.ts'

const apiKey = `pk_prod_canary_first_key_${'k'.repeat(24)}`

/** Stored with integrations: only the provider receives them. */
const storedSecrets = secretsOf('canary')
/** In profiles: `GET /profiles` shows them, nothing else does. */
const profile = {
  ...addresses,
  name: 'Ada',
  email: 'ada@example.com',
  phone_number: '+12025550143',
  slackToken: 'canary-profile-slack-token',
  firebaseToken: 'canary-profile-firebase',
  password: 'canary-profile-password',
  apn: 'canary-profile-apn',
  expo: { token: 'canary-profile-expo' },
  web_push: {
    ...(providers.get('web-push')!.example.profile.web_push as object),
    endpoint: 'https://push.example.com/canary-profile-web-push',
  },
  slack: { access_token: 'canary-profile-access', email: 'ada@example.com' },
  webhook: {
    url: '',
    headers: { authorization: 'Bearer canary-profile-header' },
    authentication: { mode: 'basic', username: 'ada', password: 'canary-profile-basic' },
  },
}
/** In `override.<provider>.config`: for that one call. */
const override = {
  sendgrid: { config: { apiKey: 'canary-override-key' } },
  // Under a name that no filter of names would catch.
  smtp: { config: { user: 'canary-override-user', password: 'canary-override-password' } },
}

/** Fields that lead to messages indirectly; each is shown to no one but the provider. */
const elsewhere = {
  tenant: 'canary-tenant-token',
  member: 'canary-member-token',
  users: 'canary-users-token',
  config: 'canary-users-config',
  bulk: 'canary-bulk-token',
  header: 'canary-fetch-header',
  context: 'canary-context-token',
  copies: 'canary-copies-password',
}

const secretValue = (provider: string) => storedSecrets.find((secret) => secret.provider === provider)?.value
const asBasic = (user: string, password: string) => Buffer.from(`${user}:${password}`).toString('base64')
const canaries = [
  ...storedSecrets.flatMap((secret) => secret.canaries),
  ...Object.values(elsewhere),
  ...JSON.stringify([profile, override]).match(/canary[-\w]+/g)!,
  asBasic('ada', 'canary-profile-basic'),
  apiKey,
]

let server: ServerProcess
let client: Postrider
let peer: Recorder
let mail: SmtpSink
/** Puts copies off. */
let deferring: SmtpSink
let env: Record<string, string>
let secondKey: string
const sent: string[] = []

const clean = (text: string, where: string) => {
  for (const canary of [...canaries, secondKey]) expect(text.includes(canary), `${canary} in ${where}`).toBe(false)
}

beforeAll(async () => {
  ;[env, peer, mail, deferring] = await Promise.all([
    databaseEnvironment(),
    startRecorder(),
    startSmtpSink({ user: 'postrider', password: 'another' }),
    startSmtpSink({ user: 'postrider', password: elsewhere.copies }),
  ])
  server = await startServer({
    env: {
      ...env,
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true',
      POSTRIDER_LOG_LEVEL: 'debug',
    },
  })
  client = clientOf(server.url, apiKey)
  secondKey = (await client.keys.create({ name: 'second' })).key
  // A peer that repeats all it was given, as badly built ones do.
  peer.answer(
    () => true,
    ({ headers, body, path }) => ({ status: 400, body: { message: `${JSON.stringify(headers)} ${path} ${body}` } }),
  )
  const settings = localSettings(storedSecrets, peer, mail)
  for (const [provider, values] of Object.entries(settings)) await integrate(client, { provider, settings: values })
  profile.webhook.url = `${peer.url}/own`
  // Once as new, once merged into what is stored.
  for (const id of ['ada', 'eve', 'eve']) await client.profiles.import({ profiles: [{ id, profile }] })
  const { webhook: _webhook, slack: _slack, slackToken: _token, ...plain } = profile
  for (const provider of Object.keys(settings)) {
    await publish(client, provider, { channels: [provider] })
    const bodies = [
      { event: provider, recipient: 'ada', override },
      { event: provider, recipient: 'unknown', profile },
      { event: provider, recipient: 'unknown', profile: { ...plain, slack: { channel: 'C1' } } },
    ]
    for (const body of bodies) sent.push((await client.send(body)).messageId)
  }
  await otherSends()
  // Refused calls do not repeat the values they got.
  const refused = {
    provider: 'sendgrid',
    settings: { ...settings.sendgrid, fromAddress: 7, more: secretValue('sendgrid') },
  }
  await expect(client.providers.create(refused as unknown as IntegrationWrite)).rejects.toThrow(/settings/)
  await until(
    () => Promise.all(sent.map((id) => client.messages.explain(id))),
    (all) =>
      all.every(
        ({ message, deliveries }) =>
          finalStatuses.has(message.status) ||
          deliveries.some(({ attempts }) => attempts.some(({ outcome }) => outcome)),
      ),
  )
})
afterAll(async () => {
  server?.kill()
  await Promise.all([server?.exited, peer?.close(), mail?.close(), deferring?.close()])
})

/** Tenants, sends to many, a bulk job and an automation, with a token in each. */
async function otherSends() {
  const call = (method: string, path: string, body: unknown) =>
    mustCall(apiCaller(server.url, apiKey), method, path, body, { 'idempotency-key': path })
  await call('POST', '/webhooks', { url: `${peer.url}/webhook`, types: ['message:updated'] })
  await call('PUT', '/tenants/acme', { name: 'Acme', user_profile: { slackToken: elsewhere.tenant } })
  await call('PUT', '/users/ada/tenants/acme', { profile: { slackToken: elsewhere.member } })
  const to = ['bea', 'cy'].map((user_id) => ({ user_id, slack: { access_token: elsewhere.users, channel: 'C1' } }))
  const providers = { slack: { override: { config: { accessToken: elsewhere.config } } } }
  await call('POST', '/send', { message: { template: 'slack', to, providers } })
  const { jobId } = await call('POST', '/bulk', { message: { event: 'slack' } })
  const users = [{ recipient: 'dan', profile: { slack: { access_token: elsewhere.bulk, channel: 'C2' } } }]
  await call('POST', `/bulk/${jobId}`, { users })
  await call('POST', `/bulk/${jobId}/run`, {})
  deferring.script({ recipient: (to) => (to.startsWith('copy') ? { code: 450, text: 'later' } : undefined) })
  const config = { port: deferring.port, user: 'postrider', password: elsewhere.copies }
  const copied = { smtp: { config }, channel: { email: { cc: 'copy@example.com' } } }
  sent.push((await client.send({ event: 'smtp', recipient: 'ada', override: copied })).messageId)
  const webhook = { url: `${peer.url}/fetched`, headers: { authorization: `Bearer ${elsewhere.header}` } }
  const steps = [
    { action: 'fetch-data', webhook },
    { action: 'get-profile', user_id: 'ada', path: 'person' },
    { action: 'delay', duration: '1 hour' },
  ]
  peer.answer(
    ({ path }) => path === '/fetched',
    () => ({ status: 200, body: {} }),
  )
  await call('PUT', '/automations/templates/tokens', { automation: { steps } })
  const context = { profile: { slackToken: elsewhere.context } }
  const { runId } = await call('POST', '/automations/tokens/invoke', context)
  await until(
    () => client.automations.run(runId),
    ({ status }) => status === 'WAITING',
  )
}

test('secrets that are encrypted at rest reach their providers', () => {
  const authorized = peer.all.map(({ headers }) => headers.authorization)
  for (const token of [elsewhere.users, elsewhere.bulk, elsewhere.header])
    expect(authorized).toContain(`Bearer ${token}`)
  expect(authorized).toContain('Bearer canary-profile-access')
})

test('profiles are shown to callers who manage them', async () => {
  expect((await client.tenants.get('acme')).user_profile).toEqual({ slackToken: elsewhere.tenant })
  const { items } = await client.memberships.list('ada')
  expect(items).toMatchObject([{ profile: { slackToken: elsewhere.member } }])
})

test('providers were given the secrets they need, so that there is something to leak', () => {
  const seen = JSON.stringify(peer.all)
  expect(seen).toContain('canary-override-key')
  // The SMTP server is another peer, and refuses the sign-in; keys that sign leave in no request.
  const requestSecrets = storedSecrets.filter(({ provider, signs }) => provider !== 'smtp' && !signs)
  const missing = requestSecrets.filter(
    ({ value, encoded }) => ![value, ...encoded].some((secret) => seen.includes(secret)),
  )
  expect(missing.map(({ provider, setting }) => `${provider}: ${setting}`)).toEqual([])
})

test('GET /profiles shows what was stored', async () => {
  expect((await client.profiles.get('ada')).profile).toEqual(profile)
})

test('no reply about messages shows a secret', async () => {
  const kept = new Set<string>()
  for (const id of sent) {
    for (const { provider, attempts } of (await client.messages.explain(id)).deliveries)
      if (attempts.some(({ request, reply }) => request && reply)) kept.add(provider)
    clean(JSON.stringify(await client.messages.get(id)), 'a message')
    clean(JSON.stringify(await client.messages.history(id)), 'a history')
    clean(JSON.stringify(await client.messages.output(id)), 'an output')
    clean(JSON.stringify(await client.messages.explain(id)), 'an explanation')
  }
  // Requests and replies are kept with the attempts: that of each provider, and the peer repeats them.
  expect([...new Set(storedSecrets.map(({ provider }) => provider))].filter((provider) => !kept.has(provider))).toEqual(
    [],
  )
})

test('explaining beforehand shows none either', async () => {
  for (const { provider: event } of storedSecrets)
    clean(JSON.stringify(await client.explain({ event, recipient: 'ada', profile, override })), `explain ${event}`)
})

test('no list and no figure shows a secret', async () => {
  const paths = ['/messages', '/providers', '/keys', '/notifications', '/events', '/mailbox', '/metrics']
  for (const path of paths) {
    const reply = await apiCaller(server.url, apiKey).call('GET', path)
    expect(reply.status).toBe(200)
    clean(reply.text, path)
  }
})

test('no error reply repeats a secret', async () => {
  const bodies = [
    { provider: 'sendgrid', settings: { apiKey: secretValue('sendgrid'), more: secretValue('sendgrid') } },
    { provider: 'webhook', settings: { token: [secretValue('webhook')] } },
  ]
  for (const body of bodies) {
    const reply = await apiCaller(server.url, apiKey).call('POST', '/providers', { body })
    expect(reply.status).toBe(400)
    clean(reply.text, 'an error reply')
  }
  const reply = await apiCaller(server.url, `${apiKey}x`).call('GET', '/messages')
  expect(reply.status).toBe(401)
  clean(reply.text, 'an error reply')
})

test('the log shows none, and the database holds them encrypted or hashed', async () => {
  server.kill()
  await server.exited
  expect(server.output()).toContain('listening')
  clean(server.output(), 'the log')
  const dump = await dumpOf(env)
  expect(dump).toContain('hello@example.com')
  for (const secret of [...canaries, secondKey]) expect(dump.includes(secret), `${secret} in the database`).toBe(false)
})

test('every column that holds encrypted text is in the list that a new secret key goes by', async () => {
  const listed = new Set(encryptedTables.flatMap(({ table, columns }) => columns.map((name) => `${table}.${name}`)))
  const names = new Set<string>()
  for (const { table, row } of await rowsOf(env))
    for (const [column, value] of Object.entries(row))
      if (/\bv1\.[\da-f]{8}\./.test(JSON.stringify(value))) names.add(`${table}.${column}`)
  expect([...names].filter((name) => !listed.has(name))).toEqual([])
  // Each of them was written here, so that the list has no name too many.
  expect([...listed].filter((name) => !names.has(name))).toEqual([])
})

const dumpOf = async (of: Record<string, string>) => (await rowsOf(of)).map(({ row }) => JSON.stringify(row)).join('\n')

/** Every row of every table. */
const rowsOf = (installation: Record<string, string>) =>
  onDatabaseOf(installation, async (engine) => {
    const tables = await engine.run<{ name: string }>({
      text: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
      values: [],
    })
    const tableRows: { table: string; row: Record<string, unknown> }[] = []
    for (const { name: table } of tables.rows) {
      const { rows } = await engine.run<{ row: Record<string, unknown> }>({
        text: `select row_to_json(t) as row from "${table}" t`,
        values: [],
      })
      tableRows.push(...rows.map(({ row }) => ({ table, row })))
    }
    return tableRows
  })
