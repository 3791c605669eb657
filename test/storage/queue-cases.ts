/** A case for each leased table: how a row is made, claimed by its queue, and settled under its lease. */
import { timedId } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'
import type { ClaimTime, LeasedQueue, LeasedRow } from '@postrider/server/internal/database/leased-queue'
import { runQueue, runsInsert } from '@postrider/server/internal/database/tables/automations/live-runs'
import { recordRuns } from '@postrider/server/internal/database/tables/automations/runs'
import { digestQueue, releaseDigests } from '@postrider/server/internal/database/tables/digests/digests'
import {
  erasureProgress,
  erasureQueue,
  startErasure,
} from '@postrider/server/internal/database/tables/erasure/erasures'
import {
  insertMessages,
  messageQueue,
  type NewMessage,
} from '@postrider/server/internal/database/tables/messages/live-messages'
import {
  receiptQueue,
  receiptsDelete,
  receiptsInsert,
} from '@postrider/server/internal/database/tables/messages/receipts'
import { recordMessages } from '@postrider/server/internal/database/tables/messages/records'
import { requestInsert, requestQueue, takeStep } from '@postrider/server/internal/database/tables/messages/requests'
import { recordDeliveries, webhookDeliveryQueue } from '@postrider/server/internal/database/tables/webhooks/webhooks'
import { deliveriesText, type StoredDelivery } from '@postrider/server/internal/messages/delivery'
import { change, now, started } from './run-rows.ts'

const WEBHOOK = 'hook'
/** More than the rows of a test. */
const MANY = 50

export interface QueueCase {
  table: string
  queue: Pick<
    LeasedQueue<LeasedRow>,
    | ('name' | 'deadLettered' | 'poison' | 'renew' | 'countStarts' | 'release' | 'voidLeases' | 'nextDue')
    | ('deadLetterInsert' | 'deadLetterRelease')
  >
  /** Inserts a due row, and returns its id. */
  insert(engine: Engine): Promise<string>
  claim(engine: Engine, time: ClaimTime): Promise<LeasedRow[]>
  /** Records a final outcome under the lease of the row, or changes nothing. */
  settle(engine: Engine, row: LeasedRow): Promise<unknown>
  /** One row a claim. */
  isSingle: boolean
  /** The lease doubles with each claim without an outcome. */
  backsOff: boolean
}

interface Definition<Row extends LeasedRow, Bounds> {
  queue: LeasedQueue<Row, Bounds>
  bounds: Bounds
  insert(engine: Engine, id: string): Promise<unknown>
  settle(engine: Engine, row: Row): Promise<unknown>
  isSingle?: true
  backsOff?: true
}

/** A row is settled as its queue gave it. */
function queueCase<Row extends LeasedRow, Bounds>(definition: Definition<Row, Bounds>): QueueCase {
  const { queue, bounds, isSingle = false, backsOff = false } = definition
  const claimed = new Map<string, Row>()
  return {
    ...{ table: queue.table, queue, isSingle, backsOff },
    async insert(engine) {
      const id = timedId(now)
      await definition.insert(engine, id)
      return id
    },
    async claim(engine, time) {
      const rows = await queue.claim(engine, { ...bounds, ...time })
      for (const row of rows) claimed.set(`${row.id} ${row.lease}`, row)
      return rows
    },
    settle: (engine, { id, lease }) => definition.settle(engine, claimed.get(`${id} ${lease}`)!),
  }
}

const message = (id: string): NewMessage => ({
  ...{ id, workspace_id: 1, lane: 0, due_at: now, lease: null, claims: 0, status: 'ENQUEUED', event: 'no-such-event' },
  ...{ recipient: 'ada', mode: 'live', enqueued: now, first_due: now },
  input: '{"event":"no-such-event","recipient":"ada"}',
})

