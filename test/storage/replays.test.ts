/** Replays and held messages as rows: a step that is repeated makes no second message, and a release moves what waits. */
import type { Engine } from '@postrider/server/internal/database/engine'
import { releaseFor } from '@postrider/server/internal/database/tables/messages/held'
import { replayLinks } from '@postrider/server/internal/database/tables/messages/replays'
import { requestQueue, takeStep } from '@postrider/server/internal/database/tables/messages/requests'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import { requestWrite } from '@postrider/server/internal/recipients/fan-out-request'
import { type ReplayTarget, replayStep } from '@postrider/server/internal/recipients/replay'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { appSecretKey } from '../support/recording-app.ts'
import { delivery, insertMessage, start } from '../support/rows.ts'

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = { ...(await open()), tokens: tokenCipher(appSecretKey) }
    await engine.run({ text: `insert into workspaces (id, name) values (1, 'production') on conflict do nothing` })
  })

  test('a node that dies in a step is followed by one that makes the same messages, each once', async () => {
    const input = JSON.stringify({ event: 'e', recipient: 'twice', data: { n: 1 } })
    const original = await insertMessage(engine, start, { status: 'UNDELIVERABLE', recipient: 'twice', input })
    const target: ReplayTarget = { kind: 'replay', filter: { recipient: 'twice' }, before: start + 10 }
    const id = '1-6959ae00-0000000000000000000000ab'
    const shared = { event: '' }
    const addressing = { targets: [target], ratePerMinute: 600 }
    const request = { id, workspaceId: 1, mode: 'live' as const, kind: 'replay' as const, shared, addressing }
    await engine.run(requestWrite(engine.tokens, { ...request, created: start + 10, received: 1 }))

    // Nodes of the release before claim the lanes they know.
    const claiming = { now: start + 20, until: start + 60_000, lease: 'first' }
    expect(await requestQueue.claim(engine, { ...claiming, laneMax: 2 })).toEqual([])
    const [claimed] = await requestQueue.claim(engine, { ...claiming, laneMax: 3 })
    if (!claimed) throw new Error('The request of the replay was not claimed')

    const tools = { engine, secret: Buffer.from('secret'), now: start + 20 }
    const from = { after: undefined, ratePerMinute: 600 }
    const { messages, waitMs } = await replayStep(tools, claimed, target, from)
    expect(messages).toMatchObject([{ recipient: 'twice', lane: 2, replay_of: original, status: 'ENQUEUED' }])
    expect(waitMs).toBe(100)
    const step = { messages, failures: 0, progress: '{}', dueAt: null, keepLease: true, status: 'PROCESSING' } as const
    expect(await takeStep(engine, { ...step, request: claimed })).toBe(1)
    expect(await takeStep(engine, { ...step, request: claimed })).toBe(0)
    expect(await takeStep(engine, { ...step, request: { ...claimed, lease: 'lost' } })).toBeUndefined()
    expect(await replayLinks(engine, 1, original)).toEqual({ replayedAs: [messages[0]?.id] })
    expect(await replayLinks(engine, 1, messages[0]?.id ?? '')).toEqual({ replayOf: original })
    // Copies of a replay in progress, and messages beyond the confirmed number, are left out.
    const again = { ...target, includesReplayed: true }
    expect((await replayStep(tools, claimed, { ...again, before: start + 11 }, from)).messages).toHaveLength(1)
    const full = { ...claimed, enqueued: 1 }
    expect((await replayStep(tools, full, { ...again, before: start + 11 }, from)).messages).toEqual([])
    // The next page leaves it out.
    expect((await replayStep(tools, claimed, target, from)).messages).toEqual([])
  })

  test('a release makes held messages of the integration due, with their deliveries, as any node reads them', async () => {
    const until = start + 72 * 3_600_000
    const waiting = (integration: string) =>
      JSON.stringify([{ ...delivery, integration, state: 'waiting', nextAt: until, heldSince: start }])
    const held = { status: 'HELD', due_at: until }
    const mine = await insertMessage(engine, start, { ...held, deliveries: waiting('I') })
    const undecided = await insertMessage(engine, start, { ...held })
    const other = await insertMessage(engine, start, { ...held, deliveries: waiting('II') })
    const changed = { workspace_id: 1, id: 'I', release_held: 1, is_new: false }
    const step = { from: start + 100, now: start + 100, limit: 10, isRepeated: false, keptMs: 0 }
    const later = { ...step, isRepeated: true }
    // Refused by the repaired integration, they stay.
    expect(await releaseFor(engine, changed, later)).toBe(0)
    expect(await releaseFor(engine, changed, step)).toBe(2)
    const { rows } = await engine.run<{ id: string; status: string; due_at: number; deliveries: string | null }>({
      text: 'select id, status, due_at, deliveries from messages where id = any($1) order by id',
      values: [[mine, undecided, other]],
    })
    expect(rows).toMatchObject([
      {
        id: mine,
        status: 'ROUTED',
        due_at: start + 105,
        deliveries: expect.stringContaining(`"nextAt":${start + 100}`),
      },
      { id: undecided, status: 'ENQUEUED', due_at: start + 110, deliveries: null },
      { id: other, status: 'HELD', due_at: until },
    ])
    const log = [{ number: 1, started: start - 15_000, ended: start, outcome: 'failed' }]
    const late = JSON.stringify([{ ...delivery, state: 'waiting', nextAt: until, heldSince: start, log }])
    await insertMessage(engine, start, { ...held, deliveries: late })
    // Its call began before the repair and ended after it.
    expect(await releaseFor(engine, { ...changed, release_held: start - 12_000 }, later)).toBe(1)
    expect(await releaseFor(engine, { ...changed, id: 'III', is_new: true }, step)).toBe(1)
  })
})
