/** /system: the state of the whole installation, for the person on call. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { nullable, timestamp } from '../../api/values.ts'
import { CircuitBreaker } from '../../shapes/integration.ts'

/** Each part is read for so long; a slower one is reported as failed. */
export const systemPartMs = 2_000
/** A node that was not seen for so long is dead: it writes every ten seconds. */
export const nodeDeadMs = 45_000
/** Nodes that stopped or died are shown for a day. */
export const nodesMax = 100
export const systemTablesMax = 30
export const systemStatementsMax = 10
/** Minutes of `traffic`. */
export const trafficMinutes = 30
/** Open dead letters are counted up to here. */
export const deadLettersCountedMax = 1_000

export const systemParts = [
  ...(['nodes', 'lanes', 'queues', 'traffic', 'storage', 'statements', 'migrations', 'checks'] as const),
  ...(['providers', 'dead_letters'] as const),
] as const
export type SystemPart = (typeof systemParts)[number]

const count = (description: string) => Type.Integer({ minimum: 0, description })

const Node = Type.Object(
  {
    id: Type.String({ description: 'Id of the node, new with each start.' }),
    version: Type.String({ description: 'Version of the server.' }),
    state: Type.Enum(['alive', 'dead', 'stopped'], {
      description: `\`dead\`: not seen for ${nodeDeadMs / 1_000} seconds, without having stopped.`,
    }),
    role: Type.Enum(['all', 'api', 'worker'], { description: 'Whether it takes calls, delivers, or both.' }),
    started: timestamp('When it started.'),
    seen: timestamp('When it was last seen.'),
    stopped: nullable(timestamp('When it stopped; null while it runs, and for one that died.')),
    in_flight: count('Messages it works on.'),
    calls: count('Provider calls in progress.'),
    connections: Type.Object(
      {
        open: count('Connections of its pool.'),
        idle: count('Those that are free.'),
        waiting: count('Statements that wait for one.'),
      },
      { description: 'Its connections to the database.' },
    ),
    memory_bytes: nullable(count('Memory of its process; null for a node of an earlier release.')),
    event_loop_p99_ms: nullable(
      count(
        '99th percentile of the delay of its event loop, in the ten seconds before it was last seen; null for a node of an earlier release.',
      ),
    ),
    started_messages: count('Messages without delay whose first provider call began in the last minutes.'),
    p50_ms: nullable(count('Their median time from acceptance to that call; null without any.')),
    p95_ms: nullable(count('The 95th percentile of it.')),
    abandoned: nullable(
      count(
        'Messages that a dead node left and no other node has taken over yet, 1,000 at most; null for other nodes, and where counting takes too long.',
      ),
    ),
  },
  { title: 'SystemNode', description: 'A process of this installation.' },
)
export type SystemNode = Static<typeof Node>

const Statement = Type.Object({
  text: Type.String({ description: 'The statement, shortened; its values are parameters.' }),
  calls: count('How often it ran.'),
  mean_ms: Type.Number({ description: 'Its mean time.' }),
  total_ms: Type.Number({ description: 'All of its time.' }),
})

