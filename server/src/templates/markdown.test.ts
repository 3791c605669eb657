/** Promises of Markdown in each dialect. */
import { describe, expect, test } from 'vitest'
import { budgetOf } from '../base/budget.ts'
import { withinWork } from '../base/processor-time.harness.ts'
import type { Dialect } from '../base/rendered-content.ts'
import { newDocument, readingStepsMax } from './compile-bounds.ts'
import { htmlRules } from './compile-program.ts'
import { rulesOf } from './dialect.ts'
import { themeOf } from './mail/theme.ts'
import { markdown, readMarkdown } from './markdown.ts'
import { type Run, run } from './program.ts'

/** Styles are checked in mail/mail.test.ts. */
const unstyled = (html: string) => html.replace(/ style="[^"]*"/g, '')

const said = (text: string, dialect: Dialect) =>
  run(markdown(text, dialect === 'html' ? htmlRules(themeOf(undefined), 'ltr') : rulesOf(dialect), newDocument()), {
    data: { v: '*v* <b>', url: 'https://x.y/a', bad: 'javascript:x' },
    roots: {},
    size: 0,
    work: { budget: budgetOf(), at: '' },
    onMissing: 'keep',
  } as unknown as Run)

test.each<[string, Dialect, string]>([
  ['a **b** _c_ ~~d~~ `e`', 'html', 'a <strong>b</strong> <em>c</em> <s>d</s> <code class="pr-code">e</code>'],
  ['a **b** _c_ ~~d~~ `e`', 'plain', 'a b c d e'],
  ['a **b** _c_ ~~d~~ `e`', 'slack', 'a *b* _c_ ~d~ `e`'],
  ['a **b** _c_ ~~d~~ `e`', 'discord', 'a **b** _c_ ~~d~~ `e`'],
  ['a **b** _c_ ~~d~~ `e`', 'telegram', 'a <b>b</b> <i>c</i> <s>d</s> <code>e</code>'],
  ['a **b** _c_ ~~d~~ `e`', 'teams', 'a **b** _c_ ~~d~~ `e`'],
  ['[t]({url})', 'html', '<a href="https://x.y/a" target="_blank" class="pr-link">t</a>'],
  ['[t]({url})', 'plain', 't (https://x.y/a)'],
  ['[t]({url})', 'slack', '<https://x.y/a|t>'],
  ['[t]({url})', 'discord', '[t](https://x.y/a)'],
  ['[t]({bad})', 'html', '<a href="#" target="_blank" class="pr-link">t</a>'],
  ['[t]({bad})', 'slack', 't'],
  ['[t](javascript:x)', 'teams', 't'],
  ['**{v}**', 'html', '<strong>*v* &lt;b&gt;</strong>'],
  ['**{v}**', 'discord', '**\\*v\\* \\<b\\>**'],
  ['{v}', 'telegram', '*v* &lt;b&gt;'],
  ['<b>x</b>', 'html', '&lt;b&gt;x&lt;/b&gt;'],
  ['Price: 1.5!', 'telegram', 'Price: 1.5!'],
  ['> a\n> > b', 'telegram', '<blockquote>a\n\nb</blockquote>'],
  ['a **b** _c_ ~~d~~ `e` [f](https://x.y)', 'whatsapp', 'a *b* _c_ ~d~ `e` f: https://x.y'],
  ['a\nb\n\nc', 'plain', 'a\nb\n\nc'],
  ['a\nb\n\nc', 'html', '<p>a<br>b</p><p>c</p>'],
  ['- a\n- b\n  - c', 'plain', '- a\n- b\n  - c'],
  ['3. a\n4. b', 'plain', '3. a\n4. b'],
  ['1. a', 'telegram', '1. a'],
  ['- a\n- b', 'html', '<ul><li>a</li><li>b</li></ul>'],
  ['## a\nb', 'html', '<h2 class="pr-h">a</h2><p>b</p>'],
  ['```\na\nb\n```', 'html', '<div class="pr-code">a\nb</div>'],
  ['> a', 'html', '<blockquote class="pr-quote"><p>a</p></blockquote>'],
  ['# A **b**\nc', 'slack', '*A b*\n\nc'],
  ['> a\n> b', 'slack', '> a\n> b'],
  ['`{v}`', 'telegram', '<code>*v* &lt;b&gt;</code>'],
  ['\\{v} {w} {no path}', 'plain', '{v} {w} {no path}'],
  ['\uE0000\uE001 **x**', 'plain', '\uFFFD0\uFFFD x'],
])('%j in %s is %j', (text, dialect, written) => expect(unstyled(said(text, dialect))).toBe(written))

