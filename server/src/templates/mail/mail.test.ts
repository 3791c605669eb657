/** Promises of mail: a value never changes the shape of the document, and is always there to read. */
import { type CheerioAPI, load } from 'cheerio'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { anyText } from '../../base/any-text.harness.ts'
import { isLong } from '../../base/long.harness.ts'
import { compile } from '../compile.ts'
import { render } from '../render.ts'
import type { Brand, Template } from '../template.ts'

const v = '{v}'
const everything = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: v },
    {
      type: 'text',
      content: `Dear **${v}**, [a ${v}](https://x.y/${v}?q=${v}) and [b]({v}).\n\n- ${v}\n\n> \`${v}\``,
      color: v,
    },
    {
      type: 'text',
      elements: [
        { type: 'string', content: v, bold: true },
        { type: 'link', content: v, href: v },
        { type: 'img', src: v, alt_text: v },
      ],
    },
    { type: 'action', content: v, href: v, background_color: v },
    { type: 'action', content: v, href: `https://x.y/${v}`, style: 'link' },
    { type: 'image', src: v, href: v, alt_text: v, width: '50%' },
    { type: 'divider', color: v },
    { type: 'quote', content: v, border_color: v },
    {
      type: 'list',
      elements: [
        {
          type: 'list-item',
          loop: 'data.list',
          elements: [
            { type: 'text', content: '{@}' },
            { type: 'image', src: v, alt_text: v },
            { type: 'action', content: v, href: v },
            { type: 'quote', content: v },
            { type: 'divider' },
          ],
        },
      ],
    },
    { type: 'columns', elements: [1, 2, 3].map(() => ({ type: 'column', elements: [{ type: 'text', content: v }] })) },
    {
      type: 'html',
      content: `<p title="${v}" style="color:${v}" onclick="${v}">${v} <a href="${v}">x</a><!-- ${v} --></p><style>${v}</style>`,
    },
  ],
}
const brand: Brand = {
  key: 'b',
  colors: { primary: '#123456' },
  bar: '#654321',
  logo: { src: `https://x.y/l.png?${v}`, href: v, alt: v },
  head: `<style>p { color: ${v} }</style><meta name="x" content="${v}">`,
  footer: `Bye **${v}** [x](${v})`,
  social: [{ name: 'Medium', url: v }],
}

let template: Template
beforeAll(async () => {
  template = compile(everything)
})

const html = (value: string, of = template) =>
  render(of, { channel: 'email', dialect: 'html', context: { data: { v: value, list: [value] } }, brand }).html

/** Tags, attribute names, and every attribute that could act. */
const shape = ($: CheerioAPI): string[] =>
  $('*')
    .toArray()
    .map((node) => ('attribs' in node ? `${node.tagName} ${Object.keys(node.attribs).sort().join(' ')}` : node.type))

const awkward = fc.oneof(
  anyText(60),
  fc
    .array(
      fc.constantFrom(
        '<',
        '>',
        '"',
        "'",
        '&',
        'script',
        '/',
        ' ',
        'onload=',
        '*',
        '_',
        '`',
        '[x](',
        'javascript:',
        'https://',
        ')',
        '{v}',
        '-->',
        ']]>',
        '\n',
        '\u0000',
        '&lt;',
        '</style>',
        ';',
        ':',
        '#',
      ),
    )
    .map((all) => all.join('')),
)

