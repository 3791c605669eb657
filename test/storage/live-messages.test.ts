/** Messages in progress and final ones stand in tables of their own, and are one table to readers and writers. */
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine, Statement } from '@postrider/server/internal/database/engine'
import { migrate, readMigrations } from '@postrider/server/internal/database/migrate'
import { makePartitions } from '@postrider/server/internal/database/partitions'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import {
  insertMessages,
  messageQueue,
  type NewMessage,
} from '@postrider/server/internal/database/tables/messages/live-messages'
import { archive, isArchived } from '@postrider/server/internal/database/tables/messages/messages'
import { type MessageRecord, recordMessages } from '@postrider/server/internal/database/tables/messages/records'
import { type RequestStep, takeStep } from '@postrider/server/internal/database/tables/messages/requests'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import { newDatabase, newMigratedDatabase } from '../support/databases.ts'
import { engineOn, withEngine } from '../support/engine.ts'
import { until } from '../support/until.ts'

const log = createLog('silent')
const now = 1_795_000_000_000
const week = 'messages_20261112'
const ids = Array.from({ length: 200 }, (_, n) => `1-6afd7c08-${n.toString(16).padStart(24, '0')}`)
const [firstId = ''] = ids
const leases = ids.map((id) => ({ id, lease: 'L' }))

const row = (id: string): NewMessage => ({
  ...{ id, workspace_id: 1, lane: 0, due_at: now, lease: null, claims: 0, status: 'ENQUEUED', event: 'e' },
  ...{ recipient: 'r', mode: 'live', enqueued: now, first_due: now, input: '{}' },
})
const outcome = (id: string, more: Partial<MessageRecord> = {}): MessageRecord => ({
  ...{ id, lease: 'L', flushes: 0, next_lease: null, due_at: null, status: 'SENT', notification_id: 'n', sent: now },
  ...{ delivered: null, canceled_at: null, error: null, reason: null, pinned: null, deliveries: null, events: '[1]' },
  ...more,
})
const claimed = async (engine: Engine, all: readonly string[]) => {
  await insertMessages(engine, all.map(row), now)
  await messageQueue.claim(engine, { now, until: now + 60_000, lease: 'L', shares: [all.length, 1, 1] })
}

withEngine((open) => {
  let engine: Engine
  const many = async (text: string) => (await engine.run<Record<string, unknown>>({ text, values: [] })).rows
  const tables = () => many('select tableoid::regclass::text as name, id, events, flushes from messages order by id')
  beforeEach(async () => {
    engine = await open()
    await makePartitions(engine, now)
  })

  test('a message that ends moves to its week, with the events of its first write', async () => {
    await claimed(engine, [firstId])
    expect(await tables()).toEqual([{ name: 'messages_live', id: firstId, events: null, flushes: 0 }])
    await recordMessages(engine, { records: [outcome(firstId)] })
    expect(await tables()).toEqual([{ name: week, id: firstId, events: '[1]', flushes: 1 }])
    expect(await many('select * from history')).toEqual([])
  })

  test('a message that is written again before its end stays, and its later events are added', async () => {
    await claimed(engine, [firstId])
    await recordMessages(engine, { records: [outcome(firstId, { next_lease: 'L', due_at: now })] })
    expect(await tables()).toEqual([{ name: 'messages_live', id: firstId, events: '[1]', flushes: 1 }])
    await recordMessages(engine, { records: [outcome(firstId, { flushes: 1, events: '[2]' })] })
    expect(await tables()).toEqual([{ name: week, id: firstId, events: '[1]', flushes: 2 }])
    expect(await many('select message_id, flush, events from history')).toEqual([
      { message_id: firstId, flush: 2, events: '[2]' },
    ])
  })

  test('results that end messages and renewals of the same ones meet without failing', async () => {
    for (let round = 0; round < 5; round += 1) {
      await engine.run({ text: 'delete from messages', values: [] })
      await claimed(engine, ids)
      const halves = [ids.slice(0, 100), ids.slice(100)]
      const [renewed, ...recorded] = await Promise.all([
        messageQueue.renew(engine, leases, now + 90_000),
        ...halves.map((half) => recordMessages(engine, { records: half.map((id) => outcome(id)) })),
        messageQueue.renew(engine, [...leases].reverse(), now + 90_000),
      ])
      expect(renewed.size).toBeLessThanOrEqual(ids.length)
      expect(recorded[0]?.size).toBe(100)
      expect(recorded[1]?.size).toBe(100)
    }
    expect(await many(`select count(*)::integer as n from ${week}`)).toEqual([{ n: ids.length }])
  })

  test('a request makes no message twice, though the first is final', async () => {
    const request = { id: ids[1] ?? '', lease: 'L' }
    await engine.run({
      text: `insert into requests (id, workspace_id, kind, mode, lane, due_at, lease, status, created, input, targets)
        values ($1, 1, 'send', 'live', 2, $2, 'L', 'PROCESSING', 0, '{}', '[]')`,
      values: [request.id, now],
    })
    const step: RequestStep = { request, messages: [row(firstId)], failures: 0, progress: '', dueAt: now, ...more }
    expect(await takeStep(engine, step)).toEqual([firstId])
    await messageQueue.claim(engine, { now, until: now + 60_000, lease: 'L', shares: [1, 1, 1] })
    await recordMessages(engine, { records: [outcome(firstId)] })
    expect(await takeStep(engine, step)).toEqual([])
    expect(await tables()).toEqual([{ name: week, id: firstId, events: '[1]', flushes: 1 }])
    expect(await many('select enqueued from requests')).toEqual([{ enqueued: 1 }])
  })
})

