/** The cost of a message in the database: bytes at rest, and accept, claim, record and vacuum beside many stored messages. */
import { timedId, timedIdFloor } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'
import { makePartitions } from '@postrider/server/internal/database/partitions'
import {
  insertMessages,
  type LiveMessage,
  messageQueue,
  type NewMessage,
} from '@postrider/server/internal/database/tables/messages/live-messages'
import { recordMessages } from '@postrider/server/internal/database/tables/messages/records'
import { openStorage, type Place } from './databases.ts'
import type { Bench, Figures } from './measure.ts'
import type { LoadAnswer, LoadRequest } from './peers/peers.ts'
import { apiKey, events, setUp, startProduct } from './product.ts'
import { sendBody } from './sample.ts'
import { median, quantile } from './statistics.ts'

const DAY_MS = 86_400_000
/** Eight weeks: as many partitions as after two months of use. */
const DAYS = 56
const ROWS_A_STATEMENT = 20_000
const REAL = 10_000
const REAL_MS = 2_000
const ROUNDS = 60
const BATCH = 100
const LEASE_MS = 45_000

export async function messageRows(bench: Bench): Promise<Figures> {
  const storedCount = Math.max(...bench.storedCounts)
  const place = await bench.databases.copy()
  // The first ones make the room that the second ones use again.
  await sendReal(bench, place, true)
  const before = await withStorage(place, sizes)
  await sendReal(bench, place, false)
  return withStorage(place, async (engine) => {
    const after = await sizes(engine)
    const messages = after.messages - before.messages
    const heapBytes = (after.heap - before.heap) / messages
    const indexBytes = (after.index - before.index) / messages
    await multiply(engine, storedCount)
    const beside = await hotPath(engine)
    return { stored: storedCount, messages, heapBytes, indexBytes, ...beside, ...(await vacuums(engine)) }
  })
}

/** While no product runs: a local database is open in one process at a time. */
async function withStorage<T>(place: Place, use: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openStorage(place)
  try {
    return await use(engine)
  } finally {
    await engine.close()
  }
}

/** At least so many messages through a webhook. */
async function sendReal(bench: Bench, place: Place, isFirst: boolean): Promise<void> {
  const product = await startProduct(place, bench.port)
  try {
    if (isFirst) await setUp(product, bench.sinks)
    const load = { event: events.webhook, connections: 16, inFlightMax: 100, warmMs: 0, measureMs: REAL_MS }
    const request: LoadRequest = { ...load, apiKey, port: product.port }
    for (let sent = 0; sent < REAL; ) sent += (await bench.peers.call<LoadAnswer>('load', request)).answered
  } finally {
    await product.stop()
  }
}

/** Bytes of everything that grows with messages. */
async function sizes(engine: Engine) {
  for (const table of ['messages', 'history']) await engine.run({ text: `vacuum ${table}` })
  const { rows } = await engine.run<{ messages: number; heap: number; index: number }>({
    text: `select (select count(*) from messages)::float8 as messages, sum(pg_table_size(oid))::float8 as heap,
      sum(pg_indexes_size(oid))::float8 as index
      from pg_class where relkind = 'r' and relname ~ '^(messages|history)_'`,
    values: [],
  })
  return rows[0] ?? { messages: 0, heap: 0, index: 0 }
}

/** Copies of the real ones, each with an id of its own and another recipient, spread over eight weeks. */
async function multiply(engine: Engine, count: number): Promise<void> {
  const now = Date.now()
  for (let day = DAYS; day >= 0; day -= 7) await makePartitions(engine, now - day * DAY_MS)
  await engine.run({
    text: `create unlogged table templates as select row_number() over (order by id) - 1 as n, * from messages
      where due_at is null limit 1000`,
    values: [],
  })
  await engine.run({ text: 'create index on templates (n)', values: [] })
  const { rows } = await engine.run<{ name: string }>({
    text: `select attname as name from pg_attribute where attrelid = 'messages'::regclass and attnum > 0
      and not attisdropped and attname not in ('id', 'recipient')`,
    values: [],
  })
  const columns = rows.map(({ name }) => name)
  const step = (DAYS * DAY_MS) / count
  for (let from = 0; from < count; from += ROWS_A_STATEMENT) {
    const ids = Array.from({ length: Math.min(ROWS_A_STATEMENT, count - from) }, (_, n) => {
      const at = Math.floor(now - DAYS * DAY_MS + (from + n) * step)
      return { n: from + n, id: `${timedIdFloor(at)}${(from + n).toString(16).padStart(21, '0')}` }
    })
    const values = [JSON.stringify(ids)]
    const source = `json_to_recordset($1::json) as r(n bigint, id text) join templates t on t.n = r.n % 1000`
    await engine.run({
      text: `insert into messages (id, recipient, ${columns.join(', ')})
        select r.id, 'user-' || r.n * 7919 % 200000, ${columns.map((column) => `t.${column}`).join(', ')} from ${source}`,
      values,
    })
    await engine.run({
      text: `insert into history (message_id, flush, workspace_id, events)
        select r.id, h.flush, h.workspace_id, h.events from ${source} join history h on h.message_id = t.id`,
      values,
    })
  }
  await engine.run({ text: 'drop table templates', values: [] })
  await engine.run({ text: 'vacuum (analyze) messages' })
  await engine.run({ text: 'checkpoint' })
}

