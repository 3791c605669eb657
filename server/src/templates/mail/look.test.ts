/** Promises of the look of a mail: contrast, direction, tables, preview text, size, and the settings of a brand. */
import { load } from 'cheerio'
import { describe, expect, test } from 'vitest'
import type { Dialect } from '../../base/rendered-content.ts'
import { readBrand } from '../brand.ts'
import { compile } from '../compile.ts'
import { render } from '../render.ts'
import type { Brand } from '../template.ts'
import { contrast, READABLE } from './contrast.ts'
import { sizeWarnings, templateSizeWarnings } from './size.ts'
import { themeOf } from './theme.ts'

interface Options {
  brand?: Brand
  locale?: string
  data?: Record<string, unknown>
}

const contentOf = (
  elements: readonly unknown[],
  { brand, locale, data = {} }: Options = {},
  dialect: Dialect = 'html',
) =>
  render(compile({ elements }), {
    channel: dialect === 'html' ? 'email' : 'direct_message',
    dialect,
    context: { data },
    ...(brand && { brand }),
    ...(locale && { locale }),
  })
const mailOf = (elements: readonly unknown[], options?: Options) => contentOf(elements, options).html
const branded = (email: Record<string, unknown>, colors = {}) => readBrand({ colors, email }, {}, { name: 'Acme' })

describe('colors', () => {
  const themes: [string, Brand | undefined][] = [
    ['no brand', undefined],
    ['a dark primary color', branded({}, { primary: '#000000' })],
    ['a bright primary color', branded({}, { primary: '#ffe600' })],
    ['a dark card', branded({ theme: { cardColor: '#111111', backgroundColor: '#000' } })],
    ['a page in the primary color', branded({ theme: { backgroundColor: '#0f766e' } }, { primary: '#0f766e' })],
    ['a primary color by name', branded({}, { primary: 'yellow' })],
    ['a dark card by name', branded({ theme: { cardColor: 'Black', backgroundColor: 'midnightblue' } })],
    ['a bright page by name', branded({ theme: { backgroundColor: 'white' } }, { primary: 'navy' })],
    ['dark colors of its own', branded({ theme: { dark: { cardColor: '#221122', primaryColor: '#330033' } } })],
  ]

  test.each(themes)('texts with %s can be read, light and dark', (_name, brand) => {
    const { light, dark } = themeOf(brand)
    for (const palette of [light, ...(dark ? [dark] : [])]) {
      const pairs = [
        [palette.text, palette.card],
        [palette.heading, palette.card],
        [palette.muted, palette.card],
        [palette.heading, palette.surface],
        [palette.footer, palette.page],
        [palette.label, palette.button],
      ] as const
      for (const [text, background] of pairs)
        expect(contrast(text, background), `${text} on ${background}`).toBeGreaterThanOrEqual(READABLE)
    }
    if (dark) expect(contrast(dark.link, dark.card)).toBeGreaterThanOrEqual(READABLE)
  })

  test('a color of the author stays on dark screens only where it can be read', () => {
    const $ = load(
      mailOf([
        { type: 'text', content: 'dim', color: '#333333' },
        { type: 'text', content: 'bright', color: '#ffb300' },
        { type: 'text', content: 'unknown', color: '{brand.colors.primary}' },
      ]),
    )
    const toneOf = (word: string) => $(`td:has(> div:contains(${word}))`).last().attr('class')
    expect(['dim', 'bright', 'unknown'].map(toneOf)).toEqual(['pr-text', '', 'pr-text'])
  })

  test('markup with colors of its own keeps the light card behind it', () => {
    const $ = load(
      mailOf([
        { type: 'html', content: '<b style="color:#222">x</b>' },
        { type: 'html', content: '<i>y</i>' },
      ]),
    )
    expect($('b').parent().attr('style')).toBe('background:#ffffff;color:#3f3f46')
    expect($('i').parent().attr('style')).not.toContain('background')
  })
})

