/** Promises of rendering: each element in each form, control, locales, channels, bounds. */
import type { Channel } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { textsOf } from '../base/finding.ts'
import { withinWork } from '../base/processor-time.harness.ts'
import type { Dialect } from '../base/rendered-content.ts'
import { compile } from './compile.ts'
import { RenderFailed } from './failure.ts'
import { render, renderChannels } from './render.ts'
import type { RenderOptions } from './template.ts'

const of = (...elements: unknown[]) => ({ version: '2022-01-01', elements })
const say = (content: unknown, data: Record<string, unknown> = {}, options: Partial<RenderOptions> = {}) =>
  render(compile(content), {
    channel: 'sms',
    dialect: 'plain',
    context: { data, profile: { email: 'j@x.y' } },
    ...options,
  })
const text = (content: unknown, data: Record<string, unknown> = {}, options: Partial<RenderOptions> = {}) =>
  say(content, data, options).text

test('a missing variable stays as its literal (conformance 22)', () => {
  expect(text({ body: 'Hello {name}' })).toBe('Hello {name}')
  expect(text({ body: 'Hello {{name}} {a.b}' }, { name: null, a: {} })).toBe('Hello {{name}} {a.b}')
})

test('a missing variable fails the rendering when the template is set to it', () => {
  expect(() => text({ body: 'Hello {name}' }, {}, { onMissing: 'fail' })).toThrow(RenderFailed)
  expect(text({ body: 'Hello {name}' }, { name: '' }, { onMissing: 'fail' })).toBe('Hello')
})

describe('where nothing stands in the place of a missing variable', () => {
  const empty = { onMissing: 'empty' } as const
  const mailOf = (content: unknown) => say(content, {}, { ...empty, channel: 'email', dialect: 'html' })

  test('it is left out, and noted', () => {
    const { title, text, missing } = say({ title: 'Hi {name}', body: 'Hello {{name}}, {a.b}!' }, {}, empty)
    expect([title, text]).toEqual(['Hi', 'Hello , !'])
    expect(missing).toEqual(['{name}', '{{name}}', '{a.b}'])
    expect(say({ body: '{profile.city}' }, {}, empty).findings).toEqual([
      { code: 'variable_missing', text: 'body: `{profile.city}` has no value: it is left out.' },
    ])
  })

  test('so it is in tags, helpers and loops', () => {
    const tags = '[{{#if a}}x{{/if}}][{{var "b"}}][{{capitalize (var "c")}}][{{[the d]}}]'
    expect(text({ body: tags }, {}, empty)).toBe('[][][][]')
    const line = { type: 'text', content: '{@.name}{$.item.price}.', loop: 'data.items' }
    expect(text(of(line), { items: [{}, { name: 'Tea' }] }, empty)).toBe('.\nTea.')
  })

  test('a text or button that links to an empty address stays without its link, and a picture leaves its text', () => {
    const content = of(
      { type: 'text', content: '[Shop]({url}) ![Logo]({src})' },
      {
        type: 'text',
        elements: [
          { type: 'link', content: 'there', href: '{url}' },
          { type: 'img', src: '{src}', alt_text: 'Map' },
        ],
      },
      { type: 'action', content: 'Pay', href: '{url}' },
      { type: 'image', src: '{src}', alt_text: 'Tea', href: '{url}' },
    )
    const { html, text } = mailOf(content)
    for (const words of ['Shop', 'Logo', 'there', 'Pay']) expect(html).toContain(words)
    expect(html).toContain('alt="Tea"')
    expect(html).not.toMatch(/\b(?:href|src)=(?:""|"#")/)
    expect(text).toBe('Shop Logo\n\nthereMap\n\nPay\n\nTea')
    const chat = say(content, {}, { ...empty, channel: 'direct_message', dialect: 'slack' })
    expect([chat.actions, chat.elements?.map(({ type }) => type)]).toEqual([[], Array(4).fill('text')])
  })

  test('an address without its host is none', () => {
    const content = of({ type: 'action', content: 'Pay', href: 'https://{host}/pay' })
    expect(text(content, {}, empty)).toBe('Pay')
    expect(text(content, { host: 'shop.example' }, empty)).toBe('Pay (https://shop.example/pay)')
  })
})

