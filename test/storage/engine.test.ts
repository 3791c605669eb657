/** The promises of storage: all or nothing, errors of two kinds, wake-up notifications, migrations that race safely. */
import { createLog } from '@postrider/server/internal/base/log'
import {
  ConflictError,
  DatabaseRefused,
  DatabaseUnavailable,
  type Engine,
  UNIQUE_VIOLATION,
} from '@postrider/server/internal/database/engine'
import { migrate, migrationStatus, readMigrations, SchemaUnusable } from '@postrider/server/internal/database/migrate'
import { beforeAll, describe, expect, test } from 'vitest'
import { engineOn, withEngine } from '../support/engine.ts'

const log = createLog('silent')

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    await engine.run({ text: 'create table things (id integer primary key, name text)', values: [] })
  })
  const count = async () =>
    Number((await engine.run<{ n: number }>({ text: 'select count(*) as n from things', values: [] })).rows[0]?.n)

  describe('statements', () => {
    test('a batch is written as a whole or not at all', async () => {
      const insert = (id: number) => ({ text: 'insert into things (id) values ($1)', values: [id] })
      await engine.batch([insert(1), insert(2)])
      expect(await count()).toBe(2)
      const failure = await engine.batch([insert(3), insert(1)]).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(DatabaseRefused)
      expect((failure as DatabaseRefused).code).toBe(UNIQUE_VIOLATION)
      expect((failure as DatabaseRefused).isDataError).toBe(true)
      expect(await count()).toBe(2)
      await engine.batch([insert(3)])
      expect(await count()).toBe(3)
    })

    test('a batch whose write requires a row and finds none is not written', async () => {
      const insert = { text: "insert into things (id, name) values (10, 'new')", values: [] }
      const change = (id: number) => ({ text: 'update things set name = $2 where id = $1', values: [id, 'changed'] })
      const before = await count()
      const failure = await engine.batch([insert, { ...change(99), expectRows: true }]).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(ConflictError)
      expect((failure as ConflictError).statementIndex).toBe(1)
      expect(await count()).toBe(before)
      const [, changed] = await engine.batch([insert, { ...change(10), expectRows: true }, change(99)])
      expect([changed?.affected, await count()]).toEqual([1, before + 1])
      await engine.run({ text: 'delete from things where id = 10', values: [] })
    })

    test('batches that wait for each other are both written', async () => {
      await engine.batch([1, 2].map((id) => ({ text: 'insert into things (id) values ($1)', values: [100 + id] })))
      const add = (id: number) => ({
        text: "update things set name = concat(name, 'x') where id = $1",
        values: [100 + id],
      })
      const meet = { text: 'select pg_sleep(0.2)', values: [] }
      await Promise.all([engine.batch([add(1), meet, add(2)]), engine.batch([add(2), meet, add(1)])])
      const gone = await engine.run({ text: 'delete from things where id > 100 returning name', values: [] })
      expect(gone.rows).toEqual([{ name: 'xx' }, { name: 'xx' }])
    })

    test.each([
      ['40001', 20],
      ['40P01', 3],
    ])('a batch that PostgreSQL rolls back with %s is repeated, at most %i times', async (code, repeatsMax) => {
      await engine.run({
        text: `create or replace function conflict(most integer) returns void language plpgsql as $$
          begin if nextval('conflicts') <= most then raise sqlstate '${code}'; end if; end $$`,
        values: [],
      })
      const conflicting = async (most: number) => {
        await engine.run({ text: 'create sequence if not exists conflicts', values: [] })
        await engine.run({ text: 'alter sequence conflicts restart', values: [] })
        return engine.batch([{ text: 'select conflict($1)', values: [most] }])
      }
      await conflicting(repeatsMax)
      await expect(conflicting(repeatsMax + 1)).rejects.toBeInstanceOf(DatabaseUnavailable)
    })

    test('a settings statement holds for its batch only', async () => {
      const [, inside] = await engine.batch([
        { text: 'set local enable_seqscan = off' },
        { text: "select current_setting('enable_seqscan') as value", values: [] },
      ])
      expect(inside?.rows).toEqual([{ value: 'off' }])
      const { rows } = await engine.run({ text: "select current_setting('enable_seqscan') as value", values: [] })
      expect(rows).toEqual([{ value: 'on' }])
    })

    test('an error of the statement is about the statement, not the data', async () => {
      const failure = await engine
        .run({ text: 'select nothing from nowhere', values: [] })
        .catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(DatabaseRefused)
      expect((failure as DatabaseRefused).isDataError).toBe(false)
    })

    test('epoch milliseconds come back as numbers, jsonb as objects, affected rows as a count', async () => {
      const { rows } = await engine.run({
        text: `select 1795175783564::bigint as at, '{"a":[1]}'::jsonb as j`,
        values: [],
      })
      expect(rows).toEqual([{ at: 1_795_175_783_564, j: { a: [1] } }])
      const { affected } = await engine.run({ text: "update things set name = 'x' where id < 3", values: [] })
      expect(affected).toBe(2)
    })

    test.each([undefined, 'texts'])(
      'texts come back as they were, whatever they begin with (statement %s)',
      async (name) => {
        const texts = ['\ufeff', '\ufeffa', 'a\ufeff', '\ufffe\uffff', '\u{10ffff}', ' a ', '']
        for (const text of texts) {
          const statement = { ...(name && { name }), text: 'select $1::text as value', values: [text] }
          expect((await engine.run(statement)).rows).toEqual([{ value: text }])
        }
      },
    )

    // test/crash and `postrider doctor` check whether the server flushes.
    test('every session waits for the flush of what it commits, whatever the database defaults to', async () => {
      const { address, run } = await open()
      const name = new URL(String(address.connectionString)).pathname.slice(1)
      await run({ text: `alter database ${name} set synchronous_commit = off`, values: [] })
      const weakened = await engineOn(String(address.connectionString))
      try {
        const { rows } = await weakened.run({ text: 'show synchronous_commit', values: [] })
        expect(rows).toEqual([{ synchronous_commit: 'on' }])
      } finally {
        await weakened.close()
      }
    })

    test('no session compiles its plans', async () => {
      const { rows } = await engine.run({ text: 'show jit', values: [] })
      expect(rows).toEqual([{ jit: 'off' }])
    })

    test('a wake-up notification reaches every listener', async () => {
      const notified = new Promise<string>((resolve) => {
        void engine.listen('hints', resolve)
      })
      await engine.notify('hints', 'there is work')
      expect(await notified).toBe('there is work')
    })
  })

  describe('migrations', () => {
    test('the schema is whole, and migrating again changes nothing', async () => {
      expect(await migrate(engine, log)).toEqual({ applied: readMigrations().length, pending: [] })
    })

    test('one of several nodes applies the migrations, and all continue', async () => {
      const next = { version: readMigrations().length + 1, name: 'racing', breaking: false, checksum: 'c1' }
      const migrations = [...readMigrations(), { ...next, script: 'create table racing (id integer)' }]
      await Promise.all([1, 2, 3].map(() => migrate(engine, log, migrations)))
      expect((await migrationStatus(engine, migrations)).pending).toEqual([])
      await engine.run({ text: 'insert into racing values (1)', values: [] })
    })

    test('a script that fails leaves nothing behind, its record included', async () => {
      const before = await migrationStatus(engine)
      const version = before.applied + 2
      const broken = { version, name: 'broken', breaking: false, checksum: 'c2' }
      const racing = { version: version - 1, name: 'racing', breaking: false, checksum: 'c1', script: '' }
      const script = 'create table half (id integer); select * from nowhere'
      const failure = migrate(engine, log, [...readMigrations(), racing, { ...broken, script }])
      await expect(failure).rejects.toBeInstanceOf(SchemaUnusable)
      const { rows } = await engine.run({ text: "select to_regclass('half')::text as name", values: [] })
      expect(rows).toEqual([{ name: null }])
    })

    test('a newer schema is used unless it is marked as breaking for older code', async () => {
      const version = readMigrations().length + 2
      const insert = 'insert into migrations (version, name, breaking, checksum) values ($1, $2, $3, $4)'
      await engine.run({ text: insert, values: [version, 'added_column', false, 'x'] })
      expect((await migrate(engine, log)).pending).toEqual([])
      await engine.run({ text: insert, values: [version + 1, 'split_table', true, 'x'] })
      await expect(migrate(engine, log)).rejects.toThrow(/split_table.*cannot use/)
    })

    test('a script that was changed after it ran is refused', async () => {
      const [first, ...rest] = readMigrations()
      const changed = { ...first!, checksum: 'other' }
      await expect(migrationStatus(engine, [changed, ...rest])).rejects.toThrow(/differs/)
    })
  })

  test('after closing, statements are refused as unavailable', async () => {
    const other = await open()
    await other.close()
    await expect(other.run({ text: 'select 1', values: [] })).rejects.toBeInstanceOf(DatabaseUnavailable)
  })
})