describe('direction', () => {
  const of = (content: string, locale?: string) =>
    load(mailOf([{ type: 'text', content }], { ...(locale && { locale }) }))('html').attr('dir')

  test.each([
    ['مرحبا بكم', 'ar', 'rtl'],
    ['שלום {name}', 'he-IL', 'rtl'],
    ['سلام', undefined, 'rtl'],
    ['{body}', 'fa', 'rtl'],
    ['{body}', 'ku-Latn', 'ltr'],
    ['Hello', 'ar', 'ltr'],
    ['Hello مرحبا, we speak many languages', 'en', 'ltr'],
    ['[مرحبا](https://shop.example.com/a-long-address)', 'ur', 'rtl'],
    ['Hello', undefined, 'ltr'],
  ])('%j in %s is %s', (content, locale, direction) => expect(of(content, locale)).toBe(direction))

  test('mirrors what has no alignment of its own', () => {
    const $ = load(
      mailOf([
        { type: 'text', content: 'مرحبا' },
        { type: 'text', content: 'بالأرقام', align: 'left' },
        { type: 'text', content: 'السعر', align: 'end' },
        { type: 'quote', content: 'اقتباس' },
        { type: 'list', elements: [{ type: 'list-item', content: 'بند' }] },
      ]),
    )
    const alignOf = (word: string) => $(`td[align]:contains(${word})`).last().attr('align')
    expect(['مرحبا', 'بالأرقام', 'السعر'].map(alignOf)).toEqual(['right', 'left', 'left'])
    expect($('blockquote').attr('style')).toContain('border-right')
    expect($('ul').attr('style')).toContain('padding-right')
  })
})

describe('a table', () => {
  const cell = (content: string, more = {}) => ({ type: 'table-cell', content, ...more })
  const table = {
    type: 'table',
    elements: [
      { type: 'table-row', header: true, elements: [cell('Item'), cell('Price', { align: 'end' })] },
      { type: 'table-row', loop: 'data.items', elements: [cell('**{name}**'), cell('{price}', { align: 'end' })] },
      { type: 'table-row', if: 'data.note', elements: [cell('{note}')] },
    ],
  }
  const data = {
    items: [
      { name: 'Ink <1>', price: '3 €' },
      { name: 'Pen', price: '12 €' },
    ],
  }

  test('has a row for each item, and titles that belong to their columns', () => {
    const $ = load(mailOf([table], { data }))
    const rows = $('tr:has(> .pr-cell)').toArray()
    expect(
      rows.map((row) =>
        $(row)
          .children()
          .toArray()
          .map((element) => $(element).text()),
      ),
    ).toEqual([
      ['Item', 'Price'],
      ['Ink <1>', '3 €'],
      ['Pen', '12 €'],
    ])
    expect($('th[scope=col]')).toHaveLength(2)
    expect($('th').first().closest('table').attr('role')).toBeUndefined()
    expect($('td.pr-cell').eq(1).attr('style')).toContain('text-align:right')
  })

  test.each<[Dialect, string]>([
    ['plain', 'Item | Price\nInk <1> | 3 €\nPen | 12 €'],
    ['slack', '*Item | Price*\n*Ink &lt;1&gt;* | 3 €\n*Pen* | 12 €'],
    ['telegram', '<b>Item | Price</b>\n<b>Ink &lt;1&gt;</b> | 3 €\n<b>Pen</b> | 12 €'],
  ])('is a line for each row in %s', (dialect, text) => expect(contentOf([table], { data }, dialect).text).toBe(text))

  test('holds rows only, and a row cells only', () => {
    expect(() => compile({ elements: [{ type: 'table', elements: [{ type: 'text', content: 'x' }] }] })).toThrow(
      'a table holds only table-row',
    )
    expect(() => compile({ elements: [{ type: 'table-row', elements: [] }] })).toThrow(
      'a table-row stands only in a table',
    )
    expect(() => compile({ elements: [cell('x')] })).toThrow('a table-cell stands only in a table-row')
  })

  test('ends no line later than mail allows', () => {
    const items = Array.from({ length: 50 }, (_, index) => ({ name: `Item ${index}`, price: '1' }))
    const longest = Math.max(
      ...mailOf([table], { data: { items } })
        .split('\n')
        .map((line) => line.length),
    )
    expect(longest).toBeLessThan(900)
  })
})

