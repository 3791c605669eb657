/**
 * Accepted means on disk: no reply before its flush, none after a flush that failed.
 * @module-tag safety
 */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { apiCaller } from '../support/api-client.ts'
import { newDataFolder } from '../support/databases.ts'
import { startPostgres } from '../support/postgres.ts'
import { startServer } from '../support/process.ts'
import { isLong } from '../support/run/long.ts'
import { proofOf } from './flush-proof.ts'
import { hasStrace, startTraced } from './service-under-strace.ts'

if (!hasStrace && process.env.CI) throw new Error('strace is missing: install it')
if (!hasStrace) console.warn('The proofs of flushes cannot run: install strace')

const apiKey = 'a-key-for-the-crash-tests-0123456789'

/** Late enough that each of the few connections had accepted sends before. */
const FAIL_FROM = 40

/** The status, and the id when it was accepted; 0 when there was no answer. */
async function sendTo(url: string): Promise<{ status: number; id?: string }> {
  try {
    const body = { event: 'welcome', recipient: 'ada', profile: { email: 'ada@example.com' } }
    const { status, json } = await apiCaller(url, apiKey, 15_000).call('POST', '/send', { body })
    return { status, ...(status === 200 && { id: json.messageId }) }
  } catch {
    return { status: 0 }
  }
}

describe('the output of strace is parsed correctly', () => {
  const socket = '25<TCP:[127.0.0.1:1->127.0.0.1:2]>'
  const read = `1 read(${socket}, "POST /send HTTP/1.1"..., 65536) = 300`
  const write = `1 writev(${socket}, [{iov_base="HTTP/1.1 200 OK"..., iov_len=9}], 1) = 9`
  const flush = '2 fdatasync(9</d/pg_wal/01>) = 0'
  const unproven = (...lines: string[]) => proofOf(lines.join('\n')).unproven.length

  test('a flush between request and reply proves it', () => {
    expect(proofOf([read, flush, write].join('\n'))).toMatchObject({ replies: 1, unproven: [], flushes: 1, failed: 0 })
    expect(
      unproven(read, '2 fdatasync(9</d/pg_wal/01> <unfinished ...>', '2 <... fdatasync resumed>) = 0', write),
    ).toBe(0)
  })

  test.each([
    ['none', [read, write]],
    ['one before the request', [flush, read, write]],
    [
      'one that began before',
      ['2 fdatasync(9</d/pg_wal/01> <unfinished ...>', read, '2 <... fdatasync resumed>) = 0', write],
    ],
    [
      'one that ended after',
      [read, '2 fdatasync(9</d/pg_wal/01> <unfinished ...>', write, '2 <... fdatasync resumed>) = 0'],
    ],
    ['one of something else', [read, '2 fdatasync(9</d/base/5/1>) = 0', write]],
    ['one that failed', [read, '2 fdatasync(9</d/pg_wal/01>) = -1 EIO (Input/output error) (INJECTED)', write]],
  ])('%s does not', (_title, lines) => {
    expect(unproven(...lines)).toBe(1)
  })
})

