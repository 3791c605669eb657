/** Elements of a content: which of them are native to a service, and the text of all others. */
import { expect, test } from 'vitest'
import type { ContentElement } from '../base/rendered-content.ts'
import { alternativeOf, isButton, isPicture, partsOf, shortened, textOf } from './chat-parts.ts'

const text = (words: string, tight = false): ContentElement => ({ type: 'text', text: words, tight })
const button = (url: string, plain = 'Go') =>
  ({ type: 'button', text: `${plain} (${url})`, url, plain, tight: false }) as const
const image = (url: string, plain = '') => ({ type: 'image', text: url, url, plain, tight: false }) as const

test('texts stand below each other, those of one loop without a blank line', () => {
  expect(textOf([text('a'), text('b'), text('c', true)])).toBe('a\n\nb\nc')
  expect(textOf([text('a')], () => 'x')).toBe('x')
  expect(textOf([])).toBe('')
})

test('elements that are not native become one text with their neighbors', () => {
  const elements = [text('a'), text('b', true), button('https://x.y'), text('c', true)]
  expect(partsOf(elements, (element) => (element.type === 'button' ? { own: element.url } : undefined))).toEqual([
    'a\nb',
    { own: 'https://x.y' },
    'c',
  ])
})

test('only web addresses are buttons and pictures, and a button has a label', () => {
  expect(isButton(button('https://x.y'), 20)).toBe(true)
  expect(isButton(button('https://x.y/too/long/for/it'), 20)).toBe(false)
  for (const other of [button('mailto:a@b.co'), button('tel:+1'), button('https://x.y', ''), text('a')])
    expect(isButton(other, 100)).toBe(false)
  expect(isPicture(image('HTTPS://x.y/i'))).toBe(true)
  expect(isPicture(image('mailto:a@b.co'))).toBe(false)
})

test('a picture without an alternative text has the name of its host', () => {
  expect(alternativeOf(image('https://x.y/i', 'Cat'))).toBe('Cat')
  expect(alternativeOf(image('https://x.y/i'))).toBe('x.y')
})

test('a text is shortened between characters', () => {
  expect(shortened('abcd', 4)).toBe('abcd')
  expect(shortened('abcde', 4)).toBe('abc…')
  expect(shortened('ab👋de', 4)).toBe('ab…')
})
