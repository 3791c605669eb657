/** Promises of each sink: the value is read there as itself, and nothing hostile is slow. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../base/any-text.harness.ts'
import { withinWork } from '../base/processor-time.harness.ts'
import { newDocument } from './compile-bounds.ts'
import { htmlRules } from './compile-program.ts'
import { rulesOf } from './dialect.ts'
import * as escapes from './escape.ts'
import { themeOf } from './mail/theme.ts'
import { markdown } from './markdown.ts'
import { markup } from './markup.ts'
import { textOfMarkup } from './markup-text.ts'
import { split } from './variables.ts'

const sinks = new Map<string, escapes.Escape>(
  Object.entries(escapes).filter(([name]) => name !== 'followable') as never,
)

const hostile = 'a<b>&"\'*_~`|[x](y)!#-.{}\\\u0000\r\n@everyone <!channel>'

test.each([
  ['plain', 'a\u0000b\tc\nd', 'ab\tc\nd'],
  ['html', hostile, `a&lt;b&gt;&amp;&quot;&#39;*_~\`|[x](y)!#-.{}\\\r\n@everyone &lt;!channel&gt;`],
  ['header', 'a\r\nBcc: x@y.z\u2028\u0000b', 'a Bcc: x@y.z b'],
  ['slack', '<!channel> & <@U1>', '&lt;!channel&gt; &amp; &lt;@U1&gt;'],
  ['discord', '**x** [a](b) <@1>', '\\*\\*x\\*\\* \\[a\\]\\(b\\) \\<\\@1\\>'],
  ['discord', 'https://x.y/a_b?c=d', 'https://x.y/a_b?c=d'],
  ['teams', '[a](b) <b>', '\\[a\\]\\(b\\) \\<b\\>'],
  ['css', '#ff0000', '#ff0000'],
  ['css', 'red;background:url(x)', ''],
  ['css', 'expression(1)', ''],
  ['nothing', 'alert(1)', ''],
  ['address', 'a b"c/d?e=1&f', 'a%20b%22c/d?e=1&f'],
  ['address', 'x\ud800', 'x%EF%BF%BD'],
  ['component', 'a&b=c/d é', 'a%26b%3Dc%2Fd%20%C3%A9'],
] as const)('%s writes %j as %j', (sink, value, written) => expect(sinks.get(sink)?.(value)).toBe(written))

test.each([
  ['https://x.y', 'https://x.y'],
  [' HTTP://x.y', 'HTTP://x.y'],
  ['mailto:a@b.c', 'mailto:a@b.c'],
  ['tel:+1', 'tel:+1'],
  ['javascript:alert(1)', undefined],
  ['java\nscript:alert(1)', undefined],
  ['data:text/html,x', undefined],
  ['//x.y', undefined],
  ['sms:+4930123', 'sms:+4930123'],
  ['/path', undefined],
  ['{url}', undefined],
  ['', undefined],
])('%j can be followed as %j', (url, followed) => expect(escapes.followable(url)).toBe(followed))

test('a header is one line and slack text holds no open angle, whatever the value', () => {
  fc.assert(
    fc.property(anyText(), (value) => {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must be absent
      expect(escapes.header(value)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/)
      expect(escapes.slack(value)).not.toMatch(/[<>]/)
      expect(escapes.html(value)).not.toMatch(/[<>"']/)
    }),
  )
})

// 400 kB each, chosen against a scanner or a pattern that looks back or ahead.
const attacks = [
  '{',
  '{{a',
  '{a.',
  '{a[',
  '[',
  '](',
  '*',
  '_a',
  '`',
  '``a',
  '<',
  '<a ',
  '<!--',
  "<a b='",
  '="',
  '& ',
  '\n',
  ' \n',
  '\r',
  '> ',
  '- ',
  '![',
  '\\',
  '~~',
  '<style>',
  '<table>a ',
  '<ul><li>',
  '<td>a',
  '<a href=x>a',
  '<p hidden>',
  '<p style="font-size:0">',
  '&zwnj;',
  'a\u200b',
  '</br>',
  '<area href=x>',
  '<pre>\n',
  '&eacute;',
  'http://',
  'a=',
  '%',
  '1. ',
  '# ',
]

test.each(attacks)('400 kB of %j is read and escaped in time that grows with its length', async (attack) => {
  const text = attack.repeat(Math.ceil(400_000 / attack.length))
  const work: (() => unknown)[] = [
    () => split(text),
    () => markup(text),
    () => textOfMarkup(text, rulesOf('plain')),
    () => escapes.followable(text),
    ...[...sinks.values()].map((sink) => () => sink(text)),
  ]
  // 50 ms for each 100 kB: looking back over all signs before takes minutes.
  for (const act of work) await withinWork(200, act)
})

test.each(attacks)('10 kB of %j as Markdown is read within a second of work', async (attack) => {
  const text = attack.repeat(Math.ceil(10_000 / attack.length))
  await withinWork(1_000, () => markdown(text, htmlRules(themeOf(undefined), 'ltr'), newDocument()))
})
