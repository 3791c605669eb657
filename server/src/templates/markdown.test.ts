/** Promises of Markdown in each dialect. */
import { expect, test } from 'vitest'
import { budgetOf } from '../base/budget.ts'
import type { Dialect } from '../base/content.ts'
import { grammarOf } from './grammar.ts'
import { markdown } from './markdown.ts'
import { type Run, run } from './program.ts'

const said = (text: string, dialect: Dialect) =>
  run(markdown(text, grammarOf(dialect, 'blue')), {
    data: { v: '*v* <b>', url: 'https://x.y/a', bad: 'javascript:x' },
    roots: {},
    size: 0,
    work: { budget: budgetOf(), at: '' },
    onMissing: 'keep',
  } as unknown as Run)

test.each<[string, Dialect, string]>([
  ['a **b** _c_ ~~d~~ `e`', 'html', 'a <strong>b</strong> <em>c</em> <s>d</s> <code>e</code>'],
  ['a **b** _c_ ~~d~~ `e`', 'plain', 'a b c d e'],
  ['a **b** _c_ ~~d~~ `e`', 'slack', 'a *b* _c_ ~d~ `e`'],
  ['a **b** _c_ ~~d~~ `e`', 'discord', 'a **b** _c_ ~~d~~ `e`'],
  ['a **b** _c_ ~~d~~ `e`', 'telegram', 'a *b* _c_ ~d~ `e`'],
  ['a **b** _c_ ~~d~~ `e`', 'teams', 'a **b** _c_ ~~d~~ `e`'],
  ['[t]({url})', 'html', '<a href="https://x.y/a" target="_blank" style="color:blue">t</a>'],
  ['[t]({url})', 'plain', 't (https://x.y/a)'],
  ['[t]({url})', 'slack', '<https://x.y/a|t>'],
  ['[t]({url})', 'discord', '[t](https://x.y/a)'],
  ['[t]({bad})', 'html', '<a href="#" target="_blank" style="color:blue">t</a>'],
  ['[t]({bad})', 'slack', 't'],
  ['[t](javascript:x)', 'teams', 't'],
  ['**{v}**', 'html', '<strong>*v* &lt;b&gt;</strong>'],
  ['**{v}**', 'discord', '**\\*v\\* \\<b\\>**'],
  ['{v}', 'telegram', '\\*v\\* <b\\>'],
  ['<b>x</b>', 'html', '&lt;b&gt;x&lt;/b&gt;'],
  ['Price: 1.5!', 'telegram', 'Price: 1\\.5\\!'],
  ['a\nb\n\nc', 'plain', 'a\nb\n\nc'],
  ['a\nb\n\nc', 'html', 'a<br>b<br><br>c'],
  ['- a\n- b\n  - c', 'plain', '- a\n- b\n  - c'],
  ['3. a\n4. b', 'plain', '3. a\n4. b'],
  ['1. a', 'telegram', '1\\. a'],
  ['- a\n- b', 'html', '<ul><li>a</li><li>b</li></ul>'],
  ['# A **b**\nc', 'slack', '*A b*\n\nc'],
  ['> a\n> b', 'slack', '> a\n> b'],
  ['`{v}`', 'telegram', '`*v* <b>`'],
  ['\\{v} {w} {no path}', 'plain', '{v} {w} {no path}'],
  ['\uE0000\uE001 **x**', 'plain', '\uFFFD0\uFFFD x'],
])('%j in %s is %j', (text, dialect, written) => expect(said(text, dialect)).toBe(written))
