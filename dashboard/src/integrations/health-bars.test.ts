/** The bars of a chart hold every call of the report, in its place. */
import { expect, test } from 'vitest'
import { barsOf } from './health-bars.ts'

const bucket = (at: number, calls: number, results: object, p95_ms?: number) => ({
  ...{ at, span_ms: 10, calls, results },
  ...(p95_ms !== undefined && { p95_ms }),
})

test('each call is in one bar, also those at the ends', () => {
  const buckets = [
    bucket(0, 3, { sent: 2, recipient: 1 }, 40),
    bucket(10, 2, { sent: 1, connection: 1 }, 90),
    bucket(99, 4, { failed: 4 }),
  ]
  expect(barsOf({ from: 5, to: 105, buckets }, 5)).toEqual([
    { at: 5, calls: 5, failures: 1, p95: 90 },
    { at: 25, calls: 0, failures: 0, p95: undefined },
    { at: 45, calls: 0, failures: 0, p95: undefined },
    { at: 65, calls: 0, failures: 0, p95: undefined },
    { at: 85, calls: 4, failures: 4, p95: undefined },
  ])
})
