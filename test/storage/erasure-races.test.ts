/**
 * An erasure that begins between the check and the commit of what a recipient's link does: nothing of the person is stored by it.
 * @module-tag safety
 */
import { createLog } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import type { Engine, Statement } from '@postrider/server/internal/database/engine'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { startErasure, stillKnown } from '@postrider/server/internal/database/tables/erasure/erasures'
import {
  type NewReceipt,
  receiptsInsert,
  usesInsert,
} from '@postrider/server/internal/database/tables/messages/receipts'
import { changeChoices } from '@postrider/server/internal/database/tables/preferences/preferences'
import { createEraser, FIRST_STEP } from '@postrider/server/internal/erasure/erase'
import { pseudonymOf } from '@postrider/server/internal/erasure/redact'
import { createReceiver } from '@postrider/server/internal/receipts/worker'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newMigratedDatabase } from '../support/databases.ts'
import { appSecretKey } from '../support/recording-app.ts'
import { delivery, insertMessage, start } from '../support/rows.ts'
import { until } from '../support/until.ts'

const PERSON = 'dora'
const log = createLog('silent')
const pseudonym = pseudonymOf(appSecretKey, 1, PERSON)
let engine: Engine
let other: pg.Client
let message: string

beforeAll(async () => {
  const connectionString = await newMigratedDatabase()
  engine = await openPostgres({ address: { connectionString }, kind: 'server', log })
  other = new pg.Client({ connectionString })
  await other.connect()
  await engine.run({ text: `insert into workspaces (id, name) values (1, 'production') on conflict do nothing` })
  await engine.run({
    text: `insert into webhooks (workspace_id, id, url, types, enabled, version, created, updated)
      values (1, 'w', 'http://127.0.0.1:1', '["preferences:user:updated", "message:updated"]', true, 1, $1, $1)`,
    values: [start],
  })
})
afterAll(async () => {
  await Promise.all([other.end(), engine.close()])
})
beforeEach(async () => {
  for (const table of [
    'erasures',
    'topic_preferences',
    'preference_changes',
    'webhook_deliveries',
    'receipts',
    'history',
  ])
    await engine.run({ text: `delete from ${table}` })
  await engine.run({ text: 'delete from messages' })
  message = await insertMessage(engine, start, {
    ...{ status: 'SENT', recipient: PERSON, sent: start + 5, flushes: 1 },
    deliveries: JSON.stringify([{ ...delivery, deliveredAt: undefined }]),
  })
})

const click = (): Statement[] => {
  const choice = { topicId: 'news', status: 'OPTED_OUT', hasCustomRouting: false, customRouting: [] }
  const origin = { source: 'one_click' as const, actor: 'recipient', messageId: message, ip: '192.0.2.7' }
  return [
    ...stillKnown({ workspaceId: 1, person: PERSON, pseudonym, messageId: message }),
    ...changeChoices(
      { workspaceId: 1, userId: PERSON, tenantId: '' },
      { put: [choice], remove: [] },
      { origin, now: start + 10 },
    ),
  ]
}
const erasure = () =>
  startErasure({ id: 'e-1', workspaceId: 1, person: PERSON, pseudonym, actor: 'key/a', now: start + 20 }, FIRST_STEP)
const rowsOf = async (table: string) => (await engine.run({ text: `select * from ${table}` })).rows
/** A transaction of another connection, before its commit. */
const openTransaction = async (statements: readonly Statement[]) => {
  await other.query('begin')
  for (const { text, values = [] } of statements) await other.query(text, [...values])
}
const waiting = () =>
  until(
    () => engine.run({ text: `select 1 from pg_locks where locktype = 'advisory' and not granted` }),
    ({ rows }) => rows.length > 0,
  )

test('a click that waits for the commit of an erasure changes nothing', async () => {
  await openTransaction(erasure())
  const clicked = engine.batch(click()).then(
    () => 'stored',
    (error: Error) => error.name,
  )
  await waiting()
  await other.query('commit')
  expect(await clicked).toBe('ConflictError')
  for (const table of ['topic_preferences', 'preference_changes', 'webhook_deliveries'])
    expect(await rowsOf(table)).toEqual([])
})

