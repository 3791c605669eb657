/** A database that refuses the login is an outage: calls get a 503 and come back, and the log has its begin and its end. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
const role = 'postrider_login'
const password = 'correct-horse'
let folder: string
let postgres: PostgresServer
let server: ServerProcess
let admin: pg.Client
let name: string

/** A server of its own: that of the run needs no password, and its roles are superusers, whom few limits bind. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-hba-'))
  await chmod(folder, 0o755)
  const rules = join(folder, 'pg_hba.conf')
  await writeFile(rules, 'host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n')
  postgres = await startPostgres({ hba_file: rules })
  const address = new URL(postgres.url)
  name = address.pathname.slice(1)
  admin = new pg.Client(postgres.adminUrl)
  await admin.connect()
  await admin.query(`create role ${role} login password '${password}'`)
  await admin.query(`alter database "${name}" owner to ${role}`)
  Object.assign(address, { username: role, password })
  server = await startServer({
    env: {
      POSTRIDER_DATABASE_URL: address.href,
      POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
      POSTRIDER_API_KEY: apiKey,
    },
  })
})
afterAll(async () => {
  server?.kill('SIGKILL')
  await server?.exited
  await admin?.end()
  await postgres?.stop()
  if (folder) await rm(folder, { recursive: true })
})

const endSessions = () =>
  admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role])
const call = () => fetch(`${server.url}/messages`, { headers: { authorization: `Bearer ${apiKey}` } })
const linesOf = (text: string, event: string) => text.split('\n').filter((line) => line.includes(`"event":"${event}"`))

const causes: [way: string, refuse: () => string[], permit: () => string[]][] = [
  ['the role may not log in', () => [`alter role ${role} nologin`], () => [`alter role ${role} login`]],
  [
    'the password is another one',
    () => [`alter role ${role} password 'battery-staple'`],
    () => [`alter role ${role} password '${password}'`],
  ],
  [
    'the password has expired',
    () => [`alter role ${role} valid until '2001-01-01'`],
    () => [`alter role ${role} valid until 'infinity'`],
  ],
  [
    'the role has no connection left',
    () => [`alter role ${role} connection limit 0`],
    () => [`alter role ${role} connection limit -1`],
  ],
  [
    'the database has no connection left',
    () => [`alter database "${name}" connection limit 0`],
    () => [`alter database "${name}" connection limit -1`],
  ],
  [
    'the role may not connect to the database',
    () => [`revoke connect on database "${name}" from public, ${role}`],
    () => [`grant connect on database "${name}" to public, ${role}`],
  ],
  [
    'the database takes no connections',
    () => [`alter database "${name}" allow_connections false`],
    () => [`alter database "${name}" allow_connections true`],
  ],
  [
    'the database is renamed',
    () => [`alter database "${name}" rename to "${name}_away"`],
    () => [`alter database "${name}_away" rename to "${name}"`],
  ],
]

test.each(causes)('%s', async (_way, refuse, permit) => {
  const before = server.output().length
  // A connection that begins meanwhile keeps the database from being renamed.
  await until(
    async () => {
      await endSessions()
      return Promise.all(refuse().map((statement) => admin.query(statement))).then(
        () => true,
        () => false,
      )
    },
    (isRefused) => isRefused,
  )
  try {
    await endSessions()
    const refused = await until(call, ({ status }) => status !== 200)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.json()).toMatchObject({ code: 'service_unavailable' })
  } finally {
    for (const statement of permit()) await admin.query(statement)
  }
  await until(call, ({ status }) => status === 200)
  const log = () => server.output().slice(before)
  await until(
    async () => linesOf(log(), 'database.available').length,
    (count) => count === 1,
  )
  expect(linesOf(log(), 'database.unavailable')).toHaveLength(1)
  expect(
    log()
      .split('\n')
      .filter((line) => /"level":"(warn|error)"/.test(line)),
  ).toHaveLength(1)
})
