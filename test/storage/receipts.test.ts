/**
 * Receipts of many messages, shuffled, repeated and early, applied by two nodes at once, end in the states that they stand for.
 * @module-tag safety
 */

import { timedId } from '@postrider/server/internal/base/ids'
import { createLog, type Log } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import type { Engine } from '@postrider/server/internal/database/engine'
import { type NewReceipt, receiptsInsert } from '@postrider/server/internal/database/tables/messages/receipts'
import { deliveriesText, type StoredDelivery } from '@postrider/server/internal/messages/delivery'
import { type ReceiptKind, receiptKinds } from '@postrider/server/internal/providers/callback'
import { applyReceipts, type NumberedReceipt } from '@postrider/server/internal/receipts/apply'
import { createReceiver } from '@postrider/server/internal/receipts/worker'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { isLong } from '../support/run/long.ts'

const RECEIPTS = isLong ? 100_000 : 2_000
const DAY = 86_400_000
const NOW = Date.UTC(2026, 10, 20, 12)
/** Values of a callback that providers repeat. */
const REPEATED = 0.2

/** The same numbers in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const delivery = (n: number): StoredDelivery => ({
  ...{ n, channel: 'email', provider: 'sendgrid', integration: `I${n}`, state: 'sent', attempts: 1 },
  ...{ firstAt: NOW, sentAt: NOW, log: [] },
})
const deliveries = [delivery(0), delivery(1)]

interface Row {
  id: string
  status: string
  delivered: number | null
  opened: number | null
  clicked: number | null
}

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
  })

  const insertMessages = (ids: readonly string[]) =>
    engine.run({
      text: `insert into messages (id, workspace_id, lane, status, event, recipient, mode, enqueued, first_due, sent, input,
          deliveries, flushes)
        select id, 1, 0, 'SENT', 'e', 'ada', 'live', $2, $2, $2, '{}', $3, 1
        from json_array_elements_text($1::json) as r(id)`,
      values: [JSON.stringify(ids), NOW, deliveriesText(deliveries)],
    })
  const left = async () =>
    (await engine.run<{ count: number }>({ text: 'select count(*)::int as count from receipts', values: [] })).rows[0]
      ?.count

  test(`${RECEIPTS} receipts`, async () => {
    const random = randomNumbers(7)
    const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
    const byMessage = new Map<string, NumberedReceipt[]>()
    const rows: NewReceipt[] = []
    const add = (message_id: string, { n, ...receipt }: NumberedReceipt) =>
      rows.push({ id: timedId(NOW), workspace_id: 1, message_id, n, receipt: JSON.stringify(receipt), due_at: NOW })
    while (rows.length < RECEIPTS) {
      const id = timedId(NOW)
      const receipts = Array.from({ length: 1 + Math.floor(random() * 4) }, (): NumberedReceipt => {
        const kind: ReceiptKind = pick(receiptKinds)
        const isHard = kind === 'bounced' && random() < 0.5
        return { n: pick([0, 1]), kind, at: NOW + Math.floor(random() * 5), ...(isHard && { gone: 'hard_bounce' }) }
      })
      byMessage.set(id, receipts)
      for (const receipt of receipts) {
        add(id, receipt)
        if (random() < REPEATED) add(id, receipt)
      }
    }
    for (let at = rows.length - 1; at > 0; at -= 1) {
      const other = Math.floor(random() * (at + 1))
      ;[rows[at], rows[other]] = [rows[other]!, rows[at]!]
    }
    const ids = [...byMessage.keys()]
    // The deliveries of every third message are recorded after its receipts have come.
    await insertMessages(ids.filter((_id, index) => index % 3 > 0))
    for (let at = 0; at < rows.length; at += 1_000) await engine.run(receiptsInsert(rows.slice(at, at + 1_000), NOW))

    let time = NOW
    const nodes = [1, 2].map(() =>
      createReceiver({
        ...{ engine, log: createLog('silent'), metrics: createMetrics(), leaseMs: 60_000, retentionDays: 30 },
        ...{ now: () => time, wake: () => undefined },
      }),
    )
    await Promise.all(nodes.map((poll) => poll()))
    await insertMessages(ids.filter((_id, index) => index % 3 === 0))
    while ((await left()) !== 0) {
      time += 60_000
      expect(time, 'no receipt waits for more than an hour').toBeLessThan(NOW + 3_600_000)
      await Promise.all(nodes.map(untilIdle))
    }

    const { rows: messages } = await engine.run<Row>({
      text: 'select id, status, delivered, opened, clicked from messages',
      values: [],
    })
    const wrong = messages.filter(({ id, ...actual }) => {
      const start = { status: 'SENT', due_at: null, deliveries, error: null, reason: null, reason_code: null } as const
      const expected = { ...start, ...applyReceipts(start, byMessage.get(id)!) }
      const first = (stage: 'deliveredAt' | 'openedAt' | 'clickedAt') => {
        const times = expected.deliveries.flatMap((delivery) => delivery[stage] ?? [])
        return times.length > 0 ? Math.min(...times) : null
      }
      const columns = { delivered: first('deliveredAt'), opened: first('openedAt'), clicked: first('clickedAt') }
      return JSON.stringify(actual) !== JSON.stringify({ status: expected.status, ...columns })
    })
    expect(wrong).toEqual([])
    expect(messages).toHaveLength(ids.length)
    const { rows: repeated } = await engine.run({
      text: `select message_id, e ->> 'type' as type, e ->> 'n' as n, count(*)::int as count
        from history, json_array_elements(events::json) e where e ->> 'type' <> 'UNDELIVERABLE'
        group by 1, 2, 3 having count(*) > 1`,
      values: [],
    })
    expect(repeated, 'the history has each of them once').toEqual([])
  })

  const receiver = (log: Log) =>
    createReceiver({
      ...{ engine, log, metrics: createMetrics(), leaseMs: 60_000, retentionDays: 30 },
      ...{ now: () => NOW, wake: () => undefined },
    })
  const receive = async (message_id: string, { n, ...receipt }: NumberedReceipt, log: Log = createLog('silent')) => {
    const row = { id: timedId(NOW), workspace_id: 1, message_id, n, receipt: JSON.stringify(receipt), due_at: NOW }
    await engine.run(receiptsInsert([row], NOW))
    await untilIdle(receiver(log))
  }

  test('a complaint suppresses when one names the address, also later, and not again once the entry is removed', async () => {
    const id = timedId(NOW)
    await insertMessages([id])
    const suppressed = async () =>
      (await engine.run({ text: 'select address, reason from suppressions where message_id = $1', values: [id] })).rows
    const complaint = { n: 0, kind: 'complained', at: NOW } as const
    await receive(id, complaint)
    expect(await suppressed()).toEqual([])
    await receive(id, { ...complaint, address: 'Ada@example.com' })
    expect(await suppressed()).toEqual([{ address: 'ada@example.com', reason: 'complaint' }])
    await engine.run({ text: 'delete from suppressions', values: [] })
    await receive(id, { ...complaint, address: 'Ada@example.com' })
    expect(await suppressed()).toEqual([])
    const { rows } = await engine.run({ text: 'select events from history where message_id = $1', values: [id] })
    expect(rows).toHaveLength(1)
    expect(await left()).toBe(0)
  })

  test('a click on a link of a message past retention is dropped at once, without a warning', async () => {
    const lines: string[] = []
    const write = (level: string) => (_fields: object, text: string) => void lines.push(`${level}: ${text}`)
    const log = { ...createLog('silent'), debug: write('debug'), warn: write('warn') }
    await receive(timedId(NOW - 40 * DAY), { n: 0, kind: 'clicked', at: NOW, url: 'https://example.com' }, log)
    expect(await left()).toBe(0)
    expect(lines).toEqual(['debug: a receipt was dropped: its message is not stored'])
  })
})

/** Until a poll finds nothing due. */
async function untilIdle(poll: () => Promise<number>): Promise<void> {
  while ((await poll()) === 0);
}
