/** Counts of messages: whole minutes and hours of a window, merged without a change, dropped with retention. */
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  dropCounts,
  hoursBefore,
  mergeCounts,
  summarize,
} from '@postrider/server/internal/database/tables/messages/counts'
import {
  insertMessages,
  messageQueue,
  type NewMessage,
} from '@postrider/server/internal/database/tables/messages/live-messages'
import { recordMessages } from '@postrider/server/internal/database/tables/messages/records'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const now = 1_795_000_000_000 - (1_795_000_000_000 % HOUR)
const id = (n: number) => `1-6afd7c08-${n.toString(16).padStart(24, '0')}`
const row = (n: number, enqueued: number): NewMessage => ({
  ...{ id: id(n), workspace_id: 1, lane: 0, due_at: enqueued, lease: null, claims: 0, status: 'ENQUEUED', event: 'e' },
  ...{ recipient: 'r', mode: 'live', enqueued, first_due: enqueued, input: '{}' },
})
const finished = (n: number, at: number, { lease = 'L', reason }: { lease?: string; reason?: string } = {}) => ({
  ...{ id: id(n), lease, flushes: 0, next_lease: null, due_at: null, status: 'SENT', notification_id: 'n', sent: at },
  ...{ delivered: null, canceled_at: null, error: null, reason: null, pinned: null, deliveries: null, events: '[1]' },
  finished: { at, status: 'SENT', reason, deliveries: [{ channel: 'email', provider: 'smtp', status: 'SENT' }] },
})

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
  })
  const statuses = ['ENQUEUED', 'ROUTED', 'SENT']
  const between = async (from: number, to: number) =>
    (await summarize(engine, 1, { from, to, now, statuses })).counts
      .map(({ status, reason, channel, provider, count }) => [
        [status, reason].filter(Boolean).join(' ') || null,
        channel,
        provider,
        count,
      ])
      .sort((left, right) => (String(left) < String(right) ? -1 : 1))
  const rowCount = async () =>
    (await engine.run<{ n: number }>({ text: 'select count(*)::int as n from message_counts', values: [] })).rows[0]?.n

  test('a window has its first minute and not its last; a record without its lease counts nothing', async () => {
    const minutes = [now, now + MINUTE - 1, now + MINUTE]
    await insertMessages(
      engine,
      minutes.map((time, n) => row(n, time)),
      now,
    )
    await messageQueue.claim(engine, { now: now + HOUR, until: now + 2 * HOUR, lease: 'L', shares: [3, 1, 1] })
    // A reason makes another outcome, which is counted beside the one without.
    const records = [
      ...[finished(0, now), finished(1, now + MINUTE, { reason: 'UNSUBSCRIBED' })],
      finished(2, now + MINUTE, { lease: 'lost' }),
    ]
    expect((await recordMessages(engine, { records })).size).toBe(2)
    expect((await recordMessages(engine, { records })).size).toBe(0)
    expect(await between(now, now + MINUTE)).toEqual(
      [
        [null, null, null, 2],
        ['SENT', null, null, 1],
        ['SENT', 'email', 'smtp', 1],
      ].sort((left, right) => (String(left) < String(right) ? -1 : 1)),
    )
    expect(await between(now + MINUTE, now + 2 * MINUTE)).toEqual(
      [
        [null, null, null, 1],
        ['SENT UNSUBSCRIBED', null, null, 1],
        ['SENT', 'email', 'smtp', 1],
      ].sort((left, right) => (String(left) < String(right) ? -1 : 1)),
    )
    expect((await summarize(engine, 1, { from: now, to: now, now: now + HOUR, statuses })).waiting).toEqual({
      waiting: 1,
      since: now + MINUTE,
    })
  })

  test('merging keeps every sum: by the minute at once, by the hour after a day, from two nodes at a time', async () => {
    for (let n = 10; n < 40; n += 1) await insertMessages(engine, [row(n, now + 3 * MINUTE)], now)
    const all = await between(now, now + HOUR)
    const before = await rowCount()
    await Promise.all([mergeCounts(engine, now + 10 * MINUTE, 1_000), mergeCounts(engine, now + 10 * MINUTE, 1_000)])
    expect(await rowCount()).toBeLessThan((before ?? 0) - 25)
    expect(await between(now, now + HOUR)).toEqual(all)
    expect(await between(now + 3 * MINUTE, now + 4 * MINUTE)).toEqual([[null, null, null, 30]])
    const later = now + 28 * HOUR
    expect(hoursBefore(later)).toBeGreaterThan(now + HOUR)
    await mergeCounts(engine, later, 1_000)
    expect(await rowCount()).toBe(all.length)
    expect(await between(now, now + HOUR)).toEqual(all)
    expect(await between(now + MINUTE, now + HOUR)).toEqual([])
  })

  test('counts past retention are dropped', async () => {
    await insertMessages(engine, [row(50, now + 2 * HOUR)], now)
    await dropCounts(engine, now + HOUR, 1_000)
    expect(await between(0, now + HOUR)).toEqual([])
    expect(await between(now + 2 * HOUR, now + 3 * HOUR)).toEqual([[null, null, null, 1]])
  })
})
