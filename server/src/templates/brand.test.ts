/** The effects of a brand on texts and mails: colors, bar, logo, head, footer, links, snippets. */
import { load } from 'cheerio'
import { expect, test } from 'vitest'
import { readBrand } from './brand.ts'
import { compile } from './compile.ts'
import { render } from './render.ts'
import type { Brand } from './template.ts'

const settings = {
  colors: { primary: '#9d3789' },
  email: {
    header: { barColor: '#00ff00', logo: { image: 'https://x.y/logo.png', href: 'https://x.y' } },
    head: { content: '<style>p { margin: 0 }</style>' },
    footer: {
      markdown: 'Acme for **{name}** {{>sign}}',
      social: { twitter: { url: 'https://t.x/acme' }, facebook: { url: 'https://f.x/acme' }, medium: null },
    },
  },
}
const snippets = {
  items: [
    { name: 'sign', value: 'Yours, *{name}*', format: 'handlebars' },
    { name: 'self', value: '{{>self}}' },
    { name: 'title', value: 'Acme' },
  ],
}
const acme = readBrand(settings, snippets, { key: '1 acme', name: 'Acme & Co' })

const content = (...elements: unknown[]) => compile({ elements })
const mailOf = async (brand: Brand | undefined, ...elements: unknown[]) =>
  render(await content(...elements), {
    channel: 'email',
    dialect: 'html',
    context: { data: { name: '<Ada>' }, brand: { colors: { primary: '#9d3789' } } },
    ...(brand && { brand }),
  })
const action = { type: 'action', content: 'Go', href: 'https://x.y/go' }

test('a brand whose footer or snippet has a link for recipients says so, and a template, too', () => {
  const withFooter = (markdown: string) => readBrand({ email: { footer: { markdown } } }, {})
  const withSnippet = readBrand({}, { items: [{ name: 'stop', value: '{{preferences_url}}' }] })
  expect([acme, withFooter('{unsubscribe_url}'), withFooter('{$.urls.preferences}'), withSnippet]).toMatchObject(
    [false, true, true, true].map((namesLinks) => ({ namesLinks })),
  )
  const text = (words: string) => content({ type: 'text', content: words }).namesLinks
  expect([text('[Stop]({unsubscribe_url})'), text('{data.url}')]).toEqual([true, false])
})

test('buttons and links have the primary color', async () => {
  const { html } = await mailOf(acme, action, { type: 'text', content: '[here](https://x.y)' })
  const $ = load(html)
  expect($('a[href="https://x.y/go"]').attr('style')).toContain('background:#9d3789')
  expect($('a:contains(here)').attr('style')).toBe('color:#9d3789')
})

