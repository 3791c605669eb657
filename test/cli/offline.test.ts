/** With the server stopped, commands that only read find what it left in its database. */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiKey, CreatedKey, Message, MessageDetail, MessageExplanation, Simulation } from '@postrider/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { newDataFolder, newMigratedDatabase } from '../support/databases.ts'
import { startServer } from '../support/process.ts'
import { json, run } from './in-process.ts'

const key = 'pk_prod_0123456789abcdefghijklmnop'
// Nothing listens there, so that no other server of this machine replies.
const unreachable = { POSTRIDER_PORT: '1', POSTRIDER_LOG_LEVEL: 'silent' }

/** Tests that do not depend on the place of the database run on this one. */
const LOCAL = 'local database'

interface Database {
  database: string
  place(): Promise<Record<string, string>>
}
const databases: Database[] = [
  { database: LOCAL, place: async () => ({ POSTRIDER_DATA_DIR: await newDataFolder() }) },
  {
    database: 'database server',
    place: async () => ({ POSTRIDER_DATABASE_URL: await newMigratedDatabase(), POSTRIDER_DATA_DIR: '/nowhere/data' }),
  },
]

describe.each(databases)('$database, with Postrider stopped', ({ database, place }) => {
  let env: Record<string, string>
  let testKey: string
  const sent = { production: '', test: '' }
  beforeAll(async () => {
    const where = { ...(await place()), POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') }
    const server = await openApp({ env: { ...where, POSTRIDER_API_KEY: key } })
    const access = (apiKey: string) => ({ env: { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: apiKey } })
    const made = await json<CreatedKey>(['keys', 'create', '--environment', 'test'], access(key))
    testKey = made.key
    for (const [environment, apiKey] of [
      ['production', key],
      ['test', testKey],
    ] as const) {
      const args = ['send', 'welcome', environment, '--profile', 'email=ada@example.com', '--wait']
      sent[environment] = (await json<MessageDetail>(args, access(apiKey))).id
    }
    await server.stop()
    env = { ...where, ...unreachable }
  })

  test('messages are listed in the environment of the key, in production without one', async () => {
    const listed = async (more = {}) =>
      (await json<{ results: Message[] }>(['messages', 'list'], { env: { ...env, ...more } })).results
    expect((await listed()).map(({ id, status }) => [id, status])).toEqual([[sent.production, 'DELIVERED']])
    expect((await listed({ POSTRIDER_API_KEY: testKey })).map(({ id }) => id)).toEqual([sent.test])
  })

  test.runIf(database === LOCAL)('keys of every environment are listed and revoked, but for the last', async () => {
    const keys = async () => (await json<{ results: ApiKey[] }>(['keys', 'list'], { env })).results
    const before = await keys()
    expect(before.map(({ environment }) => environment)).toEqual(['production', 'test'])
    const [production, other] = before.map(({ id }) => String(id))
    expect((await run(['keys', 'revoke', String(production)], { env })).err).toContain('the last published key')
    const made = await json<CreatedKey>(['keys', 'create', '--name', 'spare', '--environment', 'test'], { env })
    expect((await run(['keys', 'revoke', String(other)], { env })).code).toBe(0)
    expect((await keys()).map(({ id }) => id)).toEqual([production, made.id])
  })

  test.runIf(database === LOCAL)('a message is shown and explained', async () => {
    const shown = await run(['messages', 'show', sent.production], { env })
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(/DELIVERED.*mailbox.*ENQUEUED.*RENDERED/s) })
    const why = await json<MessageExplanation>(['messages', 'explain', sent.production], { env })
    expect(why.decision.status).toBe('ROUTED')
    const foreign = await run(['messages', 'show', sent.test], { env })
    expect(foreign).toMatchObject({ code: 1, err: expect.stringContaining(`Unknown message \`${sent.test}\``) })
  })

  test.runIf(database === LOCAL)('an automation is simulated', async () => {
    const input = JSON.stringify({ steps: [{ action: 'delay', duration: '1 hour' }] })
    const simulated = await json<Simulation>(['simulate', '-'], { env, input })
    expect(simulated).toMatchObject({ complete: true, runs: [{ status: 'PROCESSED' }] })
  })

  test.runIf(database === LOCAL)('a tail reports that no server runs', async () => {
    const { code, err } = await run(['messages', 'tail'], { env })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('No Postrider server responds') })
  })
})

test('while the server runs, its database is up to date, and commands without a key work beside it', async () => {
  const folder = { POSTRIDER_DATA_DIR: await newDataFolder() }
  const server = await startServer({ env: folder })
  try {
    const env = { ...folder, POSTRIDER_PORT: new URL(server.url).port }
    const status = await run(['migrate', '--status'], { env })
    expect(status).toMatchObject({ code: 0, out: expect.stringContaining('has the database open') })
    const listed = await json<{ results: Message[] }>(['messages', 'list'], { env })
    expect(listed.results).toEqual([])
    // Where no server answers, the holder of the folder is one at another address.
    for (const args of [
      ['messages', 'list'],
      ['backup', 'copy.tar.gz'],
    ]) {
      const { code, err } = await run(args, { env: { ...env, ...unreachable } })
      expect([args[0], code]).toEqual([args[0], 3])
      expect(err).toMatch(/Another Postrider \(process \d+\) serves the data folder .*, at another address than .*:1\n/)
      expect(err).toContain('Set POSTRIDER_URL to its address or POSTRIDER_PORT to its port')
      expect(err).not.toContain('Stop it first')
    }
    // Another server: the folder says nothing about it.
    const elsewhere = { ...env, POSTRIDER_DATA_DIR: await newDataFolder() }
    const refused = await run(['messages', 'list'], { env: elsewhere })
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/There is no API key.*\nhint: .*POSTRIDER_DATA_DIR/),
    })
  } finally {
    server.kill('SIGKILL')
    await server.exited
  }
})

test('without a data folder, or one with a database, psql says what creates it', async () => {
  for (const folder of ['/nowhere/data', await mkdtemp(join(tmpdir(), 'postrider-psql-'))]) {
    const { code, out, err } = await run(['psql'], { env: { POSTRIDER_DATA_DIR: folder, ...unreachable } })
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe(
      `error: There is no database in ${folder}\nhint: The first start creates it: postrider serve. For another folder, set POSTRIDER_DATA_DIR.\n`,
    )
  }
})
