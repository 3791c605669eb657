/** `postrider doctor` passes what is sound and finds what is not. */
import { join } from 'node:path'
import { type IntegrationWrite, Postrider } from '@postrider/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDataFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { startSmtpSink } from '../support/peers/smtp.ts'
import { startPostgres } from '../support/postgres.ts'
import { startServer } from '../support/process.ts'
import { isLong } from '../support/run/long.ts'
import { run } from './in-process.ts'
import { run as runProcess } from './run.ts'

const key = 'pk_prod_0123456789abcdefghijklmnop'
const unreachable = { POSTRIDER_PORT: '1', POSTRIDER_LOG_LEVEL: 'silent' }

interface Report {
  ok: boolean
  checks: { name: string; state: string; detail: string; hint?: string }[]
}

async function doctor(env: Record<string, string>): Promise<Report & { code: number; states: Record<string, string> }> {
  const { code, out } = await run(['doctor', '--json'], { env })
  const report = JSON.parse(out) as Report
  return { ...report, code, states: Object.fromEntries(report.checks.map(({ name, state }) => [name, state])) }
}

describe('beside a running server', () => {
  const failed = ({ checks }: Report) => checks.filter(({ state }) => state === 'fail')

  test('the server signs in to its providers and sends nothing', { timeout: 90_000 }, async () => {
    const folder = { POSTRIDER_DATA_DIR: await newDataFolder(), POSTRIDER_API_KEY: key }
    const allowed = { ...folder, POSTRIDER_ALLOW_PRIVATE_NETWORK: '127.0.0.0/8' }
    const server = await startServer({ env: allowed })
    onTestFinished(() => server.kill('SIGKILL'))
    const [sink, peer] = await Promise.all([startSmtpSink({ user: 'u', password: 'p' }), startRecorder()])
    onTestFinished(async () => void (await Promise.all([sink.close(), peer.close()])))
    peer.answer('/v3/scopes', { status: 401, body: { errors: [{ message: 'authorization required' }] } })
    peer.answer('/auth.test', { body: { ok: true } })
    const client = new Postrider({ baseUrl: server.url, apiKey: key })
    const add = (provider: string, title: string, settings: object) =>
      client.providers.create({ provider, title, settings } as IntegrationWrite)
    const mail = {
      host: '127.0.0.1',
      port: sink.port,
      fromAddress: 'a@example.com',
      security: 'opportunistic',
      user: 'u',
    }
    await add('smtp', 'right', { ...mail, password: 'p' })
    await add('smtp', 'wrong', { ...mail, password: 'not it' })
    await add('sendgrid', 'mail', { apiKey: 'SG.secret', fromAddress: 'a@example.com', baseUrl: peer.url })
    await add('twilio', 'text', { accountSid: 'AC1', authToken: 'hush', from: '+12025550100', baseUrl: peer.url })
    await add('slack', 'chat', { accessToken: 'xoxb', baseUrl: peer.url })
    await add('webhook', 'closed', { url: `http://127.0.0.1:${await freePort()}/hook` })

    const report = await doctor({ ...allowed, POSTRIDER_PORT: new URL(server.url).port })
    expect(report.code).toBe(1)
    expect(report.states).toMatchObject({
      configuration: 'ok',
      server: 'ok',
      'data folder': 'ok',
      database: 'ok',
      'open files': 'ok',
      'provider mailbox (Mailbox)': 'skip',
      'provider smtp (email, right)': 'ok',
      'provider twilio (sms, text)': 'ok',
      'provider slack (direct_message, chat)': 'ok',
    })
    expect(failed(report).map(({ name }) => name)).toEqual([
      'provider smtp (email, wrong)',
      'provider sendgrid (email, mail)',
      'provider webhook (webhook, closed)',
    ])
    expect(failed(report)[0]?.detail).toContain('535')
    expect(failed(report)[1]?.detail).toContain('401 Unauthorized: authorization required')
    expect(JSON.stringify(report)).not.toMatch(/SG\.secret|hush|not it|xoxb/)
    expect(sink.all).toEqual([])
    expect(peer.all.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'GET /2010-04-01/Accounts/AC1.json',
      'GET /v3/scopes',
      'POST /auth.test',
    ])
  })

  test('a private address that the server refuses is a failure', async () => {
    const folder = { POSTRIDER_DATA_DIR: await newDataFolder(), POSTRIDER_API_KEY: key }
    const server = await startServer({ env: folder })
    onTestFinished(() => server.kill('SIGKILL'))
    const sink = await startSmtpSink()
    onTestFinished(() => sink.close())
    await new Postrider({ baseUrl: server.url, apiKey: key }).providers.create({
      provider: 'smtp',
      settings: { host: '127.0.0.1', port: sink.port, fromAddress: 'hello@example.com', security: 'opportunistic' },
    })
    const env = { ...folder, POSTRIDER_PORT: new URL(server.url).port }
    // The limits of this machine do not matter: the server sends.
    const report = await doctor({ ...env, POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true' })
    expect(report.code).toBe(1)
    expect(failed(report)).toEqual([
      {
        name: 'provider smtp (email, SMTP)',
        state: 'fail',
        detail: expect.stringContaining('127.0.0.1'),
        hint: 'Start the server with POSTRIDER_ALLOW_PRIVATE_NETWORK=127.0.0.0/8 (or true).',
      },
    ])
    const elsewhere = await doctor({ ...env, POSTRIDER_DATA_DIR: await newDataFolder() })
    expect(elsewhere.states).toMatchObject({ server: 'ok', database: 'warn' })
    expect((await doctor({ ...env, POSTRIDER_URL: server.url })).states).toMatchObject({ configuration: 'skip' })
    const unknown = await doctor({ ...env, POSTRIDER_URL: server.url, POSTRIDER_API_KEY: `${key}q` })
    expect(failed(unknown)).toMatchObject([{ detail: `The server at ${server.url} rejected the API key` }])
  })
})

test.runIf(isLong)('too few files that may be open are named, with what allows more', async () => {
  const env = { POSTRIDER_DATA_DIR: await newDataFolder(), ...unreachable }
  const { out } = await runProcess(['doctor', '--json'], { env, openFilesMax: 200 })
  expect((JSON.parse(out) as Report).checks).toContainEqual({
    name: 'open files',
    state: 'warn',
    detail: expect.stringMatching(/^200 at once/),
    hint: expect.stringContaining('ulimit -n'),
  })
  const fresh = { ...env, POSTRIDER_DATA_DIR: join(env.POSTRIDER_DATA_DIR, 'fresh'), POSTRIDER_PORT: '0' }
  const start = await runProcess(['serve'], { env: fresh, openFilesMax: 64 })
  expect(start.code).toBe(1)
  expect(start.err).toMatch(/^hint: Raise the limit: ulimit -n/m)
})

test('without a server it opens the local database itself', async () => {
  const report = await doctor({ POSTRIDER_DATA_DIR: await newDataFolder(), ...unreachable })
  expect(report.code).toBe(0)
  expect(report.states).toEqual({
    configuration: 'ok',
    server: 'skip',
    'data folder': 'ok',
    'free space': expect.stringMatching(/ok|warn/),
    programs: 'ok',
    database: 'ok',
    fsync: 'ok',
    synchronous_commit: 'ok',
    clock: 'ok',
    writes: 'ok',
    migrations: 'ok',
    'secret key': 'ok',
    'open files': expect.stringMatching(/ok|warn/),
    providers: 'skip',
  })
})

test('every wrong variable is a failed check', async () => {
  const { code, checks } = await doctor({ POSTRIDER_PORT: 'x', POSTRIDER_LEASE_SECONDS: '0' })
  expect(code).toBe(1)
  const failed = checks.filter(({ state }) => state === 'fail').map(({ detail }) => detail)
  expect(failed).toEqual([
    expect.stringContaining('POSTRIDER_PORT'),
    expect.stringContaining('POSTRIDER_LEASE_SECONDS'),
  ])
})

test('a misspelled variable is a warning about the configuration', async () => {
  const env = {
    POSTRIDER_DATA_DIR: await newDataFolder(),
    ...unreachable,
    POSTRIDER_PUBLIC_ULR: 'https://s3cret.example',
  }
  const { code, checks } = await doctor(env)
  expect([code, checks[0]]).toMatchObject([
    0,
    { name: 'configuration', state: 'warn', hint: expect.stringContaining('unset them') },
  ])
  expect(checks[0]?.detail).toContain('Unknown variable `POSTRIDER_PUBLIC_ULR`. Did you mean `POSTRIDER_PUBLIC_URL`?')
  expect(JSON.stringify(checks)).not.toContain('s3cret')
})

test('a named server that does not answer is a failure', async () => {
  const { code, states } = await doctor({ POSTRIDER_URL: 'http://127.0.0.1:1' })
  expect(code).toBe(1)
  expect(states.server).toBe('fail')
})

test('for people it is a line for each check and a verdict', async () => {
  const { code, out } = await run(['doctor'], { env: { POSTRIDER_URL: 'http://127.0.0.1:1' } })
  expect(code).toBe(1)
  expect(out).toMatch(
    /^– skip {2}configuration: \S.*\n✗ fail {2}server: no server responds at http:\/\/127\.0\.0\.1:1\n {4}\S/,
  )
  expect(out).toMatch(/\nOne check failed\.\n$/)
})

describe('on a database server', () => {
  test('a sound server passes, and migrations that are pending are a warning', async () => {
    // The server of the run does not flush.
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    const env = {
      ...unreachable,
      POSTRIDER_DATABASE_URL: postgres.url,
      POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    const report = await doctor(env)
    expect(report.code).toBe(0)
    expect(report.states).toMatchObject({
      database: 'ok',
      fsync: 'ok',
      synchronous_commit: 'ok',
      clock: 'ok',
      migrations: 'warn',
    })
  })

  test('a database that does not answer is a failure that shows no password', async () => {
    const env = {
      ...unreachable,
      POSTRIDER_DATABASE_URL: 'postgres://postrider:hidden@127.0.0.1:1/postrider',
      POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    const { code, out, err } = await run(['doctor'], { env })
    expect(code).toBe(1)
    expect(out).toMatch(/fail {2}database: The database cannot be used/)
    expect(out + err).not.toContain('hidden')
  })
})
