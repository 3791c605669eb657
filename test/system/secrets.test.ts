/** No secret leaks: canaries in every credential appear where they belong and nowhere else. */
import type { Postrider } from '@postrider/client'
import { finalStatuses } from '@postrider/contract'
import { createLog } from '@postrider/server/internal/base/log'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { type Recorder, startRecorder } from '../support/recorder.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp.ts'
import { until } from '../support/until.ts'
import { clientOf } from './app.ts'
import { integrate, publish } from './templates.ts'

const apiKey = `pk_prod_canary_first_key_${'k'.repeat(24)}`

/** Stored with integrations: only the provider sees them. */
const stored = {
  smtp: 'canary-smtp-password',
  sendgrid: 'canary-sendgrid-key',
  twilio: 'canary-twilio-token',
  slack: 'canary-slack-token',
  webhook: 'canary-webhook-token',
}
/** In profiles: `GET /profiles` shows them, nothing else does. */
const profile = {
  name: 'Ada',
  email: 'ada@example.com',
  phone_number: '+12025550143',
  slackToken: 'canary-profile-slack-token',
  firebaseToken: 'canary-profile-firebase',
  password: 'canary-profile-password',
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
  // Under a name that says nothing.
  smtp: { config: { user: 'canary-override-user', password: 'canary-override-password' } },
}

const asBasic = (user: string, password: string) => Buffer.from(`${user}:${password}`).toString('base64')
const canaries = [
  ...Object.values(stored),
  ...JSON.stringify([profile, override]).match(/canary[-\w]+/g)!,
  asBasic('AC1', stored.twilio),
  asBasic('ada', 'canary-profile-basic'),
  apiKey,
]

let server: ServerProcess
let client: Postrider
let peer: Recorder
let mail: SmtpSink
let env: Record<string, string>
let secondKey: string
const sent: string[] = []

const clean = (text: string, where: string) => {
  for (const canary of [...canaries, secondKey]) expect(text.includes(canary), `${canary} in ${where}`).toBe(false)
}

beforeAll(async () => {
  ;[env, peer, mail] = await Promise.all([
    databaseEnvironment(),
    startRecorder(),
    startSmtpSink({ user: 'u', password: 'another' }),
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
  const from = { fromAddress: 'news@shop.example' }
  const baseUrl = peer.url
  const settings = {
    smtp: {
      host: '127.0.0.1',
      port: mail.port,
      security: 'opportunistic',
      user: 'u',
      password: stored.smtp,
      ...from,
    },
    sendgrid: { apiKey: stored.sendgrid, baseUrl, ...from },
    twilio: { accountSid: 'AC1', authToken: stored.twilio, from: '+12025550100', baseUrl },
    slack: { accessToken: stored.slack, baseUrl },
    webhook: { url: `${baseUrl}/hook`, authentication: 'bearer', token: stored.webhook },
  }
  for (const [provider, values] of Object.entries(settings)) await integrate(client, { provider, settings: values })
  profile.webhook.url = `${peer.url}/own`
  await client.profiles.replace('ada', { profile })
  const { webhook: _webhook, slack: _slack, slackToken: _token, ...plain } = profile
  for (const provider of Object.keys(settings)) {
    await publish(client, provider, { channels: [provider] })
    const bodies = [
      { event: provider, recipient: 'ada', override },
      { event: provider, recipient: 'nobody', profile },
      { event: provider, recipient: 'nobody', profile: { ...plain, slack: { channel: 'C1' } } },
    ]
    for (const body of bodies) sent.push((await client.send(body)).messageId)
  }
  // Calls that are refused say so without repeating what they were given.
  const refused = {
    provider: 'sendgrid',
    settings: { ...settings.sendgrid, fromAddress: 7, more: stored.sendgrid },
  }
  await expect(client.providers.create(refused)).rejects.toThrow(/settings/)
  await until(
    () => Promise.all(sent.map((id) => client.messages.explain(id))),
    (all) =>
      all.every(
        ({ message, deliveries }) =>
          finalStatuses.has(message.status) || deliveries.some(({ attempts }) => attempts.length > 0),
      ),
  )
})
afterAll(async () => {
  server?.kill()
  await Promise.all([server?.exited, peer?.close(), mail?.close()])
})

test('providers were given the secrets they need, so that there is something to leak', () => {
  const seen = JSON.stringify(peer.all)
  const { smtp: _smtp, twilio: _twilio, ...http } = stored
  for (const canary of [...Object.values(http), asBasic('AC1', stored.twilio), 'canary-override-key'])
    expect(seen).toContain(canary)
})

test('GET /profiles shows what was stored', async () => {
  expect((await client.profiles.get('ada')).profile).toEqual(profile)
})

test('no reply about messages shows a secret', async () => {
  for (const id of sent) {
    clean(JSON.stringify(await client.messages.get(id)), 'a message')
    clean(JSON.stringify(await client.messages.history(id)), 'a history')
    clean(JSON.stringify(await client.messages.output(id)), 'an output')
    clean(JSON.stringify(await client.messages.explain(id)), 'an explanation')
  }
})

test('explaining beforehand shows none either', async () => {
  for (const event of Object.keys(stored))
    clean(JSON.stringify(await client.explain({ event, recipient: 'ada', profile, override })), `explain ${event}`)
})

test('no list and no figure shows a secret', async () => {
  const paths = ['/messages', '/providers', '/keys', '/notifications', '/events', '/mailbox', '/metrics']
  for (const path of paths) {
    const reply = await fetch(server.url + path, { headers: { authorization: `Bearer ${apiKey}` } })
    expect(reply.status).toBe(200)
    clean(await reply.text(), path)
  }
})

test('no refusal repeats a secret', async () => {
  const bodies = [
    { provider: 'sendgrid', settings: { apiKey: stored.sendgrid, more: stored.sendgrid } },
    { provider: 'webhook', settings: { token: [stored.webhook] } },
  ]
  for (const body of bodies) {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const reply = await fetch(`${server.url}/providers`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect(reply.status).toBe(400)
    clean(await reply.text(), 'a refusal')
  }
  const reply = await fetch(`${server.url}/messages`, { headers: { authorization: `Bearer ${apiKey}x` } })
  expect(reply.status).toBe(401)
  clean(await reply.text(), 'a refusal')
})

test('the log shows none, and the database holds them encrypted or hashed', async () => {
  server.kill()
  await server.exited
  expect(server.output()).toContain('listening')
  clean(server.output(), 'the log')
  const dump = await dumpOf(env)
  expect(dump).toContain('news@shop.example')
  for (const secret of [...Object.values(stored), apiKey, secondKey])
    expect(dump.includes(secret), `${secret} in the database`).toBe(false)
})

/** Every row of every table, as text. */
async function dumpOf({ POSTRIDER_DATABASE_URL: url = '' }: Record<string, string>) {
  const log = createLog('silent')
  const engine = await openPostgres({ address: { connectionString: url }, kind: 'server', log })
  try {
    const tables = await engine.run<{ name: string }>({
      text: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
      values: [],
    })
    let dump = ''
    for (const { name } of tables.rows) {
      const { rows } = await engine.run<{ row: string }>({
        text: `select row_to_json(t)::text as row from "${name}" t`,
        values: [],
      })
      dump += rows.map(({ row }) => row).join('\n')
    }
    return dump
  } finally {
    await engine.close()
  }
}
