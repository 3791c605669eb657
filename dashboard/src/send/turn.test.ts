/** The candidates of a forecast and its sentence say the same about the next call. */
import { expect, test } from 'vitest'
import { turnOf } from './turn.ts'

test.each([
  ['one of a message that would be held', { held_back: 'circuit_breaker', fallback: false }, 'HELD', 'toRepair'],
  ['one of it without content', { held_back: 'circuit_breaker', fallback: false, error: 'No' }, 'HELD', 'toRepair'],
  ['one whose latest calls failed', { held_back: 'circuit_breaker', fallback: false }, 'ROUTED', 'notCalled'],
  ['one whose limit is reached', { held_back: 'limit', fallback: false }, 'ROUTED', 'notCalled'],
  ['one without content', { error: 'No' }, 'ROUTED', 'failed'],
  ['one that takes over', { fallback: true }, 'ROUTED', 'next'],
  ['the first one', { fallback: false }, 'ROUTED', 'first'],
] as const)('%s', (_, rendered, status, expected) => {
  expect(turnOf(rendered, { status })).toBe(expected)
})