test('any value but an empty one leaves the document its shape, acts nowhere and can be read', () => {
  const plainShape = shape(load(html('word')))
  fc.assert(
    fc.property(
      awkward.filter((value) => value !== ''),
      (value) => {
        const $ = load(html(value))
        expect(shape($)).toEqual(plainShape)
        for (const element of $('[href], [src]').toArray())
          expect(element.attribs.href ?? element.attribs.src).toMatch(/^(#$|https?:\/\/|mailto:|tel:)/i)
        for (const element of $('[style]').toArray()) expect(element.attribs.style).not.toMatch(/url\(|expression/i)
        for (const element of $('[onclick]').toArray()) expect(element.attribs.onclick).toBe('')
        // biome-ignore lint/suspicious/noControlCharactersInRegex: what no reader sees is left out
        const readable = value.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, '').replace(/\r\n?/g, '\n')
        expect($('blockquote code').text()).toBe(readable)
        expect($('p[title]').attr('title')).toBe(readable)
        expect($('strong').first().text()).toBe(readable)
      },
    ),
    // The project `long` runs more.
    { numRuns: isLong ? 2_000 : 100 },
  )
})

test('a width, an alignment, colors and the brand arrive in the document', async () => {
  const $ = load(html('word'))
  expect($('img[src="https://x.y/l.png?word"]').attr('width')).toBe('160')
  expect($('td[bgcolor]').attr('bgcolor')).toBe('word')
  expect($('title').text()).toBe('word')
  expect($('body').text()).toContain('Bye word')
  expect(html('word')).toContain('color:#123456')
  expect(html('word')).not.toMatch(/\[\[\w+\]\]|417|cut:/)
  expect($('.pr-33')).toHaveLength(3)
  const image = compile({ elements: [{ type: 'image', src: 'https://x.y/i', width: '50%', align: 'right' }] })
  const $image = load(html('', image))
  expect($image('img[src="https://x.y/i"]').attr('width')).toBe('259')
  expect($image('img[src="https://x.y/i"]').closest('table').parent().attr('align')).toBe('right')
})

test('a brand color that is none is not used', () => {
  const options = { channel: 'email', dialect: 'html', context: { data: {} } } as const
  const document = render(template, {
    ...options,
    brand: { key: 'x', colors: { primary: 'red;x:url(y)' }, bar: 'red"' },
  }).html
  expect(document).not.toContain('red')
})

test('columns stand in sections of their own and every table is closed', async () => {
  const text = { type: 'text', content: 'x' }
  const columns = {
    type: 'columns',
    elements: [
      { type: 'column', elements: [text] },
      { type: 'column', elements: [text] },
    ],
  }
  const document = html('', compile({ elements: [text, columns, text, { ...columns, loop: 'data.list' }] }))
  for (const tag of ['table', 'tr', 'td', 'div'])
    expect(document.match(new RegExp(`<${tag}[\\s>]`, 'g'))?.length).toBe(
      document.match(new RegExp(`</${tag}>`, 'g'))?.length,
    )
})

test('the language of the mail is the locale it was translated into', async () => {
  const translated = compile({ elements: [{ type: 'text', content: 'x', locales: { fr: { content: 'y' } } }] })
  const of = (locale: string) =>
    render(translated, { channel: 'email', dialect: 'html', context: { data: {} }, locale }).html
  expect(of('fr-BE')).toMatch(/<html lang="fr"[\s\S]*>y</)
  expect(of('de')).toMatch(/<html dir="ltr"[\s\S]*>x</)
})

test('a mail whose language is not known has that of its brand, else none, so that a screen reader keeps its own', () => {
  const translated = compile({ elements: [{ type: 'text', content: 'x', locales: { fr: { content: 'y' } } }] })
  const of = (template: Template, locale: string, brandLocale: string | undefined) =>
    render(template, {
      ...({ channel: 'email', dialect: 'html', context: { data: {} }, locale } as const),
      brand: { ...brand, locale: brandLocale },
    }).html
  expect(of(compile({ body: 'x' }), '', 'de')).toContain('<html lang="de"')
  expect(of(compile({ body: 'x' }), 'it', 'de')).toContain('<html lang="it"')
  expect(of(translated, 'fr', 'de')).toContain('<html lang="fr"')
  expect(of(translated, 'it', 'pt_BR')).toContain('<html lang="pt-BR"')
  expect(of(compile({ body: '1' }), '', 'ar')).toContain('<html lang="ar" dir="rtl"')
  for (const none of [undefined, '', '" onload="']) expect(of(compile({ body: 'x' }), '', none)).not.toMatch(/ lang=/)
})

test('the language of a mail without translations is the locale of the message', () => {
  const template = compile({ body: 'x' })
  const of = (locale: string) =>
    render(template, { channel: 'email', dialect: 'html', context: { data: {} }, locale }).html
  expect(of('de')).toContain('<html lang="de"')
  expect(of('pt_BR')).toContain('<html lang="pt-BR"')
  for (const none of ['', 'x" onload="', 'no language at all']) expect(of(none)).not.toMatch(/ lang=/)
})