test('a variable that a helper shows fails the rendering, one that it compares does not', () => {
  const fail = { onMissing: 'fail' } as const
  expect(() => text({ body: '{{var "name"}}' }, {}, fail)).toThrow('The variable `{name}` has no value')
  expect(say({ body: '{{var "name"}}' }).missing).toEqual(['{name}'])
  expect(text({ body: '{{#if (condition (var "name") "==" "x")}}a{{else}}b{{/if}}' }, {}, fail)).toBe('b')
})

test('a variable without a value is a finding that names its place, and so is an empty one of the profile', () => {
  const content = {
    title: 'Hello {profile.name}',
    body: '{profile.name} {$.profile.city} {profile.email} {empty} {none}',
  }
  const profile = { name: '', email: 'j@x.y' }
  const { title, findings } = say(content, { empty: '' }, { context: { data: { empty: '' }, profile } })
  expect(title).toBe('Hello')
  expect(findings).toEqual([
    {
      code: 'variable_missing',
      text: 'body: `{$.profile.city}` has no value: the recipient reads `{$.profile.city}`.',
    },
    { code: 'variable_missing', text: 'body: `{none}` has no value: the recipient reads `{none}`.' },
    {
      code: 'variable_empty',
      text: '`{profile.name}` is empty in the profile: it is left out.',
    },
  ])
  expect(say({ body: 'Hello {profile.email}' })).not.toHaveProperty('findings')
})

test('a loop gives one line per item (conformance 23)', () => {
  const products = [
    { name: 'Mouse', price: '$10' },
    { name: 'Keyboard', price: '$20' },
  ]
  const line = { type: 'text', content: '{{$.item.name}} listed at {{$.item.price}}', loop: 'data.products' }
  expect(text(of(line), { products })).toBe('Mouse listed at $10\nKeyboard listed at $20')
})

test.each([
  [5, '5'],
  [0, '0'],
  [false, 'false'],
  [{ a: [1] }, '{"a":[1]}'],
  [[1, 'b'], '[1,"b"]'],
  ['{other} {{profile.email}}', '{other} {{profile.email}}'],
])('the value %j is shown as %s', (value, shown) => {
  expect(text({ body: '{value}' }, { value, other: 'expanded' })).toBe(shown)
})

const link = { type: 'link', content: 'here', href: 'https://x.y' }
test.each<[unknown, Dialect, string]>([
  [{ type: 'text', content: 'a', text_style: 'h1' }, 'slack', '*a*'],
  [{ type: 'text', content: 'a **b**', bold: true }, 'discord', '**a b**'],
  [{ type: 'text', content: 'a', italic: 'true', strikethrough: true }, 'slack', '_~a~_'],
  [{ type: 'text', elements: [{ type: 'string', content: 'go *' }, link] }, 'plain', 'go *here (https://x.y)'],
  [
    { type: 'text', elements: [{ type: 'img', src: 'https://x.y/i', alt_text: 'pic' }] },
    'slack',
    '<https://x.y/i|pic>',
  ],
  [{ type: 'action', content: 'Go', href: 'https://x.y/a_b' }, 'telegram', '<a href="https://x.y/a_b">Go</a>'],
  [{ type: 'action', content: 'Go', href: 'https://x.y' }, 'plain', 'Go (https://x.y)'],
  [{ type: 'image', src: 'https://x.y/i', alt_text: 'pic' }, 'teams', '[pic](https://x.y/i)'],
  [{ type: 'image', src: 'https://x.y/i' }, 'plain', 'https://x.y/i'],
  [{ type: 'divider' }, 'plain', '---'],
  [{ type: 'quote', content: 'a\nb' }, 'slack', '> a\n> b'],
  [
    {
      type: 'group',
      elements: [
        { type: 'text', content: 'a' },
        { type: 'text', content: 'b' },
      ],
    },
    'plain',
    'a\n\nb',
  ],
  [{ type: 'html', content: '<b>a</b>' }, 'slack', ''],
  [{ type: 'comment', content: 'a' }, 'plain', ''],
  [{ type: 'columns', elements: [{ type: 'column', elements: [{ type: 'text', content: 'a' }] }] }, 'plain', 'a'],
])('%j in %s is %j', (element, dialect, shown) => expect(text(of(element), {}, { dialect })).toBe(shown))

test('a list counts what is left of it, and lists stand in items', () => {
  const item = (content: string, more = {}) => ({ type: 'list-item', elements: [{ type: 'text', content }], ...more })
  const inner = { type: 'list', elements: [item('in')] }
  const list = {
    type: 'list',
    list_type: 'ordered',
    elements: [
      item('a'),
      item('gone', { if: 'false' }),
      item('{@}', { loop: 'data.names' }),
      { type: 'list-item', elements: [{ type: 'text', content: 'z' }, inner] },
    ],
  }
  expect(text(of(list), { names: ['b', 'c'] })).toBe('1. a\n2. b\n3. c\n4. z\n  - in')
})

