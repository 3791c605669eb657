/**
 * Statements of the hot path touch what they are about, whenever they were planned: on tables that were never analyzed,
 * and after a vacuum that met hardly a live row between many dead ones.
 */
import { backlogStatuses } from '@postrider/contract'
import { startTimeBudget } from '@postrider/server/internal/base/budget'
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine, Statement } from '@postrider/server/internal/database/engine'
import { readInstallationFigures } from '@postrider/server/internal/database/installation-figures'
import { makePartitions } from '@postrider/server/internal/database/partitions'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { guardPlan } from '@postrider/server/internal/database/query'
import { dueQueues, firstDue } from '@postrider/server/internal/database/queues'
import { handOnBatches } from '@postrider/server/internal/database/tables/automations/batches'
import { runQueue, runsInsert } from '@postrider/server/internal/database/tables/automations/live-runs'
import {
  cancelRun,
  dropRuns,
  recordRuns,
  tokenCancellation,
  tokenLock,
} from '@postrider/server/internal/database/tables/automations/runs'
import { addressDigests } from '@postrider/server/internal/database/tables/messages/addresses'
import {
  addUsers,
  bulkInputsAfter,
  listJobs,
  usersAmong,
} from '@postrider/server/internal/database/tables/messages/bulk-jobs'
import {
  cancelUnleased,
  requestCancel as requestMessageCancel,
} from '@postrider/server/internal/database/tables/messages/cancellations'
import {
  claimDeferredCopies,
  deferredCopiesRecord,
} from '@postrider/server/internal/database/tables/messages/deferred-copies'
import {
  insertMessages,
  messageQueue,
  type NewMessage,
} from '@postrider/server/internal/database/tables/messages/live-messages'
import { decidedWith, findMessages, listMessages } from '@postrider/server/internal/database/tables/messages/messages'
import { createMessageRemoval } from '@postrider/server/internal/database/tables/messages/old-messages'
import {
  type AppliedReceipts,
  receiptQueue,
  receiptsDelete,
  receiptsPostpone,
  receivingMessages,
  writeReceipts,
} from '@postrider/server/internal/database/tables/messages/receipts'
import { type MessageRecord, recordMessages } from '@postrider/server/internal/database/tables/messages/records'
import {
  countWaiting,
  listRequests,
  requestCancel,
  requestQueue,
  takeStep,
} from '@postrider/server/internal/database/tables/messages/requests'
import {
  countLeased,
  hasLiveMessages,
  putOffPaused,
  requestResume,
  requestStop,
  statusesOfRequest,
  stepOfCanceled,
  stoppedAmong,
  waitingOf,
  wakePaused,
  wakeSent,
} from '@postrider/server/internal/database/tables/messages/stopped-requests'
import {
  claimTickets,
  ticketsDelete,
  ticketsPostpone,
} from '@postrider/server/internal/database/tables/messages/tickets'
import {
  findSuppressions,
  recordedSuppressionsInsert,
} from '@postrider/server/internal/database/tables/suppressions/suppressions'
import { profilesSave, profilesToChange } from '@postrider/server/internal/database/tables/users/users'
import { recordDeliveries, webhookDeliveryQueue } from '@postrider/server/internal/database/tables/webhooks/webhooks'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newMigratedDatabase } from '../support/databases.ts'
import { change, message as messageOfRun, started } from './run-rows.ts'

const ROWS = 20_000
const BATCH = 50
/** Rows that a statement may read for each of its rows: index look-ups in a few tables, in parts of a week each. */
const READ_MAX = 12

/** Rows that are live while a table is vacuumed. */
const FEW = 40

/** The same for blocks: an index that does not begin with what is looked up is read as a whole for each row. */
const BLOCKS_MAX = 100

const now = 1_795_000_000_000
const idOf = (n: number) => `1-6afd7c08-${n.toString(16).padStart(24, '0')}`
const jobId = idOf(0)
const some = <T>(make: (n: number) => T) => Array.from({ length: BATCH }, (_, n) => make(100 + n * 300))
const leases = some((n) => ({ id: idOf(n), lease: 'L' }))