export const System = Type.Object(
  {
    at: timestamp('Time of the reply.'),
    version: Type.String({ description: 'Version of the node that answers.' }),
    node: Type.String({ description: 'Id of the node that answers.' }),
    retention_days: count('Days for which messages are kept.'),
    public_url: nullable(
      Type.String({
        description: 'The value of `POSTRIDER_PUBLIC_URL` on the node that answers; null unless it is set.',
      }),
    ),
    paused_since: nullable(timestamp('Since when deliveries are paused; null unless they are.')),
    paused_by: nullable(
      Type.String({
        description:
          'The key that paused them, `key/<name>`, or `operator`; null unless they are, and after `postrider serve --paused`.',
      }),
    ),
    failures: Type.Array(
      Type.Object({
        part: Type.Enum([...systemParts], { description: 'The part, which is null.' }),
        message: Type.String({ description: 'Why it could not be read.' }),
      }),
      { description: `Parts that could not be read within ${systemPartMs / 1_000} seconds.` },
    ),
    nodes: nullable(
      Type.Array(Node, { maxItems: nodesMax, description: 'Nodes of the last day, those that live first.' }),
    ),
    lanes: nullable(
      Type.Array(
        Type.Object({
          lane: Type.Enum(['transactional', 'automation', 'bulk'], { description: 'The lane.' }),
          waiting: count('Messages that are due later, or that a node works on.'),
          overdue: count('Messages that are due and wait for a node.'),
          oldest_ms: nullable(count('How long the first of those has been due; null without any.')),
        }),
        { description: 'Messages that have not ended, by lane.' },
      ),
    ),
    queues: nullable(
      Type.Array(
        Type.Object({
          queue: Type.String({ description: 'The queue.' }),
          overdue_ms: nullable(count('How long its first row has been due; null when none is.')),
        }),
        { description: 'Every queue.' },
      ),
    ),
    traffic: nullable(
      Type.Array(
        Type.Object({
          at: timestamp('Start of the minute.'),
          accepted: count('Messages accepted in it.'),
          finished: count('Messages that ended in it.'),
          undelivered: count('Those of them that ended as `UNDELIVERABLE`.'),
        }),
        { maxItems: trafficMinutes, description: 'Messages by the minute, oldest first; the last one is not over.' },
      ),
    ),
    storage: nullable(
      Type.Object({
        bytes: count('Size of the database.'),
        oldest_week: nullable(timestamp('Start of the oldest week of messages.')),
        oldest_message: nullable(timestamp('When the oldest message that has ended was accepted; null without any.')),
        backup: nullable(
          Type.Object(
            { last: nullable(timestamp('When the last one started that was read to its end; null without any.')) },
            { description: 'Copies by `postrider backup`; null with a database server, which has tools of its own.' },
          ),
        ),
        tables: Type.Array(
          Type.Object({
            name: Type.String({ description: 'The table, with its partitions.' }),
            bytes: count('Its size with indexes.'),
            rows: count('Its rows, estimated.'),
          }),
          { maxItems: systemTablesMax, description: 'The largest tables.' },
        ),
      }),
    ),
    statements: nullable(
      Type.Object({
        tracked: Type.Boolean({ description: 'Whether the database has the extension `pg_stat_statements`.' }),
        slowest: Type.Array(Statement, {
          maxItems: systemStatementsMax,
          description: 'Statements by their total time; empty unless tracked.',
        }),
        running: Type.Array(
          Type.Object({
            text: Type.String({ description: 'The statement, shortened.' }),
            ms: count('How long it has been running.'),
            waits_for: nullable(Type.String({ description: 'The event that it waits for; null while it works.' })),
          }),
          { maxItems: systemStatementsMax, description: 'Statements that have been running for a second.' },
        ),
      }),
    ),
    migrations: nullable(
      Type.Object({
        applied: count('Version of the schema.'),
        pending: Type.Array(Type.String(), { description: 'Migrations that the next start applies.' }),
      }),
    ),
    checks: nullable(
      Type.Array(
        Type.Object({
          name: Type.String({ description: 'The check.' }),
          state: Type.Enum(['ok', 'warn', 'fail', 'skip'], { description: 'Its result.' }),
          detail: Type.String({ description: 'A sentence about it.' }),
          hint: Type.Optional(Type.String({ description: 'A remedy.' })),
        }),
        { description: 'Checks of `postrider doctor` that call no provider.' },
      ),
    ),
    providers: nullable(
      Type.Array(
        Type.Object({
          id: Type.String({ description: 'The integration.' }),
          provider: Type.String({ description: 'Its provider.' }),
          title: Type.String({ description: 'Its display name.' }),
          enabled: Type.Boolean({ description: 'Whether it is used.' }),
          circuit_breaker: CircuitBreaker.properties.state,
          open_since: nullable(timestamp('When its circuit breaker opened; null while it is closed.')),
          limited_until: nullable(
            timestamp('When the day of UTC ends whose calls are used up; null while its limit per day leaves some.'),
          ),
          calls: count('Its calls in the last hour.'),
          working: nullable(Type.Number({ description: 'The share of calls that it answered; null without calls.' })),
          p95_ms: nullable(count('95th percentile of their time.')),
          last_error: nullable(
            Type.Object({
              at: timestamp('Time of its last error.'),
              error: Type.String({ description: 'Its text.' }),
            }),
          ),
        }),
        { description: 'Integrations of the environment of the key.' },
      ),
    ),
    dead_letters: nullable(
      Type.Object({
        open: count(`Open dead letters of the environment; ${deadLettersCountedMax.toLocaleString('en-US')} at most.`),
        recent: count('Those of the last 24 hours.'),
      }),
    ),
  },
  { title: 'System', description: 'The state of the installation.' },
)
export type System = Static<typeof System>

