/** Promises of the expression subset: what works, what is refused, and that nothing else can happen. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '../any-text.harness.ts'
import { isLong } from '../long.harness.ts'
import { withinWork } from '../processor-time.harness.ts'
import { compileExpression, ExpressionFailed, ExpressionInvalid, evaluate } from './expression.ts'

const names = {
  data: { total: 12, items: [{ name: 'Mouse' }, { name: 'Keyboard' }], tier: 'Gold', empty: '', none: null },
  profile: { email: 'jane@example.com', tags: ['a', 'b'] },
  $: { index: 1, item: { price: '$10' } },
}
const run = (source: string) => evaluate(compileExpression(source), [names])

test.each([
  ['data.total > 10 && profile.email.endsWith("@example.com")', true],
  ['data.total === 12 ? "dozen" : "other"', 'dozen'],
  ['data.missing.deeper.still', undefined],
  ['data?.missing?.includes("x")', undefined],
  ['(data.none ?? "x") + `-${data.tier.toLowerCase()}`', 'x-gold'],
  ['data.items[1].name', 'Keyboard'],
  ['data["items"].length', 2],
  ['$.item.price.slice(1) * 2', 20],
  ['!data.empty', true],
  ['typeof nowhere', 'undefined'],
  ['["Gold", "Silver"].includes(data.tier)', true],
  ['profile.tags.join("+")', 'a+b'],
  ['{ a: data.total, "b": [1, 2] }', { a: 12, b: [1, 2] }],
  ['-data.total % 5', -2],
  ['"2" == 2', true],
  ['"a" < "b"', true],
  ['(1 + 2) * 3', 9],
  ['data.tier[0]', 'G'],
  ['"x" + data.items[0]', 'x{"name":"Mouse"}'],
])('%s is %j', (source, value) => expect(run(source)).toEqual(value))

test.each([
  'data.items.map(x => x)',
  'fetch("http://x")',
  'data.total = 1',
  'new Date()',
  'this',
  '/a+/.test("a")',
  'function () {}',
  'import("fs")',
  'a, b',
  '"a" in data',
  'delete data.total',
  'data.items[0]()',
  'data["includes"]("x")',
  '({ __proto__: null })',
  '({ ...data })',
  '[...data.items]',
  'f`x`',
  'async () => 1',
  'await x',
  '1n',
  'a & b',
  'x++',
  'a) || (b',
  'a; b',
  '',
  '('.repeat(2_000),
  `${'('.repeat(300)}1${')'.repeat(300)}`,
  `"${'x'.repeat(5_000)}"`,
])('%.40s is refused when it is compiled', (source) => {
  expect(() => compileExpression(source)).toThrow(ExpressionInvalid)
})

test('a call of another method names those that there are', () => {
  expect(() => compileExpression("data.items.map('x')")).toThrow(
    'A call of `map` cannot be used in an expression (at 0); its methods are `includes`, `indexOf`, ',
  )
})

test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'prototype'])(
  'the inherited %s is nothing',
  (name) => {
    for (const on of ['data', 'data.tier', 'profile.tags', 'data.total', '"x"', '[]', '({})'])
      expect(run(`${on}.${name}`)).toBeUndefined()
    expect(run(name)).toBeUndefined()
    expect(run(`data["${name}"]`)).toBeUndefined()
  },
)

test('a text cannot grow beyond its bound, nor work beyond the budget', () => {
  const big = { s: 'x'.repeat(600_000), list: Array.from({ length: 9_000 }, () => 'y') }
  expect(() => evaluate(compileExpression('s + s'), [big])).toThrow(ExpressionFailed)
  expect(() => evaluate(compileExpression('list.join(s)'), [big])).toThrow(ExpressionFailed)
  expect(() => evaluate(compileExpression(Array(40).fill('s.includes("z")').join(' || ')), [big])).toThrow(
    ExpressionFailed,
  )
  expect(() => evaluate(compileExpression('1 + 1 + 1'), [], { steps: 3, characters: 0 })).toThrow(ExpressionFailed)
})

test('a search takes time that grows with the text, and a needle beyond any word is refused', async () => {
  const text = 'a'.repeat(300_000)
  const needle = `${'a'.repeat(4_000)}b${'a'.repeat(4_000)}`
  const search = compileExpression(Array(3).fill('s.includes(n)').join(' || '))
  await withinWork(200, () => evaluate(search, [{ s: text, n: needle }]))
  const many = compileExpression(Array(100).fill('s.indexOf(n)').join(' + '))
  expect(() => evaluate(many, [{ s: text, n: needle }])).toThrow(ExpressionFailed)
  expect(() => evaluate(compileExpression('s.includes(s)'), [{ s: text }])).toThrow('more than 10000 characters')
})

test.each(['==', '!==', '<=', '>'])('comparing texts with %s costs what it reads', (operator) => {
  const [left, right] = ['x'.repeat(600_000), `${'x'.repeat(599_999)}y`]
  const source = Array(50).fill(`left ${operator} right`).join(' && 0 || ')
  const compare = () => evaluate(compileExpression(source), [{ left, right }], { steps: 10_000, characters: 1_000_000 })
  expect(compare).toThrow(ExpressionFailed)
})

test('the names of the first record win, and what is spent is taken from the budget', () => {
  const budget = { steps: 100, characters: 100 }
  const scope = [{ a: 1 }, { a: 2, b: 'three' }]
  expect(evaluate(compileExpression('a + b.toUpperCase()'), scope, budget)).toBe('1THREE')
  expect(budget).toEqual({ steps: 100 - 4, characters: 100 - 5 - 6 })
})

const pieces = fc.constantFrom(
  ...['data', 'x', '.', '?.', '[', ']', '(', ')', '"a"', '1', '+', '-', '*', '&&', '??', '!', '? ', ':', ',', '{', '}'],
  ...[
    'constructor',
    '__proto__',
    'prototype',
    'includes',
    'join',
    'slice',
    'this',
    'new ',
    'typeof ',
    '`${',
    '}`',
    '=>',
  ],
)

test.each(['${data.a} === 1', 'data.a === ${data.b}', '  ${data.a}'])(
  'the error for %s says to leave out `${`',
  (source) => {
    expect(() => compileExpression(source)).toThrow('`${` has no place here: this is an expression already')
  },
)

test('any other syntax error is reported as such, also for a text with `${…}` in it', () => {
  expect(() => compileExpression('data.a === ')).toThrow('The expression cannot be read')
  expect(() => compileExpression('`${data.a}` 1')).toThrow('Unexpected text at 11')
})

test('any text either compiles or is ExpressionInvalid; any evaluation ends or is ExpressionFailed', () => {
  const values = fc.dictionary(fc.constantFrom('data', 'x', 'toString', 'valueOf', 'length'), fc.jsonValue())
  const source = fc.oneof(
    fc.array(pieces, { maxLength: 14 }).map((all) => all.join('')),
    anyText(),
  )
  fc.assert(
    fc.property(source, values, (text, data) => {
      let value: unknown
      try {
        value = evaluate(compileExpression(text), [{ ...data, data }])
      } catch (error) {
        if (!(error instanceof ExpressionInvalid || error instanceof ExpressionFailed)) throw error
        return
      }
      expect(typeof value).not.toBe('function')
      expect(typeof value).not.toBe('symbol')
      expect([Object.prototype, Array.prototype, String.prototype, Function.prototype]).not.toContain(value)
    }),
    // The project `long` runs more.
    { numRuns: isLong ? 10_000 : 1_000 },
  )
})

test('every member of a list of own and inherited keys answers only with own values', () => {
  const keys = fc.constantFrom('constructor', '__proto__', 'prototype', 'toString', 'length', 'own', '0')
  fc.assert(
    fc.property(fc.array(keys, { minLength: 1, maxLength: 6 }), (path) => {
      const expression = compileExpression(`root${path.map((key) => `["${key}"]`).join('')}`)
      const value = evaluate(expression, [{ root: { own: ['a', { own: 'deep' }] } }])
      expect(['undefined', 'string', 'number', 'object']).toContain(typeof value)
      if (path.some((key) => ['constructor', '__proto__', 'prototype', 'toString'].includes(key)))
        expect(value).toBeUndefined()
    }),
  )
})
