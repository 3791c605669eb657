/** Opens and clicks promise: one row each, however many requests come, and a person is never kept waiting by the database. */
import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from '../base/log.ts'
import { createMetrics } from '../base/metrics.ts'
import type { Statement } from '../database/engine.ts'
import type { Token } from '../tracking/tracker.ts'
import { createUseRecorder, type TrackedUse } from './tracked-use.ts'

const NOW = 1_710_334_643_000
const token: Token = {
  ...{ workspaceId: 1, messageId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b6', n: 0, at: NOW - 60_000 },
  target: 'https://shop.example.com/',
}
const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Chrome/131.0.0.0' }
const click: TrackedUse = { kind: 'clicked', token, request: { method: 'GET', headers } }

function recorder(run: () => Promise<unknown> = async () => ({ rows: [], affected: 0 })) {
  const statements: Statement[] = []
  const time = { now: NOW }
  const metrics = createMetrics()
  const uses = createUseRecorder({
    ...{ log: createLog('silent'), metrics, now: () => time.now, wake: () => {} },
    engine: {
      batch: (async (batch: readonly Statement[]) => {
        statements.push(...batch.filter(({ values }) => values))
        return await run()
      }) as never,
    },
  })
  const rows = () =>
    statements.flatMap(
      ({ values = [] }) => JSON.parse(String(values[0])) as { id: string; due_at: number; receipt: string }[],
    )
  const figure = async (outcome: string) =>
    Number(
      new RegExp(`tracked_requests_total\\{kind="clicked",outcome="${outcome}"\\} (\\d+)`).exec(
        await metrics.registry.metrics(),
      )?.[1] ?? 0,
    )
  return { ...uses, rows, statements, time, figure }
}

afterEach(() => void vi.useRealTimers())

test('a flood of one link is one row, and another after ten minutes', async () => {
  const { record, rows, time, figure } = recorder()
  await Promise.all(Array.from({ length: 1_000 }, () => record(click)))
  expect(rows()).toHaveLength(1)
  expect(await figure('repeated')).toBe(999)
  time.now += 600_001
  await record(click)
  expect(rows()).toHaveLength(2)
  // The same id: it waits once, also when another node has written it.
  expect(rows()[0]!.id).toBe(rows()[1]!.id)
})

test('different links and deliveries share commits', async () => {
  const { record, rows, statements } = recorder()
  await Promise.all(
    Array.from({ length: 300 }, (_, n) =>
      record({ ...click, token: { ...token, n, target: `https://x.example/${n}` } }),
    ),
  )
  expect(rows()).toHaveLength(300)
  expect(statements.length).toBeLessThan(10)
})

test('a click of a person is applied two seconds later, with its link; that of a program at once', async () => {
  const { record, rows } = recorder()
  await record(click)
  await record({ ...click, request: { method: 'HEAD', headers } })
  await record({ kind: 'opened', token: { ...token, target: '' }, request: { method: 'GET', headers } })
  expect(rows().map(({ due_at, receipt }) => [due_at - NOW, JSON.parse(receipt)])).toEqual([
    [2_000, { kind: 'clicked', at: NOW, url: token.target, isHeld: true }],
    [0, { kind: 'clicked', at: NOW, url: token.target, isAutomated: true, automatedReason: 'head' }],
    [0, { kind: 'opened', at: NOW }],
  ])
})

test('an outage of the database loses the click, and not the person; the next request is recorded', async () => {
  let isAway = true
  const { record, rows, figure } = recorder(async () => {
    if (isAway) throw new Error('away')
    return { rows: [], affected: 1 }
  })
  await record(click)
  expect(await figure('lost')).toBe(1)
  isAway = false
  await record(click)
  expect(rows()).toHaveLength(2)
})

test('a database that does not answer delays a reply by a second at most', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const { record } = recorder(() => new Promise(() => {}))
  const answered = record(click)
  await vi.advanceTimersByTimeAsync(1_000)
  await expect(answered).resolves.toBeUndefined()
})
