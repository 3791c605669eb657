/**
 * Messages that wait for a repair: released by one node at a time, in bounded steps, each once, and never again by an old repair.
 * @module-tag safety
 */
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  CONFIG_AGE_MS,
  heldMessages,
  holdEndedMark,
  releaseMessages,
  repairedMark,
} from '@postrider/server/internal/database/tables/messages/held-messages'
import { deliveriesText, parseDeliveries, type StoredDelivery } from '@postrider/server/internal/messages/delivery'
import { createHeldRelease, releasedByCall } from '@postrider/server/internal/messages/release'
import { beforeEach, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { delivery, insertMessage, start } from '../support/rows.ts'

const HOUR = 3_600_000
const later = start + 72 * HOUR
const repaired = start + HOUR
const LEASE_MS = 45_000

withEngine((open) => {
  let engine: Engine
  let now: number
  let woken = 0
  const releases = () => createHeldRelease({ engine, leaseMs: LEASE_MS, now: () => now, wake: () => (woken += 1) })

  beforeEach(async () => {
    engine = await open()
    now = repaired
    woken = 0
    await engine.run({ text: `insert into workspaces (id, name) values (1, 'production') on conflict do nothing` })
    await engine.run({ text: 'delete from messages' })
    await engine.run({ text: 'delete from history' })
    await engine.run({ text: 'delete from integrations' })
    for (const id of ['I', 'II'])
      await engine.run({
        text: `insert into integrations (workspace_id, id, provider, title, enabled, priority, settings, version, created, updated)
          values (1, $1, 'sendgrid', $1, true, 1, '{}', 1, $2, $2)`,
        values: [id, start],
      })
  })

  const repair = (id: string, at = repaired) => engine.run(repairedMark(1, id, at))
  const step = async (release = releases()) => release()
  /** Every step that is due. */
  const run = async () => {
    const release = releases()
    let steps = 0
    while (await release()) steps += 1
    return steps
  }
  const insertHeld = (integration: string, fields = {}) =>
    insertMessage(engine, start, {
      ...{ status: 'HELD', due_at: later, flushes: 1 },
      deliveries: JSON.stringify([
        { ...delivery, integration, state: 'waiting', nextAt: later, heldSince: start, ...fields },
      ]),
    })
  const refused = (integration: string, fields = {}, columns = {}) =>
    insertMessage(engine, start, {
      ...{ status: 'ROUTED', due_at: repaired + 800_000, flushes: 1, ...columns },
      deliveries: JSON.stringify([
        {
          ...{ ...delivery, integration, state: 'waiting', nextAt: repaired + 800_000, refusedAt: repaired - 1_000 },
          ...{ attempts: 0, error: `The "nextAt":${repaired + 800_000} of a provider`, ...fields },
        },
      ]),
    })
  const rowOf = async (id: string) => {
    const { rows } = await engine.run<{ status: string; due_at: number; deliveries: string; flushes: number }>({
      text: 'select status, due_at, deliveries, flushes from messages where id = $1',
      values: [id],
    })
    const [row] = rows
    if (!row) throw new Error('The message is gone')
    return { ...row, deliveries: JSON.parse(row.deliveries ?? '[]') }
  }
  const eventsOf = async (id: string) => {
    const { rows } = await engine.run<{ events: string }>({
      text: 'select events from history where message_id = $1 order by flush',
      values: [id],
    })
    return rows.flatMap(({ events }) => JSON.parse(events))
  }

  test('held messages of the integration become due, with their deliveries, one after the other, and say why', async () => {
    const mine = await insertHeld('I')
    const undecided = await insertMessage(engine, start, { status: 'HELD', due_at: later, flushes: 1 })
    const other = await insertHeld('II')
    // One that its open breaker refused, and that was held for it.
    const both = await insertHeld('I', { refusedAt: start, heldSince: start })
    await repair('I')
    expect(await run()).toBe(0)
    now = repaired + CONFIG_AGE_MS
    await run()
    expect(await rowOf(mine)).toMatchObject({ status: 'ROUTED', due_at: now + 5, deliveries: [{ nextAt: now }] })
    expect(await rowOf(undecided)).toMatchObject({ status: 'ENQUEUED', due_at: now + 10, deliveries: [] })
    expect(await rowOf(other)).toMatchObject({ status: 'HELD', due_at: later, flushes: 1 })
    expect(await eventsOf(mine)).toEqual([{ type: 'RELEASED', ts: now, cause: 'repair', integration_id: 'I' }])
    expect(await eventsOf(other)).toEqual([])
    expect(woken).toBe(1)
    now += 10_000
    await run()
    expect(await eventsOf(both)).toHaveLength(1)
  })

  test('webhooks are called for the status that changes, and for no other', async () => {
    await engine.run({
      text: `insert into webhooks (workspace_id, id, url, types, enabled, version, created, updated)
        values (1, 'w', 'http://127.0.0.1:1', '["message:updated"]', true, 1, $1, $1)`,
      values: [start],
    })
    const mine = await insertHeld('I')
    await refused('I')
    await repair('I')
    now = repaired + CONFIG_AGE_MS
    await run()
    const { rows } = await engine.run({ text: 'select type, message_id, due_at from webhook_deliveries' })
    expect(rows).toEqual([{ type: 'message:updated', message_id: mine, due_at: now }])
  })

  test('messages that an open breaker refused become due instead of waiting for its probe; nothing else of them changes', async () => {
    const mine = await refused('I')
    const other = await refused('II')
    const retrying = await refused('I', { refusedAt: undefined, attempts: 1 })
    const leased = await refused('I', {}, { lease: 'L' })
    await repair('I')
    now = repaired + CONFIG_AGE_MS
    await run()
    const { deliveries, ...row } = await rowOf(mine)
    expect(row).toEqual({ status: 'ROUTED', due_at: now + 5, flushes: 2 })
    // The words of a provider are no times.
    expect(deliveries).toMatchObject([
      { nextAt: now, heldMs: now - start, error: `The "nextAt":${repaired + 800_000} of a provider` },
    ])
    expect(deliveries[0]).not.toHaveProperty('refusedAt')
    expect(await eventsOf(mine)).toMatchObject([{ type: 'RELEASED', cause: 'repair' }])
    for (const id of [other, retrying, leased]) expect(await rowOf(id)).toMatchObject({ due_at: repaired + 800_000 })
  })

  test('it has its turn before those that took over, unless one of them may have sent the message', async () => {
    const beside = (outcome: string) => ({
      ...{ ...delivery, n: 1, integration: 'II', state: 'waiting', nextAt: repaired + 60_000 },
      log: [{ number: 1, started: start, ended: start, outcome }],
    })
    const two = async (outcome: string) => {
      const id = await refused('I')
      const [first] = (await rowOf(id)).deliveries
      await engine.run({
        text: 'update messages set deliveries = $2 where id = $1',
        values: [id, deliveriesText([{ ...first, failedOver: 'provider' }, beside(outcome)] as StoredDelivery[])],
      })
      return id
    }
    const [failed, inDoubt] = [await two('retry'), await two('in_doubt')]
    await repair('I')
    now = repaired + CONFIG_AGE_MS
    await run()
    const firstOf = async (id: string) => parseDeliveries(JSON.stringify((await rowOf(id)).deliveries))[0]
    expect(await firstOf(failed)).not.toHaveProperty('failedOver')
    expect(await firstOf(inDoubt)).toMatchObject({ failedOver: 'provider', nextAt: now })
  })

  test('a retry that is minutes away comes at once, but none that is near, that waits for a limit, or that may have arrived', async () => {
    const failed = { number: 1, started: start, ended: start, outcome: 'retry', error: '503' }
    const retrying = (fields: object, attempt: object, columns = {}) =>
      refused(
        'I',
        { refusedAt: undefined, attempts: 1, error: '503', log: [{ ...failed, ...attempt }], ...fields },
        columns,
      )
    const near = repaired + CONFIG_AGE_MS + 30_000
    const mine = await retrying({}, {})
    const failedOver = await retrying({ failedOver: 'provider', nextAt: start }, {})
    const left = [
      await retrying({ integration: 'II' }, {}),
      await retrying({ error: 'The limit of 1 per day is reached' }, {}),
      await retrying({}, { outcome: 'in_doubt' }),
      await retrying({ state: 'failed' }, {}),
      // It has failed with the repaired settings.
      await retrying({}, { started: repaired + CONFIG_AGE_MS }),
    ]
    const [inDoubt] = (await rowOf(left[2] ?? '')).deliveries
    const besideDoubt = await retrying({ failedOver: 'provider', nextAt: start }, {})
    const [first] = (await rowOf(besideDoubt)).deliveries
    await engine.run({
      text: 'update messages set deliveries = $2 where id = $1',
      values: [besideDoubt, deliveriesText([first, { ...inDoubt, n: 1, integration: 'II' }])],
    })
    left.push(besideDoubt)
    const soon = await retrying({ nextAt: near }, {}, { due_at: near })
    await repair('I')
    now = repaired + CONFIG_AGE_MS
    await run()
    const { due_at, deliveries } = await rowOf(mine)
    expect([due_at, deliveries]).toMatchObject([now + 5, [{ nextAt: now, attempts: 1 }]])
    expect(await eventsOf(mine)).toMatchObject([{ type: 'RELEASED', cause: 'repair', integration_id: 'I' }])
    const after = await rowOf(failedOver)
    expect(after).toMatchObject({ due_at: now + 10, deliveries: [{ nextAt: now }] })
    expect(parseDeliveries(JSON.stringify(after.deliveries))[0]).not.toHaveProperty('failedOver')
    for (const id of left) expect(await rowOf(id)).toMatchObject({ due_at: repaired + 800_000, flushes: 1 })
    expect(await rowOf(soon)).toMatchObject({ due_at: near, flushes: 1 })
    // Later passes find nothing more: it was tried after the repair, or waits for no one.
    now += 10_000
    await run()
    expect((await rowOf(mine)).flushes).toBe(2)
  })

  const undecided = (candidates: object[]) =>
    insertMessage(engine, start, {
      ...{ status: 'HELD', due_at: later, flushes: 1, pinned: JSON.stringify({ considered: candidates }) },
    })

  test('a new integration may be an alternative for every message of its channels, and for no other', async () => {
    const [first, second] = [await insertHeld('II'), await refused('II')]
    const sms = { channel: 'sms', integration: 'III', selected: false, order: 0, reason: 'MISSING_CONFIGURATION' }
    const email = { ...sms, channel: 'email', reason: 'SANDBOX' }
    const [either, third] = [await undecided([sms, email]), await insertHeld('II', { channel: 'sms' })]
    const others = [
      await undecided([sms, { ...email, reason: 'INCOMPLETE_PROFILE_DATA' }]),
      await undecided([sms, { ...email, reason: 'UNSUBSCRIBED' }]),
      ...[await insertHeld('II', { channel: 'sms' }), await refused('II', { channel: 'sms' })],
    ]
    await engine.run({
      text: 'update messages set pinned = $2 where id = $1',
      values: [third, JSON.stringify({ considered: [{ ...sms, selected: true, reason: undefined }, email] })],
    })
    await engine.run({ text: `update integrations set created = $1 where id = 'I'`, values: [repaired] })
    await repair('I')
    now = repaired + CONFIG_AGE_MS
    await run()
    expect((await rowOf(first)).status).toBe('ROUTED')
    expect((await rowOf(second)).due_at).toBe(now + 10)
    expect([(await rowOf(either)).status, (await rowOf(third)).status]).toEqual(['ENQUEUED', 'ROUTED'])
    for (const id of others) expect([(await rowOf(id)).flushes, await eventsOf(id)]).toEqual([1, []])
  })

  test('a repair of an integration that has its part of a message releases no other part of it', async () => {
    const id = await insertHeld('II')
    const [waits] = (await rowOf(id)).deliveries
    await engine.run({
      text: 'update messages set deliveries = $2 where id = $1',
      values: [id, JSON.stringify([{ ...delivery, n: 1, integration: 'I', state: 'sent' }, waits])],
    })
    await repair('I')
    now = repaired + CONFIG_AGE_MS
    await run()
    expect((await rowOf(id)).status).toBe('HELD')
  })

  test('the end of holding releases every held message, and none of its events speaks of a repair', async () => {
    const heldIds = [await insertHeld('I'), await insertHeld('III'), await undecided([])]
    const waiting = await refused('I')
    await engine.batch([holdEndedMark(1, repaired)])
    now = repaired + CONFIG_AGE_MS
    await run()
    for (const id of heldIds) expect(await eventsOf(id)).toEqual([{ type: 'RELEASED', ts: now, cause: 'settings' }])
    expect(await rowOf(waiting)).toMatchObject({ due_at: repaired + 800_000, flushes: 1 })
    const late = await insertHeld('I')
    now += 5_000
    await run()
    expect((await rowOf(late)).status).toBe('ROUTED')
    const marks = async () =>
      (await engine.run({ text: 'select 1 from integrations where release_held is not null' })).rows
    for (let left = 200; (await marks()).length > 0 && left > 0; now += 1_000) left -= 1 + (await run())
    expect(await marks()).toEqual([])
    for (const id of heldIds) expect(await eventsOf(id)).toHaveLength(1)
  })

  test('later passes release what waits since before the repair, and end; nothing that was refused afterwards', async () => {
    await repair('I')
    now = repaired + CONFIG_AGE_MS
    await run()
    const log = [{ number: 1, started: repaired - 15_000, ended: repaired + 3_000, outcome: 'rejected' }]
    const late = await insertHeld('I', { heldSince: repaired + 3_000, log })
    const early = await refused('I', { refusedAt: repaired + 500 })
    const again = [
      await insertHeld('I', { log: [{ ...log[0], started: repaired + 4_000 }] }),
      await refused('I', { refusedAt: repaired + 4_000 }),
    ]
    now = repaired + 5_000
    await run()
    for (const id of [late, early]) expect((await rowOf(id)).flushes).toBe(2)
    const marks = async () =>
      (await engine.run({ text: 'select 1 from integrations where release_held is not null' })).rows
    let passes = 0
    for (; (await marks()).length > 0 && passes < 100; now += 1_000) passes += await run()
    expect(now).toBeGreaterThan(repaired + 60_000 + LEASE_MS)
    expect(passes).toBeLessThan(10)
    for (const id of again) expect((await rowOf(id)).flushes).toBe(1)
  })

  test('a step is bounded, and another node goes on where one died', async () => {
    await engine.run({
      text: `insert into messages (id, workspace_id, lane, due_at, status, event, recipient, mode, enqueued, first_due, input, flushes, deliveries)
        select '1-6959ae00-' || lpad(to_hex(n), 24, '0'), 1, 0, $1, 'HELD', 'e', 'r', 'live', $2, $2, '{}', 1, $3
        from generate_series(1, 2500) n`,
      values: [
        later,
        start,
        JSON.stringify([{ ...delivery, integration: 'I', state: 'waiting', nextAt: later, heldSince: start }]),
      ],
    })
    const left = async () => {
      const { rows } = await engine.run<{ n: number }>({
        text: `select count(*)::integer as n from messages where status = 'HELD'`,
      })
      return rows[0]?.n
    }
    await repair('I')
    now = repaired + CONFIG_AGE_MS
    await step()
    expect(await left()).toBe(1_500)
    // It died after its claim: its lease ends, and the next node goes on at its position.
    await engine.run({ text: 'update integrations set release_due = $1 where id = $2', values: [now + 30_000, 'I'] })
    expect(await step()).toBe(false)
    now += 30_000
    const nodes = await Promise.all([run(), run()])
    expect(nodes.reduce((sum, steps) => sum + steps, 0)).toBeGreaterThanOrEqual(2)
    expect(await left()).toBe(0)
    const { rows } = await engine.run({
      text: 'select message_id from history group by message_id having count(*) > 1',
    })
    expect(rows).toEqual([])
  })

  test('a call releases all that it has read, or nothing when one of them was written since', async () => {
    const [first, second] = [await insertHeld('I'), await insertHeld('II')]
    const read = await heldMessages(engine, 1, { filter: {} }, 10)
    expect(read.map(({ id }) => id)).toEqual([first, second])
    await engine.run({ text: 'update messages set flushes = 2 where id = $1', values: [first] })
    await expect(engine.batch(releaseMessages(releasedByCall(read, now), now))).rejects.toThrow()
    expect((await rowOf(second)).status).toBe('HELD')
    const again = await heldMessages(engine, 1, { filter: {} }, 10)
    await engine.batch(releaseMessages(releasedByCall(again, now), now))
    expect(await eventsOf(second)).toEqual([{ type: 'RELEASED', ts: now, cause: 'call' }])
    expect((await rowOf(first)).status).toBe('ROUTED')
  })
})