const more = { keepLease: true, status: 'PROCESSING' as const }

test('a message is archived though it ends while the archive waits for its row', async () => {
  const url = await newMigratedDatabase()
  const engine = await engineOn(url)
  const ending = new pg.Client({ connectionString: url })
  try {
    await makePartitions(engine, now)
    await claimed(engine, [firstId])
    await ending.connect()
    await ending.query('begin')
    const batch = async (statements: readonly Statement[]) => {
      for (const { text, values } of statements) await ending.query(text, values && [...values])
      return statements.map(() => ({ rows: [], affected: 1 }))
    }
    await recordMessages({ ...engine, batch }, { records: [outcome(firstId)] })
    const archived = engine.batch(archive(1, firstId))
    const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await until(
      async () => (await ending.query(waits)).rowCount,
      (count) => count === 1,
    )
    await ending.query('commit')
    expect(isArchived(await archived)).toBe(true)
    const { rows } = await engine.run({
      text: 'select tableoid::regclass::text as name, archived from messages',
      values: [],
    })
    expect(rows).toEqual([{ name: week, archived: true }])
  } finally {
    await ending.end()
    await engine.close()
  }
})

describe('a database of the schema before', () => {
  test('keeps every message, and lists those in progress', async () => {
    const engine = await openPostgres({ address: { connectionString: await newDatabase() }, kind: 'server', log })
    try {
      await migrate(engine, log, readMigrations().slice(0, 15))
      await engine.run({
        text: `create table ${week} partition of messages for values from ('1-6afd0000') to ('1-6b063a80')`,
        values: [],
      })
      await engine.run({
        text: `insert into messages (id, workspace_id, lane, due_at, status, event, recipient, mode, enqueued, first_due, input)
          select id, 1, 0, due, 'SENT', 'e', 'r', 'live', 0, 0, '{}' from (values
            ('1-6afd7c08-1', null::bigint), ('1-6afd7c08-2', 5), ('1-00000000-1', null), ('1-00000000-2', 7)) v(id, due)`,
        values: [],
      })
      await migrate(engine, log)
      const { rows } = await engine.run({
        text: 'select tableoid::regclass::text as name, id, due_at from messages order by id',
        values: [],
      })
      expect(rows).toEqual([
        { name: 'messages_default', id: '1-00000000-1', due_at: null },
        { name: 'messages_live', id: '1-00000000-2', due_at: 7 },
        { name: week, id: '1-6afd7c08-1', due_at: null },
        { name: 'messages_live', id: '1-6afd7c08-2', due_at: 5 },
      ])
    } finally {
      await engine.close()
    }
  })
})