/** Accepted, claimed and recorded in batches by the product's own functions, one after the other. */
async function hotPath(engine: Engine): Promise<Figures> {
  const times: Record<'accept' | 'claim' | 'record', number[]> = { accept: [], claim: [], record: [] }
  const timed = async <T>(name: keyof typeof times, work: () => Promise<T>): Promise<T> => {
    const begin = performance.now()
    const done = await work()
    times[name].push(performance.now() - begin)
    return done
  }
  const before = await written(engine)
  for (let round = 0; round < ROUNDS; round += 1) {
    const now = Date.now()
    const rows = Array.from({ length: BATCH }, (_, n) => rowOf(now, round * BATCH + n))
    await timed('accept', () => insertMessages(engine, rows, now))
    const shares = [BATCH, 0, 0] as const
    const until = now + LEASE_MS
    const claimed = await timed('claim', () => messageQueue.claim(engine, { now, until, lease: `l${round}`, shares }))
    if (claimed.length !== BATCH) throw new Error(`${claimed.length} of ${BATCH} messages were claimed`)
    const ids = await timed('record', () => recordMessages(engine, { records: claimed.map(outcomeOf) }))
    if (ids.size !== BATCH) throw new Error(`${ids.size} of ${BATCH} messages were recorded`)
  }
  const wal = (await written(engine)) - before
  const figures: Figures = { walBytes: wal / (ROUNDS * BATCH) }
  for (const [name, all] of Object.entries(times)) {
    figures[`${name} p50`] = median(all)
    figures[`${name} p99`] = quantile(all, 0.99)
  }
  return figures
}

async function written(engine: Engine): Promise<number> {
  const { rows } = await engine.run<{ bytes: number }>({
    text: `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes`,
    values: [],
  })
  return rows[0]?.bytes ?? 0
}

function rowOf(now: number, n: number): NewMessage {
  const { event, recipient, profile, data } = sendBody({ event: events.webhook, n })
  const input = JSON.stringify({ event, data, recipient, profile })
  const job = { lane: 0, due_at: now, lease: null, claims: 0, status: 'ENQUEUED', mode: 'live' }
  const times = { enqueued: now, first_due: now }
  return { id: timedId(now), workspace_id: 1, event, recipient, ...job, ...times, input: JSON.stringify(input) }
}

const integration = 'R0P0YF61FDHTW4WNXQ3MWJE1VGRT'
const notification = { id: '0CC8SH67E9EVEER8PB5B5TV0CJXW', version: 1 }

/** As the pipeline records a message that its webhook took. */
function outcomeOf({ id, lease, flushes, enqueued }: LiveMessage) {
  const at = enqueued + 20
  const way = { channel: 'webhook', provider: 'webhook', integration }
  const log = [{ number: 1, started: enqueued, ended: at, outcome: 'sent' }]
  const delivery = { n: 0, ...way, state: 'sent', attempts: 1, firstAt: enqueued, log, sentAt: at, deliveredAt: at }
  const sandbox = { channel: 'webhook', provider: 'mailbox', integration, order: 1, selected: false, reason: 'SANDBOX' }
  const considered = [{ ...way, order: 0, selected: true }, sandbox]
  const events = ['MAPPED', 'PROFILE_LOADED', 'RENDERED', 'SENT', 'DELIVERED'].map((type) => ({ type, ts: at, n: 0 }))
  return {
    ...{ id, lease, flushes, next_lease: null, due_at: null, status: 'DELIVERED', notification_id: notification.id },
    ...{ sent: at, delivered: at, canceled_at: null, error: null, reason: null },
    pinned: JSON.stringify({ notification, considered }),
    deliveries: JSON.stringify([{ ...delivery, reference: { 'webhook-id': `${id}-0` } }]),
    events: JSON.stringify(events),
  }
}

/** The work that autovacuum has then, each table by itself. */
async function vacuums(engine: Engine): Promise<Figures> {
  const { rows } = await engine.run<{ name: string }>({
    text: `select quote_ident(relname) as name from pg_stat_user_tables
      where relname ~ '^messages_' and n_dead_tup + n_ins_since_vacuum > 0 order by n_tup_ins desc`,
    values: [],
  })
  let longest = 0
  for (const { name } of rows) {
    const begin = performance.now()
    await engine.run({ text: `vacuum ${name}` })
    longest = Math.max(longest, performance.now() - begin)
  }
  return { vacuumMs: longest }
}
