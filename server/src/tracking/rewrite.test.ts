/** Rewriting HTML promises: links change where they stand, every other character stays, and a huge mail takes milliseconds. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { withinWork } from '../base/processor-time.harness.ts'
import { rewriteHtml } from './rewrite.ts'

const link = (url: string) => (url.startsWith('http') ? `https://t.example/?to=${url}&n=1` : undefined)
const rewritten = (source: string) => rewriteHtml(source, { link })
const to = (url: string) => `"https://t.example/?to=${url}&amp;n=1"`

test.each([
  ['quoted', '<a href="https://x.example/a">x</a>', `<a href=${to('https://x.example/a')}>x</a>`],
  [
    'in single quotes',
    `<a class=b href='https://x.example/"a'>`,
    `<a class=b href=${to('https://x.example/&quot;a')}>`,
  ],
  ['without quotes', '<a href=https://x.example/a>x', `<a href=${to('https://x.example/a')}>x`],
  ['spaced, in capitals', '<A HREF = " https://x.example " >', `<A HREF = ${to('https://x.example')} >`],
  [
    'with entities',
    '<a href="https://x.example/?a=1&amp;b=&#50;">',
    `<a href=${to('https://x.example/?a=1&amp;b=2')}>`,
  ],
  ['an area of a picture', '<area href="https://x.example">', `<area href=${to('https://x.example')}>`],
  [
    'a button of Outlook',
    '<!--[if mso]><v:roundrect href="https://x.example"><center>x</center></v:roundrect><![endif]-->',
    `<!--[if mso]><v:roundrect href=${to('https://x.example')}><center>x</center></v:roundrect><![endif]-->`,
  ],
  [
    'the first of two',
    '<a href="https://x.example" href="https://y.example">',
    `<a href=${to('https://x.example')} href="https://y.example">`,
  ],
])('%s', (_, source, result) => {
  expect(rewritten(source)).toBe(result)
})

test.each([
  ['mail and telephone', '<a href="mailto:a@example.com">a</a><a href="tel:+1">b</a>'],
  ['an anchor', '<a href="#top">a</a><a name="https://x.example">'],
  ['an empty address', '<a href="">a</a><a href>b</a>'],
  [
    'styles and pictures',
    '<link href="https://x.example/a.css"><img src="https://x.example/a.png"><base href="https://x.example">',
  ],
  ['a comment', '<!-- <a href="https://x.example">x</a> -->'],
  [
    'a script and a style',
    '<style>a{b:url("<a href=https://x.example>")}</style><script>"<a href=https://x.example>"</script>',
  ],
  ['text', 'See https://x.example <b>x</b>'],
])('%s stays', (_, source) => {
  expect(rewritten(source)).toBe(source)
})

test('a link that its author excludes stays, and is reported', () => {
  const source =
    '<a href="https://x.example" data-tracking="off">x</a><a data-tracking=OFF href=https://y.example>y</a>'
  const excluded: string[] = []
  expect(rewriteHtml(source, { link, excluded: (url) => excluded.push(url) })).toBe(source)
  expect(excluded).toEqual(['https://x.example', 'https://y.example'])
})

describe('the pixel', () => {
  const image =
    '<img src="https://t.example/o/x" alt="" width="1" height="1" style="display:block;width:1px;height:1px;border:0">'
  const withPixel = (source: string) => rewriteHtml(source, { pixel: 'https://t.example/o/x' })
  test('stands at the end of the body', () => {
    expect(withPixel('<html><body><p>x</p></body></html>')).toBe(`<html><body><p>x</p>${image}</body></html>`)
  })
  test('stands at the end of a fragment', () => {
    expect(withPixel('<p>x</p>')).toBe(`<p>x</p>${image}`)
  })
  test('stands at the beginning of a mail that Gmail cuts off', () => {
    const long = `<body class="a"><p>${'x'.repeat(100_000)}</p></body>`
    expect(withPixel(long).startsWith(`<body class="a">${image}<p>`)).toBe(true)
  })
  test('stands at the beginning of a mail that Gmail cuts off for its rewritten links', () => {
    const anchors = '<a href="https://x.example/1">x</a>'.repeat(1_000)
    const link = () => `https://t.example/r/${'x'.repeat(80)}`
    const sent = rewriteHtml(`<body>${anchors}</body>`, { link, pixel: 'https://t.example/o/x' })
    expect(sent.startsWith(`<body>${image}<a `)).toBe(true)
  })
})

test('whatever the source: without links nothing changes', () => {
  const piece = fc.constantFrom(
    '<a ',
    '<a href=',
    '"',
    "'",
    '>',
    '<!--',
    '-->',
    '[if mso]',
    '&amp;',
    ' x ',
    '</body>',
    '<style>',
    '=',
    '<',
  )
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
      (source) => {
        expect(rewriteHtml(source, { link: () => undefined })).toBe(source)
      },
    ),
  )
})

test.each([
  ['links', '<a href="https://x.example/?a=1&amp;b=2">x</a>'],
  ['open tags', '<a href="'],
  ['comments', '<!--[if mso]>'],
  ['conditional links', '<!--[if mso]><a href=https://x.example>x</a><![endif]-->'],
])('five megabytes of %s take less than a second', async (_, part) => {
  const source = part.repeat(Math.ceil(5_000_000 / part.length))
  await withinWork(1_000, () => rewriteHtml(source, { link }))
})