export default resource({
  name: 'system',
  position: 303,
  title: 'System',
  description: 'The state of the whole installation, for the person on call.',
  impersonal: true,
  operations: [
    operation({
      id: 'system.get',
      origin: 'postrider',
      method: 'GET',
      path: '/system',
      summary: 'Get the state of the system',
      description: `Nodes, queues, traffic, the database, the checks of \`postrider doctor\` that call no provider, integrations and dead letters. All parts are read at the same time, each within ${systemPartMs / 1_000} seconds; one that fails or does not answer in time is null and named in \`failures\`, and the others are there. Figures are those of the whole installation, integrations and dead letters those of the environment. Row counts and long backlogs are estimates, so that it is cheap to read every few seconds.`,
      access: 'published',
      role: 'full',
      replies: { 200: System },
      example: {
        reply: {
          at: 1_710_334_643_000,
          version: '0.1.0',
          node: 'f3Kq0aZx',
          retention_days: 90,
          public_url: 'https://notify.example.com',
          paused_since: null,
          paused_by: null,
          failures: [],
          nodes: [
            {
              ...{ id: 'f3Kq0aZx', version: '0.1.0', state: 'alive', role: 'all', started: 1_710_330_000_000 },
              ...{ seen: 1_710_334_640_000, stopped: null, in_flight: 3, calls: 2 },
              ...{
                connections: { open: 5, idle: 3, waiting: 0 },
                memory_bytes: 141_557_760,
                event_loop_p99_ms: 4,
                started_messages: 412,
                p50_ms: 10,
                p95_ms: 50,
                abandoned: null,
              },
            },
          ],
          lanes: [{ lane: 'transactional', waiting: 3, overdue: 0, oldest_ms: null }],
          queues: [{ queue: 'webhooks', overdue_ms: null }],
          traffic: [{ at: 1_710_334_620_000, accepted: 41, finished: 40, undelivered: 1 }],
          storage: {
            ...{ bytes: 48_234_496, oldest_week: 1_709_769_600_000 },
            ...{ oldest_message: 1_710_330_120_000, backup: null },
            tables: [{ name: 'messages', bytes: 31_457_280, rows: 21_400 }],
          },
          statements: { tracked: false, slowest: [], running: [] },
          migrations: { applied: 38, pending: [] },
          checks: [{ name: 'fsync', state: 'ok', detail: 'on' }],
          providers: [
            {
              ...{ id: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7', provider: 'sendgrid', title: 'SendGrid', enabled: true },
              ...{ circuit_breaker: 'closed', open_since: null, limited_until: null },
              ...{ calls: 1_204, working: 0.998, p95_ms: 240, last_error: null },
            },
          ],
          dead_letters: { open: 0, recent: 0 },
        },
      },
    }),
  ],
})
