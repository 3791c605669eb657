/** The latency of a node is that of its latest messages, from the counts of two times. */
import { expect, test } from 'vitest'
import { eventLoopDelayOf, figuresBetween } from './heartbeat.ts'

const at = (...counts: number[]) =>
  counts.map((count, index) => ({ bound: [0.01, 0.1, 1, Number.POSITIVE_INFINITY][index] ?? 0, count }))

test('percentiles are those of the messages in between', () => {
  expect(figuresBetween(at(90, 100, 100, 100), at(92, 108, 110, 110))).toEqual({
    ...{ started_messages: 10, p50_ms: 100, p95_ms: 1_000 },
  })
})

test('beyond the last bound it is that bound, and without messages there is none', () => {
  expect(figuresBetween([], at(0, 0, 0, 4))).toEqual({ started_messages: 4, p50_ms: 1_000, p95_ms: 1_000 })
  expect(figuresBetween(at(4, 4, 4, 4), at(4, 4, 4, 4))).toEqual({ started_messages: 0, p50_ms: null, p95_ms: null })
  expect(figuresBetween([], [])).toEqual({ started_messages: 0, p50_ms: null, p95_ms: null })
})

test('the delay of the event loop is what its timer was late by', () => {
  expect([50_200_000, 49_000_000, 173_400_000].map(eventLoopDelayOf)).toEqual([0, 0, 123])
})
