/** The message on the first screen: the one that was sent there, until another one comes from elsewhere. */
import { expect, test } from 'vitest'
import { shownId } from './shown-id.ts'

test('without a send it is the newest', () => {
  expect(shownId(undefined, undefined)).toBeUndefined()
  expect(shownId(undefined, 'a')).toBe('a')
})

test('the one that was sent here is shown while the newest is the one from before', () => {
  expect(shownId({ id: 'mine', before: 'a' }, 'a')).toBe('mine')
  expect(shownId({ id: 'mine', before: undefined }, undefined)).toBe('mine')
})

test('once the newest is another it is shown, be it that send itself or one from elsewhere', () => {
  expect(shownId({ id: 'mine', before: 'a' }, 'mine')).toBe('mine')
  expect(shownId({ id: 'mine', before: 'a' }, 'b')).toBe('b')
})
