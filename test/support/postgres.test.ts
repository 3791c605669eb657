/** The PostgreSQL of the tests is a real one: separate databases, durable settings, and it survives a crash. */
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newDatabase } from './databases.ts'
import { type PostgresServer, startPostgres } from './postgres.ts'

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

describe('the server of the run', () => {
  test('every database is new and empty', async () => {
    const [first, other] = await Promise.all([newDatabase(), newDatabase()])
    await query(first, 'create table kept (id int)')
    expect(await query(other, `select to_regclass('kept') as found`)).toEqual([{ found: null }])
  })
})

describe('a server of its own', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  test('flushes to disk', async () => {
    expect(await query(server.url, 'show fsync')).toEqual([{ fsync: 'on' }])
    expect(await query(server.url, 'show synchronous_commit')).toEqual([{ synchronous_commit: 'on' }])
  })

  test('a copy of a template has its rows', async () => {
    const template = await server.createDatabase()
    await query(template, 'create table kept as select 7 as id')
    const copy = await server.createDatabase(new URL(template).pathname.slice(1))
    expect(await query(copy, 'select id from kept')).toEqual([{ id: 7 }])
  })

  test('a database is dropped with its connections', async () => {
    const url = await server.createDatabase()
    const client = new pg.Client({ connectionString: url })
    const ended = new Promise((resolve) => client.on('error', () => undefined).once('end', resolve))
    await client.connect()
    await server.dropDatabase(url)
    await ended
    await expect(query(url, 'select 1')).rejects.toThrow('does not exist')
  })

  test('committed rows are there after a crash, at the same address', async () => {
    await query(server.url, 'create table crashed as select 1 as id')
    await server.restart('immediate')
    expect(await query(server.url, 'select id from crashed')).toEqual([{ id: 1 }])
  })
})