const messageRow = (n: number): NewMessage => ({
  ...{ id: idOf(n), workspace_id: 1, lane: 0, due_at: now, lease: null, claims: 0, status: 'ENQUEUED', event: 'e' },
  ...{ recipient: `r${n}`, mode: 'live', enqueued: now, first_due: now, input: '{}' },
})
const outcome = (id: string): MessageRecord => ({
  ...{ id, lease: 'L', flushes: 0, next_lease: null, due_at: null, status: 'SENT', notification_id: 'n', sent: now },
  ...{ delivered: null, canceled_at: null, error: null, reason: null, pinned: '{}', deliveries: '[]', events: '[1]' },
  finished: { at: now, status: 'SENT', deliveries: [{ channel: 'email', provider: 'smtp', status: 'SENT' }] },
})
const suppressed = (n: number) => ({
  ...{ workspace_id: 1, id: idOf(n), kind: 'email', address: `r${n}@example.com`, reason: 'hard_bounce' },
  ...{ source: 'provider/smtp', note: null, person: null, created: now, ends: null },
})
const applied = (id: string): AppliedReceipts => ({
  ...{ id, flushes: 0, status: 'DELIVERED', delivered: now, opened: null, clicked: null, error: null, reason: null },
  ...{ reason_code: null, due_at: null, outbox_id: `${id}-r`, deliveries: '[]', events: '[1]' },
})
const tickets = some((n) => ({
  ...{ message_id: idOf(n), n: 0, workspace_id: 1, integration: 'i', ticket: `t${n}`, created: now, due_at: now },
}))
const shared = { kind: 'email', address: 'shared@example.com' }
const rare = { kind: 'phone_number', address: '4917012345' }
const claiming = { now, until: now + 1, lease: 'M' }
const runClaiming = {
  ...{ ...claiming, limits: [BATCH, BATCH] as const, bytesMax: 1_000_000, exceptRoots: [], rootMax: BATCH },
  ...{ shares: [], share: [1_000, 1_000] as const },
}
const request = { id: jobId, lease: 'L' }
const stopping = { workspaceId: 1, id: jobId }
const step = { request, failures: 0, progress: '{}', dueAt: now, keepLease: false, status: 'PROCESSING' as const }

const budget = startTimeBudget(Number.POSITIVE_INFINITY)
const tokens = tokenCipher(secretKey(Buffer.alloc(32, 7)))

