/** `postrider serve` as a newcomer meets it: its first words, how it stops, how it refuses. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Postrider } from '@postrider/client'
import { findCluster } from '@postrider/server'
import { afterEach, expect, test } from 'vitest'
import { databaseEnvironment, newDataFolder, newMigratedDatabase } from '../support/databases.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { startRelay } from '../support/peers/relay.ts'
import { type ProcessOptions, type ServerProcess, spawnServer, startServer } from '../support/process.ts'
import { isLong } from '../support/run/long.ts'
import { until } from '../support/until.ts'
import { run } from './run.ts'

const key = 'pk_prod_0123456789abcdefghijklmnop'
const started: ServerProcess[] = []
afterEach(() => {
  for (const server of started.splice(0)) server.kill('SIGKILL')
})

async function keep(server: Promise<ServerProcess>): Promise<ServerProcess> {
  started.push(await server)
  return server
}
const start = (options: ProcessOptions) => keep(startServer(options))
/** The folder of its local database. */
const clusterIn = (folder: string) => findCluster(folder)?.folder ?? ''
const stop = async (server: ServerProcess) => {
  server.kill('SIGTERM')
  return await server.exited
}

test('the first start prints a link that signs in and a command that sends; the next one keeps the key to itself', async () => {
  const env = { POSTRIDER_DATA_DIR: await newDataFolder() }
  const first = await start({ env })
  expect(first.output()).toContain(`listening on ${first.url}`)
  const command = /^ {2}curl [\s\S]*?(?=\n\n)/m.exec(first.output())?.[0] ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  expect(JSON.parse(stdout)).toEqual({ messageId: expect.stringMatching(/^1-/) })
  expect(await signedInBy(first)).toMatchObject({ role: 'full', environments: ['production', 'test'] })
  await replacesTheKey(first, env)
  await refusesAnother(env, first)
  expect(await stop(first)).toBe(0)

  const second = await start({ env: { ...env, POSTRIDER_API_KEY: key } })
  expect(second.output()).toContain(`listening on ${second.url}`)
  expect(second.output()).not.toContain('pk_')
  // The key that the operator chose comes before the older one.
  const { identity } = new Postrider({ baseUrl: second.url, apiKey: key }).sessions
  expect((await signedInBy(second)).key).toEqual((await identity()).key)
  expect(await stop(second)).toBe(0)
})

/** By the commands beside the key, as they are printed. */
async function replacesTheKey({ url, output }: ServerProcess, env: Record<string, string>) {
  const [apiKey = ''] = /pk_prod_\w+/.exec(output()) ?? []
  const status = async () => (await fetch(`${url}/keys`, { headers: { authorization: `Bearer ${apiKey}` } })).status
  expect(await status()).toBe(200)
  const commands = output().match(/(?<=^ +)postrider keys (create --name|revoke) \S+$/gm) ?? []
  expect(commands).toHaveLength(2)
  for (const command of commands) {
    const { code } = await run(command.split(' ').slice(1), { env: { ...env, POSTRIDER_PORT: new URL(url).port } })
    expect([command, code]).toEqual([command, 0])
  }
  await until(status, (answer) => answer === 401)
}

/** The session of the link in the first lines. */
async function signedInBy({ url, output }: ServerProcess) {
  const [, link = ''] = new RegExp(`Dashboard +(${url}/app/#link=\\S+)\n`).exec(output()) ?? []
  return await new Postrider({ baseUrl: url, session: true }).sessions.signIn({ link })
}