test('if, ref and channels decide what is shown', () => {
  const content = of(
    { type: 'text', content: 'gold', if: 'data.tier === "gold"', ref: 'gold' },
    { type: 'text', content: 'join', if: '!refs.gold.visible' },
    { type: 'text', content: 'push only', channels: ['push'] },
    { type: 'text', content: 'twilio only', channels: ['twilio'] },
  )
  expect(text(content, { tier: 'gold' })).toBe('gold')
  expect(text(content, {}, { provider: 'twilio' })).toBe('join\n\ntwilio only')
  expect(text(content, {}, { channel: 'push' })).toBe('join\n\npush only')
})

test('a loop over a list that does not exist is a finding, unless the content or the data says that it may be absent', () => {
  const findings = (fields: object, data = {}) =>
    say(of({ type: 'text', content: '{$.item.name}', ...fields }, { type: 'text', content: 'x' }), data).findings
  const sentence = (path: string) => `elements.0.loop: \`${path}\` has no value: the element is left out.`
  for (const path of ['data.itms', 'data.order.items'])
    expect(findings({ loop: path }, { items: [] })).toEqual([{ code: 'variable_missing', text: sentence(path) }])
  for (const loop of ['data.items', 'data.itms || data.items'])
    expect(findings({ loop }, { items: [] })).toBeUndefined()
  expect(findings({ loop: 'data.items' }, { items: null })).toBeUndefined()
  expect(findings({ loop: 'data.items', if: 'data.items' })).toBeUndefined()
  expect(findings({ loop: 'data.items', channels: ['email'] })).toBeUndefined()
})

test('loops stand in loops, and the outer item is back afterwards', () => {
  const content = of({
    type: 'group',
    loop: 'data.rows',
    elements: [
      { type: 'text', content: '{$.index}:{name}', if: '$.item.name !== "b"' },
      { type: 'text', content: '{@}', loop: '$.item.cells' },
      { type: 'text', content: 'end {name}' },
    ],
  })
  const rows = [
    { name: 'a', cells: [1, 2] },
    { name: 'b', cells: 'no list' },
  ]
  expect(text(content, { rows })).toBe('0:a\n\n1\n2\n\nend a\nend b')
})

test.each([
  ['fr-CA', 'allô'],
  ['fr_ca', 'allô'],
  ['fr-BE', 'bonjour'],
  ['de', 'hello'],
  [undefined, 'hello'],
])('the locale %s says %s', (locale, shown) => {
  const content = of({
    type: 'text',
    content: 'hello',
    locales: { fr: { content: 'bonjour' }, 'fr-CA': { content: 'allô' } },
  })
  expect(text(content, {}, locale ? { locale } : {})).toBe(shown)
})

test.each([
  ['de-AT', 'Hallo\n\nServus'],
  ['de', 'Hallo\n\nbye'],
])('each element takes the closest of its own translations: %s', (locale, shown) => {
  const content = of(
    { type: 'text', content: 'hello', locales: { de: { content: 'Hallo' } } },
    { type: 'text', content: 'bye', locales: { 'de-AT': { content: 'Servus' } } },
  )
  expect(text(content, {}, { locale })).toBe(shown)
})

const branch = (channel: string, content: string) => ({
  type: 'channel',
  channel,
  elements: [{ type: 'text', content }],
})

test('the provider’s own element wins over the channel’s, and both over the default', () => {
  const content = of(branch('default', 'any'), branch('sms', 'short'), branch('twilio', 'own'))
  expect(text(content, {}, { provider: 'twilio' })).toBe('own')
  expect(text(content, {}, { provider: 'vonage' })).toBe('short')
  expect(text(content, {}, { channel: 'push' })).toBe('any')
  expect(renderChannels(compile(content))).toBeUndefined()
  expect(renderChannels(compile(of(branch('sms', 'a'), branch('email', 'b'))))).toEqual(['sms', 'email'])
  expect(renderChannels(compile({ body: 'x' }))).toBeUndefined()
  expect(() => text(of(branch('sms', 'a')), {}, { channel: 'push' })).toThrow(RenderFailed)
})