/** Each has as many rows as a batch. */
const statements: Record<string, (engine: Engine) => Promise<unknown>> = {
  'insert of messages': (engine) =>
    insertMessages(
      engine,
      some((n) => messageRow(ROWS * 2 + n)),
      now,
    ),
  'claim of messages': (engine) => messageQueue.claim(engine, { ...claiming, shares: [BATCH, 5, 5] }),
  'record of messages': (engine) => recordMessages(engine, { records: leases.map(({ id }) => outcome(id)) }),
  'record of messages with webhook events': (engine) => {
    const outboxEntries = leases.map(({ id }) => ({ id: `${id}-a`, message_id: id, flushes: 0, at: now }))
    return recordMessages(engine, { records: leases.map(({ id }) => outcome(id)), outboxEntries })
  },
  'record of messages with suppressed addresses': (engine) =>
    recordMessages(engine, {
      records: leases.map(({ id }) => outcome(id)),
      following: [
        recordedSuppressionsInsert(some((n) => ({ ...suppressed(ROWS + n), message_id: idOf(n), flushes: 1 }))),
      ],
    }),
  'look-up of suppressed addresses': (engine) =>
    findSuppressions(
      engine,
      some((n) => ({ workspaceId: 1, kind: 'email', address: `r${n}@example.com` })),
      now,
    ),
  'renewal of leases': (engine) => messageQueue.renew(engine, leases, now),
  'count of claims': (engine) => messageQueue.countStarts(engine, leases),
  'release of leases': (engine) => messageQueue.release(engine, leases, now),
  'cancellation of messages': (engine) =>
    cancelUnleased(engine, { workspaceId: 1, ids: some((n) => idOf(n + 1)), source: 'key/plans' }, now),
  'request to cancel messages': (engine) =>
    requestMessageCancel(engine, { workspaceId: 1, ids: leases.map(({ id }) => id) }, 'key/plans'),
  'next due': (engine) => messageQueue.nextDue(engine, 0),
  'due queues': (engine) => dueQueues(engine, now - 1, 0),
  'due queues since then': (engine) => dueQueues(engine, now - 1, now - 1),
  'first due times': (engine) => firstDue(engine),
  'next request due': (engine) => requestQueue.nextDue(engine, 0),
  'next run due': (engine) => runQueue.nextDue(engine, now - 1),
  'messages of a lane that wait': (engine) =>
    countWaiting(engine, { lane: 0, now: now + 1, before: now + 2, atMost: BATCH }),
  'look-up of messages': (engine) =>
    findMessages(
      engine,
      leases.map(({ id }) => ({ workspace_id: 1, message_id: id })),
    ),
  'users a job has': (engine) =>
    usersAmong(
      engine,
      1,
      jobId,
      some((n) => `r${n}`),
    ),
  'users for a job': (engine) =>
    engine.batch(
      addUsers(
        1,
        jobId,
        some((n) => ({ recipient: `new-${n}`, input: '{}', given: '{}' })),
      ),
    ),
  'next users of a job': (engine) => bulkInputsAfter(engine, { workspaceId: 1, id: jobId }, 9_000, BATCH, 1_000_000),
  'list of jobs': (engine) => listJobs(engine, 1, undefined, undefined, BATCH),
  'list of jobs by status': (engine) => listJobs(engine, 1, ['CREATED'], undefined, BATCH),
  'claim of a request': (engine) => requestQueue.claim(engine, { ...claiming, laneMax: 2 }),
  'step of a request': (engine) => takeStep(engine, { ...step, messages: some((n) => messageRow(ROWS * 3 + n)) }),
  'step with messages that are there': (engine) => takeStep(engine, { ...step, messages: some(messageRow) }),
  'cancellation of a request': (engine) => engine.batch([requestCancel(1, 'bulk', jobId, { by: 'key/plans', now })]),
  'stop of a request': (engine) => engine.batch([requestStop(stopping, 'canceled', 'key/plans', now)]),
  'end of a pause': (engine) => engine.batch([requestResume(stopping)]),
  'step of a canceled request': (engine) => stepOfCanceled(engine, request, now),
  'stopped requests of a batch': (engine) =>
    stoppedAmong(
      engine,
      leases.map(({ id }) => id),
    ),
  'live messages of a request': (engine) => hasLiveMessages(engine, stopping),
  'leased messages of a request': (engine) => countLeased(engine, stopping, now + 1),
  'waiting messages of a request': (engine) => waitingOf(engine, stopping, now, BATCH),
  'statuses of a request': (engine) => statusesOfRequest(engine, stopping, BATCH),
  'list of requests': (engine) => listRequests(engine, 1, {}, BATCH),
  'claim of runs': (engine) => runQueue.claim(engine, runClaiming),
  'renewal of runs': (engine) => runQueue.renew(engine, leases, now),
  'record of runs': (engine) =>
    recordRuns(
      engine,
      leases.map(({ id }, n) => change(id, { messages: [messageOfRun(idOf(ROWS * 4 + n), id)] })),
    ),
  'profiles to change': (engine) =>
    profilesToChange(
      engine,
      1,
      some((n) => `r${n}`),
      1_000_000,
      budget,
    ),
  'save of profiles': async (engine) =>
    engine.batch(
      await profilesSave(
        tokens,
        1,
        some((n) => ({
          id: n % 600 === 100 ? `new-${n}` : `r${n}`,
          profile: {},
          version: n % 600 === 100 ? undefined : 1,
        })),
        now,
        budget,
      ),
    ),
  'claim of receipts': (engine) => receiptQueue.claim(engine, { ...claiming, limit: BATCH }),
  'messages of receipts': (engine) =>
    receivingMessages(
      engine,
      leases.map(({ id }) => ({ workspace_id: 1, message_id: id })),
    ),
  'receipts written': (engine) =>
    writeReceipts(
      engine,
      leases.map(({ id }) => applied(id)),
      [],
      now,
    ),
  'end of receipts': (engine) => engine.batch([guardPlan, receiptsDelete(leases), receiptsPostpone(leases, now)]),
  'claim of tickets': (engine) => claimTickets(engine, { ...claiming, limit: BATCH }),
  'end of tickets': (engine) => engine.batch([guardPlan, ticketsDelete(tickets), ticketsPostpone(tickets, now)]),
  'claim of deferred copies': (engine) => claimDeferredCopies(engine, { ...claiming, limit: BATCH }),
  'record of deferred copies': (engine) => {
    const copies = { message_id: idOf(100), n: 0, attempts: 1 }
    const later = { later: ['a@example.com'], dueAt: now, receipts: [] }
    return engine.batch([guardPlan, deferredCopiesRecord(copies, later, now)])
  },
  'claim of webhook deliveries': (engine) => webhookDeliveryQueue.claim(engine, { ...claiming, busy: [], room: BATCH }),
  'record of webhook deliveries': (engine) =>
    recordDeliveries(
      engine,
      leases.map((lease) => ({ ...lease, due_at: null, attempts: 1, delivered: now, error: null })),
      [],
      now,
    ),
}

