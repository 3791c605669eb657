/** Parts of the address become texts and choices, or are dropped. */
import { expect, test } from 'vitest'
import { merged, oneOf, present, textOf, textsOf } from './search-params.ts'

test('digits are text, and anything else that is no text is dropped', () => {
  expect([textOf('ada'), textOf(4915), textOf(0)]).toEqual(['ada', '4915', '0'])
  expect([textOf(''), textOf(true), textOf(null), textOf({ a: 1 }), textOf(['ada'])].every((text) => !text)).toBe(true)
})

test('a list is read from one text or several', () => {
  expect(textsOf('smtp')).toEqual(['smtp'])
  expect(textsOf(['smtp', '', 7, null])).toEqual(['smtp', '7'])
  expect([textsOf(undefined), textsOf([]), textsOf([''])]).toEqual([undefined, undefined, undefined])
})

test('a choice is one of its values', () => {
  expect(oneOf(['open', 'closed'], 'open')).toBe('open')
  expect(oneOf(['open', 'closed'], 'toString')).toBeUndefined()
})

test('undefined parts have no name in the address', () => {
  expect(Object.keys(present({ tab: undefined, id: '7', isOpen: false }))).toEqual(['id', 'isOpen'])
})

test('an undefined part leaves the address', () => {
  expect(merged({ tab: 'runs', status: 'ERROR' }, { status: undefined })).toEqual({ tab: 'runs' })
})
