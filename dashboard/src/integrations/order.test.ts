/** The order of integrations: as the server tries them, and moved by the fewest changes. */
import type { Integration } from '@postrider/client'
import { expect, test } from 'vitest'
import { effectsOfMove, inOrder, placesOf, prioritiesToMove, withMailboxOf } from './order.ts'

const integration = (id: string, priority: number, more: Partial<Integration> = {}): Integration => ({
  ...{
    id: id as Integration['id'],
    priority,
    provider: 'smtp',
    channel: 'email',
    channels: ['email'],
    title: id,
    settings: {},
    enabled: true,
  },
  created: priority,
  ...more,
})
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
const idsAfter = (rows: Integration[], changes: { id: string; priority: number }[]) =>
  ids(
    inOrder(
      rows.map((row) => ({ ...row, priority: changes.find(({ id }) => id === row.id)?.priority ?? row.priority })),
    ),
  )

test('by priority, then the oldest first; those without a turn last', () => {
  const rows = [
    integration('late', 0, { created: 9 }),
    integration('off', 0, { enabled: false, created: 0 }),
    integration('early', 0, { created: 1 }),
    integration('sms', 0, { channel: 'sms', channels: ['sms'] }),
    integration('sandbox', 1000, { provider: 'mailbox' }),
  ]
  expect(placesOf(rows, 'email').map(({ integration: { id }, turn }) => [id, turn])).toEqual([
    ['early', 'tried'],
    ['late', 'tried'],
    ['off', 'off'],
    ['sandbox', 'sandbox_skipped'],
  ])
})

test('the sandbox has its turn in the channels that it serves', () => {
  const rows = [integration('off', 0, { enabled: false }), integration('sandbox', 1000, { provider: 'mailbox' })]
  const turnsIn = (served: 'email'[]) => placesOf(withMailboxOf(rows, served), 'email').map(({ turn }) => turn)
  expect(turnsIn(['email'])).toEqual(['tried', 'off'])
  // In production a channel stays real when its last integration is switched off.
  expect(turnsIn([])).toEqual(['off'])
})

test('a move between two priorities changes one integration', () => {
  const rows = [integration('a', 0), integration('b', 10), integration('c', 20)]
  const changes = prioritiesToMove(rows, 'c', 'before', 'b')
  expect(changes).toEqual([{ id: 'c', priority: 5 }])
  expect(idsAfter(rows, changes)).toEqual(['a', 'c', 'b'])
})

test('a move where there is no room gives new priorities in the new order', () => {
  const rows = ['a', 'b', 'c', 'd'].map((id, created) => integration(id, 0, { created }))
  for (const [id, side, other, expected] of [
    ['d', 'before', 'a', ['d', 'a', 'b', 'c']],
    ['a', 'after', 'c', ['b', 'c', 'a', 'd']],
    ['b', 'before', 'a', ['b', 'a', 'c', 'd']],
  ] as const) {
    const changes = prioritiesToMove(rows, id, side, other)
    expect(idsAfter(rows, changes)).toEqual(expected)
    expect(changes.every(({ priority }) => priority >= 0)).toBe(true)
  }
})

test('a move that changes other channels or closes a breaker says so', () => {
  const since = { since: 0, failures: 5 }
  const rows = [
    integration('first', 0, { channels: ['email', 'inbox'] }),
    integration('second', 10, {
      channels: ['email', 'inbox', 'sms'],
      circuit_breaker: { state: 'open', ...since } as NonNullable<Integration['circuit_breaker']>,
    }),
    integration('third', 20, { circuit_breaker: { state: 'closed', ...since } as never }),
  ]
  const effects = (id: string, other: string) => {
    const { channels, closed } = effectsOfMove(rows, prioritiesToMove(rows, id, 'before', other), 'email')
    return { channels, closed: ids(closed) }
  }
  expect(effects('second', 'first')).toEqual({ channels: ['inbox'], closed: ['second'] })
  expect(effects('third', 'second')).toEqual({ channels: [], closed: [] })
})
