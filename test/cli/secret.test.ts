/** The secret key: a start with another one is refused, a rotation loses nothing however often it is killed, a loss is listed. */

import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, clientOf, openApp } from '../support/app.ts'
import { newDatabase, newDataFolder } from '../support/databases.ts'
import { encryptedTables, type Installation, onDatabaseOf } from '../support/installation.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { isLong } from '../support/run/long.ts'
import { until } from '../support/until.ts'
import { integrate, publish } from '../system/templates.ts'
import { json, run } from './run.ts'

const silent = { POSTRIDER_LOG_LEVEL: 'silent', POSTRIDER_PORT: '0' }
const keyText = () => randomBytes(32).toString('base64')

const FAILPOINTS = ['after-rotation-mark', 'mid-rotation', 'mid-rotation:2', 'before-rotation-end']

interface Loss {
  unreadable: { content: string; count: number; titles: string[] }[]
  isOtherKey: boolean
  acceptedFrom?: string
}

async function newFolder(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'postrider-secret-'))
}

describe('a database server', () => {
  let installation: Installation
  let peer: Recorder
  let apiKey: string
  let folder: string
  let keyFile: string
  const token = 'token-of-the-peer'
  const profile = { slack: { access_token: 'xoxb-of-ada', channel: 'C1' } }
  const body = { event: 'greeting', recipient: 'ada' }
  const withKey = (text: string) => ({ ...installation, POSTRIDER_SECRET_KEY: text, ...silent })
  /** The integration, a webhook with a secret, a bulk job that is done, and a reply that is kept. */
  let before: { messageId: string; jobId: string; users: unknown }

  beforeAll(async () => {
    peer = await startRecorder()
    folder = await newFolder()
    keyFile = join(folder, 'key')
    await writeFile(keyFile, keyText())
    installation = { POSTRIDER_DATABASE_URL: await newDatabase(), POSTRIDER_DATA_DIR: '/nowhere/data' }
    const app = await openApp({ env: withKey((await readFile(keyFile, 'utf8')).trim()) })
    apiKey = app.apiKey
    const settings = { url: `${peer.url}/hook`, authentication: 'bearer', token }
    await integrate(app.client, { provider: 'webhook', title: 'Our hook', settings })
    await app.client.webhooks.create({ url: `${peer.url}/events`, types: ['message:updated'], secret: 'w'.repeat(24) })
    await publish(app.client, 'greeting', { channels: ['webhook'] })
    await app.client.profiles.replace('ada', { profile })
    const { messageId } = await app.client.send(body, { idempotencyKey: 'once' })
    await app.client.lists.put('readers', { name: 'Readers' })
    await app.client.lists.send({ list: 'readers', event: 'greeting' }, { idempotencyKey: 'once-list' })
    before = { messageId, ...(await bulk(app.client)) }
    await app.stop()
  })
  afterAll(() => peer?.close())

  async function bulk(client: Postrider) {
    const { jobId } = await client.bulk.create({ message: { event: 'greeting' } })
    await client.bulk.ingest(jobId, { users: [{ recipient: 'bulk-1' }, { recipient: 'bulk-2' }] })
    await client.bulk.run(jobId)
    const users = await until(
      () => client.bulk.users(jobId),
      ({ items }) => items.length === 2 && items.every(({ messageId }) => messageId),
    )
    return { jobId, users: users.items.map(({ messageId }) => messageId) }
  }

  test('a start with another key is refused with code 2, and names the variable or the file', async () => {
    const wrong = await run(['serve'], { env: withKey(keyText()) })
    expect(wrong).toMatchObject({ code: 2, out: '' })
    expect(wrong.err).toMatch(/^error: POSTRIDER_SECRET_KEY holds another secret key \(\w{8}\) than the one/)
    expect(wrong.err).toContain('postrider secret accept-loss')
    const file = join(folder, 'wrong')
    await writeFile(file, keyText())
    const env = { ...installation, ...silent, POSTRIDER_SECRET_KEY_FILE: file }
    const filed = await run(['serve'], { env })
    expect(filed.code).toBe(2)
    expect(filed.err).toContain(`POSTRIDER_SECRET_KEY_FILE (${file}) holds another secret key`)
    // A command that may write is refused as well.
    expect((await run(['keys', 'create'], { env: { ...env, POSTRIDER_PORT: '1' } })).code).toBe(2)
  })

  test.runIf(isLong)(
    'a rotation that is killed anywhere is finished by the next one, and nothing that was accepted is lost',
    {
      timeout: 120_000,
    },
    async () => {
      const env = { ...installation, ...silent, POSTRIDER_SECRET_KEY_FILE: keyFile }
      const accepting = await openApp({ env: { ...env, POSTRIDER_ROLE: 'api' } })
      const client = clientOf(accepting.url, apiKey)
      const waiting = await Promise.all(
        Array.from({ length: 5 }, (_, n) => client.send({ ...body, recipient: `waiting-${n}` })),
      )
      await client.lists.put('readers', { name: 'Readers' })
      await client.lists.subscribe('readers', 'reader-1')
      await client.send({ message: { to: { list_id: 'readers' }, template: 'greeting' } })
      const running = await run(['secret', 'rotate', join(folder, 'next')], { env })
      expect(running.code).toBe(3)
      await accepting.stop()

      const file = join(folder, 'next')
      const rotate = (failpoint?: string) =>
        run(['secret', 'rotate', file, '--json'], {
          env: { ...env, ...(failpoint && { POSTRIDER_FAILPOINT: failpoint }) },
        })
      for (const failpoint of FAILPOINTS) expect((await rotate(failpoint)).code, failpoint).toBe(-1)
      const refused = await run(['serve'], { env })
      expect(refused.code).toBe(2)
      expect(refused.err).toContain('A rotation of the secret key of this database is not finished')
      expect((await rotate('after-rotation-end')).code).toBe(-1)
      const done = await rotate()
      expect(done.code).toBe(0)
      expect((await run(['serve'], { env })).err).toContain(`POSTRIDER_SECRET_KEY_FILE (${keyFile}) holds another`)
      expect(await prefixes()).toEqual(new Set([`v1.${JSON.parse(done.out).current}`]))

      const app = await openApp({ env: { ...env, POSTRIDER_SECRET_KEY_FILE: file } })
      const after = clientOf(app.url, apiKey)
      const recipients = () =>
        peer.all.filter(({ path }) => path === '/hook').map(({ body: text }) => JSON.parse(text).recipient as string)
      const expected = [...waiting.map((_, n) => `waiting-${n}`), 'reader-1']
      await until(
        async () => expected.filter((recipient) => !recipients().includes(recipient)),
        (missing) => missing.length === 0,
      )
      expect(recipients().filter((recipient) => recipient === 'reader-1')).toHaveLength(1)
      for (const { headers } of peer.all.filter(({ path }) => path === '/hook'))
        expect(headers.authorization).toBe(`Bearer ${token}`)
      await until(
        async () => peer.all.filter(({ path }) => path === '/events').at(-1)?.headers['courier-signature'],
        (signature) => signature !== undefined,
      )
      expect((await after.send(body, { idempotencyKey: 'once' })).messageId).toBe(before.messageId)
      expect((await after.profiles.get('ada')).profile).toEqual(profile)
      expect((await after.bulk.users(before.jobId)).items.map(({ messageId }) => messageId)).toEqual(before.users)
      await app.stop()
      keyFile = file
    },
  )

  /** How every encrypted value of the database begins. */
  async function prefixes(): Promise<Set<string>> {
    const keyPrefixes = new Set<string>()
    await onDatabaseOf({ ...installation, POSTRIDER_SECRET_KEY: keyText() }, async (engine) => {
      const columns = encryptedTables.flatMap(({ columns, ...rest }) => columns.map((column) => ({ ...rest, column })))
      for (const { table, column, holds } of columns) {
        const text = `select ${column}::text as value from ${table} where ${column} is not null`
        const { rows } = await engine.run<{ value: string }>({ text, values: [] })
        if (holds === 'whole' || table === 'profiles') expect(rows.length, table).toBeGreaterThan(0)
        for (const { value } of rows) for (const [prefix] of value.matchAll(/v1\.\w{8}/g)) keyPrefixes.add(prefix)
      }
    })
    return keyPrefixes
  }

  test.runIf(isLong)('a loss is listed, accepted by name only, and the server starts afterwards', async () => {
    const env = withKey(keyText())
    const listed = await run(['secret', 'accept-loss', '--json'], { env })
    expect(listed.code).toBe(1)
    const loss = JSON.parse(listed.out) as Loss
    expect(loss.isOtherKey).toBe(true)
    expect(loss.unreadable).toEqual(
      expect.arrayContaining([
        { content: 'integrations', count: 1, titles: ['Our hook'] },
        { content: 'webhooks', count: 1, titles: [`${peer.url}/events`] },
        { content: 'idempotency keys', count: expect.any(Number), titles: [] },
        { content: 'profiles', count: 1, titles: [] },
      ]),
    )
    expect((await run(['serve'], { env })).code).toBe(2)
    const accepted = await json<Loss>(['secret', 'accept-loss', '--yes'], { env })
    expect(accepted).toMatchObject({ unreadable: loss.unreadable, acceptedFrom: 'POSTRIDER_SECRET_KEY' })
    const app = await openApp({ env })
    const client = clientOf(app.url, apiKey)
    const { results } = await client.providers.list()
    expect(results.find(({ title }) => title === 'Our hook')).toMatchObject({ unreadable: true })
    await repeatsNothing(app)
    await app.stop()
    expect((await run(['secret', 'accept-loss'], { env })).code).toBe(0)
  })
})