describe.runIf(hasStrace)('the local database', () => {
  test('no reply is written before a flush that began after its request', async () => {
    const server = await startTraced({ POSTRIDER_DATA_DIR: await newDataFolder(), POSTRIDER_API_KEY: apiKey })
    // One after the other: each has a flush of its own. Then side by side: they share flushes.
    for (let count = 0; count < 40; count += 1) expect((await sendTo(server.url)).status).toBe(200)
    for (let round = 0; round < 8; round += 1) {
      const replies = await Promise.all(Array.from({ length: 10 }, () => sendTo(server.url)))
      expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    }
    const proof = proofOf(await server.end())
    expect(proof).toMatchObject({ replies: 120, unproven: [], failed: 0 })
    expect(proof.flushes).toBeGreaterThanOrEqual(48)
  }, 120_000)

  test.runIf(isLong)(
    'a flush that fails gives no 2xx, and every message with a 2xx is there afterwards',
    async () => {
      const folder = await newDataFolder()
      const environment = { POSTRIDER_DATA_DIR: folder, POSTRIDER_API_KEY: apiKey }
      // PostgreSQL gives up a flush of the log for good: it ends all of its sessions, recovers, and serves again.
      const broken = await startTraced({ ...environment, POSTRIDER_LOG_LEVEL: 'debug' }, FAIL_FROM)
      const accepted: string[] = []
      let refused = 0
      for (let count = 0; count < 400 && refused < 5; count += 1) {
        const { status, id } = await sendTo(broken.url)
        if (id) accepted.push(id)
        else refused += 1
        expect([200, 503]).toContain(status)
      }
      const proof = proofOf(await broken.end())
      expect(broken.output()).toContain('could not fdatasync file')
      expect(refused).toBe(5)
      expect(accepted.length).toBeGreaterThan(0)
      expect(proof.failed).toBeGreaterThan(0)
      expect(proof).toMatchObject({ replies: accepted.length, unproven: [] })

      const healed = await startServer({ env: environment })
      try {
        for (const id of accepted) {
          const reply = await apiCaller(healed.url, apiKey).call('GET', `/messages/${id}`)
          expect(reply.status, id).toBe(200)
        }
        expect((await sendTo(healed.url)).status).toBe(200)
      } finally {
        healed.kill('SIGKILL')
      }
    },
    120_000,
  )
})

const PG_STAT_WAL = 'select wal_sync as syncs from pg_stat_wal'
const PG_STAT_IO = "select sum(fsyncs) as syncs from pg_stat_io where object = 'wal'"

/** Resolves once no other session is connected. */
async function syncs(client: pg.Client): Promise<number> {
  for (;;) {
    const { rows } = await client.query(`select count(*)::int as others from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid()`)
    if (rows[0].others === 0) break
  }
  const { rows } = await client.query(`select current_setting('server_version_num')::int as version`)
  const count = rows[0].version < 180_000 ? PG_STAT_WAL : PG_STAT_IO
  return Number((await client.query(count)).rows[0].syncs)
}

describe('a database server', () => {
  test.runIf(isLong)(
    'every send waits for a flush of the log, whatever the server defaults to',
    async () => {
      const postgres = await startPostgres()
      const client = new pg.Client({ connectionString: postgres.url })
      await client.connect()
      await client.query(`alter database ${new URL(postgres.url).pathname.slice(1)} set synchronous_commit = off`)
      // Commits that do not wait are flushed by the clock: on a slow machine a hundred inserts would see it tick often.
      await client.query("alter system set wal_writer_delay = '10s'")
      // It comes some time after the first migration, with flushes of its own.
      await client.query('alter system set autovacuum = off')
      await client.query('select pg_reload_conf()')
      /** Flushes of the log from before `work` until its sessions have gone: by then they have reported theirs. */
      const syncsOf = async (work: () => Promise<void>): Promise<number> => {
        const before = await syncs(client)
        await work()
        return (await syncs(client)) - before
      }
      // A node that only accepts: no other commits, so that what is flushed was flushed for a send.
      const env = {
        ...{ POSTRIDER_DATABASE_URL: postgres.url, POSTRIDER_API_KEY: apiKey, POSTRIDER_ROLE: 'api' },
        POSTRIDER_SECRET_KEY: randomBytes(32).toString('base64'),
      }
      const live = async (sends: number) => {
        const server = await startServer({ env })
        for (let count = 0; count < sends; count += 1) expect((await sendTo(server.url)).status).toBe(200)
        server.kill('SIGKILL')
        await server.exited
      }
      const scribble = async () => {
        const lazy = new pg.Client({ connectionString: postgres.url })
        await lazy.connect()
        await lazy.query('create table scribbled (n int)')
        for (let count = 0; count < 100; count += 1) await lazy.query('insert into scribbled values ($1)', [count])
        await lazy.end()
      }
      try {
        await live(0)
        const idle = await syncsOf(() => live(0))
        expect((await syncsOf(() => live(100))) - idle).toBeGreaterThanOrEqual(95)
        // The measure itself: commits that do not wait are flushed now and then only.
        expect(await syncsOf(scribble)).toBeLessThan(50)
      } finally {
        await client.end()
        await postgres.stop()
      }
    },
    120_000,
  )
})
