/**
 * Replays as rows: the messages of a replay are those that were confirmed, and a step that is repeated makes no second message.
 * @module-tag safety
 */
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  dropOriginals,
  originalsInsert,
  type ReplayChoice,
  replayLinks,
} from '@postrider/server/internal/database/tables/messages/replays'
import { requestQueue, takeStep } from '@postrider/server/internal/database/tables/messages/requests'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import { requestWrite } from '@postrider/server/internal/recipients/fan-out-request'
import { replayStep } from '@postrider/server/internal/recipients/replay'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { appSecretKey } from '../support/recording-app.ts'
import { insertMessage, start } from '../support/rows.ts'

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = { ...(await open()), tokens: tokenCipher(appSecretKey) }
    await engine.run({ text: `insert into workspaces (id, name) values (1, 'production') on conflict do nothing` })
  })

  const failed = (recipient: string, columns = {}) => {
    const input = JSON.stringify({ event: 'e', recipient, data: { n: 1 } })
    return insertMessage(engine, start, { status: 'UNDELIVERABLE', recipient, input, ...columns })
  }
  const confirm = async (id: string, choice: Partial<ReplayChoice>, confirmed: number) => {
    const shared = { event: '' }
    const addressing = { targets: [{ kind: 'replay' as const }], ratePerMinute: 600 }
    const request = { id, workspaceId: 1, mode: 'live' as const, kind: 'replay' as const, shared, addressing }
    await engine.batch([
      requestWrite(engine.tokens, { ...request, created: start + 10, received: confirmed }),
      await originalsInsert(engine, 1, { before: start + 10, ...choice }, { requestId: id, confirmed }),
    ])
  }
  const claiming = { now: start + 20, until: start + 60_000, lease: 'first' }
  const from = { after: undefined, ratePerMinute: 60_000 }
  const tools = () => ({ engine, secret: Buffer.from('secret'), now: start + 20 })

  test('a node that dies in a step is followed by one that makes the same messages, each once', async () => {
    const original = await failed('twice')
    const id = '1-6959ae00-0000000000000000000000ab'
    await confirm(id, { filter: { recipient: 'twice' } }, 1)

    // Nodes of the release before claim the lanes they know.
    expect(await requestQueue.claim(engine, { ...claiming, laneMax: 2 })).toEqual([])
    const [claimed] = await requestQueue.claim(engine, { ...claiming, laneMax: 3 })
    if (!claimed) throw new Error('The request of the replay was not claimed')

    const { messages, waitMs } = await replayStep(tools(), claimed, { ...from, ratePerMinute: 600 })
    expect(messages).toMatchObject([{ recipient: 'twice', lane: 2, replay_of: original, status: 'ENQUEUED' }])
    expect(waitMs).toBe(100)
    const step = { messages, failures: 0, progress: '{}', dueAt: null, keepLease: true, status: 'PROCESSING' } as const
    expect(await takeStep(engine, { ...step, request: claimed })).toEqual([messages[0]?.id])
    expect(await takeStep(engine, { ...step, request: claimed })).toEqual([])
    expect(await takeStep(engine, { ...step, request: { ...claimed, lease: 'lost' } })).toBeUndefined()
    expect(await replayLinks(engine, 1, original)).toEqual({ replayedAs: [messages[0]?.id] })
    expect(await replayLinks(engine, 1, messages[0]?.id ?? '')).toEqual({ replayOf: original })
  })

  test('confirmed messages are replayed: later changes add nothing and take away only what is erased or gone', async () => {
    const [changed, erased, dropped] = [await failed('set'), await failed('set'), await failed('set')]
    const open = await failed('set', { status: 'ROUTED', due_at: start + 1_000_000 })
    const filter = { recipient: 'set', statuses: ['UNDELIVERABLE'] }
    const id = '1-6959ae00-0000000000000000000000cd'
    await confirm(id, { filter }, 3)

    const set = (columns: string, of: string) =>
      engine.run({ text: `update messages set ${columns} where id = $1`, values: [of] })
    await set(`status = 'DELIVERED', archived = true`, changed)
    await set(`recipient = 'erased-${'0'.repeat(32)}'`, erased)
    await set(`status = 'UNDELIVERABLE', due_at = null`, open)
    await engine.run({ text: 'delete from messages where id = $1', values: [dropped] })
    const later = await insertMessage(engine, start + 5, { status: 'UNDELIVERABLE', recipient: 'set' })

    const request = { id, workspace_id: 1, mode: 'live' }
    const { messages, excluded, last } = await replayStep(tools(), request, from)
    expect(messages.map(({ replay_of }) => replay_of)).toEqual([changed])
    expect(messages.map(({ replay_of }) => replay_of)).not.toContain(later)
    expect(excluded.toSorted()).toEqual(['erased', 'not_found'])
    expect(last).toBeUndefined()
    const step = await replayStep(tools(), request, { after: undefined, ratePerMinute: 60 })
    expect(step.messages.length + step.excluded.length).toBe(1)
    const rest = await replayStep(tools(), request, { ...from, after: step.last })
    expect(rest.messages.length + rest.excluded.length).toBe(2)
  })

  test('another number than confirmed stores nothing', async () => {
    await failed('counted')
    const id = '1-6959ae00-0000000000000000000000ef'
    for (const confirmed of [0, 2])
      await expect(confirm(id, { filter: { recipient: 'counted' } }, confirmed)).rejects.toThrow()
    await expect(confirm(id, { ids: [] }, 1)).rejects.toThrow()
    const { rows } = await engine.run({ text: 'select 1 from requests where id = $1', values: [id] })
    expect(rows).toEqual([])
  })

  test('the list of a replay goes when the replay has ended', async () => {
    const lists = async () => {
      const { rows } = await engine.run<{ id: string }>({
        text: 'select distinct request_id as id from replay_originals order by 1',
      })
      return rows.length
    }
    expect(await lists()).toBe(2)
    expect(await dropOriginals(engine, 10)).toBe(0)
    await engine.run({
      text: `update requests set status = 'CANCELED' where id = $1`,
      values: ['1-6959ae00-0000000000000000000000cd'],
    })
    expect(await dropOriginals(engine, 2)).toBe(2)
    expect(await dropOriginals(engine, 2)).toBe(1)
    expect(await lists()).toBe(1)
  })
})