test('a change and a test of an integration log that its circuit breaker is closed, once each', async () => {
  const peer = await startRecorder()
  const env = { ...(await databaseEnvironment()), POSTRIDER_API_KEY: key, POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true' }
  const server = await start({ env })
  const client = new Postrider({ baseUrl: server.url, apiKey: key })
  const settings = { accountSid: 'AC1', authToken: 'wrong', from: '+12025550100', baseUrl: peer.url }
  const { id } = await client.providers.create({ provider: 'twilio', title: 'Second SMS', settings })
  const closed = () => server.output().match(/\{.*"event":"integration\.breaker_closed".*\}/g) ?? []
  const open = async () => {
    peer.answer(() => true, { status: 401, body: { message: 'Authenticate' } })
    await client.providers.test(id, { to: '+12025550143' })
    await until(
      async () => (await client.providers.get(id)).circuit_breaker?.state,
      (state) => state === 'open',
    )
  }
  await open()
  await client.providers.update(id, { provider: 'twilio', settings: { authToken: 'new' } })
  await client.providers.update(id, { provider: 'twilio', settings: { authToken: 'newer' } })
  await open()
  peer.answer(() => true, { status: 200, body: { sid: 'SM1' } })
  await client.providers.test(id)
  await until(
    async () => closed().length,
    (count) => count > 1,
  )
  const fields = { level: 'info', integration: id, title: 'Second SMS', provider: 'twilio' }
  expect(closed().map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ ...fields, msg: 'a circuit breaker closed: the integration was changed' }),
    expect.objectContaining({ ...fields, msg: 'a circuit breaker closed: a test was made' }),
  ])
  await peer.close()
}, 30_000)

/** A folder in use is refused with code 3, and its process continues. */
async function refusesAnother(env: Record<string, string>, holder: ServerProcess) {
  const other = await run(['serve'], { env: { ...env, POSTRIDER_PORT: '0' } })
  expect(other).toMatchObject({ code: 3, out: '' })
  expect(other.err).toMatch(/^error: The data folder .* is in use by another Postrider \(process \d+\)/m)
  expect((await fetch(`${holder.url}/readyz`)).status).toBe(200)
}

test('a wrong configuration names every variable that is wrong, ends with code 2 and shows no stack', async () => {
  const env = { POSTRIDER_PORT: 'many', POSTRIDER_ROLE: 'boss', POSTRIDER_API_KEY: 'short' }
  const { code, out, err } = await run(['serve'], { env })
  expect({ code, out }).toEqual({ code: 2, out: '' })
  for (const name of Object.keys(env)) expect(err).toContain(name)
  expect(err).not.toMatch(/^\s+at /m)
})

test.runIf(isLong)('a data folder that cannot be one is an error of one line with the reason', async () => {
  const file = join(await newDataFolder(), 'file')
  await writeFile(file, '')
  for (const [folder, words] of [
    [file, `${file} is not a folder`],
    // A file system in which no user can make folders.
    ['/proc/postrider/data', '/proc cannot be written'],
  ]) {
    const env = { POSTRIDER_DATA_DIR: String(folder), POSTRIDER_PORT: '0' }
    const { code, out, err } = await run(['serve'], { env })
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain(`The data folder cannot be ${folder}: ${words}`)
    expect(err).toMatch(/^hint: .*POSTRIDER_DATA_DIR/m)
  }
})

test.runIf(isLong)('a damaged secret key or database is named, with what helps', async () => {
  const folder = await newDataFolder()
  const env = { POSTRIDER_DATA_DIR: folder, POSTRIDER_PORT: '0', POSTRIDER_LOG_LEVEL: 'silent' }
  await writeFile(join(folder, 'secret.key'), 'half of it\n')
  const keyless = await run(['serve'], { env })
  expect(keyless.code).toBe(2)
  expect(keyless.err).toContain(`error: ${join(folder, 'secret.key')} is damaged`)
  await rm(join(folder, 'secret.key'))
  const cluster = clusterIn(folder)
  await rm(join(cluster, 'global', 'pg_control'))
  const broken = await run(['serve'], { env })
  expect(broken.code).toBe(1)
  expect(broken.err).toContain(`error: The local database in ${cluster} does not start`)
  expect(broken.err).toContain('pg_control')
  expect(broken.err).toContain('postrider backup')
})

test('a port in use is one line that names the way out', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const env = { ...(await databaseEnvironment()), POSTRIDER_PORT: String((holder.address() as AddressInfo).port) }
  const { code, err } = await run(['serve'], { env: { ...env, POSTRIDER_LOG_LEVEL: 'silent' } })
  holder.close()
  expect(code).toBe(1)
  expect(err).toBe(
    `error: The address 127.0.0.1:${env.POSTRIDER_PORT} is in use by another program\nhint: Stop it, or choose another port with POSTRIDER_PORT, or POSTRIDER_LMTP_PORT if it is that of LMTP.\n`,
  )
})

