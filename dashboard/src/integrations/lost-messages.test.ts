/** Messages that an outage cost are counted at the integration that failed, from its start on. */
import type { Message } from '@postrider/client'
import { expect, test } from 'vitest'
import { lostAt, lostSearch, outageOf } from './lost-messages.ts'

const bucket = (at: number, results: object) => ({ at, span_ms: 5, calls: 1, results })

test('an outage that lasts began when the breaker opened; one that is over, with the first of its failed calls', () => {
  const buckets = [
    bucket(5, { failed: 1 }),
    ...[bucket(10, { sent: 1 }), bucket(15, { connection: 1 }), bucket(20, { authentication: 1 })],
    bucket(25, { sent: 1 }),
  ]
  expect(outageOf({ circuit_breaker: { state: 'open', since: 18 } }, buckets)).toEqual({ since: 18 })
  expect(outageOf({ circuit_breaker: { state: 'closed' } }, buckets)).toEqual({ since: 15, until: 30 })
  expect(outageOf({}, buckets.slice(0, 1))).toEqual({ since: 5 })
})

test('a few failed calls among many are no outage, unless the settings were refused', () => {
  const few = (results: object) => outageOf({}, [{ ...bucket(5, { ...results, sent: 9 }), calls: 10 }])
  expect([few({ failed: 1 }), few({ authentication: 1 }), outageOf({}, [])]).toEqual([
    ...[undefined, { since: 5 }, undefined],
  ])
})

test('a message is lost at the integration that refused it, not at another one of its provider', () => {
  const messages = [
    { providers: [{ integration: 'first', status: 'UNDELIVERABLE' }] },
    { providers: [{ integration: 'second', status: 'UNDELIVERABLE' }] },
    {},
  ] as Pick<Message, 'providers'>[]
  expect(['first', 'second', 'third'].map((id) => lostAt(id, messages))).toEqual([1, 1, 0])
})

test('the messages whose calls opened the breaker were accepted before it opened', () => {
  const since = Date.parse('2026-11-30T18:48:10.000Z')
  expect(lostSearch('smtp', { since }).enqueued_after).toBe('2026-11-30T18:47:10.000Z')
})
