/** Counts of calls: nodes add to one row, hours follow from five minutes, and old hours are dropped. */
import {
  addHealth,
  dropHealth,
  type HealthBucket,
  healthSince,
  mergeHealth,
} from '@postrider/server/internal/database/tables/workspace/integration-health'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const start = Math.floor(Date.UTC(2026, 5, 1) / HOUR) * HOUR

withEngine((open) => {
  let engine: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    engine = await open()
    await engine.batch([
      { text: `insert into workspaces (id, name) values (1, 'production') on conflict do nothing` },
      {
        text: `insert into integrations (id, workspace_id, provider, title, enabled, priority, settings, version, created, updated)
          values ('I1', 1, 'smtp', 'Mail', true, 0, '{}', 1, 0, 0)`,
      },
    ])
  })
  const bucket = (at: number, calls: number[], error: string | null = null): HealthBucket => ({
    ...{ workspace_id: 1, integration_id: 'I1', span: 300_000, at, calls, latencies: [1, 0, calls[0] ?? 0] },
    ...{ error, error_class: error === null ? null : 'failed', error_at: error === null ? null : at + 5 },
    success_at: (calls[0] ?? 0) > 0 ? at + (calls[0] ?? 0) : null,
  })
  const read = () => healthSince(engine, 1, 'I1', start)

  test('two nodes add to one row, and the later error stays', async () => {
    await addHealth(engine, [bucket(start, [2, 1], 'first')])
    await addHealth(engine, [bucket(start, [3, 0, 4])])
    await addHealth(engine, [{ ...bucket(start, [1]), integration_id: 'gone' }])
    expect(await read()).toMatchObject([
      { calls: [5, 1, 4], latencies: [2, 0, 5], error: 'first', error_at: start + 5, success_at: start + 3 },
    ])
  })

  test('after a day the buckets of an hour are one, and after a month it is dropped', async () => {
    await addHealth(engine, [bucket(start + 300_000, [10], 'second'), bucket(start + HOUR, [7])])
    expect(await mergeHealth(engine, start + DAY + HOUR, 1)).toBe(1)
    expect(await mergeHealth(engine, start + DAY + HOUR, 100)).toBe(1)
    expect(await mergeHealth(engine, start + DAY + HOUR, 100)).toBe(0)
    expect(await read()).toMatchObject([
      { span: HOUR, at: start, calls: [15, 1, 4], error: 'second', success_at: start + 300_010 },
      { span: 300_000, at: start + HOUR, calls: [7] },
    ])
    expect(await dropHealth(engine, start + 30 * DAY + 1, 100)).toBe(1)
    expect(await read()).toHaveLength(1)
  })
})