// The first connection, which only listens, and the last statement before the server listens, when messages are claimed already.
test.runIf(isLong).each(['listen "keys"', 'listen "work"'])(
  'a start that loses its database at %s ends with an error',
  async (text) => {
    const relay = await startRelay(await newMigratedDatabase(), { cutsAt: (packet) => packet.includes(text) })
    const env = { POSTRIDER_DATABASE_URL: relay.url, POSTRIDER_SECRET_KEY: randomBytes(32).toString('base64') }
    const { code, out, err } = await run(['serve'], { env: { ...env, POSTRIDER_PORT: '0' } })
    expect(code).toBe(1)
    expect(err).toContain('error: The database cannot be used: The connection for notifications failed')
    // Background work that had started has ended before its database was closed.
    expect(out + err).not.toContain('poll failed')
    relay.close()
  },
)

test('a client that keeps its connection is answered, and does not hold up the stop', async () => {
  const server = await start({ env: { ...(await databaseEnvironment()), POSTRIDER_API_KEY: key } })
  const body = JSON.stringify({ event: 'welcome', recipient: 'ada' })
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  const closed = once(socket, 'close')
  const head = [`authorization: Bearer ${key}`, 'content-type: application/json', `content-length: ${body.length}`]
  socket.write(`POST /send HTTP/1.1\r\nhost: here\r\n${head.join('\r\n')}\r\n\r\n${body.slice(0, 9)}`)
  // Half of it is there when the order comes: an answer to another connection is later than that.
  await fetch(`${server.url}/readyz`)
  server.kill('SIGTERM')
  await until(
    async () => server.output(),
    (output) => output.includes('Stopping'),
  )
  socket.write(body.slice(9))
  expect(await server.exited).toBe(0)
  await closed
  expect(answer).toMatch(/^HTTP\/1.1 200 OK/)
})

test.runIf(isLong)('a body that never ends is cut off by the stop', async () => {
  const server = await start({ env: { ...(await databaseEnvironment()), POSTRIDER_API_KEY: key } })
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const closed = once(socket, 'close')
  socket.write(`POST /send HTTP/1.1\r\nhost: here\r\nauthorization: Bearer ${key}\r\ncontent-length: 99\r\n\r\n{`)
  await fetch(`${server.url}/readyz`)
  server.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  await closed
})

test.runIf(isLong)('a second stop signal ends it at once, also while it starts', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-twice-'))
  const server = await keep(spawnServer({ env: { POSTRIDER_DATA_DIR: join(folder, 'data') } }))
  await until(
    async () => server.output(),
    (output) => output.includes('creating the local database'),
  )
  server.kill('SIGTERM')
  await pause(600)
  server.kill('SIGINT')
  expect(await server.exited).toBe(1)
})

test('signals that come together are one order to stop: the terminal and npm both pass Ctrl+C on', async () => {
  const server = await start({ env: await databaseEnvironment() })
  server.kill('SIGINT')
  server.kill('SIGINT')
  expect(await server.exited).toBe(0)
  expect(server.output()).toContain('"msg":"stopped"')
})

test('a misspelled variable is a warning at the start, and its value is nowhere', async () => {
  const env = { ...(await databaseEnvironment()), POSTRIDER_RETENTION_DAY: 's3cret-7' }
  const output = (await start({ env })).output()
  const [line = ''] = output.split('\n').filter((text) => text.includes('config.unknown_variable'))
  expect(JSON.parse(line)).toMatchObject({
    ...{ level: 'warn', event: 'config.unknown_variable' },
    msg: 'Unknown variable `POSTRIDER_RETENTION_DAY`. Did you mean `POSTRIDER_RETENTION_DAYS`?',
  })
  expect(output).not.toContain('s3cret')
})

test('the help says that messages are deleted in whole weeks', async () =>
  expect((await run(['serve', '--help'])).out).toContain('finished messages are deleted, in whole weeks (90)'))
