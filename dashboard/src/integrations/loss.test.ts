/** Before an integration is deleted it is said by which its messages go then, and whether that one is called. */
import type { Integration } from '@postrider/client'
import { expect, test } from 'vitest'
import { lossOf } from './loss.ts'

const row = (id: string, priority: number, more: Partial<Integration> = {}) =>
  ({
    id,
    title: id,
    provider: 'smtp',
    priority,
    created: 1,
    enabled: true,
    channels: ['email'],
    ...more,
  }) as Integration
const open = { circuit_breaker: { state: 'open' } } as const
const idOf = 'lost' as Integration['id']
const said = (others: readonly Integration[], channels: Integration['channels'] = ['email']) => {
  const { alone, covered } = lossOf([row('lost', 0), ...others], idOf, channels)
  return {
    alone,
    covered: covered.map(({ channels: served, next, broken }) => [
      served.join(),
      next.map(({ id }) => id).join(),
      broken.map(({ id }) => id).join(),
    ]),
  }
}

test('the first of the others that is called takes over', () => {
  expect(said([row('b', 2), row('a', 1)])).toEqual({ alone: [], covered: [['email', 'a', '']] })
  expect(said([row('a', 1, open), row('b', 2)])).toEqual({ alone: [], covered: [['email', 'b', '']] })
})

test('several with a weight take over together', () => {
  const weighted = [row('a', 1, { weight: 60 }), row('b', 2, { weight: 50 }), row('c', 3, { weight: 5, ...open })]
  expect(said([...weighted, row('d', 4)]).covered).toEqual([['email', 'a,b', '']])
  expect(said([row('d', 0), ...weighted]).covered).toEqual([['email', 'd', '']])
})

test('where none of them is called, that is known', () => {
  expect(said([row('a', 1, open), row('b', 2, open)])).toEqual({ alone: [], covered: [['email', 'a', 'a,b']] })
})

test('the mailbox and those that are off take over nothing', () => {
  expect(said([row('mailbox', 1, { provider: 'mailbox' }), row('off', 1, { enabled: false })])).toEqual({
    alone: ['email'],
    covered: [],
  })
})

test('channels with the same successor are said together', () => {
  const both: Integration['channels'] = ['email', 'sms']
  expect(said([row('a', 1, { channels: both })], both).covered).toEqual([['email,sms', 'a', '']])
  expect(said([row('a', 1)], both)).toEqual({ alone: ['sms'], covered: [['email', 'a', '']] })
})
