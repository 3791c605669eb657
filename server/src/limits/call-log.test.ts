/** Calls are counted in buckets by result and latency, and percentiles follow from the counts. */
import { expect, test, vi } from 'vitest'
import { createLog } from '../base/log.ts'
import type { Engine } from '../database/engine.ts'
import type { HealthBucket } from '../database/tables/workspace/integration-health.ts'
import { BUCKET_MS, callClasses, createCallLog, latencyBounds, percentile, withoutAddresses } from './call-log.ts'

const start = BUCKET_MS * 1_000
const call = { workspaceId: 1, integrationId: 'I1', callClass: 'sent', startedAt: start, endedAt: start + 30 } as const

function logOf(batch = vi.fn(async () => [] as never[])) {
  const callLog = createCallLog({ engine: { batch } as unknown as Engine, log: createLog('silent') })
  const written = () =>
    batch.mock.calls.flatMap((args) => {
      const [, statement] = (args as unknown as [{ values: [string] }[]])[0]
      return JSON.parse(statement?.values[0] ?? '[]') as HealthBucket[]
    })
  return { callLog, written }
}

test('calls of a bucket are one row, with their results, latencies and the latest error of the integration', async () => {
  const { callLog, written } = logOf()
  callLog.record(call)
  callLog.record({ ...call, callClass: 'failed', endedAt: start + 60_000, error: '503' })
  callLog.record({ ...call, callClass: 'recipient', endedAt: start + 70_000, error: 'ada@example.com is unknown' })
  callLog.record({ ...call, endedAt: start + BUCKET_MS })
  await callLog.stop()
  const [first, second, ...more] = written()
  expect(more).toEqual([])
  expect(first).toMatchObject({
    at: start,
    span: BUCKET_MS,
    error: '503',
    error_class: 'failed',
    error_at: start + 60_000,
    // The address was wrong, and the integration answered as it should.
    success_at: start + 70_000,
  })
  expect(callClasses.filter((_, index) => first?.calls[index] === 1)).toEqual(['sent', 'recipient', 'failed'])
  expect(first?.latencies[latencyBounds.indexOf(40)]).toBe(1)
  expect(first?.latencies.at(-1)).toBe(2)
  expect(second).toMatchObject({ at: start + BUCKET_MS, error: null })
})

test('a call that ends in the bucket before is counted there, and each integration has buckets of its own', async () => {
  const { callLog, written } = logOf()
  const next = { ...call, endedAt: start + BUCKET_MS }
  for (const counted of [call, next, call, { ...next, integrationId: 'I2' }, next]) callLog.record(counted)
  await callLog.stop()
  const counts = written().map(({ integration_id, at, calls }) => [integration_id, at, calls[0]])
  expect(counts).toEqual([
    ['I1', start, 2],
    ['I1', start + BUCKET_MS, 2],
    ['I2', start + BUCKET_MS, 1],
  ])
})

test('counts that could not be written are written later', async () => {
  const batch = vi.fn(async () => [] as never[])
  batch.mockRejectedValueOnce(new Error('away'))
  vi.useFakeTimers()
  const { callLog, written } = logOf(batch)
  callLog.record(call)
  await vi.advanceTimersByTimeAsync(10_000)
  callLog.record(call)
  vi.useRealTimers()
  await callLog.stop()
  expect(written().at(-1)?.calls[0]).toBe(2)
})

test('a flush has every call that was counted before it, also while another one is in progress', async () => {
  let write = (_rows: never[]) => {}
  const written = new Promise<never[]>((resolve) => {
    write = resolve
  })
  const batch = vi.fn(async () => [] as never[])
  batch.mockReturnValueOnce(written)
  const { callLog, written: rows } = logOf(batch)
  callLog.record(call)
  const first = callLog.flush()
  await Promise.resolve()
  callLog.record(call)
  const second = callLog.flush()
  write([])
  await Promise.all([first, second])
  expect(rows().map(({ calls }) => calls[0])).toEqual([1, 1])
  await callLog.stop()
})

test('a percentile lies within the class that has it', () => {
  const latencies = latencyBounds.map(() => 0)
  expect(percentile([...latencies, 0], 0.5)).toBeUndefined()
  latencies[latencyBounds.indexOf(100)] = 90
  latencies[latencyBounds.indexOf(1_000)] = 10
  const p50 = percentile([...latencies, 0], 0.5) ?? 0
  expect([p50 > 63, p50 <= 100]).toEqual([true, true])
  const p95 = percentile([...latencies, 0], 0.95) ?? 0
  expect([p95 > 630, p95 <= 1_000]).toEqual([true, true])
  expect(percentile([...latencyBounds.map(() => 0), 1], 1)).toBe(30_000)
})

test('addresses and tokens are masked in errors', () => {
  expect(withoutAddresses('550 5.1.1 <ada@example.com>: unknown')).toBe('550 5.1.1 <…@…>: unknown')
  expect(withoutAddresses('To +1 202 555 0143 is not valid')).toBe('To … is not valid')
  expect(withoutAddresses(`token ${'a1'.repeat(20)} gone`)).toBe('token … gone')
})