/** Calls whose replies cannot be read any more are not repeated: they were done once. */
async function repeatsNothing({ call }: App) {
  const sent = async () => (await call('GET', '/messages?recipient=ada')).json.results.length
  const count = await sent()
  expect(count).toBeGreaterThan(0)
  const repeat = (path: string, body: unknown, key: string) =>
    call('POST', path, { body, headers: { 'idempotency-key': key } })
  for (const query of ['', '?strict=true']) {
    const again = await repeat(`/send${query}`, { event: 'greeting', recipient: 'ada' }, 'once')
    expect([again.status, again.json.type]).toEqual([409, 'invalid_request_error'])
    expect(again.json.message).toContain('the call is not repeated')
    expect(again.headers.get('x-should-retry')).toBe('false')
  }
  const list = await repeat('/send/list', { list: 'readers', event: 'greeting' }, 'once-list')
  expect([list.status, list.json.message]).toEqual([409, expect.stringContaining('the call is not repeated')])
  expect(await sent()).toBe(count)
  const other = await repeat('/send', { event: 'greeting', recipient: 'bea' }, 'another')
  expect(other.status).toBe(200)
}

test.runIf(isLong)(
  'a lost secret.key beside a local database: refused, put back, rotated, and lost for good',
  {
    timeout: 120_000,
  },
  async () => {
    const folder = await newDataFolder()
    const path = join(folder, 'secret.key')
    const env = { POSTRIDER_DATA_DIR: folder, ...silent }
    const app = await openApp({ env })
    await app.client.providers.create({
      provider: 'sendgrid',
      title: 'Mail',
      settings: { apiKey: 'SG.key', fromAddress: 'a@example.com' },
    })
    await app.stop()

    await rename(path, join(folder, 'kept'))
    const lost = await run(['serve'], { env })
    expect(lost).toMatchObject({ code: 2, out: '' })
    expect(lost.err).toContain(`error: ${path} is missing, and this database is encrypted with a secret key`)
    expect(existsSync(path)).toBe(false)

    await rename(join(folder, 'kept'), path)
    const old = await readFile(path, 'utf8')
    expect((await run(['secret', 'rotate'], { env: { ...env, POSTRIDER_FAILPOINT: 'after-rotation-end' } })).code).toBe(
      -1,
    )
    // The last commit is done and the files have their old names: a start puts them right.
    const rotated = await openApp({ env })
    expect(await readFile(path, 'utf8')).not.toBe(old)
    const unreadable = async (url: string) =>
      (await clientOf(url, app.apiKey).providers.list()).results.find(({ title }) => title === 'Mail')?.unreadable
    expect(await unreadable(rotated.url)).toBeUndefined()
    await rotated.stop()
    const second = await run(['secret', 'rotate'], { env })
    expect(second.out).toMatch(
      /^The secret key is now \w{8}; it was \w{8}\.\nEncrypted with the new key: 1 integration, 1 idempotency key\.\n$/,
    )
    for (const { content } of encryptedTables) expect(second.err).toContain(`re-encrypting ${content} …\n`)
    const third = await json<{ previousKeyFile: string; rows: object }>(['secret', 'rotate'], { env })
    expect(existsSync(third.previousKeyFile)).toBe(true)
    expect(third.rows).toEqual({ integrations: 1, 'idempotency keys': 1 })
    expect((await json<Loss>(['secret', 'accept-loss'], { env })).unreadable).toEqual([])

    await rm(path)
    const loss = await run(['secret', 'accept-loss'], { env })
    expect(loss.code).toBe(1)
    expect(loss.out).toContain('  the secrets of 1 integration: Mail\n')
    for (const lost of ['links in messages', 'callbacks and bounces', 'suppressed addresses of erased recipients'])
      expect(loss.out).toContain(lost)
    expect((await run(['secret', 'accept-loss', '--yes'], { env })).code).toBe(0)
    const without = await openApp({ env })
    expect(await unreadable(without.url)).toBe(true)
    await without.stop()
  },
)
