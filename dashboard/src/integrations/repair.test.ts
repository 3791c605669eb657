/** A repair begins with what is wrong: by the breaker, or by the last call while nothing went well or was changed since. */
import { expect, test } from 'vitest'
import { isOfSecrets, repairOf } from './repair.ts'

const breaker = { state: 'open', since: 5, reason: 'authentication', error: '535 no' } as const
const created = 1
const lastError = { result: 'configuration', error: '550 no such sender', at: 10 } as const

test('an open breaker says why and since when', () => {
  expect(repairOf({ created, circuit_breaker: breaker }, undefined)).toEqual({
    reason: 'authentication',
    error: '535 no',
    since: 5,
  })
  expect(repairOf({ created, circuit_breaker: { state: 'half_open' } }, undefined)?.reason).toBe('unknown')
})

test('a closed one leaves the last call, unless it is over', () => {
  const closed = { created, circuit_breaker: { state: 'closed' as const }, updated: 1 }
  expect(repairOf(closed, { last_error: lastError })).toEqual({
    reason: 'configuration',
    error: '550 no such sender',
    since: 10,
  })
  expect(repairOf(closed, { last_error: lastError, last_success: 11 })).toBeUndefined()
  expect(repairOf({ ...closed, updated: 11 }, { last_error: lastError })).toBeUndefined()
  expect(repairOf(closed, { last_error: { ...lastError, result: 'recipient' } })).toBeUndefined()
  expect(repairOf(closed, undefined)).toBeUndefined()
})

test('secrets are entered again where they are refused or unreadable', () => {
  expect(isOfSecrets(repairOf({ created, unreadable: true, circuit_breaker: breaker }, undefined))).toBe(true)
  expect(isOfSecrets({ reason: 'authentication', since: 1 })).toBe(true)
  expect(isOfSecrets({ reason: 'configuration', since: 1 })).toBe(false)
  expect(isOfSecrets(undefined)).toBe(false)
})
