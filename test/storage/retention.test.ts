/** Old weeks are dropped, one at a time; a week with a message in progress stays, and so does everything younger. */
import { timedId } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'
import { dropPartitions, makePartitions } from '@postrider/server/internal/database/partitions'
import { findMessage } from '@postrider/server/internal/database/tables/messages/messages'
import { createMessageRemoval } from '@postrider/server/internal/database/tables/messages/old-messages'
import {
  deleteTranslation,
  dropTranslationVersions,
  putTranslation,
} from '@postrider/server/internal/database/tables/notifications/translations'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const DAY = 86_400_000
const now = Date.UTC(2026, 5, 17, 12)
const weekOf = (time: number) =>
  new Date(Math.floor(time / (7 * DAY)) * 7 * DAY).toISOString().slice(0, 10).replaceAll('-', '')

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
  })

  /** A message of that time with a flush of history and stored output; in progress while it has a due time. */
  async function message(time: number, dueAt: number | null = null): Promise<string> {
    await makePartitions(engine, time)
    const id = timedId(time)
    await engine.batch([
      {
        text: `insert into messages (id, workspace_id, lane, due_at, claims, status, event, recipient, mode, enqueued, first_due, input)
          values ($1, 1, 0, $2::bigint, 0, 'SENT', 'e', 'r', 'live', $3::bigint, $3::bigint, '{}')`,
        values: [id, dueAt, time],
      },
      { text: `insert into history (message_id, flush, workspace_id, events) values ($1, 1, 1, '[]')`, values: [id] },
      {
        text: `insert into mailbox (id, workspace_id, message_id, channel, recipient, received, content)
          values ($1 || '-0', 1, $1, 'email', 'r', $2::bigint, '{}')`,
        values: [id, time],
      },
    ])
    return id
  }
  const exists = async (id: string) => (await findMessage(engine, 1, id)) !== undefined
  const rowsOf = async (table: 'history' | 'mailbox', id: string) => {
    const text = `select count(*)::int as count from ${table} where message_id = $1`
    return (await engine.run<{ count: number }>({ text, values: [id] })).rows[0]?.count
  }

  test('versions of a catalog that were replaced before every message are removed, and their numbers are not used again', async () => {
    const place = { workspaceId: 1, domain: 'default', locale: 'de' }
    const versions = async () => {
      const text = 'select version from translation_versions where workspace_id = 1 order by version'
      return (await engine.run<{ version: number }>({ text, values: [] })).rows.map(({ version }) => version)
    }
    for (const [content, age] of [
      ['one', 300],
      ['two', 200],
      ['three', 100],
    ] as const)
      await engine.batch(putTranslation(place, content, now - age * DAY))
    expect(await dropTranslationVersions(engine, now - 250 * DAY, 10)).toBe(0)
    expect(await dropTranslationVersions(engine, now - 150 * DAY, 10)).toBe(1)
    expect(await versions()).toEqual([2, 3])
    await engine.batch(deleteTranslation(place))
    expect(await dropTranslationVersions(engine, now, 10)).toBe(1)
    expect(await versions()).toEqual([3])
    await engine.batch(putTranslation(place, 'four', now))
    expect(await versions()).toEqual([3, 4])
  })

  test('old weeks are dropped with everything that belongs to their messages; a message in progress keeps its week', async () => {
    const times = { dead: now - 200 * DAY, alive: now - 150 * DAY, young: now - 30 * DAY, today: now }
    const dead = await message(times.dead)
    const alive = await message(times.alive, now)
    const beside = await message(times.alive + 1_000)
    const young = await message(times.young)
    const today = await message(times.today)

    const report = await dropPartitions(engine, now - 90 * DAY)
    expect(report.dropped).toContain(`messages_${weekOf(times.dead)}`)
    expect(report.kept).toEqual([`messages_${weekOf(times.alive)}`])
    expect(await exists(dead)).toBe(false)
    expect([await rowsOf('history', dead), await rowsOf('mailbox', dead)]).toEqual([0, 0])
    for (const id of [alive, beside, young, today]) {
      expect(await exists(id)).toBe(true)
      expect([await rowsOf('history', id), await rowsOf('mailbox', id)]).toEqual([1, 1])
    }
  })

  test('when its last message in progress has ended the week is dropped too', async () => {
    await engine.run({ text: 'update messages set due_at = null where due_at is not null', values: [] })
    const report = await dropPartitions(engine, now - 90 * DAY)
    expect(report.dropped).toContain(`messages_${weekOf(now - 150 * DAY)}`)
    expect(report.kept).toEqual([])
  })

  test('a message that ended late is kept by its end, and the others of its week go', async () => {
    const old = now - 200 * DAY
    const [gone, late, canceled] = [await message(old), await message(old + 1), await message(old + 2)]
    const dayOf = { [late]: 'sent', [canceled]: 'canceled_at' }
    for (const [id, column] of Object.entries(dayOf))
      await engine.run({
        text: `update messages set ${column} = $2::bigint where id = $1`,
        values: [id, now - 10 * DAY],
      })
    const before = now - 90 * DAY
    expect((await dropPartitions(engine, before)).kept).toEqual([`messages_${weekOf(old)}`])
    const remove = createMessageRemoval(engine, () => before)
    expect([await remove(1), await remove(1)]).toEqual([1, 0])
    expect([await rowsOf('history', gone), await rowsOf('mailbox', gone), await exists(gone)]).toEqual([0, 0, false])
    for (const id of [late, canceled])
      expect([await rowsOf('history', id), await rowsOf('mailbox', id), await exists(id)]).toEqual([1, 1, true])
    expect((await dropPartitions(engine, now - 9 * DAY)).dropped).toContain(`messages_${weekOf(old)}`)
  })

  test('a message of an old request is kept by its end, whenever it was enqueued', async () => {
    const id = await message(now - 300 * DAY)
    const late = [id, now - 10 * DAY]
    await engine.run({
      text: 'update messages set enqueued = $2::bigint, sent = $2::bigint where id = $1',
      values: late,
    })
    const week = `messages_${weekOf(now - 300 * DAY)}`
    expect((await dropPartitions(engine, now - 90 * DAY)).kept).toEqual([week])
    expect((await dropPartitions(engine, now - 9 * DAY)).dropped).toContain(week)
  })

  test('a request that is over goes with its users when its messages are gone, one that may go on stays', async () => {
    const old = now - 300 * DAY
    await makePartitions(engine, old)
    const request = async (status: string, more: { not_before?: number; due_at?: number } = {}) => {
      const id = timedId(old)
      await engine.batch([
        {
          text: `insert into requests (id, workspace_id, kind, mode, lane, status, created, input, targets, not_before, due_at)
            values ($1, 1, 'bulk', 'live', 0, $2, $3::bigint, '{}', '[]', $4::bigint, $5::bigint)`,
          values: [id, status, old, more.not_before ?? null, more.due_at ?? null],
        },
        {
          text: `insert into bulk_users (job_id, position, workspace_id, recipient, input, given) values ($1, 1, 1, 'r', '{}', '{}')`,
          values: [id],
        },
      ])
      return id
    }
    const of = async (table: string, column: string, id: string) => {
      const text = `select count(*)::int as count from ${table} where ${column} = $1`
      return (await engine.run<{ count: number }>({ text, values: [id] })).rows[0]?.count
    }
    const counts = async (id: string) => [await of('requests', 'id', id), await of('bulk_users', 'job_id', id)]
    const over = await request('COMPLETED')
    const unrun = await request('CREATED')
    const waiting = await request('PROCESSING', { due_at: now })
    const withMessage = await request('COMPLETED')
    const startedLate = await request('COMPLETED', { not_before: now - 10 * DAY })
    const kept = await message(old, now)
    await engine.run({ text: 'update messages set request_id = $2 where id = $1', values: [kept, withMessage] })
    const remove = createMessageRemoval(engine, () => now - 90 * DAY)
    expect(await remove(10)).toBe(1)
    expect(await counts(over)).toEqual([0, 0])
    for (const id of [unrun, waiting, withMessage, startedLate]) expect(await counts(id)).toEqual([1, 1])
    await engine.run({ text: 'update messages set due_at = null where id = $1', values: [kept] })
    await engine.run({ text: 'update requests set due_at = null where id = $1', values: [waiting] })
    const week = `messages_${weekOf(old)}`
    expect((await dropPartitions(engine, now - 90 * DAY)).kept).toEqual([week])
    expect((await dropPartitions(engine, now - 9 * DAY)).dropped).toContain(week)
  })

  test('calls of webhooks that have ended go with the week, one that waits stays', async () => {
    const old = now - 350 * DAY
    await makePartitions(engine, old)
    const [ended, waiting] = [timedId(old), timedId(old + 1)]
    for (const [id, dueAt] of [
      [ended, null],
      [waiting, now],
    ] as const)
      await engine.run({
        text: `insert into webhook_deliveries (id, workspace_id, webhook_id, type, payload, created, due_at)
          values ($1, 1, 'w', 'message:updated', '{}', $2::bigint, $3::bigint)`,
        values: [id, old, dueAt],
      })
    expect(await createMessageRemoval(engine, () => now - 90 * DAY)(10)).toBe(1)
    const left = { text: 'select id from webhook_deliveries where id = any($1)', values: [[ended, waiting]] }
    expect((await engine.run<{ id: string }>(left)).rows).toEqual([{ id: waiting }])
    await engine.run({ text: 'update webhook_deliveries set due_at = null where id = $1', values: [waiting] })
  })

  test('a message that waits stays whole while the others of its week are removed', async () => {
    const old = now - 400 * DAY
    const waiting = await message(old, now)
    const others = [await message(old + 1), await message(old + 2), await message(old + 3)]
    const remove = createMessageRemoval(engine, () => now - 90 * DAY)
    expect([await remove(2), await remove(2), await remove(2)]).toEqual([2, 1, 0])
    expect(await Promise.all(others.map(exists))).toEqual([false, false, false])
    expect([await rowsOf('history', waiting), await rowsOf('mailbox', waiting), await exists(waiting)]).toEqual([
      1,
      1,
      true,
    ])
    await engine.run({ text: 'update messages set due_at = null where id = $1', values: [waiting] })
  })

  test('a week goes only when all of it is old', async () => {
    const time = now - 60 * DAY
    const id = await message(time)
    const end = (Math.floor(time / (7 * DAY)) + 1) * 7 * DAY
    expect((await dropPartitions(engine, end - 1)).dropped).not.toContain(`messages_${weekOf(time)}`)
    expect(await exists(id)).toBe(true)
    expect((await dropPartitions(engine, end)).dropped).toContain(`messages_${weekOf(time)}`)
    expect(await exists(id)).toBe(false)
  })

  test('a message without a partition of its own is accepted and kept', async () => {
    const time = now - 400 * DAY
    const id = timedId(time)
    await engine.run({
      text: `insert into messages (id, workspace_id, lane, claims, status, event, recipient, mode, enqueued, first_due, input)
        values ($1, 1, 0, 0, 'SENT', 'e', 'r', 'live', $2::bigint, $2::bigint, '{}')`,
      values: [id, time],
    })
    await dropPartitions(engine, now - 90 * DAY)
    expect(await exists(id)).toBe(true)
  })

  test('making partitions twice changes nothing', async () => {
    await makePartitions(engine, now)
    await makePartitions(engine, now)
    const id = await message(now)
    expect(await exists(id)).toBe(true)
  })
})
