/** Checks of templates: accepted content, and errors that name the place. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { textsOf } from '../base/finding.ts'
import { withinWork } from '../base/processor-time.harness.ts'
import { compile } from './compile.ts'
import { ContentInvalid } from './failure.ts'

const of = (...elements: unknown[]) => ({ version: '2022-01-01', elements })
const nested = (depth: number): unknown =>
  depth === 0 ? { type: 'text', content: 'x' } : { type: 'group', elements: [nested(depth - 1)] }

test.each([
  [null, 'content'],
  ['text', 'content'],
  [[], 'content'],
  [{}, 'body'],
  [{ title: 1, body: 'x' }, 'title'],
  [{ elements: {} }, 'elements'],
  [of('x'), 'elements.0'],
  [of({ type: 'text' }), 'elements.0.content'],
  [of({ type: 'text', content: 5 }), 'elements.0.content'],
  [of({ type: 'text', elements: [{ type: 'link', href: 5 }] }), 'elements.0.elements'],
  [of({ type: 'text', content: 'x', color: 'red;x:y' }), 'elements.0.color'],
  [of({ type: 'text', content: 'x', color: 'url(http://x)' }), 'elements.0.color'],
  [of({ type: 'action' }), 'elements.0.content'],
  [of({ type: 'image', src: 'https://x', width: '50em' }), 'elements.0.width'],
  [of({ type: 'group', elements: [{ type: 'quote' }] }), 'elements.0.elements.0.content'],
  [of({ type: 'list', elements: [{ type: 'text', content: 'x' }] }), 'elements.0.elements.0'],
  [of({ type: 'list-item', elements: [] }), 'elements.0'],
  [of({ type: 'column', elements: [] }), 'elements.0'],
  [of({ type: 'columns', elements: Array(5).fill({ type: 'column' }) }), 'elements.0.elements'],
  [of({ type: 'group', elements: [{ type: 'channel', channel: 'email' }] }), 'elements.0.elements.0'],
  [of({ type: 'channel', channel: 'email' }, { type: 'text', content: 'x' }), 'elements'],
  [of({ type: 'channel', channel: 'email', raw: 'x' }), 'elements.0.raw'],
  [of({ type: 'channel', channel: 'email', loop: 'data.x' }), 'elements.0.loop'],
  [of({ type: 'divider', if: 'a =' }), 'elements.0.if'],
  [of({ type: 'divider', if: 'fetch(1)' }), 'elements.0.if'],
  [of({ type: 'divider', loop: 5 }), 'elements.0.loop'],
  [of({ type: 'divider', ref: 5 }), 'elements.0.ref'],
  [of({ type: 'divider', channels: 'email' }), 'elements.0.channels'],
  [of({ type: 'text', content: 'x', locales: { 'no locale': {} } }), 'elements.0.locales.no locale'],
  [of({ type: 'text', content: 'x', locales: { fr: { content: 1 } } }), 'elements.0.locales.fr.content'],
  [of(nested(20)), `elements.0${'.elements.0'.repeat(19)}.elements`],
  [of(...Array(1_001).fill({ type: 'divider' })), 'elements.1000'],
])('%.80j is refused at %s', (content, at) => {
  expect(() => compile(content)).toThrow(ContentInvalid)
  expect(() => compile(content)).toThrow(new RegExp(`^${at.replace(/[[\].]/g, '\\$&')}: `))
})

test.each([
  { body: 'x' },
  { title: null, body: '' },
  { elements: [] },
  of(nested(19)),
  of({ type: 'comment', anything: 1 }),
  of({ type: 'channel', channel: 'email', elements: [] }, { type: 'comment' }, { type: 'channel', channel: 'default' }),
  of({ type: '__proto__' }),
  of({ type: 'channel', channel: 'email' }, { type: 'jsonnet' }),
  of({ type: 'text', content: 'x', color: '{brand.colors.primary}', unknown: true }),
  of({ type: 'text', content: 'x', if: '{{ data.x > 1 }}', loop: 'data.items', ref: 'r', channels: ['email'] }),
])('%.80j is accepted', (content) => expect(() => compile(content)).not.toThrow())

test('an unknown element is left out and named, wherever it stands; an action without href is a text', () => {
  const group = { type: 'group', elements: [{ type: 'video', elements: [{ type: 'quote' }] }, { type: 'divider' }] }
  const { nodes, findings } = compile(
    of({ type: 'jsonnet', template: '{}' }, group, { type: 'action', content: 'Go', href: '' }, { type: 5 }),
  )
  expect(nodes.map(({ element, children }) => [element.type, children.length])).toEqual([
    ['group', 1],
    ['text', 0],
  ])
  expect(textsOf(findings)).toEqual([
    'elements.0: "jsonnet" is not an element; it is left out.',
    'elements.1.elements.0: "video" is not an element; it is left out.',
    'elements.2: an action without href is shown as text.',
    'elements.3: 5 is not an element; it is left out.',
  ])
  const spans = [
    { type: 'string', content: 'x' },
    { type: 'video', content: 5 },
  ]
  expect(textsOf(compile(of({ type: 'text', elements: spans })).findings)).toEqual([
    'elements.0.elements.1: "video" is not part of a text; it is left out.',
  ])
  expect(compile(of(...Array(60).fill({ type: 'x' }))).findings).toHaveLength(50)
})

test.each([
  ['buton', 'action'],
  ['Button', 'action'],
  ['img', 'image'],
  ['link', 'action'],
  ['imgae', 'image'],
  ['listitem', 'list-item'],
  ['li', 'list-item'],
  ['seperator', 'divider'],
])('the element %s is unknown, and %s is suggested', (type, suggestion) => {
  const { findings, unknownElements } = compile(of({ type: 'text', content: 'x' }, { type, content: 'x' }))
  const text = `elements.1: "${type}" is not an element; it is left out. Did you mean \`${suggestion}\`?`
  expect(findings).toEqual([{ code: 'element_unknown', text }])
  expect(unknownElements).toEqual([`elements.1: "${type}" is not an element. Did you mean \`${suggestion}\`?`])
})

test('an address that no reader can follow is a finding, one with a variable has its own', () => {
  const link = { type: 'link', content: 'x', href: 'javascript:alert(1)' }
  const { findings } = compile(
    of(
      { type: 'action', content: 'Pay', href: 'shop.example/pay' },
      { type: 'text', elements: [link] },
      { type: 'image', src: 'data:image/png;base64,AA', href: '/pay', locales: { de: { src: 'p.png' } } },
      ...['#', '{url}', 'https://shop.example', 'HTTP://x.y', 'mailto:a@x.y'].map((href) => ({
        type: 'action',
        content: 'x',
        href,
      })),
    ),
  )
  const end = 'is not an address with `https://`, `http://`, `mailto:`, `tel:` or `sms:`; it is left out.'
  expect(findings).toEqual(
    [
      'elements.0: `shop.example/pay`',
      'elements.1.elements.0: `javascript:alert(1)`',
      'elements.2: `data:image/png;base64,AA`',
      'elements.2: `/pay`',
      'elements.2.locales.de: `p.png`',
    ].map((start) => ({ code: 'content_altered', text: `${start} ${end}` })),
  )
})

test('a field that an element does not have, and a value that does not exist, are findings', () => {
  const { findings } = compile(
    of(
      { type: 'text', content: 'x', colr: 'red', align: 'middle', text_style: 'h7' },
      { type: 'meta', title: 'x', titel: 'y' },
      { type: 'text', elements: [{ type: 'link', content: 'x', herf: 'https://x.y' }] },
      { type: 'image', src: 'https://x.y', locales: { de: { alt: 'Bild' } } },
      { type: 'action', content: 'Go', href: '{url}', style: '{style}' },
    ),
  )
  expect(findings).toEqual(
    [
      'elements.0: `colr` is not a field of a `text` element, and has no effect. Did you mean `color`?',
      'elements.0.align: `middle` has no effect; it must be one of `left`, `center`, `right`, `start`, `end`, `full`.',
      'elements.0.text_style: `h7` has no effect; it must be one of `text`, `subtext`, `h1`, `h2`.',
      'elements.1: `titel` is not a field of a `meta` element, and has no effect. Did you mean `title`?',
      'elements.2.elements.0: `herf` is not a field of a part of a text, and has no effect. Did you mean `href`?',
      'elements.3.locales.de: `alt` is not a field of an `image` element, and has no effect.',
      'elements.4.style: `{style}` has no effect; it must be one of `button`, `link`.',
    ].map((text) => ({ code: 'element_field_ignored', text })),
  )
})

test('names of channels and locales that do not exist are findings', () => {
  const limited = (...channels: string[]) => ({ type: 'text', content: 'x', channels })
  const translated = (...locales: string[]) => ({
    ...{ type: 'text', content: 'x' },
    locales: Object.fromEntries(locales.map((locale) => [locale, { content: 'y' }])),
  })
  const { findings } = compile(
    of(limited('emial', 'sms', 'sendgrid'), limited('nexmo', 'constructor'), translated('german', 'de_AT', 'pt-BR')),
  )
  const branches = compile(
    of(
      { type: 'channel', channel: 'emial' },
      { type: 'channel', channel: 'sms', provider: 'twilo' },
      { type: 'channel', channel: 'default' },
    ),
  )
  expect([...findings, ...branches.findings]).toEqual(
    [
      'elements.0.channels: `emial` is neither a channel nor a provider, and has no effect. Did you mean `email`?',
      'elements.1.channels: `nexmo` is neither a channel nor a provider, and has no effect. Did you mean `vonage`?',
      'elements.1.channels: `constructor` is neither a channel nor a provider, and has no effect.',
      'elements.2.locales: `german` is not a language, as `de` or `de-AT` is.',
      'elements.0.channel: `emial` is neither a channel nor a provider, and has no effect. Did you mean `email`?',
      'elements.1.provider: `twilo` is neither a channel nor a provider, and has no effect. Did you mean `twilio`?',
    ].map((text) => ({ code: 'element_field_ignored', text })),
  )
})

test('an element that an empty list of channels shows nowhere is a finding', () => {
  const limited = (channels: unknown) => ({ type: 'text', content: 'x', channels })
  const sentence = 'an empty list shows the element nowhere. Without the list every channel shows it.'
  expect(compile(of(limited([]), limited(null), limited(['email']))).findings).toEqual([
    { code: 'element_field_ignored', text: `elements.0.channels: ${sentence}` },
  ])
})

test('a list of unknown channels costs no more than the findings that it gets', async () => {
  const channels = Array.from({ length: 60_000 }, (_, n) => `emial${n.toString(36)}`)
  await withinWork(250, () => {
    expect(compile(of({ type: 'text', content: 'x', channels })).findings).toHaveLength(50)
  })
})

test('a body full of unknown fields costs no more than the findings that it gets', async () => {
  const fields = Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`colr${n.toString(36)}`, 1]))
  await withinWork(250, () => {
    expect(compile(of({ ...fields, type: 'text', content: 'x' })).findings).toHaveLength(50)
  })
})

test('fields of every element and the checksum of a listed one have no finding', () => {
  const fields = { id: 'a', if: 'true', loop: 'data.items', ref: 'r', channels: ['email'], checksum: 'c' }
  expect(compile(of({ ...fields, type: 'text', content: 'x', align: null, text_style: '' })).findings).toEqual([])
  expect(compile(of({ type: 'comment', comment: 'x' }, { type: 'text', content: 'x' })).findings).toEqual([])
})

test('each code of many findings is kept', () => {
  const buttons = Array.from({ length: 60 }, () => ({ type: 'action', content: 'Go' }))

  const { findings } = compile(of(...buttons, { type: 'buton', content: 'x' }))
  expect(findings.slice(50).map(({ code }) => code)).toEqual(['element_unknown'])
})

test('an unknown part of a text is an unknown element, another finding is none', () => {
  const text = { type: 'text', elements: [{ type: 'button', content: 'x' }] }
  expect(compile(of(text, { type: 'action', content: 'Go' }))).toMatchObject({
    unknownElements: ['elements.0.elements.0: "button" is not part of a text. Did you mean `link`?'],
    findings: [
      { code: 'element_unknown', text: expect.stringContaining('left out') },
      { code: 'content_altered', text: 'elements.1: an action without href is shown as text.' },
    ],
  })
})

test('any JSON is either a template or ContentInvalid', () => {
  const leaf = fc.oneof(fc.string(), fc.constant(null), fc.integer(), fc.boolean())
  const element = fc.record(
    {
      type: fc.constantFrom('text', 'action', 'image', 'group', 'list', 'list-item', 'columns', 'html', 'channel', 'x'),
      content: leaf,
      href: leaf,
      elements: fc.oneof(leaf, fc.array(fc.jsonValue())),
      if: leaf,
      loop: leaf,
      locales: fc.jsonValue(),
    },
    { requiredKeys: ['type'] },
  )
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.record({ elements: fc.array(element) })), (content) => {
      try {
        compile(content)
      } catch (error) {
        expect(error).toBeInstanceOf(ContentInvalid)
      }
    }),
    { numRuns: 500 },
  )
})
