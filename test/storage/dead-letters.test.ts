/** A poison row of each leased table is dead-lettered by its real worker, with its error and a log line; the rows beside it end well. */
import { startBackgroundJobs } from '@postrider/server/internal/background'
import type { Log } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { startPipeline } from '@postrider/server/internal/messages/pipeline'
import { claimsMax } from '@postrider/server/internal/queue/poison'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { createTransport } from '@postrider/server/internal/transport/transport'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openEngine } from '../support/engine.ts'
import { type Recorder, startRecorder } from '../support/recorder.ts'
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
    text: `select status, due_at, error, events::json -> 0 ->> 'reason' as reason from messages where recipient = $1`,
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
  const start = performance.now()
  const clock = { now: () => now + Math.round(performance.now() - start) }
  const transport = createTransport({ addresses: addressGuard(true, []), clock })
  const shared = { engine, clock, log, transport, leaseMs: 45_000, secretKey: secretKey(Buffer.alloc(32, 7)) }
  const workspaceName = () => 'production'
  const pipeline = await startPipeline({
    ...{ ...shared, workspaceName, providers: new Map(), metrics, works: true },
  })
  const background = await startBackgroundJobs({
    ...{
      ...shared,
      metrics: createMetrics(),
      retentionDays: 90,
      messagesAdded: pipeline.wake,
      accepted: () => undefined,
    },
  })
  stop = async () => {
    await background.stop()
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
  expect(await until(() => read(healthy), isOver)).toMatchObject(expected.healthy)
  expect(await until(() => read(poison), isOver)).toMatchObject(expected.dead)
  const { deadLettered } = queueCases.find((one) => one.table === table)!.queue
  expect(events).toContain(deadLettered)
})

test('a message that is dead-lettered counts as finished', async () => {
  const figures = () => metrics.registry.metrics()
  expect(await until(figures, (text) => text.includes('finished_total{status="UNDELIVERABLE"}'))).toMatch(
    /postrider_messages_finished_total\{status="UNDELIVERABLE"\} [1-9]/,
  )
})