/** These read as much as waits, up to a bound. */
const counting: Record<string, (engine: Engine) => Promise<unknown>> = {
  'figures of a scrape': (engine) =>
    readInstallationFigures(engine, { now: now + 1, workspaceIds: [1, 2], statuses: backlogStatuses }),
}

/** Without a name: planned for each call. */
const unprepared: Record<string, (engine: Engine) => Promise<unknown>> = {
  'list of messages of an address': (engine) =>
    listMessages(engine, 1, { address: { text: 'x', forms: [shared] } }, BATCH),
  'list of messages of an address, rare': (engine) =>
    listMessages(engine, 1, { address: { text: 'x', forms: [rare] } }, BATCH),
  'list of messages with a finding': (engine) => listMessages(engine, 1, { findings: ['mail_large'] }, BATCH),
  'messages that an integration could have sent': (engine) =>
    decidedWith(engine, 1, { integrationId: 'i', before: undefined, limit: BATCH }),
}

/** These read as much as there is of their subject. */
const unbounded: Record<string, (engine: Engine) => Promise<unknown>> = {
  'messages of a paused request put off': (engine) => putOffPaused(engine, stopping, { now, ms: 1_000 }),
  'messages of a paused request woken': (engine) => wakePaused(engine, stopping, now),
  'messages of a canceled request woken': (engine) => wakeSent(engine, stopping, now),
  'cancellation of a run': (engine) => engine.batch(cancelRun(1, idOf(4), now)),
  'cancellation of runs by a token': (engine) =>
    engine.batch([
      guardPlan,
      tokenLock(1, 'live', 'token', idOf(4)),
      tokenCancellation({ workspaceId: 1, mode: 'live', token: 'token' }, { runId: idOf(4), position: 0 }, now),
    ]),
  'removal of ended runs': (engine) => dropRuns(engine, now, BATCH),
  'removal of old messages': (engine) => createMessageRemoval(engine, () => now)(BATCH),
  'batches handed on': (engine) => handOnBatches(engine, now, BATCH),
}

/** The statements that an engine would get, without one. */
async function statementsOf(work: (engine: Engine) => Promise<unknown>): Promise<Statement[]> {
  const all: Statement[] = []
  const take = (statement: Statement) => {
    all.push(statement)
    return { rows: [], affected: 1 }
  }
  const engine = {
    tokens,
    run: async (statement: Statement) => take(statement),
    batch: async (batch: readonly Statement[]) => batch.map(take),
  }
  await work(engine as unknown as Engine)
  return all
}

