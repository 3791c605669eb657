/** Names are suggested for slips of the hand, and for nothing else. */
import { expect, test } from 'vitest'
import { withinWork } from './processor-time.harness.ts'
import { mustBeChoice, nearestName } from './quote.ts'

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

test('a value is compared with many choices; few are listed', () => {
  const many = [...'abcdefghi'].map((letter) => `choice ${letter}`)
  expect(mustBeChoice(many, 'choise b')).toBe('must be one of 9 values. Did you mean `choice b`?')
  expect(mustBeChoice(many, 'other')).toMatch(/^must be one of `choice a`, /)
  expect(mustBeChoice(many, 7)).toMatch(/^must be one of `choice a`, /)
  expect(mustBeChoice(['on', 'off'], 'of')).toBe('must be one of `on`, `off`')
})

test('long and many names take no time', async () => {
  const long = Array.from({ length: 1_000 }, (_, index) => 'name'.repeat(index))
  await withinWork(500, () => nearestName('name'.repeat(100), long))
})
