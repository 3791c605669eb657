/** A new integration is tried where it was placed, and the others keep their order, also while they make room. */
import type { Integration } from '@postrider/client'
import { expect, test } from 'vitest'
import { inOrder } from './order.ts'
import { neighborsOf, newPlace } from './place.ts'

type Channels = Integration['channels']
const row = (id: string, priority: number, created: number, channels: Channels = ['email'], provider = 'smtp') =>
  ({ id, priority, created, channels, provider }) as Pick<
    Integration,
    'id' | 'provider' | 'priority' | 'created' | 'channels'
  >
const mailbox = row('mailbox', 0, 0, ['email', 'sms'], 'mailbox')
const ids = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

test('its neighbors serve one of its channels', () => {
  const rows = [row('b', 10, 2), mailbox, row('texts', 5, 3, ['sms']), row('a', 0, 4)]
  expect(ids(neighborsOf(rows, ['email']))).toEqual(['a', 'b'])
  expect(ids(neighborsOf(rows, ['push']))).toEqual([])
})

test.each([
  ['the only one', [row('texts', 0, 1, ['sms'])], undefined, { priority: 0, changes: [] }],
  ['the last', [row('a', 0, 1), row('b', 10, 2)], undefined, { priority: 20, changes: [] }],
  ['between, with room', [row('a', 0, 1), row('b', 10, 2)], 'b', { priority: 5, changes: [] }],
  [
    'between, without room: the newer one of a priority is later',
    [row('a', 4, 1), row('b', 5, 2)],
    'b',
    { priority: 4, changes: [] },
  ],
  ['the first, with room', [row('a', 10, 1)], 'a', { priority: 5, changes: [] }],
  [
    'the first, without room',
    [row('a', 0, 1), row('b', 30, 2)],
    'a',
    { priority: 0, changes: [{ id: 'a', priority: 10 }] },
  ],
] as const)('%s', (_name, rows, beforeId, place) =>
  expect(newPlace([mailbox, ...rows], ['email'], beforeId)).toEqual(place),
)

test('whatever the priorities, it is tried before the chosen one, and the order of the others never changes', () => {
  const priorities = [0, 0, 0, 1, 1, 9, 11, 30]
  for (let seed = 0; seed < 200; seed += 1) {
    const rows = priorities.slice(0, (seed % 8) + 1).map((priority, index) => {
      const channels: Channels =
        (seed >> index) % 3 === 0 ? ['sms'] : (seed >> index) % 3 === 1 ? ['email', 'sms'] : ['email']
      return row(`i${index}`, (priority * (seed + 7)) % 31, (index * 5) % 8, channels)
    })
    const before = ids(inOrder(rows))
    for (const { id } of neighborsOf(rows, ['email'])) {
      const { priority, changes } = newPlace(rows, ['email'], id)
      let current = rows
      for (const change of changes) {
        current = current.map((each) => (each.id === change.id ? { ...each, priority: change.priority } : each))
        expect(ids(inOrder(current))).toEqual(before)
      }
      const after = ids(neighborsOf([...current, row('new', priority, 99)], ['email']))
      expect(after[after.indexOf('new') + 1]).toBe(id)
    }
  }
})
