/**
 * `postrider providers` as a process: integrations added with their secrets kept off the command line, listed, changed,
 * tested.
 */
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CatalogEntry, type Integration, Postrider } from '@postrider/client'
import { readConfig, startServer } from '@postrider/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { startSmtpSink } from '../support/peers/smtp.ts'
import { until } from '../support/until.ts'
import { json, run } from './in-process.ts'
import type { RunOptions } from './run.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
let server: Awaited<ReturnType<typeof startServer>>
let peer: Awaited<ReturnType<typeof startRecorder>>
let sink: Awaited<ReturnType<typeof startSmtpSink>>
let access: { env: Record<string, string> }
let client: Postrider

beforeAll(async () => {
  ;[peer, sink] = await Promise.all([startRecorder(), startSmtpSink({ user: 'u', password: 'p=1 "2"' })])
  server = await startServer(
    readConfig({
      POSTRIDER_PORT: '0',
      ...(await databaseEnvironment()),
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_LOG_LEVEL: 'silent',
      POSTRIDER_ALLOW_PRIVATE_NETWORK: '127.0.0.0/8',
    }),
  )
  access = { env: { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: apiKey } }
  client = new Postrider({ baseUrl: server.url, apiKey })
})
afterAll(async () => void (await Promise.all([server.stop(), peer.close(), sink.close()])))

const call = (args: string[], more: RunOptions = {}) =>
  run(['providers', ...args], { ...access, ...more, env: { ...access.env, ...more.env } })
const add = (args: string[], more: RunOptions = {}) =>
  json<Integration>(['providers', 'add', ...args], { ...access, ...more, env: { ...access.env, ...more.env } })

test('the catalog lists what can be added, and the settings of one', async () => {
  const { out } = await call(['catalog'])
  expect(out).toMatch(/^smtp +email +SMTP +host, fromAddress$/m)
  const entry = await json<CatalogEntry>(['providers', 'catalog', 'twilio'], access)
  expect(entry.settings.authToken).toMatchObject({ required: true, secret: true })
  expect((await call(['catalog', 'twilio'])).out).toMatch(/^authToken +string +required, secret +The token/m)
  expect(await call(['catalog', 'telegraph'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/Unknown provider `telegraph`\nhint: There are .*twilio/),
  })
})

test('a second integration of one title has a warning that names how to distinguish it', async () => {
  const entry = ['add', 'webhook', '-s', 'url=https://twice.example/hook', '--title', 'Twice']
  expect((await call(entry)).err).toBe('')
  expect((await call(entry)).err).toMatch(
    /^Warning: 2 integrations have the title Twice\. To distinguish this one: postrider providers update \w+ --title <title>\n$/,
  )
  for await (const { id, title } of client.providers.list({})) if (title === 'Twice') await client.providers.delete(id)
})

test('a limit and a weight are set, and removed by `none`', async () => {
  const numbers = ['--weight', '3', '--per-second', '0.5', '--concurrency', '4', '--per-day', '100']
  const { id, weight, limits } = await add(['webhook', '-s', 'url=https://limits.example/hook', ...numbers])
  expect([weight, limits]).toEqual([3, { per_second: 0.5, concurrency: 4, per_day: 100 }])
  const none = numbers.map((word) => (word.startsWith('--') ? word : 'none'))
  const changed = await json<Integration>(['providers', 'update', id, ...none], access)
  expect([changed.weight ?? null, changed.limits ?? {}]).toEqual([null, {}])
  expect(await call(['update', id, '--per-day', 'nil'])).toMatchObject({ code: 2 })
  await client.providers.delete(id)
})

test('an integration shows the address for callbacks of its provider', async () => {
  const { id, callback_url } = await add(['sendgrid', '-s', 'fromAddress=a@b.c', '-s', 'apiKey=k'])
  expect(callback_url).toContain('/callbacks/')
  expect((await call(['show', id])).out).toContain(callback_url)
  await client.providers.delete(id)
})

test('a pair of keys for Web Push makes an integration', async () => {
  const keys = await json<Record<string, string>>(['providers', 'vapid-keys'], access)
  expect(keys).toEqual({
    publicKey: expect.stringMatching(/^B[\w-]{86}$/),
    privateKey: expect.stringMatching(/^[\w-]{43}$/),
  })
  const settings = Object.entries(keys).flatMap(([key, value]) => ['-s', `${key}=${value}`])
  const added = await add(['web-push', ...settings, '-s', 'subject=mailto:a@example.com', '--disabled'])
  expect(added.settings).toMatchObject({ publicKey: keys.publicKey, privateKey: '********' })
})

