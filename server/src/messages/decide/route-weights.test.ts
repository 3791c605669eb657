/** Weights divide messages among integrations by the id of each message, and change nothing else. */
import { expect, test } from 'vitest'
import type { Integration } from '../facts.ts'
import { byWeight } from './route.ts'

const integration = (id: string, weight?: number, rest: Partial<Integration> = {}) =>
  ({ id, enabled: true, readable: true, ...(weight !== undefined && { weight }), ...rest }) as Integration
const ids = (all: readonly Integration[]) => all.map(({ id }) => id)
const messages = Array.from({ length: 10_000 }, (_, n) => `0M9Z${String(n).padStart(8, '0')}`)

test('messages are divided by weight, each the same way every time', () => {
  const serving = [integration('a', 70), integration('b', 30)]
  const first = messages.map((id) => ids(byWeight(serving, 'email', id))[0])
  const share = first.filter((id) => id === 'a').length / messages.length
  expect(share).toBeGreaterThan(0.68)
  expect(share).toBeLessThan(0.72)
  expect(messages.map((id) => ids(byWeight(serving, 'email', id))[0])).toEqual(first)
})

test('the others follow in their order, and those without a weight keep their places', () => {
  const serving = [integration('x'), integration('a', 1), integration('y'), integration('b', 1), integration('c', 1)]
  const orders = new Set(messages.slice(0, 100).map((id) => ids(byWeight(serving, 'sms', id)).join('')))
  expect([...orders].sort()).toEqual(['xaybc', 'xbyac', 'xcyab'])
})

test('one alone, or next to a disabled one, is no choice', () => {
  const serving = [
    integration('a', 1),
    integration('b', 9, { enabled: false }),
    integration('c', 9, { readable: false }),
  ]
  for (const id of messages.slice(0, 20)) expect(ids(byWeight(serving, 'sms', id))).toEqual(['a', 'b', 'c'])
  const none = [integration('a'), integration('b')]
  expect(byWeight(none, 'sms', '1')).toBe(none)
})
