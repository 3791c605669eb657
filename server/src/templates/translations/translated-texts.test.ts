/** `{{t}}` and `{{#t}}` show a text in the language of the message; its values stay values. */
import { describe, expect, test } from 'vitest'
import { compile } from '../compile.ts'
import { variablesRead } from '../data-variables.ts'
import { render } from '../render.ts'
import { readCatalog } from './catalog.ts'

const german = readCatalog(
  'de',
  [
    ['Hello {name}', 'Hallo **{name}**'],
    ['Hello {{profile.name}}', 'Hallo {{profile.name}}'],
    ['Bye {who}', 'Tschüss, {who}! { }'],
    ['welcome.title', 'Willkommen'],
    ['shipped', 'unterwegs'],
    ['{name} has {total}', '{name}: {total}'],
  ]
    .map(([id, text]) => `msgid "${id}"\nmsgstr "${text}"\n`)
    .join('\n')
    .concat(
      '\nmsgctxt "menu"\nmsgid "Open"\nmsgstr "Öffnen"\n',
      '\nmsgid "One item"\nmsgid_plural "{count} items"\nmsgstr[0] "Ein Stück"\nmsgstr[1] "{count} Stück"\n',
    ),
)

function shown(body: string, data: Record<string, unknown> = {}, dialect: 'plain' | 'html' = 'plain') {
  const context = { data, profile: { name: 'Ada' } }
  const channel = dialect === 'html' ? 'email' : 'sms'
  return render(compile({ body }), { channel, dialect, context, locale: 'de', catalogs: [german] })
}
const text = (body: string, data?: Record<string, unknown>) => shown(body, data).text

describe('a translated text', () => {
  test.each([
    ['{{t "welcome.title"}}', 'Willkommen'],
    ['{{t "Open" context="menu"}} / {{t "Open"}}', 'Öffnen / Open'],
    ['{{t "Bye {who}" who=profile.name}}', 'Tschüss, Ada! { }'],
    ['{{t "Hello {name}"}}', 'Hallo Bo'],
    ['{{t status}}', 'unterwegs'],
    ['{{#t}}Hello {{profile.name}}{{/t}}', 'Hallo Ada'],
    ['{{#t count=items.length}}One item{{else}}{count} items{{/t}}', '2 Stück'],
    ['{{t "One item" plural="{count} items" count=1}}', 'Ein Stück'],
    ['{{#each items}}{{#t total=(format "%.2f" price)}}{name} has {total}{{/t}};{{/each}}', 'A: 1.00;B: 2.50;'],
    ['{{capitalize (t "shipped")}}', 'Unterwegs'],
    ['{{concat (t "Bye {who}" who="Bo") "?"}}', 'Tschüss, Bo! { }?'],
  ])('%s is %s', (body, expected) => {
    const items = [
      { name: 'A', price: 1 },
      { name: 'B', price: 2.5 },
    ]
    expect(text(body, { name: 'Bo', status: 'shipped', items })).toBe(expected)
  })

  test('is Markdown of the author, and its values are not', () => {
    const { html } = shown('{{t "Hello {name}"}}', { name: '**<b>Bo</b>**' }, 'html')
    expect(html).toContain('Hallo <strong>**&lt;b&gt;Bo&lt;/b&gt;**</strong>')
    expect(text('{{t name}}', { name: '{profile.name} {{profile.name}}' })).toBe('{profile.name} {{profile.name}}')
  })

  test('without a translation is shown as it was written, and found', () => {
    const content = shown('{{t "See {name}" name="Bo"}} {{t "x.key" default="By default"}} {{t "welcome.title"}}')
    expect(content.text).toBe('See Bo By default Willkommen')
    expect(content.findings?.map(({ text }) => text)).toEqual([
      'No translation of `See {name}`; it is shown as it was written.',
      'No translation of `x.key`; it is shown as it was written.',
    ])
    expect(text('{{t "A" plural="{count} Bs" count=2}}{{#t count=1}}C{{else}}D{{/t}}')).toBe('2 BsC')
  })

  test('fails the message for a count that is no number', () => {
    expect(() => text('{{t "a" count="many"}}')).toThrow('t: count must be a number')
  })
})

test('a template knows the texts and the variables of its translations', () => {
  const template = compile({
    title: '{{t "A"}}',
    body: '{{#if x}}{{#t who=user.name}}Hi {who} and {name}{{/t}}{{/if}}',
  })
  expect(template.isTranslated).toBe(true)
  expect([...template.textsToTranslate.values()].map(({ message }) => message)).toEqual(['A', 'Hi {who} and {name}'])
  const paths = variablesRead(template).map(({ path }) => path.join('.'))
  expect(paths).toContain('name')
  expect(paths).toContain('user.name')
  expect(paths).not.toContain('who')
  expect(compile({ body: '{t} {{t}} {{name}}' }).isTranslated).toBe(false)
})
