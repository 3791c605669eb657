/**
 * A request makes a message for each recipient of a list, however the room of its node changes meanwhile.
 * @module-tag safety
 */
import { createLog } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import type { Engine } from '@postrider/server/internal/database/engine'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import { createExpander, requestWrite } from '@postrider/server/internal/recipients/fan-out-request'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { appSecretKey } from '../support/recording-app.ts'
import { start } from '../support/rows.ts'

const SUBSCRIBERS = 300
const ROOM = 700

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = { ...(await open()), tokens: tokenCipher(appSecretKey) }
    await engine.run({ text: `insert into workspaces (id, name) values (1, 'production') on conflict do nothing` })
    await engine.run({
      text: `insert into lists (workspace_id, id, name, created, updated) values (1, 'l', 'L', 0, 0)`,
    })
    await engine.run({
      text: `insert into list_subscriptions (workspace_id, list_id, recipient, created, updated)
        select 1, 'l', 'r' || n, 0, 0 from generate_series(1, $1) n`,
      values: [SUBSCRIBERS],
    })
  })

  // A single send that comes meanwhile leaves less room than there are bulk messages in flight.
  test.each([
    ['stays', Number.POSITIVE_INFINITY],
    ['ends before the recipients are read', 2],
    ['ends before the messages are written', 3],
    ['ends after some steps', 6],
  ])('the room %s', async (_name, readings) => {
    const id = `1-6959ae00-0000000000000000000000a${Math.min(readings, 9)}`
    const request = { id, workspaceId: 1, mode: 'live' as const, kind: 'list' as const, created: start }
    const addressing = { targets: [{ kind: 'list' as const, listId: 'l' }] }
    await engine.run(requestWrite(engine.tokens, { ...request, shared: { event: 'e' }, addressing }))

    let left = readings
    let started = 0
    let wakes = 0
    const intake = {
      room: ROOM,
      size: 0,
      get bulkRoom() {
        left -= 1
        return left >= 0 ? ROOM : 0
      },
      start: (leased: readonly object[]) => {
        started += leased.length
      },
    }
    const poll = createExpander({
      ...{ engine, intake, secretKey: appSecretKey, log: createLog('silent'), metrics: createMetrics() },
      ...{ leaseMs: 45_000, now: () => start, wake: () => (wakes += 1), accepted: () => undefined },
    })
    const state = async () => {
      const text = `select status, enqueued, (select count(*)::integer from messages where request_id = $1) as made,
        (select count(*)::integer from messages where request_id = $1 and lease is null) as waiting
        from requests where id = $1`
      return (await engine.run<Record<string, unknown>>({ text, values: [id] })).rows[0]
    }
    await poll()
    // The single send has ended.
    for (let polls = 0; polls < SUBSCRIBERS && (await state())?.status !== 'COMPLETED'; polls += 1) {
      left = Number.POSITIVE_INFINITY
      await engine.run({ text: 'update messages set due_at = $1 where lease is null', values: [start + 3_600_000] })
      await poll()
    }
    const ended = await state()
    expect(ended).toMatchObject({ status: 'COMPLETED', enqueued: SUBSCRIBERS, made: SUBSCRIBERS })
    expect(started + Number(ended?.waiting)).toBe(SUBSCRIBERS)
    expect(wakes > 0).toBe(Number(ended?.waiting) > 0)
  })
})
