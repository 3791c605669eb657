/** An integration that messages are held for, or that is not called now, is not said to be in use. */
import { expect, test } from 'vitest'
import { conditionOf, isCalled, nextDay } from './integration-condition.ts'

const closed = { enabled: true }
const open = { enabled: true, circuit_breaker: { state: 'open', since: 1, next_probe: 10 } } as const
const now = 5

test('held messages show where the breaker is closed; what keeps it from being called shows first', () => {
  expect(conditionOf(closed, 0, now)).toBe('closed')
  expect(conditionOf(closed, 2, now)).toBe('held')
  expect(conditionOf(open, 2, now)).toBe('open')
  expect(conditionOf({ ...closed, enabled: false }, 2, now)).toBe('off')
  expect(conditionOf({ ...closed, unreadable: true }, 2, now)).toBe('unreadable')
})

test('once the wait of a breaker is over, the next message tries it; until that went well it carries none', () => {
  const halfOpen = { ...open, circuit_breaker: { ...open.circuit_breaker, state: 'half_open' } } as const
  expect([open, halfOpen].map((each) => conditionOf(each, 0, 10))).toEqual(['due', 'due'])
  expect([open, halfOpen].map((each) => conditionOf(each, 0, 9))).toEqual(['open', 'half_open'])
  expect([open, halfOpen].map(isCalled)).toEqual([false, false])
})

test('the calls of a day can be used up, until the next day of UTC', () => {
  const limited = { ...closed, limits: { per_day: 2 }, used_today: 2 }
  expect(conditionOf(limited, 0, now)).toBe('limited')
  expect([limited, { ...limited, used_today: 1 }, { ...limited, limits: { per_second: 1 } }].map(isCalled)).toEqual([
    ...[false, true, true],
  ])
  expect(new Date(nextDay(Date.parse('2026-11-30T23:30:00+01:00'))).toISOString()).toBe('2026-12-01T00:00:00.000Z')
})
