/** An integration that messages are held for is not said to be in use. */
import { expect, test } from 'vitest'
import { conditionOf } from './integration-condition.ts'

const closed = { enabled: true }
const open = { enabled: true, circuit_breaker: { state: 'open', since: 1 } } as const

test('held messages show where the breaker is closed; what keeps it from being called shows first', () => {
  expect(conditionOf(closed, 0)).toBe('closed')
  expect(conditionOf(closed, 2)).toBe('held')
  expect(conditionOf(open, 2)).toBe('open')
  expect(conditionOf({ ...closed, enabled: false }, 2)).toBe('off')
  expect(conditionOf({ ...closed, unreadable: true }, 2)).toBe('unreadable')
})
