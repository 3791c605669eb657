/** `postrider doctor` passes what is sound and finds what is not. */
import { Postrider } from '@postrider/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDataFolder } from '../support/databases.ts'
import { freePort } from '../support/free-port.ts'
import { startPostgres } from '../support/postgres.ts'
import { startServer } from '../support/process.ts'
import { startSmtpSink } from '../support/smtp.ts'
import { run } from './run.ts'

const key = 'pk_prod_0123456789abcdefghijklmnop'
const nobody = { POSTRIDER_PORT: '1', POSTRIDER_LOG_LEVEL: 'silent' }

interface Report {
  ok: boolean
  checks: { name: string; state: string; detail: string; hint?: string }[]
}

async function doctor(env: Record<string, string>): Promise<Report & { code: number; states: Record<string, string> }> {
  const { code, out } = await run(['doctor', '--json'], { env })
  const report = JSON.parse(out) as Report
  return { ...report, code, states: Object.fromEntries(report.checks.map(({ name, state }) => [name, state])) }
}

test('beside a running server it asks that one, and its providers for a connection', { timeout: 90_000 }, async () => {
  const folder = { POSTRIDER_DATA_DIR: await newDataFolder(), POSTRIDER_API_KEY: key }
  const server = await startServer({ env: folder })
  try {
    const env = { ...folder, POSTRIDER_PORT: new URL(server.url).port }
    const sink = await startSmtpSink()
    const closed = await freePort()
    const client = new Postrider({ baseUrl: server.url, apiKey: key })
    const smtp = (title: string, port: number) =>
      client.providers.create({
        provider: 'smtp',
        title,
        settings: { host: '127.0.0.1', port, fromAddress: 'hello@example.com' },
      })
    await smtp('open', sink.port)
    const well = await doctor(env)
    expect(well).toMatchObject({ code: 0, ok: true })
    expect(well.states).toMatchObject({ configuration: 'ok', server: 'ok', 'data folder': 'ok', database: 'ok' })
    expect(well.states['provider smtp (email, open)']).toBe('warn')
    const privately = well.checks.find(({ name }) => name === 'provider smtp (email, open)')
    expect(privately?.hint).toContain('POSTRIDER_ALLOW_PRIVATE_NETWORK')
    const allowed = await doctor({ ...env, POSTRIDER_ALLOW_PRIVATE_NETWORK: '127.0.0.0/8' })
    expect(allowed.states['provider smtp (email, open)']).toBe('ok')
    expect(well.states['provider mailbox (Mailbox)']).toBe('skip')

    const elsewhere = await doctor({ ...env, POSTRIDER_DATA_DIR: await newDataFolder() })
    expect(elsewhere).toMatchObject({ code: 0, states: { server: 'ok', database: 'warn' } })
    expect((await doctor({ ...env, POSTRIDER_URL: server.url })).states).toMatchObject({ configuration: 'skip' })

    await smtp('closed', closed)
    const ill = await doctor(env)
    expect(ill).toMatchObject({ code: 1, ok: false })
    expect(ill.checks.filter(({ state }) => state === 'fail')).toEqual([
      {
        name: 'provider smtp (email, closed)',
        state: 'fail',
        detail: expect.stringContaining(`127.0.0.1:${closed}`),
        hint: expect.any(String),
      },
    ])
    await sink.close()
  } finally {
    server.kill('SIGKILL')
    await server.exited
  }
})

test('without a server it opens the local database itself', async () => {
  const report = await doctor({ POSTRIDER_DATA_DIR: await newDataFolder(), ...nobody })
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

test('a named server that does not answer is a failure', async () => {
  const { code, states } = await doctor({ POSTRIDER_URL: 'http://127.0.0.1:1' })
  expect(code).toBe(1)
  expect(states.server).toBe('fail')
})

test('for people it is a line for each check and a verdict', async () => {
  const { code, out } = await run(['doctor'], { env: { POSTRIDER_URL: 'http://127.0.0.1:1' } })
  expect(code).toBe(1)
  expect(out).toMatch(
    /^– skip {2}configuration: \S.*\n✗ fail {2}server: nothing answers at http:\/\/127\.0\.0\.1:1\n {4}\S/,
  )
  expect(out).toMatch(/\nOne check failed\.\n$/)
})

describe('on a database server', () => {
  test('a sound server passes, and migrations that are pending are a warning', async () => {
    // The server of the run does not flush.
    const postgres = await startPostgres()
    onTestFinished(() => postgres.stop())
    const env = {
      ...nobody,
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
      ...nobody,
      POSTRIDER_DATABASE_URL: 'postgres://postrider:hidden@127.0.0.1:1/postrider',
      POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    const { code, out, err } = await run(['doctor'], { env })
    expect(code).toBe(1)
    expect(out).toMatch(/fail {2}database: The database does not answer/)
    expect(out + err).not.toContain('hidden')
  })
})
