/** The figures count every message that comes into being, and show what waits in each lane. */

import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { openApp, withApp } from '../support/app.ts'
import { databaseEnvironment, newDataFolder } from '../support/databases.ts'
import { onDatabaseOf } from '../support/installation.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { startPostgres } from '../support/postgres.ts'
import { until } from '../support/until.ts'
import { figureOf } from './figures.ts'
import { integrate, publish } from './templates.ts'

/** How long scrapes share a read of the database. */
const SHARED_SECONDS = 5

withApp((open) => {
  test('messages of sends, lists, bulk jobs and automations are counted once each', async () => {
    const app = await open()
    const { client, url } = app
    await publish(client, 'greeting')
    await client.lists.put('readers', { name: 'Readers' })
    for (const reader of ['a', 'b', 'c']) await client.lists.subscribe('readers', reader)
    await client.send({ event: 'greeting', recipient: 'one' })
    await client.send({ message: { to: { list_id: 'readers' }, template: 'greeting' } })
    const { jobId } = await client.bulk.create({ message: { event: 'greeting' } })
    await client.bulk.ingest(jobId, { users: [{ recipient: 'd' }, { recipient: 'e' }] })
    await client.bulk.run(jobId)
    await client.automations.invoke({
      automation: {
        steps: ['f', 'g'].map((recipient) => ({ action: 'send' as const, recipient, template: 'greeting' })),
      },
    })
    const accepted = () => figureOf(url, 'postrider_messages_accepted_total', { workspace: 'production' })
    const messages = 1 + 3 + 2 + 2
    await until(
      async () => (await client.messages.list()).results.length,
      (count) => count === messages,
    )
    await until(accepted, (count) => count >= messages)
    expect(await accepted()).toBe(messages)
  })

  test('waiting messages are counted by lane', async () => {
    // No worker processes it.
    const { client, url } = await open({ env: { POSTRIDER_ROLE: 'api' } })
    await client.send({ event: 'welcome', recipient: 'now' })
    await client.send({ message: { to: { user_id: 'later' }, template: 'welcome', delay: { duration: 3_600_000 } } })
    const inLane = (name: string, lane: string) => figureOf(url, `postrider_messages_${name}`, { lane })
    expect(await inLane('waiting', 'transactional')).toBe(1)
    expect(await inLane('overdue', 'transactional')).toBe(1)
    expect(await inLane('oldest_overdue_seconds', 'transactional')).toBeGreaterThan(0)
    expect(await inLane('overdue', 'bulk')).toBe(0)
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toContain('postrider_messages_overdue{lane="automation"} 0')
    await until(
      () => figureOf(url, 'postrider_messages_oldest_waiting_seconds', { workspace: 'production' }),
      (seconds) => seconds > 0,
    )
    expect(text).toContain('postrider_messages_oldest_waiting_seconds{workspace="test"} 0')
  })

  test('calls of webhooks are counted by outcome, and a queue shows since when its first row is due', async () => {
    const { client, url } = await open()
    const peer = await startRecorder()
    try {
      for (const [path, status] of [
        ['good', 200],
        ['busy', 503],
        ['wrong', 400],
      ] as const) {
        peer.answer(`/${path}`, { status })
        await client.webhooks.create({ url: `${peer.url}/${path}` })
      }
      await client.send({ event: 'welcome', recipient: 'ada' })
      for (const outcome of ['delivered', 'retry', 'failed'])
        await until(
          () => figureOf(url, 'postrider_webhook_calls_total', { outcome }),
          (count) => count > 0,
        )
      const text = await (await fetch(`${url}/metrics`)).text()
      for (const queue of ['webhooks', 'receipts', 'fan-out', 'runs', 'update-members'])
        expect(text).toMatch(new RegExp(`^postrider_queue_overdue_seconds\\{queue="${queue}"\\} [\\d.]+$`, 'm'))
    } finally {
      await peer.close()
    }
  })

  test('open dead letters are counted by workspace and kind, until they are dismissed', async () => {
    const env = await databaseEnvironment()
    const { client, url } = await open({ env })
    const { requestId: messageId } = await client.send({
      message: { to: { user_id: 'later' }, template: 'welcome', delay: { duration: 3_600_000 } },
    })
    const letters = () => figureOf(url, 'postrider_dead_letters_open', { workspace: 'production', kind: 'message' })
    expect(await letters()).toBe(0)
    await onDatabaseOf(env, (engine) =>
      engine.run({ text: 'update messages set claims = 100, due_at = 1 where id = $1', values: [messageId] }),
    )
    await until(letters, (count) => count === 1)
    const [letter] = (await client.deadLetters.list({ state: 'open' })).results
    await client.deadLetters.dismiss(letter?.id ?? '')
    await until(letters, (count) => count === 0)
  })

  test('messages that expire are counted, and those that are held are shown', async () => {
    const { client, url } = await open()
    const peer = await startRecorder()
    peer.answer('/v3/mail/send', { status: 401 })
    try {
      await integrate(client, {
        provider: 'sendgrid',
        settings: { apiKey: 'SG.x', fromAddress: 'hello@example.com', baseUrl: peer.url },
      })
      await client.settings.update({ hold_misconfigured: true })
      const send = (timeout?: { message: number }) =>
        client.send({
          message: {
            to: { email: 'ada@example.com' },
            content: { title: 'Hello', body: 'Hello' },
            ...(timeout && { timeout }),
          },
        })
      await send()
      await until(
        () => figureOf(url, 'postrider_messages_held', { workspace: 'production' }),
        (count) => count === 1,
      )
      await send({ message: 2_000 })
      await until(
        () => figureOf(url, 'postrider_messages_expired_total'),
        (count) => count === 1,
      )
    } finally {
      await peer.close()
    }
  })
})

