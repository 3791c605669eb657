/** An address in a chat message goes out as it stands, from whatever pieces it is made, and is tracked as a whole. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compile } from '../templates/compile.ts'
import { render } from '../templates/render.ts'
import { rewriteText } from './rewrite.ts'

type Marked = 'discord' | 'teams' | 'slack'
const said = (content: object, data: Record<string, unknown>, dialect: Marked) =>
  render(compile(content), {
    channel: 'direct_message',
    provider: dialect,
    dialect,
    context: { data, profile: {} },
  } as never).text

const linksOf = (text: string, dialect: Marked) => {
  const links: string[] = []
  rewriteText(text, { link: (url) => void links.push(url), dialect })
  return links
}

const U = 'https://my-shop.example.com'
const cases: readonly (readonly [text: string, data: Record<string, unknown>, said: string, links: string[]])[] = [
  [`See ${U}/a_b~c#d-e`, {}, `See ${U}/a_b~c#d-e`, [`${U}/a_b~c#d-e`]],
  [
    `Details: ${U}/order_status?id={id}`,
    { id: 'A_17-b' },
    `Details: ${U}/order_status?id=A_17-b`,
    [`${U}/order_status?id=A_17-b`],
  ],
  ['Look at {v}', { v: `${U}/a_b today, a_b` }, `Look at ${U}/a_b today, a\\_b`, [`${U}/a_b`]],
  ['https://{host}/x_y', { host: 'my-shop.example.com' }, `${U}/x_y`, [`${U}/x_y`]],
  ['{scheme}://{host}/x_y', { scheme: 'https', host: 'my-shop.example.com' }, `${U}/x_y`, [`${U}/x_y`]],
  ['https://my-shop{rest}', { rest: '.example.com/a_b' }, `${U}/a_b`, [`${U}/a_b`]],
  [`${U}/{{#if id}}{{id}}{{/if}}-_x`, { id: '_a' }, `${U}/_a-_x`, [`${U}/_a-_x`]],
  [`Look: ${U}/a_(b)_c.`, {}, `Look: ${U}/a_(b)_c.`, [`${U}/a_(b)_c`]],
  [`${U}/?q=a*b*c *{v}*`, { v: `${U}/a_b!)` }, `${U}/?q=a*b*c _${U}/a_b!)_`, [`${U}/?q=a*b*c`, `${U}/a_b`]],
  ['{v}', { v: `${U}/a_(b)?f[0]=a_b` }, `${U}/a_(b)?f[0]=a_b`, [`${U}/a_(b)?f[0]=a_b`]],
  [`(${U}/a-b) [${U}/c]`, {}, `\\(${U}/a-b) \\[${U}/c\\]`, [`${U}/a-b`, `${U}/c`]],
  [`**${U}/a_b** and _${U}/_c_/d_`, {}, `**${U}/a_b** and _${U}/_c_/d_`, [`${U}/a_b`, `${U}/_c_/d`]],
  [`${U}/a\\_b ${U}/?x&amp;y_z`, {}, `${U}/a_b ${U}/?x&y_z`, [`${U}/a_b`, `${U}/?x&y_z`]],
  [`${U}/t/{v}`, { v: 'AbC_' }, `${U}/t/AbC_`, [`${U}/t/AbC_`]],
  [`${U}/{v}`, { v: 'a)_b_' }, `${U}/a)\\_b\\_`, [`${U}/a`]],
  [
    `(${U}/{v}`,
    { v: 'a) [x](https://evil.example/)' },
    `\\(${U}/a) \\[x\\]\\(https://evil.example/)`,
    [`${U}/a`, 'https://evil.example/'],
  ],
  [
    `${U}/{v}`,
    { v: '[x](https://evil.example/)' },
    `${U}/\\[x\\]\\(https://evil.example/)`,
    [`${U}/`, 'https://evil.example/'],
  ],
  [
    '[{v}](https://x.example)',
    { v: 'https://y.example/](https://z.example)' },
    '[https://y.example/\\]\\(https://z.example)](https://x.example)',
    ['https://z.example', 'https://x.example'],
  ],
  [`${U}/{v}`, { v: 'a> <@1> **b**' }, `${U}/a\\> \\<@1\\> \\*\\*b\\*\\*`, [`${U}/a`]],
  ['Write to first_last@my-shop.example.com', {}, 'Write to first\\_last@my\\-shop.example.com', []],
]

test.each(cases)('%s with %j', (text, data, expected, links) => {
  for (const dialect of ['discord', 'teams'] as const) {
    const made = said({ title: '', body: text }, data, dialect)
    expect(dialect === 'discord' ? made.replaceAll('\\@', '@') : made.replaceAll('|', '\\|')).toBe(expected)
    expect(linksOf(made, dialect)).toEqual(links)
  }
})

test.each(['_{v}_', '*{v}*', '**{v}**', '~~{v}~~', '_**{v}**_', '**_{v}_**', '~~**{v}**~~', '_See {v}!_'])(
  'the address in %s is tracked with the marks at its end',
  (body) => {
    for (const dialect of ['discord', 'teams', 'slack'] as const) {
      for (const v of [`${U}/a_b_`, `${U}/a_b__`, `${U}/a_b`]) {
        const made = said({ title: '', body }, { v }, dialect)
        expect(made).toMatch(/[*_~]$/)
        expect(made).toContain(v)
        expect(linksOf(made, dialect)).toEqual([v])
      }
    }
  },
)

test('values in a text that `raw` brings are escaped, but for the part of an address', () => {
  const content = (text: string) => ({
    version: '2022-01-01',
    elements: [{ type: 'channel', channel: 'direct_message', raw: { text }, elements: [] }],
  })
  const made = (text: string, v: string) => said(content(text), { v }, 'teams')
  expect(made(`_See_ ${U}/{v} *{v}*`, 'a_b')).toBe(`_See_ ${U}/a_b *a\\_b*`)
  expect(made(`{v}/{v} [x](${U}/{v})`, 'a_b')).toBe(`a\\_b/a\\_b [x](${U}/a_b)`)
  expect(made(`[x](${U}/{v})`, 'a_) [y](https://evil.example')).toBe(`[x](${U}/a_\\) \\[y\\]\\(https://evil.example)`)
  expect(made('{v}\uE003{v}', '\uE004*')).toBe('\uFFFD\\*\uFFFD\uFFFD\\*')
})

test('whatever a value is: outside of its addresses no mark stands alone', () => {
  const piece = fc.constantFrom(
    'https://',
    'x.y/',
    '[',
    ']',
    '(',
    ')',
    '](',
    '_',
    '**',
    '~~',
    ' ',
    'a',
    '<@1>',
    '\\',
    '&',
    '`',
    '{',
    '}',
    "'",
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const made = said({ title: '', body: 'See {v} now' }, { v: pieces.join('') }, 'discord')
      // A link needs a bare bracket before its address.
      expect(made).not.toMatch(/(?<!\\)\]\(/)
      expect(made).not.toMatch(/(?<!\\)[`<>|]|(?<!\\)\*\*|(?<!\\)~~/)
    }),
    { numRuns: 500 },
  )
})
