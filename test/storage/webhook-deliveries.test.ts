/** A webhook delivery is leased to one worker; its result is written with the lease only, and a stopped worker frees it. */
import { createLog } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { outboxInsert } from '@postrider/server/internal/database/tables/webhooks/webhook-outbox'
import {
  deleteWebhook,
  expireDeliveries,
  insertWebhook,
  listDeliveries,
  recordDeliveries,
  webhookDeliveryQueue,
} from '@postrider/server/internal/database/tables/webhooks/webhooks'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { createTransport } from '@postrider/server/internal/transport/transport'
import { startWebhooks } from '@postrider/server/internal/webhooks/worker'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'

const start = Date.UTC(2026, 0, 5)

withEngine((open) => {
  let engine: Engine
  let peer: Recorder
  let webhooks = 0
  let id: string

  beforeAll(async () => {
    ;[engine, peer] = await Promise.all([open(), startRecorder()])
  })
  afterAll(() => peer.close())
  beforeEach(async () => {
    webhooks += 1
    id = `W${webhooks}`
    const row = { id, url: `${peer.url}/${id}`, secret: null, types: ['t'], enabled: true, version: 1 }
    await engine.batch(insertWebhook(1, { ...row, created: start, updated: start }, 20))
  })

  const happens = async (count = 1, at = start) => {
    const each = Array.from({ length: count }, (_, n) => ({ workspaceId: 1, type: 't', data: { n } }))
    await engine.batch([outboxInsert(each, at)])
  }
  const claim = (now: number, lease: string, room = 5) =>
    webhookDeliveryQueue.claim(engine, { now, until: now + 30_000, lease, busy: [], room })
  const all = async () => (await listDeliveries(engine, 1, id, {}, 50)).rows
  const delivered = { delivered: start, due_at: null, error: null, attempts: 1 }

  test('leased to one worker no other claims it until the lease has expired, and then the first one writes nothing', async () => {
    await happens()
    const [first] = await claim(start, 'first')
    expect(await claim(start + 29_999, 'second')).toEqual([])
    const [second] = await claim(start + 30_001, 'second')
    expect(second?.id).toBe(first?.id)
    await recordDeliveries(engine, [{ id: first!.id, lease: 'first', ...delivered }], [], start)
    expect(await all()).toMatchObject([{ delivered: null, lease: 'second' }])
    await recordDeliveries(engine, [{ id: first!.id, lease: 'second', ...delivered }], [], start)
    expect(await all()).toMatchObject([{ delivered: start, due_at: null, lease: null }])
    expect(await claim(start + 100_000, 'third')).toEqual([])
  })

  test('each webhook has no more claimed deliveries than free slots', async () => {
    const other = `${id}-other`
    const row = { id: other, url: 'http://other.test', secret: null, types: ['t'], enabled: true, version: 1 }
    await engine.batch(insertWebhook(1, { ...row, created: start, updated: start }, 20))
    await happens(10)
    const claimed = await webhookDeliveryQueue.claim(engine, {
      now: start,
      until: start + 1,
      lease: 'L',
      busy: [{ webhook_id: id, room: 2 }],
      room: 4,
    })
    const count = (webhook: string) => claimed.filter(({ webhook_id }) => webhook_id === webhook).length
    expect([count(id), count(other)]).toEqual([2, 4])
    await engine.batch(deleteWebhook(1, other))
  })

  test('deliveries for a deleted webhook, or that wait too long, are ended; the rest stays', async () => {
    await happens(2)
    await happens(1, start + 10_000)
    expect(await expireDeliveries(engine, start + 1, start + 60_000, 1)).toBe(1)
    while ((await expireDeliveries(engine, start + 1, start + 60_000, 100)) > 0);
    const [young, ...old] = await all()
    expect(young).toMatchObject({ due_at: start + 10_000, error: null })
    expect(old).toMatchObject([
      { due_at: null, delivered: null, error: expect.any(String) },
      { due_at: null, delivered: null, error: expect.any(String) },
    ])
    await engine.batch(deleteWebhook(1, id))
    while ((await expireDeliveries(engine, 0, start + 60_000, 100)) > 0);
    expect((await all()).map(({ due_at }) => due_at)).toEqual([null, null, null])
  })

  test('a worker that is stopped during a delivery counts no attempt, and the next one delivers at once', async () => {
    const clock = { now: () => Date.now() }
    const transport = createTransport({ addresses: addressGuard(true, []), clock })
    const begin = () =>
      startWebhooks({
        ...{ engine, clock, transport, log: createLog('silent'), metrics: createMetrics() },
        secretKey: secretKey(Buffer.alloc(32, 7)),
      })
    peer.answer(`/${id}`, { instead: 'hang' }, 1)
    await happens(1, Date.now())
    const first = begin()
    await peer.waitFor(({ path }) => path === `/${id}`)
    await first.stop()
    expect(await all()).toMatchObject([{ attempts: 0, lease: null, delivered: null, error: null }])
    const second = begin()
    await until(all, ([row]) => row?.delivered !== null)
    expect(await all()).toMatchObject([{ attempts: 1 }])
    await second.stop()
    await transport.close()
  })
})
