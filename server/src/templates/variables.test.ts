/** Promises of variables: what is one, where it is looked up, and that only own keys are found. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lookUp, split, type Variable } from './variables.ts'

const shown = (text: string) => split(text).map((part) => (typeof part === 'string' ? part : part.path.join('/')))

test.each([
  ['Hello {name}', ['Hello ', 'name']],
  ['{{name}}!', ['name', '!']],
  ['{{{name}}}', ['name']],
  ['{ profile.email }', ['profile/email']],
  ['{$.data.items[0].name}', ['data/items/0/name']],
  ['{a["first name"].b}', ['a/first name/b']],
  ['{@}', ['']],
  ['{@.x}', ['x']],
  ['p {color: red}', ['p {color: red}']],
  ['{"a": 1}', ['{"a": 1}']],
  ['{not-a-name}', ['{not-a-name}']],
  ['{{#if x}}', ['{{#if x}}']],
  ['{open', ['{open']],
  ['{}', ['{}']],
  ['\\{name}', ['{name}']],
  ['{{name}', ['{', 'name']],
])('%s is read as %j', (text, parts) => expect(shown(text)).toEqual(parts))

const variableOf = (text: string) => split(text)[0] as Variable
const scope = {
  data: { name: 'data', event: 'in data', own: { deep: 1 } },
  roots: { profile: { email: 'e' }, event: 'root', data: { name: 'data' } },
  frame: { item: { name: 'item', price: 2 }, index: 3 },
}

test.each([
  ['{name}', 'item'],
  ['{event}', 'in data'],
  ['{$.event}', 'root'],
  ['{$.item.price}', 2],
  ['{$.index}', 3],
  ['{@.price}', 2],
  ['{$.own.deep}', 1],
  ['{profile.email}', 'e'],
  ['{$.data.name}', 'data'],
  ['{own.deep.deeper}', undefined],
  ['{constructor.name}', undefined],
  ['{own.__proto__}', undefined],
  ['{name.length}', 4],
  ['{name.at}', undefined],
])('%s finds %j', (text, value) => expect(lookUp(variableOf(text), scope)).toEqual(value))

test('the parts of any text join to the text', () => {
  const braces = fc.array(fc.constantFrom('{', '}', '{{', '}}', 'a', '.', ' ', '$', '@', '[0]', '\n'), {
    maxLength: 30,
  })
  fc.assert(
    fc.property(braces, (pieces) => {
      const text = pieces.join('')
      const whole = split(text).map((part) => (typeof part === 'string' ? part : part.source))
      expect(whole.join('')).toBe(text)
    }),
  )
})