describe('the line that inboxes show after the subject', () => {
  const preview = (html: string) =>
    load(html)('div[style^="display:none"]')
      .text()
      .replace(/[\u200c\u00a0]+$/, '')
  const elements = (meta: Record<string, unknown>) => [
    { type: 'meta', title: 'News', ...meta },
    { type: 'text', content: 'Hello **{name}**, [read](https://x.y/a) this.' },
    { type: 'action', content: 'Go', href: 'https://x.y' },
  ]
  const data = { name: '<Ada>' }

  test('is the preheader, with its values and in its language', () => {
    const meta = { preheader: 'For {name}', locales: { fr: { preheader: 'Pour {name}' } } }
    expect(preview(mailOf(elements(meta), { data }))).toBe('For <Ada>')
    expect(preview(mailOf(elements(meta), { data, locale: 'fr' }))).toBe('Pour <Ada>')
  })

  test('is the first text where a logo stands above it', () => {
    const brand = branded({ header: { logo: { image: 'https://x.y/l.png' } } })
    expect(preview(mailOf(elements({}), { data, brand }))).toBe('Hello <Ada>, read this.')
    expect(preview(mailOf(elements({}), { data }))).toBe('')
  })
})

describe('a brand', () => {
  const action = { type: 'action', content: 'Go', href: 'https://x.y/go' }

  test('sets background, card, text, font, radius and alignment', () => {
    const theme = {
      backgroundColor: '#fff4e5',
      cardColor: '#fffdfa',
      textColor: '#442200',
      fontFamily: 'Georgia, "Times New Roman", serif',
      borderRadius: 20,
      align: 'left',
    }
    const html = mailOf([{ type: 'text', content: 'Hello' }, action], { brand: branded({ theme }) })
    const $ = load(html)
    expect($('body').attr('style')).toContain('#fff4e5')
    expect($('.pr-card').attr('style')).toMatch(/background:#fffdfa;.*border-radius:20px/)
    expect($('.pr-text > div').attr('style')).toContain('color:#442200')
    expect($('.pr-air').attr('style')).toContain("font-family:Georgia, 'Times New Roman', serif")
    expect(html).toContain("{font-family:'Georgia'!important}")
    expect($('.pr-action').attr('align')).toBe('left')
    expect($('a[href="https://x.y/go"]').attr('style')).toContain('border-radius:20px')
  })

  test('without settings looks like none, but for its colors', () => {
    const elements = [{ type: 'text', content: 'Hello' }, action]
    expect(mailOf(elements, { brand: branded({}) })).toBe(mailOf(elements))
  })

  test('has a second logo for dark screens, or its only one on the light card', () => {
    const logo = { image: 'https://x.y/light.png', darkImage: 'https://x.y/dark.png', width: 90 }
    const both = mailOf([action], { brand: branded({ header: { logo } }) })
    expect(
      load(both)('img')
        .toArray()
        .map(({ attribs }) => [attribs.class, attribs.src, attribs.width, attribs.alt]),
    ).toEqual([
      ['pr-logo', 'https://x.y/light.png', '90', 'Acme'],
      ['pr-logo-dark', 'https://x.y/dark.png', '90', 'Acme'],
    ])
    expect(both).toContain('.pr-logo-dark{display:inline-block!important}')
    const html = mailOf([action], { brand: branded({ header: { logo: { image: logo.image } } }) })
    expect(html).toContain('.pr-logo{background:#ffffff!important')
  })

  test('can be light on every screen', () => {
    const html = mailOf([action], { brand: branded({ theme: { colorScheme: 'light' } }) })
    expect(html).toContain('<meta name="color-scheme" content="light only">')
    expect(html).not.toMatch(/prefers-color-scheme|data-ogs/)
  })

  test('leaves what it cannot use as it is without a brand', () => {
    const theme = { backgroundColor: 'red;x:y', fontFamily: 'x;color:red', borderRadius: 900, align: 'top', dark: 5 }
    expect(mailOf([action], { brand: branded({ theme }) })).toBe(mailOf([action]))
  })
})

test('a mail that Gmail would cut off is warned of, from its content alone and with its values', () => {
  const text = { type: 'text', content: '{body}' }
  const [warning] = sizeWarnings(mailOf([text], { data: { body: 'é'.repeat(60_000) } }))
  expect(warning).toMatch(/^The HTML of the email has 1\d\d kB: Gmail shows 102 kB and cuts off the rest\.$/)
  expect(sizeWarnings(mailOf([text], { data: { body: 'e'.repeat(60_000) } }))).toEqual([])
  expect(templateSizeWarnings(compile({ body: 'word '.repeat(21_000) }))).toHaveLength(1)
  expect(templateSizeWarnings(compile({ elements: [text] }))).toEqual([])
  const push = compile({ elements: [{ type: 'channel', channel: 'push', elements: [text] }] })
  expect(templateSizeWarnings(push)).toEqual([])
})
