/**
 * Values in the content of a message come out as the words they are, in every dialect, and structure cannot be filled
 * in.
 */

import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { inlineNotification } from '../../messages/facts.ts'
import { render } from '../../templates/render.ts'
import { simulateRuns } from '../simulation/simulate-runs.harness.ts'

const send = (content: unknown, more: object = {}) => ({
  action: 'send',
  recipient: 'ada',
  message: { content, ...more },
})

const dialects = {
  html: 'email',
  plain: 'sms',
  slack: 'direct_message',
  discord: 'direct_message',
  teams: 'direct_message',
  telegram: 'direct_message',
  whatsapp: 'direct_message',
} as const
type Dialect = keyof typeof dialects

async function renderedText(content: object, data: JsonObject, dialect: Dialect) {
  const { sends } = await simulateRuns([send(content)], [{ context: { data } }])
  const { input } = sends[0]?.send ?? {}
  const filled = (input?.content ?? {}) as JsonObject
  const context = { data: input?.data ?? {}, filled_in: filled.filled_in, profile: { email: 'ada@example.com' } }
  return render(inlineNotification(filled).template, { channel: dialects[dialect], dialect, context })
}

/** The same text through a variable of the template, for comparison. */
const byVariable = (content: object) => JSON.parse(JSON.stringify(content).replaceAll('${data.t}', '{t}')) as JsonObject

const values = [
  '{{{secret}}}',
  '{profile.email}',
  '{$.data.secret}',
  '[Reset](https://evil.example)',
  '**bold** _it_ `code` ~~gone~~',
  '<b>x</b><script>alert(1)</script>',
  '# head\n\n- item\n1. one\n> quote',
  '\\{secret} \\*x\\*',
  '${data.secret} \\${data.secret} refs.data.secret',
  '<!channel> @everyone',
]

const contents: Record<string, object> = {
  'a title and a body': { title: 'T ${data.t}', body: 'B **x** ${data.t} [a](https://a.example/?q=${data.t})' },
  elements: {
    version: '2022-01-01',
    elements: [
      { type: 'meta', title: '${data.t}', preheader: 'P ${data.t}' },
      { type: 'text', content: '${data.t}' },
      { type: 'text', text_style: 'h1', content: '`${data.t}`' },
      { type: 'text', elements: [{ type: 'string', content: 'S ${data.t}' }] },
      { type: 'quote', content: 'Q ${data.t}' },
      { type: 'list', elements: [{ type: 'list-item', content: 'I ${data.t}' }] },
      { type: 'action', content: 'A ${data.t}', href: 'https://a.example/${data.t}?q=${data.t}' },
      { type: 'image', src: 'https://a.example/i.png', alt_text: 'alt ${data.t}' },
      { type: 'html', content: '<p title="${data.t}">${data.t}</p>' },
      { type: 'group', loop: 'data.list', elements: [{ type: 'text', content: 'L ${data.t} {$.item.n}' }] },
    ],
  },
}

describe.each(Object.entries(contents))('values in %s', (_what, content) => {
  test.each(Object.keys(dialects) as Dialect[])('is escaped in %s as a variable is', async (dialect) => {
    for (const t of values) {
      const data = { t, secret: 'S3', list: [{ n: 1, filled_in: ['shadow'] }] }
      const template = inlineNotification(byVariable(content)).template
      const context = { data, profile: { email: 'ada@example.com' } }
      const expected = render(template, { channel: dialects[dialect], dialect, context })
      const words = await renderedText(content, data, dialect)
      expect(words).toEqual(expected)
      expect(JSON.stringify(words)).not.toMatch(/S3|ada@example|href=.https:..evil/)
    }
  })
})

test('a value that is a reference alone is text too, and a missing one leaves its field out', async () => {
  const content = { title: { $ref: 'data.none' }, body: 'refs.data.t' }
  expect(await renderedText(content, { t: '[x](https://evil.example) {t}' }, 'plain')).toMatchObject({
    title: '',
    text: '[x](https://evil.example) {t}',
  })
  expect(
    await renderedText({ title: 'A${data.none}B', body: '${data.o} ${data.n}' }, { o: { a: 1 }, n: 7 }, 'plain'),
  ).toMatchObject({
    title: 'AB',
    text: '{"a":1} 7',
  })
})

test.each(['javascript:alert(1)', 'data:text/html,x', ' JavaScript:x'])('a link to %s is left out', async (t) => {
  const elements = [
    { type: 'action', content: 'Go', href: '${data.t}' },
    { type: 'text', content: '[b](${data.t})' },
    { type: 'image', src: 'https://a.example/i.png', href: { $ref: 'data.t' } },
  ]
  const { html, text, actions } = await renderedText({ version: '2022-01-01', elements }, { t }, 'html')
  expect(`${html}${text}`.toLowerCase()).not.toMatch(/javascript:|data:text/)
  expect(actions).toEqual([])
  expect((await renderedText({ version: '1', elements }, { t: 'https://ok.example/a?b=c' }, 'html')).html).toContain(
    'href="https://ok.example/a?b=c"',
  )
})

test.each<[string, unknown, string]>([
  ['a condition', { elements: [{ type: 'text', content: 'x', if: '${data.t}' }] }, 'elements.0.if cannot'],
  ['a loop', { elements: [{ type: 'group', loop: { $ref: 'data.t' }, elements: [] }] }, 'elements.0.loop cannot'],
  ['a type', { elements: [{ type: 'refs.data.t', content: 'x' }] }, 'elements.0.type cannot'],
  ['an element', { elements: [{ $ref: 'data.t' }] }, 'elements.0 cannot'],
  ['all elements', { elements: { $ref: 'data.t' } }, 'elements cannot'],
  ['the whole', { $ref: 'data.t' }, 'message.content cannot'],
])('%s is not filled in', async (_what, content, message) => {
  const { error } = (await simulateRuns([send(content)], [{ context: { data: { t: 'text' } } }])).run(0)
  expect(error).toContain('message.content')
  expect(error).toContain(message)
})

test('a message that is taken whole brings no content of its own', async () => {
  const step = { action: 'send', recipient: 'ada', message: { $ref: 'data.m' } }
  const simulated = (m: object) => simulateRuns([step], [{ context: { data: { m } } }])
  expect((await simulated({ content: { title: 'x', body: '{secret}' } })).run(0).error).toContain('takes its content')
  expect((await simulated({ template: 'hello' })).sends[0]?.send.input.event ?? 'none').toBe('hello')
})
