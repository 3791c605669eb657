/** A copy of the database is whole, taken beside a running server, and holds what was there. */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDataFolder } from '../support/databases.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { isLong } from '../support/run/long.ts'
import { json, run } from './run.ts'

const key = 'pk_prod_0123456789abcdefghijklmnop'
// Each copy is unpacked, started and read.
const timeout = { timeout: 120_000 }
const timeoutMs = 60_000
const folder = mkdtempSync(join(tmpdir(), 'postrider-backup-'))
let server: ServerProcess
let dataFolder: string
let env: Record<string, string>
beforeAll(async () => {
  dataFolder = await newDataFolder()
  server = await startServer({ env: { POSTRIDER_DATA_DIR: dataFolder, POSTRIDER_API_KEY: key } })
  env = { POSTRIDER_URL: server.url, POSTRIDER_API_KEY: key }
})
afterAll(() => server.kill('SIGKILL'))

/** The steps that the help of the command describes. */
async function restored(copy: string): Promise<ServerProcess> {
  const data = mkdtempSync(join(folder, 'data-'))
  const { stderr } = await promisify(execFile)('tar', ['-xzf', copy, '-C', data])
  // No name leads out of the folder that it is unpacked to.
  expect(stderr).toBe('')
  copyFileSync(join(dataFolder, 'secret.key'), join(data, 'secret.key'))
  return startServer({ env: { POSTRIDER_DATA_DIR: data } })
}

test.runIf(isLong)(
  'a copy taken while messages come in opens elsewhere, with every message accepted before it',
  timeout,
  async () => {
    const client = new Postrider({ baseUrl: server.url, apiKey: key })
    const send = (name: string) =>
      client.send({ event: 'welcome', recipient: name, profile: { email: 'a@example.com' } })
    const before = await Promise.all(Array.from({ length: 50 }, (_, index) => send(`before-${index}`)))
    let copied = false
    const traffic = (async () => {
      for (let index = 0; !copied; index += 1) await send(`during-${index}`)
    })()
    const copy = join(folder, 'online.tar.gz')
    const { bytes, files } = await json<{ bytes: number; files: number }>(['backup', copy], { env, timeoutMs })
    copied = true
    await traffic
    expect(bytes).toBe(readFileSync(copy).length)
    expect(files).toBeGreaterThan(500)

    const other = await restored(copy)
    try {
      const there = new Postrider({ baseUrl: other.url, apiKey: key })
      for (const { messageId } of before) expect((await there.messages.get(messageId)).id).toBe(messageId)
      expect((await there.send({ event: 'welcome', recipient: 'after' })).messageId).toMatch(/^1-/)
    } finally {
      other.kill('SIGKILL')
    }
  },
)

test('a folder is no file to write to, also by force', async () => {
  const refused = await run(['backup', '--force', folder], { env })
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('is a folder') })
})

test(
  'a file that exists is kept without --force, and by force a copy takes its place, which the system then knows',
  timeout,
  async () => {
    const copy = join(folder, 'kept.tar.gz')
    writeFileSync(copy, 'precious')
    const refused = await run(['backup', copy], { env, timeoutMs })
    expect(refused.code).toBe(2)
    expect(refused.err).toMatch(/exists already\nhint: .*--force/)
    expect(readFileSync(copy, 'utf8')).toBe('precious')
    const client = new Postrider({ baseUrl: server.url, apiKey: key })
    const before = await client.system.get()
    expect((await run(['backup', '--force', copy], { env, timeoutMs })).code).toBe(0)
    const { at, public_url, storage } = await client.system.get()
    expect(public_url).toBeNull()
    expect(storage?.backup?.last).toBeGreaterThanOrEqual(before.at)
    expect(storage?.backup?.last).toBeLessThanOrEqual(at)
    expect(readFileSync(copy).subarray(0, 2)).toEqual(Buffer.from([0x1f, 0x8b]))
  },
)

test('a key of the test environment gets no copy, and no file is left', async () => {
  const made = await json<{ key: string }>(['keys', 'create', '--environment', 'test'], { env })
  const copy = join(folder, 'stolen.tar.gz')
  const { code } = await run(['backup', copy], { env: { ...env, POSTRIDER_API_KEY: made.key } })
  expect(code).toBe(1)
  expect(existsSync(copy)).toBe(false)
  expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([])
})

test.runIf(isLong)('a copy is taken from the folder when no server runs', timeout, async () => {
  const copy = join(folder, 'offline.tar.gz')
  const data = { POSTRIDER_DATA_DIR: await newDataFolder(), POSTRIDER_PORT: '1' }
  const record = join(data.POSTRIDER_DATA_DIR, 'last-backup')
  expect(existsSync(record)).toBe(false)
  const { code, out } = await run(['backup', copy], { env: data, timeoutMs })
  expect(code).toBe(0)
  expect(out).toMatch(/^.*offline\.tar\.gz: .* checked: \d+ rows read\.\n$/)
  expect(readFileSync(record, 'utf8')).toMatch(/^\d{4}-\d\d-\d\dT/)
})

test('for a database server the command names the tool that makes copies there', async () => {
  const postgres = {
    POSTRIDER_DATABASE_URL: 'postgres://user:hidden@127.0.0.1:1/x',
    POSTRIDER_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  }
  const { code, err } = await run(['backup', join(folder, 'pg.tar.gz')], { env: postgres })
  expect(code).toBe(1)
  expect(err).toMatch(/hint: pg_dump /)
  expect(err).not.toContain('hidden')
})