test('a server shows its connections and an outage of its database, and answers while it lasts', async () => {
  const server = await startPostgres()
  const app = await openApp({
    env: { POSTRIDER_DATABASE_URL: server.url, POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') },
  })
  const outage = (name: string) => figureOf(app.url, 'postrider_database_outage', { outage: name })
  try {
    const connections = (state: string) => figureOf(app.url, 'postrider_database_connections', { state })
    // Idle ones may have been closed; the figures of the database, which a scrape reads, open one.
    await until(
      async () => (await connections('idle')) + (await connections('busy')),
      (count) => count > 0,
    )
    expect([await outage('unreachable'), await outage('disk_full'), await outage('read_only')]).toEqual([0, 0, 0])
    await server.restart('fast', async () => {
      await until(
        () => outage('unreachable'),
        (value) => value === 1,
      )
      expect(await outage('disk_full')).toBe(0)
    })
    await until(
      () => outage('unreachable'),
      (value) => value === 0,
    )
  } finally {
    await app.stop()
    await server.stop()
  }
})

test('while a table is locked, scrapes occupy one connection and show the last figures, with their age', async () => {
  const server = await startPostgres()
  const app = await openApp({
    env: {
      ...{ POSTRIDER_ROLE: 'api', POSTRIDER_DATABASE_CONNECTIONS: '3', POSTRIDER_DATABASE_URL: server.url },
      POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
    },
  })
  const locker = new pg.Client(server.url)
  const overdue = () => figureOf(app.url, 'postrider_messages_overdue', { lane: 'transactional' })
  try {
    await locker.connect()
    await app.client.send({ event: 'welcome', recipient: 'ada' })
    await until(overdue, (count) => count === 1)
    expect(await figureOf(app.url, 'postrider_figures_age_seconds')).toBeLessThan(SHARED_SECONDS + 1)
    await locker.query('begin; lock table messages in access exclusive mode')
    await pause((SHARED_SECONDS + 0.5) * 1_000)
    const scrapes = Promise.all([overdue(), overdue()])
    await pause(500)
    const { rows } = await locker.query(
      `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'postrider'`,
    )
    expect(rows[0].waiting).toBe(1)
    await app.client.lists.list()
    expect(await scrapes).toEqual([1, 1])
    expect(await figureOf(app.url, 'postrider_figures_age_seconds')).toBeGreaterThan(SHARED_SECONDS)
    const oldest = { lane: 'transactional' }
    expect(await figureOf(app.url, 'postrider_messages_oldest_overdue_seconds', oldest)).toBeGreaterThan(SHARED_SECONDS)
    await locker.query('rollback')
    await until(
      () => figureOf(app.url, 'postrider_figures_age_seconds'),
      (seconds) => seconds < 1,
    )
  } finally {
    await locker.end()
    await app.stop()
    await server.stop()
  }
})

test('a server with a local database shows its free disk and its last backup', async () => {
  const app = await openApp({ env: { POSTRIDER_DATA_DIR: await newDataFolder() } })
  const lastBackup = () => figureOf(app.url, 'postrider_last_backup_timestamp_seconds')
  try {
    expect(await figureOf(app.url, 'postrider_disk_free_bytes')).toBeGreaterThan(1_000_000)
    expect(await lastBackup()).toBe(0)
    const headers = { authorization: `Bearer ${app.apiKey}` }
    await (await fetch(`${app.url}/backup`, { method: 'POST', headers })).arrayBuffer()
    await until(lastBackup, (seconds) => seconds > 1_600_000_000)
  } finally {
    await app.stop()
  }
})
