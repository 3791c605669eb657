/**
 * Draft and mock keys, over every operation of the contract: they change nothing that a recipient of another key could
 * notice.
 * @module-tag safety
 */
import { accessOf, type Operation, operations } from '@postrider/contract'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { isLong } from '../support/run/long.ts'
import { until } from '../support/until.ts'
import { runPrerequisites, settledCall } from './example-prerequisites.ts'

/** Tables in which such a key leaves rows: what it sent, drafts, its sessions and views, and traces of calls. */
const FREE = [
  ...['messages', 'history', 'requests', 'bulk_users', 'runs', 'run_steps', 'inbound_events', 'message_counts'],
  ...['digests', 'digest_events', 'batches', 'batch_items', 'throttles', 'mailbox', 'providers_used'],
  ...['notification_versions', 'notifications', 'views', 'sessions', 'sign_in_links'],
  ...['idempotency_keys', 'audit_events'],
  // And those to which the service writes by itself.
  ...['nodes', 'integrations', 'integration_health', 'integration_usage', 'replayed_messages'],
  ...['audiences', 'audience_changes', 'audience_members', 'audience_writes', 'keys'],
]

/** Those of them with rows of a published key: the first has a mode, the other belongs to it by a column. */
const SENT: readonly [table: string, part: string, by: string][] = [
  ['messages', 'history', 'message_id'],
  ['messages', 'mailbox', 'message_id'],
  ['requests', 'bulk_users', 'job_id'],
  ['runs', 'run_steps', 'run_id'],
  ['digests', 'digest_events', 'digest_id'],
  ['batches', 'batch_items', 'batch_id'],
]
const SENDING = [...new Set(SENT.map(([table]) => table))]

/** The service does not touch what waits for ten minutes. */
const LATER = 'extract(epoch from now()) * 1000 + 600000'
const AT_REST = `mode = 'live' and (due_at is null or due_at > ${LATER})`
const BATCH_AT_REST = `mode = 'live' and (not is_open or closes > ${LATER})`
/** Also what a worker has claimed: until it ends, the lease stands in place of the time. */
const DUE = `mode = 'live' and due_at <= extract(epoch from now()) * 1000 + 60000`

const digestOf = (name: string, row: string, source = `"${name}"`) =>
  `select '${name}' as name, md5(coalesce(string_agg(${row}, ',' order by ${row}), '')) as digest from ${source} t`

