/** GET /system: nodes, queues, traffic, the database and its checks; a part that is slow or fails is named, and the others are there. */
import type { SystemNode } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { insertDeadLetter, insertMessage } from '../support/rows.ts'
import { until } from '../support/until.ts'

const MINUTE = 60_000

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const system = () => mustCall(api, 'GET', '/system')
  const run = (text: string, ...values: unknown[]) => api.engine.run({ text, values })
  const state = { role: 'all', in_flight: 3, calls: 2, connections: { open: 5, idle: 3, waiting: 0 } }

  test('nodes live, stop and die', async () => {
    const { now } = api.time
    const add = (id: string, seen: number, stopped: number | null) =>
      run(
        'insert into nodes (id, version, started, seen, stopped, state) values ($1, $2, $3, $4, $5, $6)',
        ...[id, '1.0.0', now - 9 * MINUTE, seen, stopped],
        JSON.stringify({ ...state, started_messages: 7, p50_ms: 10, p95_ms: 50 }),
      )
    await add('dead', now - MINUTE, null)
    await add('ended', now - 2 * MINUTE, now - 2 * MINUTE)
    await add('alive', now - 10_000, null)
    const due_at = now - MINUTE / 2
    for (const lease of ['dead-1', 'dead-2', 'alive-1']) await insertMessage(api.engine, now, { due_at, lease })
    const { nodes, node, retention_days, version, public_url } = await system()
    expect(nodes.map(({ id, state }: { id: string; state: string }) => [id, state])).toEqual([
      ['alive', 'alive'],
      ['dead', 'dead'],
      ['ended', 'stopped'],
    ])
    const abandonedBy = Object.fromEntries(nodes.map(({ id, abandoned }: SystemNode) => [id, abandoned]))
    expect(abandonedBy).toEqual({ alive: null, dead: 2, ended: null })
    await run('delete from messages')
    expect(nodes[0]).toEqual({
      ...{
        id: 'alive',
        version: '1.0.0',
        state: 'alive',
        started: now - 9 * MINUTE,
        seen: now - 10_000,
        stopped: null,
      },
      ...{ ...state, started_messages: 7, p50_ms: 10, p95_ms: 50, abandoned: null },
      // Its row is of an earlier release.
      ...{ memory_bytes: null, event_loop_p99_ms: null },
    })
    expect({ node, retention_days, version }).toEqual({ node: api.engine.node, retention_days: 90, version: '0.0.0' })
    expect(public_url).toBe('http://postrider.test')
  })

  test('lanes, queues and traffic follow the rows', async () => {
    const { now } = api.time
    await insertMessage(api.engine, now, { lane: 0, due_at: now - 5_000 })
    await insertMessage(api.engine, now, { lane: 2, due_at: now + MINUTE })
    await run(
      `insert into message_counts (workspace_id, at, span, status, channel, count)
        values (1, $1, 0, null, null, 5), (2, $1, 0, null, null, 1), (1, $1, 0, 'UNDELIVERABLE', null, 2),
          (1, $1, 0, 'SENT', null, 3), (1, $1, 0, 'SENT', 'email', 3), (1, $2, 60000, null, null, 9)`,
      now - (now % MINUTE),
      now - (now % MINUTE) - 40 * MINUTE,
    )
    const { lanes, queues, traffic } = await system()
    expect(lanes).toEqual([
      { lane: 'transactional', waiting: 0, overdue: 1, oldest_ms: 5_000 },
      { lane: 'automation', waiting: 0, overdue: 0, oldest_ms: null },
      { lane: 'bulk', waiting: 1, overdue: 0, oldest_ms: null },
    ])
    expect(queues).toContainEqual({ queue: 'messages', overdue_ms: 5_000 })
    expect(queues).toContainEqual({ queue: 'runs', overdue_ms: null })
    expect(traffic).toHaveLength(30)
    expect(traffic.at(-1)).toEqual({ at: now - (now % MINUTE), accepted: 6, finished: 5, undelivered: 2 })
    expect(traffic[0]).toMatchObject({ at: now - (now % MINUTE) - 29 * MINUTE, accepted: 0 })
  })

  test('the database, its checks, integrations and dead letters of the environment', async () => {
    await insertDeadLetter(api.engine, api.time.now)
    await insertDeadLetter(api.engine, api.time.now - 2 * 24 * 60 * MINUTE)
    const { storage, checks, migrations, statements, providers, dead_letters, failures } = await system()
    expect(failures).toEqual([])
    expect(storage.bytes).toBeGreaterThan(1_000_000)
    // A database server has tools of its own.
    expect(storage.backup).toBeNull()
    const names = storage.tables.map(({ name }: { name: string }) => name)
    expect(names).toContain('messages')
    // Partitions belong to their table.
    expect(names.filter((name: string) => /^messages_\d/.test(name))).toEqual([])
    expect(checks).toContainEqual(
      expect.objectContaining({ name: 'fsync', detail: expect.stringMatching(/^o(n|ff)$/) }),
    )
    expect(checks.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['clock', 'migrations']))
    expect(migrations).toEqual({ applied: expect.any(Number), pending: [] })
    expect(statements).toMatchObject({ running: [] })
    expect(providers).toEqual([])
    expect(dead_letters).toEqual({ open: 2, recent: 1 })
  })

  test('the oldest message that has ended, an open breaker and a limit of the day that is used up', async () => {
    const { now } = api.time
    const day = 24 * 60 * MINUTE
    await run('delete from messages')
    expect((await system()).storage.oldest_message).toBeNull()
    await insertMessage(api.engine, now - 2 * day)
    await insertMessage(api.engine, now - day)
    await insertMessage(api.engine, now - 9 * day, { due_at: now + MINUTE })
    expect((await system()).storage.oldest_message).toBe(now - 2 * day)

    const { id } = await mustCall(api, 'POST', '/providers', {
      ...{ provider: 'webhook', settings: { url: 'https://hooks.example.com' }, limits: { per_day: 2 } },
    })
    expect((await system()).providers).toMatchObject([{ id, open_since: null, limited_until: null }])
    const today = Math.floor(now / day)
    const use = (on: number, used: number) =>
      run(
        `insert into integration_usage (workspace_id, integration_id, next_at, day, used) values (1, $1, 0, $2, $3)
          on conflict (workspace_id, integration_id) do update set day = excluded.day, used = excluded.used`,
        ...[id, on, used],
      )
    await use(today - 1, 2)
    expect((await system()).providers).toMatchObject([{ limited_until: null }])
    await use(today, 1)
    expect((await system()).providers).toMatchObject([{ limited_until: null }])
    await use(today, 2)
    await run(
      `insert into integration_breakers
          (workspace_id, integration_id, version, since, reason, error, waits, probe_at, probing, good, revision)
        select workspace_id, id, version, $2::bigint, 'failures', 'No', 1, $2::bigint + 60000, false, 0, 1
        from integrations where id = $1`,
      ...[id, now - 5_000],
    )
    expect((await system()).providers).toMatchObject([
      { circuit_breaker: 'open', open_since: now - 5_000, limited_until: (today + 1) * day },
    ])
  })

  test('parts that wait for a lock are named after their time, which is one for all, and the others are there', async () => {
    const locked = api.engine
      .batch(
        [
          { text: 'lock table nodes, dead_letters, message_counts in access exclusive mode', values: [] },
          { text: 'select pg_sleep(600)', values: [] },
        ],
        { timeoutMs: 600_000 },
      )
      .catch(() => undefined)
    const locks = async (condition: string) => {
      const { rows } = await run(
        `select distinct on (relation) relation, pid from pg_locks
          where relation in ('nodes'::regclass, 'dead_letters'::regclass, 'message_counts'::regclass) and ${condition}`,
      )
      return rows
    }
    const areAll = ({ length }: unknown[]) => length === 3
    const [lock] = await until(() => locks("granted and mode = 'AccessExclusiveLock'"), areAll)
    try {
      // One after the other, the third would begin when the time of the first is over, and its statement has ended.
      let read: ReturnType<typeof system> | undefined
      await until(() => {
        // They wait for two seconds: on a machine that stands still so long, look again.
        read ??= system().finally(() => {
          read = undefined
        })
        return locks('not granted')
      }, areAll)
      const { failures, nodes, lanes, storage, traffic, dead_letters } = await (read ?? system())
      expect([nodes, traffic, dead_letters]).toEqual([null, null, null])
      expect(failures).toEqual(
        expect.arrayContaining([
          { part: 'nodes', message: 'It did not answer within 2 seconds' },
          { part: 'traffic', message: 'It did not answer within 2 seconds' },
          { part: 'dead_letters', message: 'It did not answer within 2 seconds' },
        ]),
      )
      expect([lanes.length, typeof storage]).toEqual([3, 'object'])
      // Their statements end in the database, too: callers that look again and again leave none behind.
      await until(
        () => locks('not granted'),
        ({ length }) => length === 0,
      )
    } finally {
      await run('select pg_cancel_backend($1)', lock?.pid)
      await locked
    }
    expect((await system()).failures).toEqual([])
  })

  test('a key of drafts gets none of it', async () => {
    expect((await api.call('GET', '/system', { apiKey: keys.draft })).status).toBe(403)
  })
})