test('an address of the data that no reader can follow is left out and named', () => {
  const content = of({ type: 'action', content: 'Pay', href: '{url}' }, { type: 'text', content: '[Go]({other})' })
  const findings = (data: Record<string, unknown>) =>
    say(content, data, { channel: 'email', dialect: 'html' }).findings?.map(({ text: sentence }) => sentence)
  expect(findings({ url: 'https://x.y', other: 'https://x.y' })).toBeUndefined()
  const end = 'is not an address with `https://`, `http://`, `mailto:`, `tel:` or `sms:`; it is left out.'
  expect(findings({ url: 'shop.example', other: 'javascript:x' })).toEqual([
    `elements.0: \`shop.example\` ${end}`,
    `elements.1: \`javascript:x\` ${end}`,
  ])
  expect(findings({ url: '#', other: 'https://x.y' })).toBeUndefined()
  expect(findings({ other: 'https://x.y' })).toEqual([expect.stringContaining('`{url}` has no value')])
})

test('raw is filled in, each value escaped for its place, and gives subject, html and text', () => {
  const raw = {
    subject: 'S {v}',
    html: '<p>{v}</p>',
    text: 'T {v}',
    slackBlocks: [{ n: 1, text: '{v}', image_url: 'https://x/{v}' }],
  }
  const content = of({ type: 'channel', channel: 'email', raw })
  const filled = say(content, { v: '<a\r\nb>' }, { channel: 'email', dialect: 'slack' })
  expect(filled).toMatchObject({ subject: 'S <a b>', html: '<p>&lt;a\r\nb&gt;</p>', text: 'T &lt;a\r\nb&gt;' })
  expect(filled.raw?.slackBlocks).toEqual([{ n: 1, text: '&lt;a\r\nb&gt;', image_url: 'https://x/<a\r\nb>' }])
})

test.each<[Channel, string, string, string]>([
  ['sms', 'Hi J', '', 'x\n\nGo (https://x.y/J)'],
  ['push', 'Hi J', '', 'x'],
  ['email', 'Hi J', 'Hi J', 'x\n\nGo (https://x.y/J)'],
])('%s has title %j, subject %j and body %j', (channel, title, subject, body) => {
  const elements = [
    { type: 'meta', title: 'Hi {name}' },
    { type: 'text', content: '**x**' },
    { type: 'action', content: 'Go', href: 'https://x.y/{name}' },
    { type: 'action', content: 'Bad', href: 'javascript:x', style: 'link' },
    { type: 'divider' },
  ]
  const kept = of(...elements.filter((element) => element.content !== 'Bad'))
  const content = say(kept, { name: 'J' }, { channel })
  expect(content).toMatchObject({
    title,
    subject,
    body,
    actions: [{ content: 'Go', href: 'https://x.y/J', style: 'button' }],
  })
  expect(content.blocks).toEqual([
    { type: 'text', text: 'x' },
    { type: 'action', text: 'Go (https://x.y/J)' },
    { type: 'divider', text: '---' },
  ])
  expect(say(of(...elements), { name: 'J' }, { channel }).actions).toHaveLength(1)
})

test('a title is one line in the dialect of its channel', () => {
  const content = { title: 'A {v}', body: 'x' }
  expect(say(content, { v: 'b\r\nc: <d>' }, { dialect: 'slack' }).title).toBe('A b c: &lt;d&gt;')
  expect(say(content, { v: 'b\r\nc: <d>' }, { channel: 'email' }).subject).toBe('A b c: <d>')
})

test('10,000 turns or a megabyte are the end of a rendering', () => {
  const loop = (length: number, content: string) =>
    text(of({ type: 'text', content, loop: 'data.items' }), { items: Array(length).fill(0), big: 'y'.repeat(1_001) })
  expect(loop(10_000, 'x')).toHaveLength(19_999)
  expect(() => loop(10_001, 'x')).toThrow(RenderFailed)
  expect(() => loop(1_000, '{big}')).toThrow(RenderFailed)
  const nested = of({ type: 'group', loop: 'data.a', elements: [{ type: 'text', content: 'x', loop: 'data.a' }] })
  expect(() => text(nested, { a: Array(200).fill(0) })).toThrow(RenderFailed)
})

test('an expression out of its bounds is RenderFailed', () => {
  const content = of({ type: 'text', content: 'x', if: 'data.a.join(data.s).length > 1' })
  expect(() => text(content, { a: Array(1_000).fill('x'), s: 'y'.repeat(10_000) })).toThrow(RenderFailed)
})

