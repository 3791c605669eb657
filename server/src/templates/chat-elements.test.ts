/** The elements that services of chat have of their own, beside the text in their dialect. */
import { expect, test } from 'vitest'
import type { Dialect } from '../base/rendered-content.ts'
import { compile } from './compile.ts'
import { render } from './render.ts'

const elements = [
  { type: 'meta', title: 'T' },
  { type: 'text', text_style: 'h1', content: 'Q&A for **{name}**' },
  { type: 'text', content: 'A & **b**' },
  { type: 'text', text_style: 'subtext', content: 'small' },
  { type: 'quote', content: 'said **so**' },
  { type: 'list', elements: [{ type: 'list-item', content: 'one' }] },
  { type: 'image', src: 'https://x.y/i.png', href: 'https://x.y', alt_text: 'A & b' },
  { type: 'divider' },
  { type: 'action', content: 'Go & see', href: 'https://x.y/{name}' },
  { type: 'action', content: 'Link', href: 'https://x.y', style: 'link' },
]
const shown = (dialect: Dialect, content: unknown = { version: '2022-01-01', elements }, name = 'J*') =>
  render(compile(content), { channel: 'direct_message', dialect, context: { data: { name } } })

test('each element has its text in the dialect, its parts without marks and its labels without markup', () => {
  const tight = false
  expect(shown('slack').elements).toEqual([
    { type: 'heading', level: 1, text: '*Q&amp;A for J**', inner: 'Q&amp;A for J*', plain: 'Q&A for J*', tight },
    { type: 'text', text: 'A &amp; *b*', tight },
    { type: 'subtext', text: 'small', tight },
    { type: 'quote', text: '> said *so*', inner: 'said *so*', tight },
    { type: 'list', text: '• one', tight },
    {
      type: 'image',
      url: 'https://x.y/i.png',
      plain: 'A & b',
      href: 'https://x.y',
      text: '<https://x.y|A &amp; b>',
      tight,
    },
    { type: 'divider', text: '———', tight },
    { type: 'button', url: 'https://x.y/J*', plain: 'Go & see', text: '<https://x.y/J*|Go &amp; see>', tight },
    { type: 'text', text: '<https://x.y|Link>', tight },
  ])
})

test('the texts of the elements are those of the blocks, in every dialect of chat', () => {
  for (const dialect of ['slack', 'discord', 'teams', 'telegram', 'whatsapp'] as const) {
    const { elements: native = [], blocks } = shown(dialect)
    expect(native.map(({ text }) => text)).toEqual(blocks.map(({ text }) => text))
  }
})

test('labels of actions have no markup in any dialect', () => {
  for (const dialect of ['slack', 'discord', 'telegram'] as const)
    expect(shown(dialect).actions.map(({ content }) => content)).toEqual(['Go & see', 'Link'])
})

test('an element without an address that can be followed is its text', () => {
  const content = {
    version: '2022-01-01',
    elements: [
      { type: 'image', src: 'data:x', alt_text: 'pic' },
      { type: 'action', content: 'Go', href: 'javascript:{name}' },
    ],
  }
  expect(shown('slack', content).elements).toEqual([
    { type: 'text', text: 'pic', tight: false },
    { type: 'text', text: 'Go', tight: false },
  ])
})

test('turns of one loop are tight', () => {
  const content = {
    version: '2022-01-01',
    elements: [{ type: 'quote', content: '{$.item}', loop: '["a", "b"]' }],
  }
  expect(shown('discord', content).elements).toMatchObject([
    { type: 'quote', inner: 'a', tight: false },
    { type: 'quote', inner: 'b', tight: true },
  ])
})

test('plain text has none, and neither has a text that replaces the content', () => {
  expect(shown('plain').elements).toBeUndefined()
  const raw = {
    version: '2022-01-01',
    elements: [{ type: 'channel', channel: 'direct_message', raw: { text: 'mine' }, elements: [elements[1]] }],
  }
  expect(shown('slack', raw)).toMatchObject({ text: 'mine' })
  expect(shown('slack', raw).elements).toBeUndefined()
})