const LENGTH = 262_144
/** Fills the largest text of an element. */
const filled = (part: string, before = '', behind = '') =>
  `${before}${part.repeat(Math.floor((LENGTH - before.length - behind.length) / part.length))}${behind}`

const dense: readonly (readonly [name: string, text: string])[] = [
  ['delimiters of three kinds', filled("'*_['")],
  ['unclosed labels', filled('[')],
  ['unclosed images', filled('![', '1. </')],
  ['pictures in pictures', filled('*', '!['.repeat(90), '](x)'.repeat(90))],
  ['long text in pictures in pictures', filled('a&amp;', '!['.repeat(90), '](x)'.repeat(90))],
  ['links', filled('[a](b)')],
  ['links with titles', filled('[a](b "c")')],
  ['one run of asterisks', filled('*')],
  ['emphasis', filled('**a** ')],
  ['unclosed emphasis', filled('*a _b ')],
  ['strikethrough', filled('~~~a')],
  ['autolinks', filled('<http://x.y>')],
  ['angles', filled('<a')],
  ['backticks of growing length', Array.from({ length: 700 }, (_, n) => '`'.repeat(n)).join('a')],
  ['lines', filled('a\n')],
  ['items', filled('- a\n')],
  ['empty items', filled('-\n')],
  ['lists in lists', filled('* ')],
  ['lists in lists, and many lines', filled('a\n', '- '.repeat(49))],
  ['quotes in quotes', filled('>')],
  ['quotes in quotes, and many lines', filled('a\n', '> '.repeat(98))],
  ['rules', filled('---\n')],
  ['headings', filled('# a\n')],
  ['entities', filled('&amp;')],
  ['backslashes', filled('\\*')],
  ['fences', filled('```\n')],
]

describe('the work of reading is bounded', () => {
  test.each(dense)('%s', async (_name, text) => {
    const { tokens, steps } = readMarkdown(text, readingStepsMax)
    expect(steps).toBeLessThanOrEqual(readingStepsMax)
    expect(tokens === undefined).toBe(steps === readingStepsMax)
    // A multiple of what it takes.
    await withinWork(250, () => readMarkdown(text, readingStepsMax))
  })

  test('a text of ordinary density is read, however long it is', () => {
    const paragraph = 'Your order **A-1** of [two things](https://x.y/a) is on its way, and will arrive on Monday.\n\n'
    expect(readMarkdown(filled(paragraph), readingStepsMax).tokens).toBeDefined()
  })

  test('a text that takes too much is shown as it was written, with its values', () => {
    const document = newDocument()
    document.at = 'elements.3'
    const ops = markdown(`**{v}**\n${filled('[').slice(100)}`, htmlRules(themeOf(undefined), 'ltr'), document)
    const state = { data: { v: '<b>' }, roots: {}, size: 0, work: { budget: budgetOf(), at: '' }, onMissing: 'keep' }
    expect(run(ops, state as unknown as Run)).toMatch(/^\*\*&lt;b&gt;\*\*<br>\[\[\[/)
    expect([...document.unread]).toEqual(['elements.3'])
  })

  test('the limit applies to each document, not to earlier ones', () => {
    const text = filled('**a** ').slice(0, 20_000)
    const { steps } = readMarkdown(text, readingStepsMax)
    const left = (steps: number) => {
      const document = { ...newDocument(), steps }
      markdown(text, rulesOf('plain'), document)
      return document.steps
    }
    expect([left(steps - 1), left(steps + 5), left(steps - 1), left(steps)]).toEqual([-1, 5, -1, 0])
  })

  test.each<Dialect>(['html', 'plain', 'slack'])('a text of 80,000 variables is written in %s', (dialect) => {
    expect(said(filled('{w}').slice(0, 240_000), dialect)).toHaveLength(240_000)
    expect(said(`${filled('{w}').slice(0, 240_000)}\n**a**`, dialect).length).toBeGreaterThan(240_000)
  })
})