withApp((open) => {
  let app: App
  let database: pg.Client
  const limited: { mode: 'draft' | 'mock'; apiKey: string; id: string }[] = []

  beforeAll(async () => {
    const env = await databaseEnvironment()
    app = await open({ env })
    database = new pg.Client({ connectionString: env.POSTRIDER_DATABASE_URL })
    await database.connect()
    for (const kind of ['draft', 'mock'] as const) {
      const { key, id } = await app.client.keys.create({ name: kind, kind, environment: 'production' })
      limited.push({ mode: kind, apiKey: key, id })
    }
  })
  afterAll(() => database?.end())

  /** A digest of each table that such a key must leave alone, and of what is published. */
  async function protectedState(): Promise<Record<string, string>> {
    const tables = await database.query<{ name: string }>(
      `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
        and relnamespace = current_schema()::regnamespace and relname <> all($1) order by relname`,
      [FREE],
    )
    const parts = tables.rows.map(({ name }) => digestOf(name, 't::text'))
    const published = digestOf('notifications', `concat_ws(' ', id, alias, published_version, archived)`)
    const settings = [
      digestOf('integrations', `concat_ws(' ', id, provider, enabled, priority, settings)`),
      digestOf('audiences', `concat_ws(' ', id, filter)`),
      digestOf('keys', `(to_jsonb(t) - 'last_used_day' - 'last_address')::text`),
    ]
    return digests([...parts, published, ...settings])
  }

  async function digests(selections: readonly string[], ids?: readonly string[]): Promise<Record<string, string>> {
    const { rows } = await database.query<{ name: string; digest: string }>(
      selections.join(' union all '),
      ids && [ids],
    )
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
  }

  /** The ids of what a published key has sent and what is at rest. */
  async function idsAtRest(): Promise<string[]> {
    const idsWhere = async (tables: readonly string[], condition: string) => {
      const selections = tables.map((table) => `select id from ${table} where ${condition}`)
      return (await database.query<{ id: string }>(selections.join(' union all '))).rows.map(({ id }) => id)
    }
    // They make messages, and messages make batches and digests.
    await until(
      () => idsWhere(['requests', 'runs'], DUE),
      (due) => due.length === 0,
    )
    const timed = SENDING.filter((table) => table !== 'batches')
    return [...(await idsWhere(timed, AT_REST)), ...(await idsWhere(['batches'], BATCH_AT_REST))]
  }

  /** A published key has sent to the recipient of the examples on every topic with a digest, which is open for a day. */
  const openDigests = () =>
    database.query(`insert into digests (id, workspace_id, mode, topic_id, recipient, tenant_id, schedule_id, terms,
        events, counts, opened, is_open, due_at)
      select 'digest-' || id, workspace_id, 'live', id, 'user-7', '', settings->'digest'->'schedules'->0->>'schedule_id', '{}',
        1, '{}', 0, true, extract(epoch from now())::bigint * 1000 + 86400000
      from preference_topics where settings ? 'digest' and archived is null on conflict do nothing`)

  /** Digests of every column of these rows and their parts and of traces of other keys, and the ids of all that a published key sent. */
  async function sentState(ids: readonly string[]): Promise<Record<string, string>> {
    const { rows } = await database.query<{ id: string }>(
      SENDING.map((table) => `select id from ${table} where mode = 'live'`).join(' union all '),
    )
    const limitedKeys = limited.map(({ id }) => `'${id}'`).join(', ')
    const parts = [
      ...SENDING.map((table) => digestOf(table, 't::text', `(select * from ${table} where id = any($1))`)),
      ...SENT.map(([, part, by]) => digestOf(part, 't::text', `(select * from ${part} where ${by} = any($1))`)),
      digestOf(
        'audit_events',
        't::text',
        `(select * from audit_events where key_id is null or key_id not in (${limitedKeys}))`,
      ),
    ]
    return {
      ...(await digests(parts, ids)),
      live: rows
        .map(({ id }) => id)
        .sort()
        .join(' '),
    }
  }

  // A PostgreSQL server is copied by its own tools.
  const changing = operations.filter(
    ({ id, method, access, calledBy }) =>
      method !== 'GET' && access !== 'open' && calledBy === undefined && id !== 'service.backup',
  )

  test('each kind of operation is among them', () =>
    expect(new Set(changing.map(accessOf))).toEqual(new Set(['key', 'sender', 'drafts', 'published'])))

  const guarded = operations.filter((operation) => operation.method === 'GET' && accessOf(operation) === 'published')

  test.each(guarded.map(({ id, path }) => [id, path]))('%s is read with a published key only', async (_id, path) => {
    for (const { mode, apiKey } of limited) {
      const { status, json } = await app.call('GET', path, { apiKey })
      expect([mode, status, json.code]).toEqual([mode, 403, 'published_key_required'])
    }
  })

  test('bounces that were not understood, in which a working token can be, are among them', () =>
    expect(guarded.map(({ id }) => id)).toContain('unrecognizedBounces.list'))

  // One of a sender is refused by its handler, which can forget it; the others by the route, and campaigns try them too.
  const tried = changing.filter((operation) => isLong || accessOf(operation) === 'sender')

  test.each(tried.map((operation) => [operation.id, accessOf(operation), operation] as const))(
    '%s (%s)',
    async (_id, access, operation: Operation) => {
      const madeIds = await runPrerequisites(operation, app.call)
      if (operation.id.startsWith('digests.')) await openDigests()
      const ids = await idsAtRest()
      const before = { ...(await protectedState()), ...(await sentState(ids)) }
      for (const { mode, apiKey } of limited) {
        const { status, json } = await settledCall(
          operation,
          (method, path, options) => app.call(method, path, { ...options, apiKey }),
          madeIds,
        )
        if (access === 'published')
          expect([status, json.code, json.message]).toEqual([
            403,
            'published_key_required',
            `Only a published key can do this; this is a ${mode} key`,
          ])
        // A published key has made the record; digests of other keys are left alone.
        else if (access === 'sender' && !operation.id.startsWith('digests.'))
          expect([status, json.code]).toEqual([403, 'published_key_required'])
        else expect(status).toBeLessThan(500)
      }
      expect({ ...(await protectedState()), ...(await sentState(ids)) }).toEqual(before)
    },
  )
})
