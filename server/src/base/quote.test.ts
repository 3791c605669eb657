/** Names are suggested for slips of the hand, and for nothing else. */
import { expect, test } from 'vitest'
import { withinWork } from './processor-time.harness.ts'
import { nearestName } from './quote.ts'

const names = ['event', 'recipient', 'override', 'idempotency_key', 'at']

test.each([
  ['evnet', 'event'],
  ['Events', 'event'],
  ['recipent', 'recipient'],
  ['overide', 'override'],
  ['idempotencyKey', 'idempotency_key'],
  ['ta', 'at'],
  ['sender', undefined],
  ['', undefined],
  ['x'.repeat(500), undefined],
])('%s means %s', (name, meant) => expect(nearestName(name, names)).toBe(meant))

test('the nearest of several is suggested, the first of equals', () => {
  expect(nearestName('title', ['titles', 'tile', 'title_'])).toBe('title_')
  expect(nearestName('stepz', ['steps', 'step'])).toBe('steps')
})

test('long and many names take no time', async () => {
  const long = Array.from({ length: 1_000 }, (_, index) => 'name'.repeat(index))
  await withinWork(500, () => nearestName('name'.repeat(100), long))
})
