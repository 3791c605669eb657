/** Data cannot steer the terminal it is shown in. */
import { expect, test } from 'vitest'
import { bytes, plain, plainJson, shorten, utcTime } from './plain.ts'

test.each([
  ['colors and cursor movements', '\x1b[31mred\x1b[0m\x1b[2Jgone', 'redgone'],
  ['a window title', '\x1b]0;owned\x07text', 'text'],
  ['a hyperlink', '\x1b]8;;http://evil.example\x07click\x1b]8;;\x07', 'click'],
  ['line breaks', 'one\r\ntwo\tthree', 'one two three'],
  ['a bell, a null, an escape that ends the text', 'a\x07b\x00c\x1b', 'abc'],
  ['one-byte control sequences', 'a\x9bb\x7fc', 'abc'],
  ['marks that turn the direction round', 'user\u202ecod.exe\u2066', 'usercod.exe'],
])('%s are taken out', (_name, text, shown) => expect(plain(text)).toBe(shown))

test('letters of any script stay as they are', () =>
  expect(plain('Žofie 日本 مرحبا 👋🏽')).toBe('Žofie 日本 مرحبا 👋🏽'))

test('JSON says the same as before, with nothing a terminal would obey', () => {
  const value = { text: 'a\x1b[31m\x9b2J\x7f\u202e\u2028z' }
  const shown = plainJson(value)
  expect(JSON.parse(shown)).toEqual(value)
  expect(shown).toMatch(/^[\x20-\x7e]+$/)
})

test('a text is cut between characters', () => {
  expect(shorten('👋👋👋', 3)).toBe('👋👋👋')
  expect(shorten('👋👋👋', 2)).toBe('👋…')
})

test('times are UTC, and a missing one is empty', () => {
  expect(utcTime(1_710_334_643_120)).toBe('2024-03-13 12:57:23.120Z')
  expect(utcTime(undefined)).toBe('')
})

test('sizes read easily', () => {
  expect([0, 999, 1_000, 4_929_150, 84_900_000_000].map(bytes)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.0 kB',
    '4.9 MB',
    '84.9 GB',
  ])
})