export const queueCases: readonly QueueCase[] = [
  queueCase({
    queue: messageQueue,
    bounds: { shares: [MANY, MANY, MANY] },
    insert: (engine, id) => insertMessages(engine, [message(id)], now),
    settle: (engine, { id, lease }) =>
      recordMessages(engine, {
        records: [
          {
            ...{ id, lease, flushes: 0, next_lease: null, due_at: null, status: 'SENT', notification_id: null },
            ...{ sent: now, delivered: null, canceled_at: null, error: null, reason: null, pinned: null },
            ...{ deliveries: null, events: '[]' },
          },
        ],
      }),
  }),
  queueCase({
    queue: requestQueue,
    bounds: { laneMax: 2 },
    isSingle: true,
    backsOff: true,
    insert: (engine, id) =>
      engine.run(
        requestInsert({
          ...{ id, workspace_id: 1, kind: 'send', mode: 'live', lane: 2, due_at: now, status: 'PROCESSING' },
          ...{ created: now, input: '{"event":"no-such-event"}' },
          targets: '{"targets":[{"kind":"users","users":[{"recipient":"ada"}]}]}',
        }),
      ),
    settle: (engine, request) =>
      takeStep(engine, {
        ...{ request, messages: [], failures: 0, progress: '{}', dueAt: null, keepLease: false, status: 'COMPLETED' },
      }),
  }),
  queueCase({
    queue: runQueue,
    bounds: {
      ...{ limits: [MANY, MANY], shares: [], share: [MANY, MANY], bytesMax: 1_000_000, exceptRoots: [], rootMax: MANY },
    },
    insert: (engine, id) =>
      engine.run(
        runsInsert([started({ id, automation: '{"steps":[{"action":"cancel","cancelation_token":"none"}]}' })]),
      ),
    settle: (engine, { id, lease }) => recordRuns(engine, [change(id, { run: { lease } })]),
  }),
  queueCase({
    queue: digestQueue,
    bounds: { limit: MANY },
    backsOff: true,
    insert: (engine, id) =>
      engine.run({
        text: `insert into digests (id, workspace_id, mode, topic_id, recipient, tenant_id, schedule_id, terms, events,
            counts, opened, is_open, due_at)
          values ($1, 1, 'live', 't', $1, '', 's', '{"template":"none","categories":[]}', 0, '{}', $2, true, $2)`,
        values: [id, now],
      }),
    settle: (engine, digest) => releaseDigests(engine, [{ digest, message: message(`${digest.id}-m`) }]),
  }),
  queueCase({
    queue: erasureQueue,
    bounds: {},
    isSingle: true,
    insert: (engine, id) =>
      engine.batch(
        startErasure(
          { id, workspaceId: 1, person: `p-${id}`, pseudonym: `erased-${id}`, actor: 'key/test', now },
          'fence',
        ),
      ),
    settle: (engine, erasure) =>
      engine.run(erasureProgress(erasure, { step: 'runs', place: null, dueAt: now + 1_000_000_000 })),
  }),
  queueCase({
    queue: webhookDeliveryQueue,
    bounds: { busy: [], room: MANY },
    insert: (engine, id) =>
      engine.run({
        text: `insert into webhook_deliveries (id, workspace_id, webhook_id, type, payload, due_at, created)
          values ($1, 1, $2, 't', '{}', $3, $3)`,
        values: [id, WEBHOOK, now],
      }),
    settle: (engine, { id, lease }) =>
      recordDeliveries(engine, [{ id, lease, due_at: null, attempts: 1, delivered: now, error: null }], [], now),
  }),
  queueCase({
    queue: receiptQueue,
    bounds: { limit: MANY },
    insert: (engine, id) =>
      engine.batch([
        {
          text: `insert into messages (id, workspace_id, lane, status, event, recipient, mode, enqueued, first_due, sent, input,
              deliveries, flushes)
            values ($1, 1, 0, 'SENT', 'e', 'ada', 'live', $2, $2, $2, '{}', $3, 1)`,
          values: [id, now, deliveriesText([sentDelivery])],
        },
        receiptsInsert(
          [{ id, workspace_id: 1, message_id: id, n: 0, receipt: `{"kind":"delivered","at":${now}}`, due_at: now }],
          now,
        ),
      ]),
    settle: (engine, receipt) => engine.run(receiptsDelete([receipt])),
  }),
]

const sentDelivery: StoredDelivery = {
  ...{
    n: 0,
    channel: 'email',
    provider: 'smtp',
    integration: 'I',
    state: 'sent',
    attempts: 1,
    firstAt: now,
    sentAt: now,
  },
  log: [],
}

export async function emptyQueues(engine: Engine, webhookUrl = 'http://127.0.0.1:9'): Promise<void> {
  await engine.batch([
    ...queueCases.map(({ table }) => ({ text: `delete from ${table}`, values: [] })),
    { text: 'delete from webhooks', values: [] },
    {
      text: `insert into workspaces values (1, 'production') on conflict do nothing`,
      values: [],
    },
    {
      text: `insert into webhooks (workspace_id, id, url, types, enabled, version, created, updated)
        values (1, $1, $2, '[]', true, 1, 0, 0)`,
      values: [WEBHOOK, webhookUrl],
    },
  ])
}
