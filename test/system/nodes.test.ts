/**
 * Several nodes over one PostgreSQL: one accepts, another delivers, and each of them answers every read.
 * @module-tag safety
 */
import { describe, expect, test } from 'vitest'
import { type App, clientOf, openApp, settled } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { engineOn } from '../support/engine.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'

const withWebhook = async (app: App, url: string) => {
  await app.client.providers.create({ provider: 'webhook', settings: { url } })
  const { id } = await app.client.notifications.create({
    notification: {
      name: 'ping',
      content: { title: 'Ping', body: 'pong' },
      routing: { method: 'single', channels: ['webhook'] },
    },
    state: 'PUBLISHED',
  })
  return id
}

describe('nodes on one PostgreSQL', () => {
  test('a message that an api node accepted is delivered by a worker within a poll', async () => {
    const env = await databaseEnvironment()
    const sink = await startRecorder()
    const api = await openApp({ env: { ...env, POSTRIDER_ROLE: 'api' } })
    const event = await withWebhook(api, sink.url)
    const { messageId } = await api.client.send({ event, recipient: 'ada' })
    expect((await api.client.messages.get(messageId)).status).toBe('ENQUEUED')
    const worker = await openApp({ env: { ...env, POSTRIDER_ROLE: 'worker' } })
    expect((await settled(api.client, messageId)).status).toBe('DELIVERED')
    expect(sink.all).toHaveLength(1)
    await Promise.all([api.stop(), worker.stop(), sink.close()])
  })

  test('a node delivers with two connections to the server, and opens no third but the one that listens', async () => {
    const env = await databaseEnvironment()
    const sink = await startRecorder()
    const app = await openApp({ env: { ...env, POSTRIDER_DATABASE_CONNECTIONS: '2' } })
    const event = await withWebhook(app, sink.url)
    const sends = Array.from({ length: 40 }, (_, n) => app.client.send({ event, recipient: `user-${n}` }))
    await Promise.all([...sends, ...Array.from({ length: 40 }, () => app.client.messages.list())])
    await sink.waitForCount(40)
    const observer = await engineOn(env.POSTRIDER_DATABASE_URL)
    // A connection that nothing uses stays open for ten seconds.
    const { rows } = await observer.run<{ open: number }>({
      text: `select count(*) as open from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      values: [],
    })
    expect(rows).toEqual([{ open: 3 }])
    await Promise.all([app.stop(), observer.close(), sink.close()])
  })

  test('a hundred messages on three nodes are delivered once each', async () => {
    const env = await databaseEnvironment()
    const sink = await startRecorder()
    const apps = [
      await openApp({ env }),
      await openApp({ env }),
      await openApp({ env: { ...env, POSTRIDER_ROLE: 'worker' } }),
    ]
    const [first] = apps
    const event = await withWebhook(first!, sink.url)
    const sent = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        clientOf(apps[n % 2]!.url, first!.apiKey).send({ event, recipient: `user-${n}` }),
      ),
    )
    await until(
      () => first!.client.metrics.summary(),
      ({ waiting }) => waiting === 0,
    )
    const received = sink.all.map(({ headers }) => headers['webhook-id'])
    expect(new Set(received).size).toBe(100)
    expect(received).toHaveLength(100)
    for (const { messageId } of sent) expect(received).toContain(`${messageId}-0`)
    await Promise.all([...apps.map((app) => app.stop()), sink.close()])
  })

  test('a message that one node has claimed is canceled through another only before its provider is called', async () => {
    const env = await databaseEnvironment()
    const sink = await startRecorder()
    sink.answer(() => true, { instead: 'hang' })
    const holder = await openApp({ env })
    const other = await openApp({ env: { ...env, POSTRIDER_ROLE: 'api' } })
    const event = await withWebhook(holder, sink.url)
    const { messageId } = await holder.client.send({ event, recipient: 'ada' })
    await sink.waitForCount(1)
    const late = await other.call('POST', `/messages/${messageId}/cancel`, { apiKey: holder.apiKey })
    expect(late.status).toBe(409)
    const delayed = await holder.client.send({ event, recipient: 'ada', delay: { duration: 3_600_000 } })
    const canceled = await other.call('POST', `/messages/${delayed.messageId}/cancel`, { apiKey: holder.apiKey })
    expect(canceled.status).toBe(200)
    expect(canceled.json.status).toBe('CANCELED')
    await sink.close()
    await Promise.all([holder.stop(), other.stop()])
  })

  test('a revoked key is refused by every node', async () => {
    const env = await databaseEnvironment()
    const node = await openApp({ env })
    const two = await openApp({ env: { ...env, POSTRIDER_ROLE: 'api' } })
    const { id, key } = await node.client.keys.create({ name: 'short-lived' })
    expect((await two.call('GET', '/events', { apiKey: key })).status).toBe(200)
    await node.client.keys.revoke(id)
    const refused = await until(
      () => two.call('GET', '/events', { apiKey: key }),
      ({ status }) => status === 401,
    )
    expect(refused.status).toBe(401)
    await Promise.all([node.stop(), two.stop()])
  })
})
