/** A statement is bounded; a migration is not, nor the wait for another node's. */
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import { lockSchema, migrate, migrationStatus, readMigrations } from '@postrider/server/internal/database/migrate'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newMigratedDatabase } from '../support/databases.ts'
import { until } from '../support/until.ts'

const log = createLog('silent')
const slow = { text: 'select pg_sleep(1)' }
const late = { name: 'DatabaseUnavailable', reason: 'transient' }

describe('with a bound of 300 ms', () => {
  let nodes: Engine[]
  beforeAll(async () => {
    const url = await newMigratedDatabase()
    nodes = await Promise.all(
      [1, 2].map(() => openPostgres({ address: { connectionString: url }, kind: 'server', queryTimeoutMs: 300, log })),
    )
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()))
  })

  test('a statement of a batch ends at it, in the database, too', async () => {
    const endless = { text: 'select pg_sleep(3600)', values: [] }
    await expect(nodes[0]!.batch([endless])).rejects.toMatchObject(late)
    await expect(nodes[0]!.batch([endless], { timeoutMs: 200 })).rejects.toMatchObject(late)
    const text = `select pid from pg_stat_activity
      where datname = current_database() and query like '%pg_sleep(3600)%' and state = 'active' and pid <> pg_backend_pid()`
    await until(
      () => nodes[1]!.run({ text }),
      ({ rows }) => rows.length === 0,
    )
  })

  test('one outside of a batch is given up at it', async () => {
    await expect(nodes[0]!.run(slow)).rejects.toMatchObject(late)
  })

  test('one that the server cancels first is late as well', async () => {
    const text = 'set local statement_timeout = 1; select pg_sleep(3600)'
    await expect(nodes[0]!.batch([{ text }], { timeoutMs: 60_000 })).rejects.toMatchObject(late)
  })

  test('a script runs to its end', async () => {
    const version = readMigrations().length + 1
    const migrations = [
      ...readMigrations(),
      { version, name: 'slow', breaking: false, checksum: 'c', script: slow.text },
    ]
    await migrate(nodes[0]!, log, migrations)
    expect((await migrationStatus(nodes[1]!, migrations)).pending).toEqual([])
  })

  test('a node waits for the one that changes the schema', async () => {
    let changed = false
    const change = nodes[0]!.batch([lockSchema, slow], { timeoutMs: 60_000 }).then(() => {
      changed = true
    })
    await migrate(nodes[1]!, log)
    await change
    expect(changed).toBe(true)
  })
})
