/** A data folder serves one process, and survives every crash of it, the first start and the migration included. */

import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findCluster } from '@postrider/server/internal/database/local/cluster'
import { lockFolder } from '@postrider/server/internal/database/local/data-folder'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { backendsOf, postmasterOf } from '../local/processes.ts'
import { apiCaller, mustCall } from '../support/api-client.ts'
import { newDataFolder } from '../support/databases.ts'
import { type ServerProcess, spawnServer, startServer } from '../support/process.ts'

const apiKey = 'a-key-for-the-crash-tests-0123456789'
const running: ServerProcess[] = []
let fresh: string
beforeAll(async () => {
  fresh = await mkdtemp(join(tmpdir(), 'postrider-first-'))
})
afterEach(() => {
  for (const server of running.splice(0)) server.kill('SIGKILL')
})
/** The PostgreSQL server of a killed process writes for up to two seconds more. */
const REMOVAL = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 } as const
afterAll(() => rm(fresh, REMOVAL))

const environment = (folder: string, more: Record<string, string> = {}) => ({
  env: { POSTRIDER_DATA_DIR: folder, POSTRIDER_API_KEY: apiKey, ...more },
})

async function start(folder: string): Promise<ServerProcess> {
  const server = await startServer(environment(folder))
  running.push(server)
  return server
}

async function sendTo({ url }: ServerProcess): Promise<string> {
  const body = { event: 'welcome', recipient: 'ada', profile: { email: 'ada@example.com' } }
  return (await mustCall(apiCaller(url, apiKey), 'POST', '/send', body)).messageId
}

async function hasMessage({ url }: ServerProcess, id: string): Promise<boolean> {
  return (await apiCaller(url, apiKey).call('GET', `/messages/${id}`)).status === 200
}

const clusterIn = (folder: string) => findCluster(folder)?.folder ?? ''

/** Every file of the database with a digest of what is in it. */
async function contents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(clusterIn(folder), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const digests = files.map(async (file) => [
    file,
    createHash('sha256')
      .update(await readFile(file))
      .digest('hex'),
  ])
  return Object.fromEntries(await Promise.all(digests))
}

test('a second process refuses with the pid of the first; nothing changes for the first', {
  timeout: 90_000,
}, async () => {
  const folder = await newDataFolder()
  const first = await start(folder)
  const id = await sendTo(first)
  const second = await spawnServer(environment(folder))
  expect(await second.exited).not.toBe(0)
  expect(second.output()).toContain(`in use by another Postrider (process ${first.pid})`)
  expect(second.output()).toContain('POSTRIDER_DATA_DIR')
  expect(await hasMessage(first, id)).toBe(true)
})

test('a folder that is held is refused', async () => {
  const folder = await newDataFolder()
  await start(folder)
  await expect(lockFolder(folder)).rejects.toThrow(/in use by another Postrider/)
})

test('a second process leaves the files as they are', { timeout: 90_000 }, async () => {
  const folder = await newDataFolder()
  const first = await start(folder)
  await sendTo(first)
  // Nothing is written now, by the server and its workers neither; and a holder that hangs counts as alive.
  const server = postmasterOf(folder)?.pid ?? 0
  const all = [first.pid, server, ...backendsOf(server).map(({ pid }) => pid)]
  for (const pid of all) process.kill(pid, 'SIGSTOP')
  const before = await contents(folder)
  const second = await spawnServer(environment(folder))
  expect(await second.exited).not.toBe(0)
  expect(second.output()).toContain('in use by another Postrider')
  expect(await contents(folder)).toEqual(before)
  for (const pid of all) process.kill(pid, 'SIGCONT')
})

test('one of two processes that start at the same time on a stale lock serves', async () => {
  const folder = await newDataFolder()
  const killed = await start(folder)
  const id = await sendTo(killed)
  killed.kill('SIGKILL')
  await killed.exited
  // As an unpacked copy may be.
  await chmod(clusterIn(folder), 0o755)
  const racers = await Promise.all([spawnServer(environment(folder)), spawnServer(environment(folder))])
  running.push(...racers)
  const loser = await Promise.race(racers.map(async (racer) => racer.exited.then((code) => ({ racer, code }))))
  expect(loser.code).not.toBe(0)
  expect(loser.racer.output()).toContain('in use by another Postrider')
  const winner = racers.find((racer) => racer !== loser.racer)!
  await ready(winner)
  expect(await hasMessage(winner, id)).toBe(true)
  expect((await stat(clusterIn(folder))).mode & 0o077).toBe(0)
  // Nothing is left of the killed process and of the loser.
  expect((await readdir(folder)).filter((name) => name.startsWith('lock-'))).toEqual([])
}, 120_000)

test('crashes during the first start leave a folder that opens, and nothing half-made', async () => {
  for (const crash of ['first-start', 'after-database-start', 'mid-migration']) {
    const server = await spawnServer(environment(fresh, { POSTRIDER_FAILPOINT: crash }))
    expect(await server.exited, server.output()).toBe('SIGKILL')
  }
  const server = await start(fresh)
  expect((await readdir(fresh)).filter((name) => name.startsWith('new-'))).toEqual([])
  expect(await hasMessage(server, await sendTo(server))).toBe(true)
  server.kill('SIGKILL')
  await server.exited
  await rm(fresh, REMOVAL)
}, 180_000)

test('crashes at any time of the first start do, too', async () => {
  // Creating takes two seconds: within it, around its end, during migration and seeding.
  for (const afterMs of [700, 2_000, 3_000, 1_200]) {
    const server = await spawnServer(environment(fresh))
    await pause(afterMs)
    server.kill('SIGKILL')
    await server.exited
  }
  // As an operator may have made it; the database in it is private all the same.
  await mkdir(fresh, { recursive: true })
  await chmod(fresh, 0o755)
  const server = await start(fresh)
  expect((await readdir(fresh)).filter((name) => name.startsWith('new-'))).toEqual([])
  expect((await stat(clusterIn(fresh))).mode & 0o077).toBe(0)
  expect(await hasMessage(server, await sendTo(server))).toBe(true)
}, 180_000)

async function ready({ url, exited }: ServerProcess): Promise<void> {
  let over = false
  void exited.then(() => {
    over = true
  })
  for (;;) {
    const reply = await fetch(`${url}/readyz`).catch(() => undefined)
    if (reply?.status === 200) return
    if (over) throw new Error('Both have ended')
    await pause(50)
  }
}