const fill = [
  `insert into suppressions (workspace_id, id, kind, address, reason, source, created)
    select 1, '1-6afd7c08-' || lpad(to_hex(n), 24, '0'), 'email', 'r' || n || '@example.com', 'hard_bounce', 'key/k', ${now}
    from generate_series(1, ${ROWS}) n`,
  `insert into workspaces values (1, 'production') on conflict do nothing`,
  `insert into webhooks (workspace_id, id, url, types, enabled, version, created, updated)
    values (1, 'w', 'http://127.0.0.1', '["message:updated"]', true, 1, 0, 0)`,
  // A third is final, a third is leased, and a third is due; half have one address, and few another.
  `insert into messages (id, workspace_id, lane, due_at, lease, status, event, recipient, mode, enqueued, first_due, input, flushes,
      addresses, findings)
    select '1-6afd7c08-' || lpad(to_hex(n), 24, '0'), 1, 0, case when n % 300 = 100 or n % 3 > 0 then ${now} end,
      case when n % 300 = 100 or n % 3 = 1 then 'L' end, 'ENQUEUED', 'e', 'r' || n, 'live', ${now}, ${now}, '{}', 0,
      array[case when n % 2 = 0 then ${addressDigests(tokens, 1, [shared])} else n end]
        || case when n % 900 = 7 then array[${addressDigests(tokens, 1, [rare])}] end,
      case when n % 400 = 7 then '{mail_large}'::text[] end
    from generate_series(1, ${ROWS}) n`,
  `insert into deferred_copies (message_id, n, workspace_id, recipient, integration, sender, addresses, mail, needs_utf8,
      at_most_once, in_flight, attempts, due_at, ends)
    select '1-6afd7c08-' || lpad(to_hex(n), 24, '0'), 0, 1, 'r', 'i', 's', '{}', 'm', false, false, false, 1, ${now}, ${now}
    from generate_series(1, ${ROWS}) n`,
  `insert into tickets (message_id, n, workspace_id, integration, ticket, created, due_at)
    select '1-6afd7c08-' || lpad(to_hex(n), 24, '0'), 0, 1, 'i', 't' || n, ${now}, ${now} from generate_series(1, ${ROWS}) n`,
  `insert into receipts (id, workspace_id, message_id, n, receipt, created, due_at, lease)
    select '1-6afd7c08-' || lpad(to_hex(n), 24, '0'), 1, '1-6afd7c08-' || lpad(to_hex(n), 24, '0'), 0, '{}', ${now}, ${now},
      case when n % 300 = 100 then 'L' end
    from generate_series(1, ${ROWS}) n`,
  `insert into requests (id, workspace_id, kind, mode, lane, due_at, lease, status, created, input, targets, received)
    select '1-6afd7c08-' || lpad(to_hex(n), 24, '0'), 1, 'bulk', 'live', 2, case when n < 100 then ${now} end, 'L', 'CREATED',
      ${now}, '{}', '[]', ${ROWS}
    from generate_series(0, ${ROWS}) n`,
  `insert into profiles (workspace_id, id, profile, version, created, updated)
    select 1, 'r' || n, '{}', 1, ${now}, ${now} from generate_series(1, ${ROWS}) n`,
  `insert into bulk_users (job_id, position, workspace_id, recipient, input, given)
    select '${jobId}', n, 1, 'r' || n, '{}', '{}' from generate_series(1, ${ROWS}) n`,
  `insert into webhook_deliveries (id, workspace_id, webhook_id, type, due_at, lease, created)
    select '1-6afd7c08-' || lpad(to_hex(n), 24, '0'), 1, 'w', 'message:updated', ${now}, 'L', ${now}
    from generate_series(1, ${ROWS}) n`,
]

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  'Shared Hit Blocks': number
  'Shared Read Blocks': number
  'Rows Removed by Filter'?: number
  'Rows Removed by Join Filter'?: number
  'Rows Removed by Index Recheck'?: number
  Plans?: Plan[]
}