test('the bar, the logo and the head are there, and nowhere without a brand', async () => {
  const { html } = await mailOf(acme, action)
  const $ = load(html)
  expect(html).toMatch(/background:#00ff00/)
  expect($('a[href="https://x.y"] img').attr('src')).toBe('https://x.y/logo.png')
  expect($('a[href="https://x.y"] img').attr('alt')).toBe('Acme & Co')
  expect($('head style').text()).toContain('p { margin: 0 }')
  const plain = (await mailOf(undefined, action)).html
  expect(plain).not.toMatch(/#00ff00|logo\.png|#9d3789|margin: 0 }/)
})

test.each([
  ['https://www.shop.example.com/sale?id=1', 'shop.example.com'],
  ['https://{host}/sale', 'shop.example.com'],
  ['mailto:ada@example.com?subject=Hi', 'ada@example.com'],
  ['javascript:alert(1)', ''],
])('a picture that links to %s and has no text of its own is called %j', async (href, alt) => {
  const picture = { type: 'image', src: 'https://x.y/i.png', href }
  const alternativeOf = async (element: Record<string, unknown>) => {
    const template = compile({ elements: [element] })
    const data = { host: 'shop.example.com' }
    return load(render(template, { channel: 'email', dialect: 'html', context: { data } }).html)('img').attr('alt')
  }
  expect(await alternativeOf(picture)).toBe(alt)
  expect(await alternativeOf({ ...picture, alt_text: 'Sale' })).toBe('Sale')
  expect(await alternativeOf({ type: 'image', src: 'https://x.y/i.png' })).toBe('')
})

test('a logo whose address cannot be loaded is left out', async () => {
  const withLogo = (image: string) => readBrand({ email: { header: { logo: { image, href: 'https://x.y' } } } }, {})
  for (const image of ['javascript:alert(1)', 'logo.png', '{unknown}'])
    expect(load((await mailOf(withLogo(image), action)).html)('img')).toHaveLength(0)
  expect((await mailOf(withLogo('https://x.y/{name}.png'), action)).html).toContain('src="https://x.y/%3CAda%3E.png"')
})

test('the footer stands in the mail and in its text, values escaped for each', async () => {
  const { html, text, body, blocks } = await mailOf(acme, { type: 'text', content: 'Hello' })
  const $ = load(html)
  expect(html).toContain('Acme for <strong>&lt;Ada&gt;</strong> Yours, <em>&lt;Ada&gt;</em>')
  expect($('a:contains(Facebook)').attr('href')).toBe('https://f.x/acme')
  expect(text).toBe('Hello\n\nAcme for <Ada> Yours, <Ada>\n\nFacebook (https://f.x/acme)\nTwitter (https://t.x/acme)')
  expect([body, blocks]).toEqual(['Hello', [{ type: 'text', text: 'Hello' }]])
})

test('a snippet is read as if it stood in the words, in every kind of place and dialect', async () => {
  const elements = [
    { type: 'meta', title: '{{>title}} news' },
    { type: 'text', content: '{{> sign }}' },
    { type: 'html', content: '<b title="{{>title}}">x</b>' },
    { type: 'text', content: 'To {{>missing}}{{ > missing }}{{>self}}you' },
  ]
  const { subject, html, text } = await mailOf(acme, ...elements)
  expect(subject).toBe('Acme news')
  expect(html).toContain('Yours, <em>&lt;Ada&gt;</em>')
  expect(html).toContain('<b title="Acme">')
  expect(text).toMatch(/^Yours, <Ada>\n\nx\n\nTo you/)
  const options = { channel: 'sms', dialect: 'plain', context: { data: { name: 'Ada' } }, brand: acme } as const
  expect(render(await content(...elements), options).body).toMatch(/^Yours, Ada/)
})

test('brands of one template do not see the words of each other, nor what was overridden for one message', async () => {
  const template = await content({ type: 'text', content: '{{>sign}}' }, action)
  const other = readBrand(
    { colors: { primary: 'teal' } },
    { items: [{ name: 'sign', value: 'Bye' }] },
    { key: '1 other' },
  )
  const once = readBrand({ colors: { primary: 'olive' } }, {})
  const of = (brand: Brand) =>
    render(template, { channel: 'email', dialect: 'html', context: { data: { name: 'Ada' } }, brand })
  const texts = () => [acme, other, once, acme].map((brand) => of(brand).blocks[0]?.text)
  expect([texts(), texts()]).toEqual(Array(2).fill(['Yours, Ada', 'Bye', 'Go (https://x.y/go)', 'Yours, Ada']))
  expect(of(other).html).toContain('teal')
  expect(of(once).html).toContain('olive')
  expect(of(acme).html).not.toMatch(/teal|olive/)
})

test('texts that name no brand are compiled once for all brands, mails once for each', async () => {
  const template = await content({ type: 'text', content: 'Hello' })
  const of = (brand: Brand) => render(template, { channel: 'email', dialect: 'html', context: { data: {} }, brand })
  of(acme)
  const before = template.programs.size
  of(readBrand({}, {}, { key: '1 another' }))
  expect(template.programs.size).toBe(before + 1)
  of(readBrand({}, {}))
  expect(template.programs.size).toBe(before + 1)
})

test('snippets that would make a text too long end the rendering', async () => {
  const long = readBrand({}, { items: [{ name: 'x', value: 'y'.repeat(90_000) }] }, { key: 'long' })
  const of = (times: number) => mailOf(long, { type: 'text', content: '{{>x}}'.repeat(times) })
  expect((await of(2)).text).toHaveLength(180_000)
  await expect(of(3)).rejects.toThrow('With its snippets a text is longer than 262144 characters')
})

test('settings of any shape make a brand', () => {
  const empty = { header: { logo: { image: ' ' } }, footer: { markdown: '', content: null } }
  for (const odd of [null, 1, 'x', [], { url: 1 }])
    expect(() =>
      readBrand(
        { colors: odd, email: { header: odd, head: odd, footer: { social: { medium: odd } } } },
        { items: odd },
      ),
    ).not.toThrow()
  expect(readBrand({ email: empty }, {})).toEqual(readBrand({}, {}))
})

test('the later name of the footer counts where the earlier one is absent', () => {
  expect(readBrand({ email: { footer: { content: 'new' } } }, {}).footer).toBe('new')
  expect(readBrand({ email: { footer: { content: 'new', markdown: 'old' } } }, {}).footer).toBe('old')
})