test('an erasure that waits for the commit of a click removes what the click stored', async () => {
  await openTransaction(click())
  const begin = engine.batch(erasure())
  await waiting()
  await other.query('commit')
  await begin
  expect(await rowsOf('topic_preferences')).toEqual([])
  expect(await rowsOf('erasures')).toMatchObject([{ removed: { topicPreferences: 1 } }])
})

test('a click after an erasure has ended changes nothing, and one of a person who came back does', async () => {
  await engine.run({ text: 'update messages set recipient = $1', values: [pseudonym] })
  await expect(engine.batch(click())).rejects.toThrow()
  await engine.run({ text: 'update messages set recipient = $1', values: [PERSON] })
  await engine.batch(click())
  expect(await rowsOf('topic_preferences')).toHaveLength(1)
})

const use = (kind: string, of = message): NewReceipt => ({
  ...{ id: `${of}-0-${kind}-h`, workspace_id: 1, message_id: of, n: 0, due_at: start + 30 },
  receipt: JSON.stringify({ kind, at: start + 30, url: 'https://shop.example/?email=dora@example.com' }),
})

test('opens and clicks are not stored once the erasure has started, nor afterwards; those of others and unknown ones are', async () => {
  const someone = await insertMessage(engine, start, { status: 'SENT', recipient: 'ada', flushes: 1 })
  const unknown = '1-6959ae00-0000000000000000000000ab'
  const uses = () =>
    engine.run(usesInsert([use('clicked'), use('opened', someone), use('opened', unknown)], start + 30))
  const storedIds = async () =>
    (await rowsOf('receipts')).map((row) => (row as { message_id: string }).message_id).toSorted()
  await engine.batch(erasure())
  await uses()
  expect(await storedIds()).toEqual([someone, unknown].toSorted())
  await engine.run({ text: 'delete from receipts' })
  await engine.run({ text: 'delete from erasures' })
  await engine.run({ text: 'update messages set recipient = $1 where id = $2', values: [pseudonym, message] })
  await uses()
  expect(await storedIds()).toEqual([someone, unknown].toSorted())
})

test('an erasure that begins between the read and the write of receipts comes first: no use of a link is recorded', async () => {
  let time = start + 40
  const before: Engine = {
    ...engine,
    batch: async (statements, options) => {
      if (statements.some(({ name }) => name === 'apply-receipts')) await engine.batch(erasure())
      return engine.batch(statements, options)
    },
  }
  const options = { log, metrics: createMetrics(), leaseMs: 60_000, retentionDays: 30, now: () => time, wake: () => {} }
  const delivered: NewReceipt = {
    ...use('delivered'),
    id: 'of-a-provider',
    receipt: JSON.stringify({ kind: 'delivered', at: start + 30 }),
  }
  await engine.run(receiptsInsert([use('clicked'), use('opened'), delivered], start + 30))
  const read = async () => (await rowsOf('messages'))[0]
  await createReceiver({ ...options, engine: before })()
  expect(await read()).toMatchObject({ status: 'SENT', flushes: 1, clicked: null })
  expect(await rowsOf('history')).toEqual([])
  expect(await rowsOf('receipts')).toHaveLength(3)

  time += 60_000
  await createReceiver({ ...options, engine })()
  // The report of the provider waits until the message is rewritten.
  expect(await rowsOf('receipts')).toMatchObject([{ receipt: expect.stringContaining('delivered') }])
  await engine.run(receiptsInsert([use('clicked')], time))
  const erase = createEraser({ engine, secretKey: appSecretKey, log, leaseMs: 60_000, now: () => time })
  await until(
    async () => {
      await erase()
      return rowsOf('erasures')
    },
    ([row]) => (row as { status: string }).status === 'COMPLETED',
  )
  // One that waited goes with its message.
  expect(await rowsOf('receipts')).toHaveLength(1)
  time += 600_000
  await createReceiver({ ...options, engine })()
  expect(await read()).toMatchObject({ recipient: pseudonym, status: 'DELIVERED', clicked: null, opened: null })
  expect(JSON.stringify([await rowsOf('messages'), await rowsOf('history')])).not.toContain('dora')
})