/** Rows that were read from tables, or compared in a join. */
function rowsRead(plan: Plan): number {
  const removed =
    (plan['Rows Removed by Filter'] ?? 0) +
    (plan['Rows Removed by Join Filter'] ?? 0) +
    (plan['Rows Removed by Index Recheck'] ?? 0)
  const ownRows = (plan['Relation Name'] ? plan['Actual Rows'] : 0) + removed
  return ownRows * plan['Actual Loops'] + (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0)
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)]

const literal = (value: unknown) =>
  value === null ? 'null' : pg.escapeLiteral(Array.isArray(value) ? `{${value.join(',')}}` : String(value))

describe('twenty thousand rows in tables that were never analyzed', () => {
  let client: pg.Client
  /** On a connection of its own: what it prepared stands as it was planned. */
  const batches: Record<string, Statement[]> = {}

  beforeAll(async () => {
    const url = await newMigratedDatabase()
    const engine = await openPostgres({ address: { connectionString: url }, kind: 'server', log: createLog('silent') })
    await makePartitions(engine, now)
    client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(`do $$ declare t text; begin
      for t in select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
        execute format('alter table %I set (autovacuum_enabled = off)', t);
      end loop; end $$`)
    // Planned while everything is empty, and never again: as a statement that was prepared in the first second.
    await client.query('set plan_cache_mode = force_generic_plan')
    for (const [name, work] of Object.entries({ ...statements, ...counting })) {
      batches[name] = await statementsOf(work)
      await inBatch(name, async ({ text, values = [] }, n) => {
        await client.query(`prepare "${name} ${n}" as ${text}`)
        await client.query(`execute "${name} ${n}"${values.length > 0 ? `(${values.map(literal).join(', ')})` : ''}`)
      })
    }
    for (const text of fill) await client.query(text)
    await engine.batch([
      runsInsert(
        Array.from({ length: ROWS / 4 }, (_, n) => ({ ...started({ id: idOf(n * 4), due_at: now }), lease: 'L' })),
      ),
    ])
    await engine.close()
  })
  afterAll(() => client.end())

  async function inBatch(name: string, each: (statement: Statement, n: number) => Promise<void>): Promise<void> {
    await client.query('begin')
    for (const [n, statement] of (batches[name] ?? []).entries())
      if (statement.values) await each(statement, n)
      else await client.query(statement.text)
    await client.query('rollback')
  }

  /** Rows and blocks that statements read, of those that read more than they are about. */
  async function readBeyond(planned: typeof statements, suffix: string): Promise<Record<string, number>> {
    const beyond: Record<string, number> = {}
    for (const name of Object.keys(planned))
      await inBatch(name, async ({ values = [] }, n) => {
        const literals = values.map(literal).join(', ')
        const run = `execute "${name} ${n}${suffix}"${literals && `(${literals})`}`
        const { rows } = await client.query(`explain (analyze, buffers, format json, timing off) ${run}`)
        const plan: Plan = rows[0]['QUERY PLAN'][0].Plan
        const blocks = plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
        if (rowsRead(plan) > BATCH * READ_MAX) beyond[`${name} ${n}`] = rowsRead(plan)
        if (blocks > BATCH * BLOCKS_MAX) beyond[`${name} ${n}, blocks`] = blocks
      })
    return beyond
  }

  /** Planned with their values once, which a generic plan needs. */
  async function prepare(planned: typeof statements, suffix: string): Promise<void> {
    for (const [name, work] of Object.entries(planned)) {
      batches[name] ??= await statementsOf(work)
      await inBatch(name, async ({ text, values = [] }, n) => {
        await client.query(`prepare "${name} ${n}${suffix}" as ${text}`)
        await client.query(
          `explain execute "${name} ${n}${suffix}"${values.length > 0 ? `(${values.map(literal)})` : ''}`,
        )
      })
    }
  }

  test('planned when they were empty', async () => {
    expect(await readBeyond(statements, '')).toEqual({})
  })

  test('planned now', async () => {
    const planned = { ...statements, ...unprepared }
    await prepare(planned, ' now')
    expect(await readBeyond(planned, ' now')).toEqual({})
  })

  test.each(['planned when they were empty', 'planned now'])(
    'figures of waiting work read no other, %s',
    async (when) => {
      const scanned: string[] = []
      for (const name of Object.keys(counting))
        await inBatch(name, async ({ text, values = [] }, n) => {
          const prepared = when === 'planned now' ? `${name} ${n} now` : `${name} ${n}`
          if (when === 'planned now') await client.query(`prepare "${prepared}" as ${text}`)
          const literals = values.map(literal).join(', ')
          const { rows } = await client.query(
            `explain (analyze, format json, timing off) execute "${prepared}"${literals && `(${literals})`}`,
          )
          for (const { 'Node Type': type, 'Relation Name': table = '', ...node } of nodesOf(
            rows[0]['QUERY PLAN'][0].Plan,
          ))
            if (
              (table.startsWith('messages') && table !== 'messages_live') ||
              (table === 'messages_live' && node['Rows Removed by Filter']) ||
              (type === 'Seq Scan' && table !== 'webhooks')
            )
              scanned.push(`${prepared}: ${type} of ${table}`)
        })
      expect(scanned).toEqual([])
    },
  )

  test('no statement that locks or changes rows selects partitions while it runs', async () => {
    const trees: string[] = []
    const keepTree = ({ detail }: { detail?: string | undefined }) => trees.push(detail ?? '')
    client.on('notice', keepTree)
    await client.query('set debug_print_plan = on; set client_min_messages = log')
    const selecting: string[] = []
    for (const [name, work] of Object.entries({ ...statements, ...unbounded })) {
      batches[name] ??= await statementsOf(work)
      await inBatch(name, async ({ text, values = [] }, n) => {
        trees.length = 0
        await client.query(`prepare "${name} ${n} shown" as ${text}`)
        await client.query(`explain execute "${name} ${n} shown"${values.length > 0 ? `(${values.map(literal)})` : ''}`)
        const tree = trees.find((text) => /\{(MODIFYTABLE|LOCKROWS)/.test(text)) ?? ''
        if (/:exec_pruning_steps\s+\(/.test(tree)) selecting.push(`${name} ${n}`)
      })
    }
    await client.query('reset debug_print_plan; reset client_min_messages')
    client.off('notice', keepTree)
    expect(selecting).toEqual([])
  })

  test('statements about existing rows find them', async () => {
    await inBatch('record of messages', async ({ text, values = [] }, n) => {
      if (n === 1) expect((await client.query(text, [...values])).rows[0].ids).toHaveLength(BATCH)
    })
  })

  test.each([
    [0, 'gave back their pages'],
    [0, 'kept their pages'],
    [FEW, 'kept their pages'],
  ])('planned after a vacuum that met %i live rows between many dead ones, and %s', async (live, pages) => {
    const queues = ['messages_live', 'receipts', 'tickets', 'deferred_copies'] as const
    const weekly = ['messages_final', 'requests', 'webhook_deliveries', 'runs'] as const
    const planned = ` after ${live}, ${pages}`
    const vacuum = pages === 'kept their pages' ? 'vacuum (analyze, truncate false)' : 'vacuum analyze'
    const tables = [...queues, ...weekly]
    for (const table of tables) {
      const id = table === 'tickets' || table === 'deferred_copies' ? 'message_id' : 'id'
      // Nothing is left of a queue; a week begins with few rows.
      const left = weekly.some((name) => name === table) || live > 0
      const beyond = `${id} > '${idOf(FEW)}' and ${id} < (select max(${id}) from ${table})`
      await client.query(`create temporary table "kept ${table}" as select * from ${table}`)
      await client.query(`delete from ${table}${left ? ` where ${beyond}` : ''}`)
      await client.query(`${vacuum} ${table}`)
    }
    await prepare(statements, planned)
    for (const table of tables) {
      await client.query(`insert into ${table} select * from "kept ${table}" on conflict do nothing`)
      await client.query(`drop table "kept ${table}"`)
    }
    expect(await readBeyond(statements, planned)).toEqual({})
  })
})
