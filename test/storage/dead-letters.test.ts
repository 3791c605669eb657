/**
 * A poison row of each leased table is dead-lettered by its real worker, recorded with its reason, and ends well once it is released; so do the rows beside it.
 * @module-tag safety
 */
import { startBackgroundJobs } from '@postrider/server/internal/background'
import type { Log } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import { secretKey } from '@postrider/server/internal/base/secret'
import { ConflictError, type Engine } from '@postrider/server/internal/database/engine'
import { guardPlan } from '@postrider/server/internal/database/query'
import { startPipeline } from '@postrider/server/internal/messages/pipeline'
import { claimsMax } from '@postrider/server/internal/queue/poison'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { createTransport } from '@postrider/server/internal/transport/transport'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settableClock } from '../support/clock.ts'
import { openEngine } from '../support/engine.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { emptyQueues, queueCases } from './queue-cases.ts'
import { now } from './run-rows.ts'

const DEAD = expect.stringMatching(/^Dead-lettered after \d+ attempts to process it without an outcome$/)

/** By table: where the row, or the message of a digest, is found, and how a poison and a healthy one end. */
const ends: Record<string, { text: string; dead: object; healthy: object }> = {
  messages: {
    text: `select status, due_at, error, events::json -> 0 ->> 'reason' as reason from messages where id = $1`,
    dead: { status: 'UNDELIVERABLE', due_at: null, error: DEAD, reason: 'FAILED' },
    healthy: { status: 'UNMAPPED', due_at: null },
  },
  requests: {
    text: 'select status, due_at, lease, error, enqueued from requests where id = $1',
    dead: { status: 'ERROR', due_at: null, lease: null, error: DEAD, enqueued: 0 },
    healthy: { status: 'COMPLETED', due_at: null, error: null, enqueued: 1 },
  },
  runs: {
    text: `select r.status, r.due_at, r.error, s.reason from runs r left join run_steps s on s.run_id = r.id where r.id = $1`,
    dead: { status: 'ERROR', due_at: null, error: DEAD, reason: DEAD },
    healthy: { status: 'PROCESSED', due_at: null, error: null },
  },
  digests: {
    text: `select status, due_at, error, events::json -> 0 ->> 'reason' as reason from messages where recipient = $1 order by id desc`,
    dead: { status: 'UNDELIVERABLE', due_at: null, error: DEAD, reason: 'FAILED' },
    healthy: { status: expect.not.stringMatching(/ENQUEUED/), due_at: null, error: expect.not.stringMatching(/Dead/) },
  },
  erasures: {
    text: 'select status, due_at, lease from erasures where id = $1',
    dead: { status: 'ERROR', due_at: null, lease: null },
    healthy: { status: 'COMPLETED', due_at: null },
  },
  webhook_deliveries: {
    text: 'select due_at, lease, delivered, error from webhook_deliveries where id = $1',
    dead: { due_at: null, lease: null, delivered: null, error: DEAD },
    healthy: { due_at: null, delivered: expect.any(Number), error: null },
  },
  receipts: {
    text: `select max(r.due_at) as due_at, max(m.status) as status from messages m left join receipts r on r.id = m.id where m.id = $1`,
    dead: { due_at: null, status: 'SENT' },
    healthy: { due_at: null, status: 'DELIVERED' },
  },
}

const letterOf = async (subject: string) =>
  (await engine.run({ text: 'select * from dead_letters where subject_id = $1', values: [subject] })).rows[0]

const rows = new Map<string, { poison: string; healthy: string }>()
const events: string[] = []
const metrics = createMetrics()
let engine: Engine
let peer: Recorder
let stop: () => Promise<void>

const log: Log = {
  isLevelEnabled: () => true,
  child: () => log,
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: ({ event }) => void events.push(event),
}