test('a key for DKIM makes a record and the settings that sign with it', async () => {
  const out = join(mkdtempSync(join(tmpdir(), 'postrider-')), 'dkim.json')
  const record = await json<object>(['providers', 'dkim-keys', 'bücher.example', '--out', out], access)
  expect(record).toEqual({
    name: 'postrider._domainkey.xn--bcher-kva.example',
    type: 'TXT',
    value: expect.stringMatching(/^v=DKIM1; k=rsa; p=[\w+/]{392}$/),
    settings: out,
  })
  expect(statSync(out).mode & 0o777).toBe(0o600)
  const { dkimPrivateKey, ...shown } = JSON.parse(readFileSync(out, 'utf8'))
  const server = ['-s', 'host=127.0.0.1', '-s', 'fromAddress=hello@example.com', '--title', 'Signed', '--disabled']
  const added = await add(['smtp', '--settings', out, ...server])
  expect(added.settings).toMatchObject({ ...shown, dkimPrivateKey: '********' })
  expect(JSON.stringify(record)).not.toContain(dkimPrivateKey.slice(30, 60))
  expect((await call(['remove', 'Signed'])).code).toBe(0)

  const again = await call(['dkim-keys', 'example.com', '--out', out])
  expect(again).toMatchObject({ code: 2, err: expect.stringContaining('exists already') })
  const ed25519 = ['dkim-keys', 'example.com', '--type', 'ed25519', '--selector', 's2', '--out', out, '--force']
  expect((await call(ed25519)).out).toMatch(/s2\._domainkey\.example\.com[\s\S]*v=DKIM1; k=ed25519; p=[\w+/]{43}=/)
  expect(await call(['dkim-keys', 'no domain', '--out', `${out}.2`])).toMatchObject({
    code: 2,
    err: expect.stringContaining('`no domain` is not a domain'),
  })
})

test('secrets come from a variable, a file or standard input, and numbers are numbers', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'postrider-')), 'user')
  writeFileSync(file, 'u\n')
  const sender = ['-s', 'host=127.0.0.1', '-s', `port=${sink.port}`, '-s', 'security=opportunistic']
  const mail = ['smtp', ...sender, '-s', 'fromAddress=hello@example.com', '--setting-file', `user=${file}`]
  const first = await add([...mail, '--title', 'First', '--setting-file', 'password=-'], { input: 'p=1 "2"\n' })
  expect(first.settings).toMatchObject({ port: sink.port, user: 'u', password: '********' })
  const second = await add(
    [...mail, '--title', 'Second', '--setting-env', 'password=MAIL_PASSWORD', '--priority', '7'],
    {
      env: { MAIL_PASSWORD: 'wrong' },
    },
  )
  expect(second).toMatchObject({ priority: 7, enabled: true })
  const { out } = await call(['list'])
  expect(out).toMatch(/^CHANNEL +PROVIDER +TITLE +STATE +PRIORITY +WEIGHT +LIMITS +ID$/m)
  expect(out).toMatch(new RegExp(`^email +smtp +Second +enabled +7 +${second.id}$`, 'm'))
})

test.each([
  [
    'missing settings are named',
    ['twilio', '-s', 'from=1'],
    /Twilio needs accountSid, authToken\nhint: .*accountSid=….*--setting-env authToken=/,
  ],
  [
    'an unknown setting is named',
    ['smtp', '-s', 'hots=x'],
    /Unknown setting `hots` of SMTP\nhint: Its settings: host, /,
  ],
  [
    'a variable that is not set',
    ['slack', '--setting-env', 'accessToken=NOWHERE'],
    /variable NOWHERE .* accessToken is not set/,
  ],
  ['a number that is none', ['smtp', '-s', 'port=mail'], /The setting port must be a number/],
])('%s', async (_name, args, words) => {
  const { code, out, err } = await call(['add', ...args])
  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(words)
})

test('a test goes through exactly the integration that is named', async () => {
  const before = sink.all.length
  const result = await json<{ ok: boolean; integration: { title: string }; messageId: string }>(
    ['providers', 'test', 'First', '--to', 'ada@example.com'],
    access,
  )
  expect(result).toMatchObject({ ok: true, integration: { title: 'First' }, outcome: 'sent', channel: 'email' })
  expect(sink.all.slice(before).map(({ to }) => to)).toEqual([['ada@example.com']])
  const { candidates } = await client.messages.explain(result.messageId)
  expect(candidates.map(({ title }) => title)).toEqual(['First'])
})

