/** Emphasis on Slack and WhatsApp is shown wherever it stands: no reader sees its marks. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withinWork } from '../base/processor-time.harness.ts'
import { compile } from './compile.ts'
import { boundMark, withBoundaries } from './emphasis.ts'
import { render } from './render.ts'

const Z = '\u200b'
const shown = (content: unknown, data: Record<string, unknown> = {}, dialect: 'slack' | 'whatsapp' = 'slack') =>
  render(compile(content), { channel: 'direct_message', dialect, context: { data } }).text

test.each<[text: string, data: Record<string, unknown>, written: string]>([
  ['注文**7**が届きました', {}, `注文${Z}*7*${Z}が届きました`],
  ['un**believ**able', {}, `un${Z}*believ*${Z}able`],
  ['un*believ*able ~~a~~b', {}, `un${Z}_believ_${Z}able ~a~${Z}b`],
  ['a`b`c', {}, `a${Z}\`b\`${Z}c`],
  ['**a**_b_', {}, `*a*${Z}_b_`],
  ['x***a***y', {}, `x${Z}_*a*_${Z}y`],
  ['a **b _c_ d** (**e**), **f**.', {}, 'a *b _c_ d* (*e*), *f*.'],
  ['{v}**{v}**{v}', { v: 'x' }, `x${Z}*x*${Z}x`],
  ['a **{v}** b', { v: ' x ' }, 'a  *x*  b'],
  ['a **{v}** b', { v: '' }, 'a  b'],
  ['a**{v}**b', { v: ' ' }, 'a b'],
  ['**{v}** b', { v: 'one\n\ntwo' }, '*one*\n\n*two* b'],
  ['**one\ntwo**', {}, '*one*\n*two*'],
  ['> **one\n> two** x', {}, '> *one*\n> *two* x'],
  ['[un**believ**able](https://x.example)', {}, `<https://x.example|un${Z}*believ*${Z}able>`],
  ['**[a](https://x.example)**', {}, '*<https://x.example|a>*'],
  ['- **a**\n- b**c**', {}, `• *a*\n• b${Z}*c*`],
])('%s with %j on Slack', (body, data, written) => expect(shown({ title: '', body }, data)).toBe(written))

test('the same on WhatsApp, for spans, flags and the header of a table', () => {
  expect(shown({ title: '', body: 'un**believ**able {v}`b`' }, { v: 'a' }, 'whatsapp')).toBe(
    `un${Z}*believ*${Z}able a${Z}\`b\``,
  )
  const elements = [
    {
      type: 'text',
      elements: [
        { type: 'string', content: '注文' },
        { type: 'string', content: '{v}', bold: true },
        { type: 'string', content: 'が' },
      ],
    },
    { type: 'text', content: 'a', bold: true, italic: true },
    {
      type: 'table',
      elements: [{ type: 'table-row', header: true, elements: [{ type: 'table-cell', content: '{v}' }] }],
    },
  ]
  expect(shown({ version: '2022-01-01', elements }, { v: '7' }, 'whatsapp')).toBe(`注文${Z}*7*${Z}が\n\n*_a_*\n\n*7*`)
})

test('whatever is emphasized: its words stay, and a mark stands beside no letter and no white space of its inside', () => {
  const piece = fc.constantFrom(...boundMark('*'), ...boundMark('_'), 'a', '字', ' ', '\n', '. ', '> ')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const text = withBoundaries(pieces.join(''))
      expect(text).not.toMatch(/[\uE005\uE006]/)
      expect(text.replace(/[*_\u200b]/g, '')).toBe(pieces.join('').replace(/[\uE005\uE006]./g, ''))
      for (const line of text.split('\n')) {
        expect(line.split('*').length % 2).toBe(1)
        expect(line).not.toMatch(/\*\*|__/)
        // A word with marks on both sides has white space, punctuation or the zero-width space around them.
        expect(line).not.toMatch(/[a字][*_]+[a字]/)
      }
    }),
    { numRuns: 1_000 },
  )
})

test.each([boundMark('*').join('a'), boundMark('*')[0], ' ', ' \uE006*', 'a\n', '> '])(
  '400 kB of %j are written in time that grows with their length',
  async (part) => {
    const text = part.repeat(400_000 / part.length)
    await withinWork(400, () => withBoundaries(text))
  },
)
