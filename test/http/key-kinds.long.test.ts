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
import { runPrerequisites, settledCall } from './example-prerequisites.ts'

/** Tables in which such a key leaves rows: what it sent, drafts, its sessions and views, and traces of calls. */
const FREE = [
  ...['messages', 'history', 'requests', 'bulk_users', 'runs', 'run_steps', 'inbound_events', 'message_counts'],
  ...['digests', 'digest_events', 'batches', 'batch_items', 'throttles', 'mailbox', 'providers_used'],
  ...['notification_versions', 'notifications', 'views', 'sessions', 'sign_in_links'],
  ...['idempotency_keys', 'audit_events'],
  // And those to which the service writes by itself.
  ...['nodes', 'integrations', 'integration_health', 'integration_usage', 'replayed_messages'],
  ...['audiences', 'audience_changes', 'audience_members', 'audience_writes'],
]

withApp((open) => {
  let app: App
  let database: pg.Client
  const limited: { mode: 'draft' | 'mock'; apiKey: string }[] = []

  beforeAll(async () => {
    const env = await databaseEnvironment()
    app = await open({ env })
    database = new pg.Client({ connectionString: env.POSTRIDER_DATABASE_URL })
    await database.connect()
    for (const mode of ['draft', 'mock'] as const) limited.push({ mode, apiKey: (await app.key(mode)).apiKey })
  })
  afterAll(() => database?.end())

  /** A digest of each table that such a key must leave alone, and of what is published. */
  async function protectedState(): Promise<Record<string, string>> {
    const tables = await database.query<{ name: string }>(
      `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
        and relnamespace = current_schema()::regnamespace and relname <> all($1) order by relname`,
      [FREE],
    )
    const digestOf = (name: string, row: string) =>
      `select '${name}' as name, md5(coalesce(string_agg(${row}, ',' order by ${row}), '')) as digest from "${name}" t`
    const parts = tables.rows.map(({ name }) => digestOf(name, 't::text'))
    const published = digestOf('notifications', `concat_ws(' ', id, alias, published_version, archived)`)
    const settings = [
      digestOf('integrations', `concat_ws(' ', id, provider, enabled, priority, settings)`),
      digestOf('audiences', `concat_ws(' ', id, filter)`),
    ]
    const { rows } = await database.query<{ name: string; digest: string }>(
      [...parts, published, ...settings].join(' union all '),
    )
    return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))
  }

  // A PostgreSQL server is copied by its own tools.
  const changing = operations.filter(
    ({ id, method, access, calledBy }) =>
      method !== 'GET' && access !== 'open' && calledBy === undefined && id !== 'service.backup',
  )

  test('each kind of operation is among them', () =>
    expect(new Set(changing.map(accessOf))).toEqual(new Set(['key', 'sender', 'drafts', 'published'])))

  test.each(changing.map((operation) => [operation.id, accessOf(operation), operation] as const))(
    '%s (%s)',
    async (_id, access, operation: Operation) => {
      const ids = await runPrerequisites(operation, app.call)
      const before = await protectedState()
      for (const { mode, apiKey } of limited) {
        const { status, json } = await settledCall(
          operation,
          (method, path, options) => app.call(method, path, { ...options, apiKey }),
          ids,
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
      expect(await protectedState()).toEqual(before)
    },
  )
})
