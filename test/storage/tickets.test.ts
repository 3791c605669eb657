/** Results that a provider keeps are read once over all nodes, again after a crash, and no longer than the provider keeps them. */
import type { HttpRequest, Reply } from '@postrider/server/internal/base/exchange'
import { timedId } from '@postrider/server/internal/base/ids'
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { claimTickets, ticketsInsert } from '@postrider/server/internal/database/tables/messages/tickets'
import { providers } from '@postrider/server/internal/providers/catalog'
import { createTicketReader } from '@postrider/server/internal/receipts/tickets'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { until } from '../support/until.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE

withEngine((open) => {
  let engine: Engine
  const integration = 'C3VRJ'
  beforeAll(async () => {
    engine = await open()
    await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
    await engine.run({
      text: `insert into integrations (workspace_id, id, provider, title, enabled, priority, settings, version, created, updated)
        values (1, $1, 'expo', 'Expo', true, 0, '{}', 1, $2, $2)`,
      values: [integration, NOW],
    })
  })
  beforeEach(() => engine.run({ text: 'delete from tickets', values: [] }))

  const add = (count: number) =>
    engine.run(
      ticketsInsert(
        Array.from({ length: count }, (_, at) => ({
          ...{ message_id: timedId(NOW), n: 0, workspace_id: 1, integration, ticket: `ticket-${at}` },
          ...{ created: NOW, due_at: NOW + 15 * MINUTE },
        })),
      ),
    )
  const left = async () =>
    (await engine.run<{ count: number }>({ text: 'select count(*)::int as count from tickets', values: [] })).rows[0]
      ?.count

  /** A node whose provider replies with these results. */
  const node = (
    now: () => number,
    answer: (ids: string[]) => Reply,
    requestedIds: string[],
    replies: Promise<void> = Promise.resolve(),
  ) =>
    createTicketReader({
      ...{
        engine,
        providers,
        now,
        wake: () => undefined,
        secretKey: secretKey(Buffer.alloc(32, 7)),
        log: createLog('silent'),
      },
      transport: {
        perform: async (request) => {
          const { ids } = JSON.parse((request as HttpRequest).body ?? '{}') as { ids: string[] }
          requestedIds.push(...ids)
          await replies
          return answer(ids)
        },
      },
    })
  const ok = (ids: string[]): Reply => ({
    ...{ kind: 'http', status: 200, headers: {} },
    body: JSON.stringify({ data: Object.fromEntries(ids.map((id) => [id, { status: 'ok' }])) }),
  })
  const none = (): Reply => ({ kind: 'http', status: 200, headers: {}, body: '{"data":{}}' })

  test('two nodes read each result once, a thousand a request', async () => {
    await add(2_500)
    const [ofFirst, ofSecond]: [string[], string[]] = [[], []]
    let release = () => {}
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    const now = () => NOW + 15 * MINUTE
    // The first node waits for its reply while the other one reads all that is left.
    const first = node(now, ok, ofFirst, isReleased)()
    await until(
      async () => ofFirst.length,
      (count) => count === 1_000,
    )
    const second = node(now, ok, ofSecond)
    while ((await second()) === 0);
    expect(ofSecond).toHaveLength(1_500)
    release()
    await first
    expect(new Set([...ofFirst, ...ofSecond]).size).toBe(2_500)
    expect(await left()).toBe(0)
  })

  test('nothing is read before its time, and tickets of a node that died are read by another one', async () => {
    await add(3)
    const requestedIds: string[] = []
    await node(() => NOW + 15 * MINUTE - 1, ok, requestedIds)()
    expect(requestedIds).toEqual([])
    // Claimed by a node that dies.
    expect(await claimTickets(engine, { now: NOW + HOUR, until: NOW + HOUR + 5 * MINUTE, limit: 10 })).toHaveLength(3)
    await node(() => NOW + HOUR, ok, requestedIds)()
    expect(requestedIds).toEqual([])
    await node(() => NOW + HOUR + 5 * MINUTE, ok, requestedIds)()
    expect(requestedIds.sort()).toEqual(['ticket-0', 'ticket-1', 'ticket-2'])
    expect(await left()).toBe(0)
  })

  test('a result that never comes is read every fifteen minutes for a day', async () => {
    await add(1)
    const requestedIds: string[] = []
    for (let at = NOW; at <= NOW + 48 * HOUR; at += 5 * MINUTE) await node(() => at, none, requestedIds)()
    expect(requestedIds.length).toBeGreaterThan(90)
    expect(requestedIds.length).toBeLessThanOrEqual(96)
    expect(await left()).toBe(0)
  })

  test('without its integration there is nothing to read', async () => {
    await engine.run(
      ticketsInsert([
        {
          ...{ message_id: timedId(NOW), n: 0, workspace_id: 1, integration: 'unknown', ticket: 't' },
          ...{ created: NOW, due_at: NOW },
        },
      ]),
    )
    const requestedIds: string[] = []
    await node(() => NOW, ok, requestedIds)()
    expect([requestedIds, await left()]).toEqual([[], 0])
  })
})
