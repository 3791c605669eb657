/** Promises of listing variables: each is found where it is read, with its path, its kind, and whether it is required. */
import { expect, test } from 'vitest'
import { compile } from './compile.ts'
import { variablesRead } from './data-variables.ts'

/** `order.id!` is required, `order?` is not; what is not a text has its kind behind it. */
function read(elements: object[] | string, condition?: string): string[] {
  const content = typeof elements === 'string' ? { body: elements } : { elements }
  return variablesRead(compile(content), condition).map(
    ({ path, kind, required }) => `${path.join('.')}${required ? '!' : '?'}${kind === 'text' ? '' : ` ${kind}`}`,
  )
}

test.each<[string, string, string[]]>([
  ['names and paths', 'Hi {name}, {{order.id}} {order.total}', ['name!', 'order! object', 'order.id!', 'order.total!']],
  ['the explicit data', '{data.name} {$.data.city} {$.street}', ['name!', 'city!', 'street!']],
  [
    'not the other roots',
    '{profile.email} {{tenant.name}} {$.brand.id} {datetime.year} {unsubscribe_url} {{preferences_url}} {urls.unsubscribe} \\{no} {two words}',
    [],
  ],
  ['items by number', '{items[0].name}', ['items! list', 'items.[]! object', 'items.[].name!']],
  [
    'each',
    '{{#each items}}{{name}} {{this.sku}} {{@index}} {{../shop}} {{data.city}}{{/each}}',
    ['items! list', 'items.[]! object', 'items.[].name!', 'items.[].sku!', 'shop!', 'city!'],
  ],
  ['each of texts', '{{#each tags}}{{this}}{{/each}}', ['tags! list', 'tags.[]!']],
  [
    'each with names',
    '{{#each items as |item place|}}{{item.name}}{{place}}{{/each}}',
    ['items! list', 'items.[]! object', 'items.[].name!'],
  ],
  [
    'each with an else',
    '{{#each items}}{{name}}{{else}}{{nothing}}{{/each}}',
    ['nothing?', 'items? list', 'items.[]? object', 'items.[].name?'],
  ],
  ['with', '{{#with order}}{{id}}{{/with}}', ['order! object', 'order.id!']],
  ['if', '{{#if vip}}{{name}}{{else}}{{other}}{{/if}} {{city}}', ['other?', 'vip? any', 'name?', 'city!']],
  ['a section', '{{#order}}{{id}}{{/order}}', ['order? any']],
  [
    'helpers',
    '{{capitalize name}} {{default nick "you"}} {{format "%.2f" (add price tax)}} {{path "a.b"}}',
    ['name!', 'nick?', 'price!', 'tax!', 'a! object', 'a.b!'],
  ],
  ['variables of set', '{{set "x" total}}{{x}}', ['total! any']],
  [
    'questions',
    '{{#condition total ">" 5}}x{{/condition}}{{#filter "data" "customer.name" "EQUALS" "x"}}y{{/filter}}',
    ['total? any', 'customer? object', 'customer.name? any'],
  ],
])('a text: %s', (_, text, variables) => {
  expect(read(text).sort()).toEqual([...variables].sort())
})

test('loops and conditions of elements', () => {
  const elements = [
    { type: 'meta', title: 'Order {id}' },
    { type: 'text', loop: 'data.items', content: '{$.item.name} {@.count} {price} {{#if sale}}!{{/if}}' },
    {
      type: 'group',
      if: 'data.total >= 100 && data.tags.includes("vip")',
      elements: [{ type: 'text', content: '{code}' }],
    },
    { type: 'action', content: '{label}', href: 'https://example.com/{path}?q={query}' },
  ]
  expect(read(elements)).toEqual([
    'id!',
    'items! list',
    'items.[]! object',
    'items.[].name!',
    'items.[].count!',
    'items.[].price?',
    'price?',
    'sale? any',
    'total? any',
    'tags? any',
    'code?',
    'label!',
    'path!',
    'query!',
  ])
})

test('every channel, every locale, raw fields and spans, and the condition of the notification', () => {
  const elements = [
    {
      type: 'channel',
      channel: 'email',
      raw: { subject: '{subject}' },
      elements: [{ type: 'text', elements: [{ type: 'link', content: '{link}', href: '{href}' }] }],
    },
    {
      type: 'channel',
      channel: 'sms',
      elements: [{ type: 'text', content: 'x', locales: { de: { content: '{stadt}' } } }],
    },
  ]
  expect(read(elements, 'data.plan == "pro"')).toEqual(['plan? any', 'subject!', 'link!', 'href!', 'stadt!'])
})

test('as many as are listed, and no error for a text that cannot be read', () => {
  const many = Array.from({ length: 1_200 }, (_, n) => `{v${n}}`).join(' ')
  expect(read(many)).toHaveLength(1_000)
  expect(read('{{#if open}}{{name}}')).toEqual(['name!'])
})
