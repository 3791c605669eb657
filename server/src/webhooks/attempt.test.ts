/** 2xx is delivered, what may pass is tried again for three days, everything else has failed. */
import { describe, expect, test } from 'vitest'
import type { FailureKind, Reply } from '../base/exchange.ts'
import { deliveryRecord, outcomeOf, WINDOW_MS } from './attempt.ts'

const now = Date.UTC(2026, 0, 5)
const http = (status: number, headers: Record<string, string> = {}): Reply => ({
  kind: 'http',
  status,
  headers,
  body: 'words',
})
const failure = (kind: FailureKind, reached = false): Reply => ({
  kind: 'failure',
  failure: kind,
  message: 'hooks.example: broken',
  reached,
})

test.each([200, 201, 202, 204, 299])('%i is delivered', (status) => {
  expect(outcomeOf(http(status), now)).toEqual({ kind: 'delivered' })
})

test.each([408, 429, 500, 502, 503, 599])('%i is tried again', (status) => {
  expect(outcomeOf(http(status), now)).toMatchObject({ kind: 'again', error: expect.stringContaining(String(status)) })
})

test.each([301, 302, 307, 400, 401, 403, 404, 409, 422, 425])('%i has failed', (status) => {
  expect(outcomeOf(http(status), now)).toMatchObject({ kind: 'failed', gone: false })
})

test('410 has failed, and switches the webhook off', () => {
  expect(outcomeOf(http(410), now)).toMatchObject({ kind: 'failed', gone: true, error: '410 Gone' })
})

test.each<[FailureKind, boolean]>([
  ['dns', false],
  ['connect', false],
  ['tls', false],
  ['timeout', true],
  ['reset', true],
])('no answer (%s) is tried again', (kind, reached) => {
  expect(outcomeOf(failure(kind, reached), now)).toEqual({ kind: 'again', error: `${kind}: hooks.example: broken` })
})

test.each<FailureKind>(['address_refused', 'invalid_request', 'too_large'])('%s has failed', (kind) => {
  expect(outcomeOf(failure(kind), now)).toMatchObject({ kind: 'failed', gone: false })
})

describe('the written row', () => {
  const tried = { id: 'D', lease: 'L', attempts: 0, created: now }

  test('the pauses follow the table, ± 20 %', () => {
    const pauses = [0, 1, 2, 9, 50].map((attempts) => {
      const { due_at } = deliveryRecord({ ...tried, attempts }, { kind: 'again', error: 'e' }, now, 0.5)
      return (due_at ?? 0) - now
    })
    expect(pauses).toEqual([5_000, 10_000, 20_000, 900_000, 900_000])
    const record = (random: number) => deliveryRecord(tried, { kind: 'again', error: 'e' }, now, random).due_at
    expect([record(0), record(1)]).toEqual([now + 4_000, now + 6_000])
  })

  test('a webhook that requires more time gets it', () => {
    const outcome = outcomeOf(http(503, { 'retry-after': '60' }), now)
    expect(deliveryRecord(tried, outcome, now, 0.5).due_at).toBe(now + 60_000)
  })

  test('after three days it is over, with its last error', () => {
    const again = { kind: 'again', error: '500 Internal Server Error' } as const
    const late = now + WINDOW_MS - 5_000
    expect(deliveryRecord(tried, again, late, 0.5).due_at).toBe(now + WINDOW_MS)
    expect(deliveryRecord(tried, again, late + 1, 0.5)).toMatchObject({
      due_at: null,
      delivered: null,
      error: again.error,
    })
  })

  test('delivered, it has no error; aborted, it counts no attempt and is due at once', () => {
    expect(deliveryRecord(tried, { kind: 'delivered' }, now, 0)).toMatchObject({
      attempts: 1,
      delivered: now,
      error: null,
    })
    expect(deliveryRecord(tried, { kind: 'aborted' }, now, 0)).toMatchObject({ attempts: 0, due_at: now })
  })
})
