/** A database that refuses the login is an outage: calls get a 503 and come back, and the log has its begin and its end. */
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { type ServerProcess, startServer } from '../support/process.ts'
import { until } from '../support/until.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
let server: ServerProcess
let admin: pg.Client
let name: string
let role: string

beforeAll(async () => {
  const env = await databaseEnvironment()
  const address = new URL(env.POSTRIDER_DATABASE_URL)
  name = address.pathname.slice(1)
  role = `login_of_${name}`
  admin = new pg.Client(Object.assign(new URL(address), { pathname: '/postgres' }).href)
  await admin.connect()
  await admin.query(`create role "${role}" superuser login`)
  address.username = role
  server = await startServer({ env: { ...env, POSTRIDER_DATABASE_URL: address.href, POSTRIDER_API_KEY: apiKey } })
})
afterAll(async () => {
  server?.kill('SIGKILL')
  await server?.exited
  await admin?.query(`drop role if exists "${role}"`)
  await admin?.end()
})

const endSessions = () =>
  admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [role])
const call = () => fetch(`${server.url}/messages`, { headers: { authorization: `Bearer ${apiKey}` } })
const linesOf = (text: string, event: string) => text.split('\n').filter((line) => line.includes(`"event":"${event}"`))

const causes: [way: string, refuse: () => string[], permit: () => string[]][] = [
  ['the role may not log in', () => [`alter role "${role}" nologin`], () => [`alter role "${role}" login`]],
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
      .filter((line) => /"level":[45]0/.test(line)),
  ).toHaveLength(1)
})
