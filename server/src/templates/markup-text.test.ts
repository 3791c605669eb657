/** The text of HTML is what a reader sees: references decoded once, links with their addresses, lines, lists and cells. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { budgetOf } from '../base/budget.ts'
import type { Dialect } from '../base/rendered-content.ts'
import { compile } from './compile.ts'
import { rulesOf } from './dialect.ts'
import { textOfMarkup } from './markup-text.ts'
import { type Run, run } from './program.ts'
import { render } from './render.ts'

const shown = (source: string, data: Record<string, unknown> = {}, dialect: Exclude<Dialect, 'html'> = 'plain') =>
  run(textOfMarkup(source, rulesOf(dialect)), {
    data,
    roots: {},
    size: 0,
    work: { budget: budgetOf(), at: '', zones: new Set() },
    onMissing: 'keep',
  } as unknown as Run)

test.each([
  ['Caf&eacute; &mdash; it&#8217;s &#x1F600; &copy 2026 &euro;5', 'Café — it’s 😀 © 2026 €5'],
  ['&hellip; &rsquo; &#8364; &#x20AC; &ouml; &hearts; &Aacute;&aacute; &ngE;', '… ’ € € ö ♥ Áá ≧̸'],
  ['&amp;lt; &amp;amp;nbsp; &lt;b&gt;', '&lt; &amp;nbsp; <b>'],
  ['&#128; &#x80;&#150;&#153; &#xD800; &#0; &#x110000; &#99999999999;', '€ €–™ \uFFFD \uFFFD \uFFFD \uFFFD'],
  ['&nope; &; &#; &#x; a&b', '&nope; &; &#; &#x; a&b'],
  ['5&nbsp;&euro;&nbsp; a', '5 € a'],
  ['&#123;v} \\{v} {v} &lbrace;v}', '{v} {v} *v &eacute; <b>* {v}'],
])('references: %s', (source, text) => expect(shown(source, { v: '*v &eacute; <b>*' })).toBe(text))

test.each([
  ['<a href="https://shop.example/o?a=1&amp;b=2">here</a>', 'here (https://shop.example/o?a=1&b=2)'],
  ['a <a href="https://a.example/x">https://a.example/x</a> b', 'a https://a.example/x b'],
  ['<a href="https://www.a.example/">a.example</a>', 'a.example'],
  ['<a href="mailto:ada@x.example">ada@x.example</a>', 'ada@x.example'],
  ['<a href="mailto:ada@x.example?subject=Hi">mail us</a>', 'mail us (ada@x.example)'],
  ['<a href="tel:+4930123">+49 30 123</a>, <a href="tel:+4930123">call</a>', '+49 30 123, call (+4930123)'],
  [
    '<a href="sms:+4930123?body=STOP">text us</a>, <a href="SMS:+4930123&body=Hi">+49 30 123</a>',
    'text us (+4930123), +49 30 123',
  ],
  ['<a href="//c.example/x">x</a> <a href="//">y</a> <a href="///z">z</a>', 'x (https://c.example/x) y z'],
  [
    'a<img alt="Map" usemap="#m"><map name=m><area href="https://c.example/n" alt="North"><area alt="sea"><area href="//d.example"></map>b',
    'aMap\nNorth (https://c.example/n)\nhttps://d.example\nb',
  ],
  [
    '<a href="#top">up</a> <a name="x">anchor</a> <a href="/p">path</a> <a href="javascript:x">js</a>',
    'up anchor path js',
  ],
  ['<a href="https://c.example/"><img src="l.png" alt="Shop"></a>', 'Shop (https://c.example/)'],
  ['<a href="https://c.example/"><img src="l.png"></a><a href="https://d.example/"> </a>', 'https://c.example/'],
  ['<a href="https://c.example/"><h2> Title </h2><p>Text</p></a>after', 'Title Text (https://c.example/)\n\nafter'],
  ['a<a href="https://c.example/"> b </a>c', 'a b (https://c.example/) c'],
  ['<a href="https://c.example/{id}">x</a> <a href="{url}">y</a>', 'x (https://c.example/a%20b) y'],
  ['<a href="{web}">{web}</a> <a href="{web}">{id}</a>', 'https://w.example a b (https://w.example)'],
  ['<a href=https://a.example>a <a href=https://b.example>b', 'a (https://a.example) b (https://b.example)'],
])('links: %s', (source, text) =>
  expect(shown(source, { id: 'a b', url: 'javascript:x', web: 'https://w.example' })).toBe(text),
)

test.each([
  ['<p>one\n two<br>three<p>four<div>five</div>six', 'one two\nthree\n\nfour\nfive\nsix'],
  ['<h1>A &amp; B</h1><p>x</p><hr><p>y</p>', 'A & B\n\nx\n\n---\n\ny'],
  ['a<br><br><br>b', 'a\n\nb'],
  ['a</br>b</br></br>c', 'a\nb\n\nc'],
  ['<!-- a --!> x <!-- b > --> y --!> <!-- c --!> z', 'x y --!> z'],
  ['Hi&zwnj;&nbsp;&#847; \u200b\ufeff &shy;&#8199;&zwnj;<p>&zwnj;a&nbsp;&nbsp;&#847;b</p>', 'Hi\n\na b'],
  ['می&zwnj;خواهم \u200bใน\u200bวัน\u200b <b>x</b>&shy;<i>y</i>', 'می\u200cخواهم ใน\u200bวัน x\u00ady'],
  [
    '<div style="font-size:0px"><table><tr><td style="font-size:0">no</td><td style="font-size:0"><p style="font-size:9px">a</p></td></table></div>',
    'a',
  ],
  ['<p style="font-size:0.8em; fill-opacity:0">a</p><p style="opacity:0.5;max-height:0.5em">b</p>', 'a\n\nb'],
  ['<b>a</b> <i>b</i><span> c</span>d', 'a b cd'],
  ['<pre>\n  a\n\n    b &lt;\n</pre>c', '  a\n\n    b <\n\nc'],
  ['<div style="white-space: pre-wrap">a  b\n c<div>d  e</div></div>  f  g', 'a  b\n c\nd  e\nf g'],
  ['<img alt="Logo"><img alt="">&copy; 2026', 'Logo© 2026'],
  ['<ul><li>Tea<li>Cake</ul><ol><li>one</li><li>two</li></ol>', '- Tea\n- Cake\n\n1. one\n2. two'],
  ['<ol start=3><li>a<li value=7>b<li>c</ol>', '3. a\n7. b\n8. c'],
  [
    '<ul><li>a<ul><li>b<br>c</li><li></li></ul></li><li><p>d</p><p>e</p></li></ul>f',
    '- a\n  - b\n    c\n- d\n  e\n\nf',
  ],
  ['<ul style="list-style:none"><li>a<li>b</ul>', 'a\nb'],
  ['<dl><dt>Tea<dd>hot</dl>', 'Tea\nhot'],
  ['<table><tr><td>Tea</td><td>2</td><td>€5</td></tr><tr><td>Cake<td>1<td>€3</table>', 'Tea | 2 | €5\nCake | 1 | €3'],
  [
    '<table><tr><th><p>A</p></th><th><div>B</div></th></tr><tr><td><p>a</p></td><td></td><td><p>c</p></td></table>',
    'A | B\na | c',
  ],
  ['<table><tr><td>a<br>b</td><td>c</td></tr></table>d', 'a\nb\nc\nd'],
  ['<table role=presentation><tr><td>a</td><td>b</td></tr></table>', 'a\nb'],
  ['<table><tr><td>x<table><tr><td>a</td><td>b</td></tr></table></td><td>c</td></tr></table>', 'x\na | b\nc'],
  ['<blockquote>a</blockquote>b', 'a\n\nb'],
  ['a {{#if yes}}<p>{v}</p>{{/if}}', 'a\n\n<i>'],
])('lines: %s', (source, text) => expect(shown(source, { yes: true, v: '<i>' }).trimEnd()).toBe(text))

test.each([
  '<style>p{}</style>',
  '<script>x</script>',
  '<head><title>T</title></head>',
  '<!-- no --><!--[if mso]><p>x</p><![endif]-->',
  '<!doctype html>',
  '<p hidden>x</p>',
  '<p hidden>x',
  '<div style="display: none; max-height:0">x<div>y</div>z<br>z</div>',
  '<span style="VISIBILITY:hidden">x</span>',
  '<template><p>x</p></template>',
  '<div style="opacity:0">x<img alt=y></div>',
  '<div style="opacity: 0.0;">x</div>',
  '<div style="font-size:0">x&nbsp;&zwnj;</div>',
  '<span style="max-height:0px">x</span>',
  '<img alt=x style="display:none"><img alt=y hidden><img alt=z style="opacity:0">',
  '<br style="display:none"><div>&zwnj;&nbsp;&#847;</div>',
  '<svg><text>x</text></svg><svg/>',
  '<table><tr><td style="display:none"><table><tr><td>x</td></tr></table>y</td></tr></table>',
  '<table><tr><td hidden>x</tr></table>',
  '<ul><li hidden>x</ul>',
])('hidden: %s', (source) => expect(shown(`<p>a</p>${source}<p>b</p>`)).toBe('a\n\nb'))

describe('in the dialect of a chat', () => {
  test.each([
    ['slack', '<https://x.example/a_b|a &lt;*&gt;> • t'],
    ['discord', '[a \\<\\*\\>](https://x.example/a_b) - t'],
  ] as const)('%s', (dialect, text) =>
    expect(
      shown('<a href="https://x.example/a_b">a {v}</a><ul><li>t</ul>', { v: '<*>' }, dialect).replace(/\s+/g, ' '),
    ).toBe(text),
  )
})

test('the text part of a mail keeps the indentation of its first line', () => {
  const elements = [{ type: 'html', content: '\n<pre>\n  a\n    b\n</pre>\n' }]
  const template = compile({ version: '2022-01-01', elements })
  expect(render(template, { channel: 'email', dialect: 'html', context: { data: {} } }).text).toBe('  a\n    b')
})

test('whatever the markup: it ends, a value is shown once for each time that it is visible, and no tag is', () => {
  const piece = fc.constantFrom(
    '<p>',
    '</p>',
    '<table>',
    '<tr>',
    '<td>',
    '</table>',
    '<ul>',
    '<li>',
    '</ul>',
    '<a href="https://x.example">',
    '</a>',
    '<pre>',
    '</pre>',
    ' ',
    '\n',
    '<br>',
    '<img alt=i>',
    'w',
    '<div hidden>',
    '</div>',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      const text = shown(`v{v} ${pieces.join('')}`, { v: 'VALUE' })
      expect(text.split('VALUE')).toHaveLength(2)
      expect(text).not.toMatch(/[<>]/)
    }),
    { numRuns: 500 },
  )
})