beforeAll(async () => {
  ;[engine, peer] = await Promise.all([openEngine(), startRecorder()])
  await emptyQueues(engine, peer.url)
  for (const { table, queue, insert } of queueCases) {
    const [poison, healthy] = [await insert(engine), await insert(engine)]
    // Messages count starts, other rows the claim that is to come.
    const claims = claimsMax(queue.poison) + (queue.poison.groups ? 1 : 0)
    await engine.run({ text: `update ${table} set claims = $2 where id = $1`, values: [poison, claims] })
    rows.set(table, { poison, healthy })
  }
  // A digest whose terms cannot be read.
  await engine.run({ text: `update digests set terms = '{' where claims > 0`, values: [] })
  const clock = settableClock(now)
  const transport = createTransport({ addresses: addressGuard(true, []), clock })
  const shared = { engine, clock, log, transport, leaseMs: 45_000, secretKey: secretKey(Buffer.alloc(32, 7)) }
  const workspaceName = () => 'production'
  const pipeline = await startPipeline({
    ...{ ...shared, workspaceName, providers: new Map(), metrics, works: true },
  })
  const background = await startBackgroundJobs({
    ...{
      ...shared,
      providers: new Map(),
      gates: pipeline.gates,
      metrics: createMetrics(),
      retentionDays: 90,
      messagesAdded: pipeline.wake,
      intake: pipeline.intake,
      accepted: () => undefined,
    },
  })
  stop = async () => {
    await background.stop(1_000)
    await pipeline.stop(1_000)
    await Promise.all([transport.close(), peer.close()])
    await engine.close()
  }
})
afterAll(() => stop())

test.each(Object.keys(ends))('%s', async (table) => {
  const { poison, healthy } = rows.get(table)!
  const { text, ...expected } = ends[table]!
  const read = async (id: string) => (await engine.run({ text, values: [id] })).rows[0]
  const isOver = (row: Awaited<ReturnType<typeof read>>) => row !== undefined && row.due_at === null
  const isDead = (row: object | undefined) =>
    (row !== undefined && /^(ERROR|UNDELIVERABLE)$/.test(String(Object(row).status))) ||
    String(Object(row).error).startsWith('Dead')
  expect(await until(() => read(healthy), isOver)).toMatchObject(expected.healthy)
  expect(await until(() => read(poison), isOver)).toMatchObject(expected.dead)
  const { queue } = queueCases.find((candidate) => candidate.table === table)!
  expect(events).toContain(queue.deadLettered)
  const letter = await letterOf(poison)
  expect(letter).toMatchObject({
    ...{ kind: queue.name, workspace_id: 1, error: DEAD, attempts: claimsMax(queue.poison) },
    ...{ node: engine.node, released: null },
  })
  const release = { id: String(letter!.id), workspaceId: 1, source: 'key/backend', now }
  await expect(engine.batch([queue.deadLetterRelease({ ...release, workspaceId: 2 })])).rejects.toThrow(ConflictError)
  // The digest can be read now.
  await engine.run({ text: `update digests set terms = '{"template":"none","categories":[]}'`, values: [] })
  await engine.batch([guardPlan, queue.deadLetterRelease(release)])
  expect(await letterOf(poison)).toMatchObject({ released: now })
  await expect(engine.batch([queue.deadLetterRelease(release)])).rejects.toThrow(ConflictError)
  expect(
    await until(
      () => read(poison),
      (row) => isOver(row) && !isDead(row),
    ),
  ).toMatchObject(expected.healthy)
})

test('a message that is released says so in its history', async () => {
  const { poison } = rows.get('messages')!
  const { rows: events } = await engine.run<{ events: string }>({
    text: 'select events from history where message_id = $1 order by flush',
    values: [poison],
  })
  expect(events.flatMap((row) => JSON.parse(row.events))[0]).toEqual({
    ...{ type: 'RELEASED', ts: now, cause: 'dead_letter', source: 'key/backend' },
  })
})

test('the message that reports a digest has no dead letter of its own', async () => {
  const { rows: letters } = await engine.run({
    text: `select m.status, (select count(*)::int from dead_letters o where o.subject_id = m.id) as own
      from dead_letters d join messages m on m.id = d.message_id where d.kind = 'digest'`,
    values: [],
  })
  expect(letters).toEqual([{ status: 'UNDELIVERABLE', own: 0 }])
})

test('a message that is dead-lettered counts as finished', async () => {
  const figures = () => metrics.registry.metrics()
  expect(await until(figures, (text) => text.includes('finished_total{status="UNDELIVERABLE"}'))).toMatch(
    /postrider_messages_finished_total\{status="UNDELIVERABLE"\} [1-9]/,
  )
})
