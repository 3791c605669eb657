/** Members follow profiles while the service runs: soon, over a crash, and with several nodes at work. */
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type App, clientOf, openApp, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { startServer } from '../support/process.ts'
import { isLong } from '../support/run/long.ts'
import { until } from '../support/until.ts'

type Client = App['client']

const engineers = { operator: 'EQ' as const, path: 'title', value: 'Engineer' }
const engineer = { profile: { title: 'Engineer' } }
const writer = { profile: { title: 'Writer' } }

async function membersOf(client: Client, audience: string): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ; ) {
    const { items, paging } = await client.audiences.members(audience, cursor === undefined ? {} : { cursor })
    ids.push(...items.map((item) => item.member_id))
    if (!paging.more) return ids
    cursor = paging.cursor
  }
}

const holdsExactly = (client: Client, audience: string, ids: string[]) =>
  until(
    () => membersOf(client, audience),
    (members) => members.join() === [...ids].sort().join(),
  )

withApp((open) => {
  test('each profile write shows in the members', async () => {
    const { client } = await open()
    await client.audiences.put('engineers', { filter: engineers })
    for (const [body, ids] of [
      [engineer, ['ada']],
      [writer, []],
      [engineer, ['ada']],
      [writer, []],
    ] as const) {
      await client.profiles.replace('ada', body)
      await holdsExactly(client, 'engineers', [...ids])
    }
  })
})

withApp((open) => {
  test('a filter is previewed without being stored', async () => {
    const { client, call } = await open()
    await client.profiles.replace('ada', engineer)
    await client.profiles.replace('bob', writer)
    await client.profiles.replace('cleo', engineer)
    await client.tenants.put('acme', { name: 'Acme' })
    await client.memberships.put('dan', 'acme', {})
    const preview = await client.audiences.preview({ filter: engineers, limit: 1 })
    const reason = "EQ('title', 'Engineer') => true"
    expect(preview).toEqual({ matched: 2, evaluated: 4, complete: true, items: [{ member_id: 'ada', reason }] })
    const member = { operator: 'MEMBER_OF' as const, path: 'tenant_id', value: 'acme' }
    const either = await client.audiences.preview({ filter: { filters: [engineers, member] }, operator: 'OR' })
    expect(either.items.map(({ member_id }) => member_id)).toEqual(['ada', 'cleo', 'dan'])
    expect(await client.audiences.preview({ filter: null })).toMatchObject({ matched: 0, complete: true })
    expect((await client.audiences.list()).items).toEqual([])
    for (const body of [{ filter: { operator: 'EQ', path: 'title' } }, { filter: engineers, limits: 2 }, {}])
      expect((await call('POST', '/audiences/preview', { body })).status).toBe(400)
  })
})

describe('killed', () => {
  test.each(isLong ? [1, 2, 3] : [2])(
    'while members are written for the %dth time, the next start writes them',
    { timeout: 90_000 },
    async (nth) => {
      const apiKey = `pk_prod_${'k'.repeat(40)}`
      const env = { ...(await databaseEnvironment()), POSTRIDER_API_KEY: apiKey }
      const first = await startServer({ env: { ...env, POSTRIDER_FAILPOINT: `before-members-commit:${nth}` } })
      const before = clientOf(first.url, apiKey)
      const writes = [
        (client: Client) => client.profiles.replace('ada', engineer),
        (client: Client) => client.profiles.replace('bob', engineer),
        (client: Client) => client.audiences.put('engineers', { filter: engineers }),
        (client: Client) => client.profiles.replace('bob', writer),
        (client: Client) => client.profiles.replace('cyd', engineer),
        (client: Client) => client.audiences.put('writers', { filter: { ...engineers, value: 'Writer' } }),
      ]
      // Each write may find the process dead; those that were answered must hold.
      let made = 0
      for (const write of writes) {
        const answered = await write(before).then(
          () => true,
          () => false,
        )
        if (!answered) break
        made += 1
      }
      await first.exited
      const { client, stop } = await openApp({ env })
      for (const write of writes.slice(made)) await write(client)
      await holdsExactly(client, 'engineers', ['ada', 'cyd'])
      await holdsExactly(client, 'writers', ['bob'])
      await stop()
    },
  )
})

describe('on one PostgreSQL', () => {
  test('two nodes at work lose no write of many to the same users', async () => {
    const env = await databaseEnvironment()
    const apps = [await openApp({ env }), await openApp({ env })]
    const clients = apps.map(({ url }) => clientOf(url, apps[0]!.apiKey))
    const users = Array.from({ length: 40 }, (_, n) => `user-${String(n).padStart(2, '0')}`)
    for (let round = 0; round < 8; round += 1) {
      const client = clients[round % 2]!
      await client.audiences.put('engineers', { name: `round ${round}`, filter: engineers })
      await Promise.all(
        users.map((user, n) => clients[n % 2]!.profiles.replace(user, (n * 7 + round) % 3 === 0 ? engineer : writer)),
      )
    }
    const expected = users.filter((_, n) => (n * 7 + 7) % 3 === 0)
    await holdsExactly(clients[0]!, 'engineers', expected)
    const database = new pg.Client({ connectionString: env.POSTRIDER_DATABASE_URL })
    await database.connect()
    await until(
      async () => (await database.query('select 1 from audience_changes')).rowCount,
      (count) => count === 0,
    )
    expect(await membersOf(clients[1]!, 'engineers')).toEqual(expected)
    await database.end()
    await Promise.all(apps.map((app) => app.stop()))
  })

  test('a profile that is being written while the first audience is made is not missed', async () => {
    const env = await databaseEnvironment()
    const { client, stop } = await openApp({ env })
    const other = new pg.Client({ connectionString: env.POSTRIDER_DATABASE_URL })
    await other.connect()
    await other.query('begin')
    await other.query(`insert into profiles values (1, 'ada', '{"title":"Engineer"}', 1, 0, 0)`)
    const made = client.audiences.put('engineers', { filter: engineers })
    // It waits for the write that started before it.
    await until(
      () => other.query("select 1 from pg_locks where locktype = 'advisory' and not granted"),
      ({ rowCount }) => rowCount === 1,
    )
    await other.query('commit')
    await made
    await holdsExactly(client, 'engineers', ['ada'])
    await other.end()
    await stop()
  })
})