test('prints the error text of the provider unchanged and does not fail over to another integration', async () => {
  const before = sink.all.length
  const { code, out } = await call(['test', 'second', '--to', 'ada@example.com'])
  expect(code).toBe(1)
  expect(out).toMatch(/^Second \(smtp, \w+\) did not accept the message after \d+ ms: .*535/)
  expect(sink.all).toHaveLength(before)
})

test('an attempt that would be repeated is a failed test, and is not repeated', async () => {
  peer.answer(() => true, { status: 503 })
  const { id } = await add(['webhook', '-s', `url=${peer.url}/hook`, '--alias', 'hook'])
  const failed = await call(['test', 'hook', '--send', '--json'])
  expect(failed.code).toBe(1)
  const { messageId } = JSON.parse(failed.out) as { messageId: string }
  expect(JSON.parse(failed.out)).toMatchObject({ ok: false, outcome: 'retry', error: expect.stringContaining('503') })
  expect((await client.messages.get(messageId)).status).toBe('CANCELED')
  expect((await call(['update', 'hook', '--disable'])).code).toBe(0)
  expect(await call(['test', 'hook', '--send'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/is disabled\nhint: .*--enable/),
  })
  expect((await client.providers.get(id)).enabled).toBe(false)
})

test('without an address that a provider reaches nothing is sent', async () => {
  const { code, err } = await call(['test', 'First', '--send'])
  expect(code).toBe(2)
  expect(err).toMatch(/The strict send is refused[\s\S]*hint: .*--to <address>/)
})

test('without an address it signs in, and sends nothing', async () => {
  const before = sink.all.length
  const good = await call(['test', 'First'])
  expect(good).toMatchObject({ code: 0, out: expect.stringMatching(/^First \(smtp, \w+\): sign-in ok after \d+ ms: /) })
  const bad = await call(['test', 'Second', '--json'])
  expect(bad.code).toBe(1)
  expect(JSON.parse(bad.out)).toMatchObject({
    ok: false,
    sign_in: { state: 'fail', detail: expect.stringContaining('535'), hint: expect.stringContaining('credentials') },
  })
  expect(sink.all).toHaveLength(before)
})

test('an integration is changed and removed by its id, alias, title or provider', async () => {
  const changed = await json<Integration>(
    ['providers', 'update', 'hook', '--title', 'Hook', '-s', 'method=PUT', '--enable'],
    access,
  )
  expect(changed).toMatchObject({ title: 'Hook', enabled: true, settings: { url: `${peer.url}/hook`, method: 'PUT' } })
  const cleared = await json<Integration>(['providers', 'update', 'hook', '--unset', 'method'], access)
  expect(cleared.settings).toEqual({ url: `${peer.url}/hook` })
  expect((await call(['show', 'webhook'])).out).toMatch(/^state +enabled$/m)
  expect(await call(['show', 'smtp'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/2 integrations have the name smtp\nhint: Give the id of one: \w+ \(First\)/),
  })
  expect((await call(['remove', 'Hook'])).code).toBe(0)
  expect(await call(['show', 'Hook'])).toMatchObject({ code: 1, err: expect.stringContaining('Unknown integration') })
})

test('an outage shows which way the latest messages would go', async () => {
  peer.answer('/drill', { status: 200 })
  const hook = await add(['webhook', '-s', `url=${peer.url}/drill`, '--title', 'Drill hook'])
  expect((await call(['outage', 'Drill hook'])).out).toContain('No stored message could have been sent by it.')
  const routing = { method: 'single' as const, channels: [{ channel: 'webhook' as const, providers: [hook.id] }] }
  const content = { title: 'Hello', body: 'Hello' }
  const { requestId: sent } = await client.send({ message: { to: { user_id: 'ada' }, content, routing } })
  await until(
    () => client.messages.get(sent),
    ({ status }) => status === 'SENT' || status === 'DELIVERED',
  )
  const { out } = await call(['outage', 'Drill hook', '--limit', '5'])
  expect(out).toMatch(/^Without it, the latest 1 message:\nMESSAGES +ROUTE\n1 +wait until it is back$/m)
  expect(out).toMatch(new RegExp(`^${sent} +ada +webhook \\(Drill hook\\) +waits +wait until it is back$`, 'm'))
  expect(await json(['providers', 'outage', hook.id], access)).toMatchObject({ compared: 1, counts: { waits: 1 } })
  expect(await call(['outage', hook.id, '--limit', '201'])).toMatchObject({ code: 2 })
})