test('a loop of many elements with conditions ends soon, and the reason names the element', async () => {
  const element = { type: 'text', content: 'x', if: Array(20).fill('$.item.a.length > 1').join(' || ') }
  const content = of({ type: 'group', loop: 'data.items', elements: Array(20).fill(element) })
  const data = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`key${index}`, index]))
  const act = () => text(content, { ...data, items: Array(2_000).fill({ a: 'x' }) })
  expect(act).toThrow(/^elements\.0\.elements\.\d+: Rendering takes more than its share/)
  const ends = () => expect(act).toThrow(RenderFailed)
  await withinWork(250, ends)
})

test.each([
  'data.a + data.a + data.a',
  '`${data.a}${data.a}`',
  'data.a.toLowerCase()',
  '[data.b, data.b].join("")',
  'data.a === data.c',
  '"" + data',
])('texts made by conditions count for the whole message: %s', async (source) => {
  const content = of({ type: 'text', content: 'x' }, { type: 'text', content: 'x', if: source, loop: 'data.items' })
  const data = {
    a: 'İ'.repeat(90_000),
    b: Array(100).fill('b'),
    c: `${'İ'.repeat(89_999)}x`,
    items: Array(9_000).fill(0),
  }
  const ends = () => expect(() => text(content, data)).toThrow(/^elements\.1: /)
  await withinWork(250, ends)
})

test('values that are shown many times count for all documents of a mail', async () => {
  const content = of({ type: 'quote', content: '{big}', loop: 'data.items' })
  const data = { big: '<'.repeat(90_000), items: Array(9_000).fill(0) }
  const ends = () => expect(() => text(content, data, { channel: 'email', dialect: 'html' })).toThrow(/^elements\.0: /)
  await withinWork(250, ends)
})

test('a rendering takes what it costs from the budget it is given', () => {
  const budget = { steps: 1_000, characters: 1_000 }
  text({ body: 'Hello {name}' }, { name: 'Ada' }, { budget })
  expect(budget.steps).toBeGreaterThan(950)
  expect(budget.steps).toBeLessThan(1_000)
  expect(() => text({ body: '{name}' }, { name: 'x'.repeat(2_000) }, { budget })).toThrow(/^body: /)
})

test('Markdown beyond the bound of a document is shown as it was written, and the template says where', () => {
  const long = '- **a** [b](https://x.y)\n'.repeat(9_000)
  const template = compile(of({ type: 'text', content: 'first **a**' }, { type: 'text', content: long }))
  const options: RenderOptions = { channel: 'email', dialect: 'html', context: { data: {} } }
  const { html, text: plain } = render(template, options)
  expect(html).toContain('first <strong>a</strong>')
  expect(html).toContain('- **a** [b](https://x.y)<br>- **a**')
  expect(plain).toContain('- **a** [b](https://x.y)\n- **a**')
  render(template, { ...options, channel: 'sms', dialect: 'plain' })
  expect(textsOf(template.findings)).toEqual([
    'elements.1: its Markdown takes more work than a document may; it is shown as it was written.',
  ])
})

test('the Markdown of a block is on the budget of its message', () => {
  const content = { body: '{{#each items}}- **{{this}}** [a](https://x.y)\n{{/each}}' }
  const items = (count: number) => Array.from({ length: count }, (_, n) => `${n}`)
  expect(text(content, { items: items(1_000) })).toContain('- 999 a (https://x.y)')
  expect(() => text(content, { items: items(5_000) })).toThrow(/^body: Rendering takes more than its share/)
})

test.each(['html', 'text'])('%s with 20,000 variables is written, more are refused', (type) => {
  const content = '{a}'.repeat(20_000)
  const options: Partial<RenderOptions> = { channel: 'email', dialect: 'html' }
  expect(say(of({ type, content }), {}, options).html).toContain(content)
  expect(() => compile(of({ type, content }, { type, content: '{' }))).toThrow(/^elements\.1\.content: .* 20000 `\{`$/)
})

test('snippets make a document no longer than its bound', () => {
  const brand = { snippets: new Map([['long', 'x'.repeat(90_000)]]) }
  const content = of(...Array(12).fill({ type: 'text', content: '{{>long}}', if: 'false' }))
  expect(() => say(content, {}, { brand })).toThrow(
    /^elements\.11: The document has more than 1000000 characters of text$/,
  )
})
