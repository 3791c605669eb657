/** JSON Patch does what RFC 6902 says, and nothing beyond. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { PatchInvalid, patchJson } from './json-patch.ts'

const bounds = { operationsMax: 100, bytesMax: 256_000, depthMax: 32 }

interface Case {
  comment?: string
  doc: unknown
  patch: { op?: string; path?: string }[]
  expected?: unknown
  error?: string
  disabled?: boolean
}

const require = createRequire(import.meta.url)
const cases = ['tests.json', 'spec_tests.json']
  .flatMap((file): Case[] => JSON.parse(readFileSync(require.resolve(`json-patch-test-suite/${file}`), 'utf8')))
  .filter(({ disabled, doc }) => !disabled && doc !== undefined)

describe('the public suite', () => {
  test('is whole', () => expect(cases).toHaveLength(91))
  test.each(cases.map((each, index) => [`${index} ${each.comment ?? each.error ?? ''}`, each] as const))(
    '%s',
    (_title, { doc, patch, expected, error }) => {
      const before = JSON.stringify(doc)
      if (error === undefined) {
        const result = patchJson(doc, patch, bounds)
        if (expected !== undefined) expect(result).toEqual(expected)
      } else expect(() => patchJson(doc, patch, bounds)).toThrow(PatchInvalid)
      expect(JSON.stringify(doc)).toBe(before)
    },
  )
})

/** Cases of the suite's repository beyond the published package (91 and these 17 are its 108 enabled cases). */
describe('the rules of the suite that its package lacks', () => {
  const nested = { box: { lid: { hinges: [{ metal: 'brass' }] } } }
  test.each([
    ['an array takes the place of a whole object', {}, [{ op: 'add', path: '', value: [] }], []],
    ['an object takes the place of a whole array', [], [{ op: 'add', path: '', value: {} }], {}],
    ['the end of the root array', [], [{ op: 'add', path: '/-', value: 'first' }], ['first']],
    ['keys differ by case', { red: 1 }, [{ op: 'add', path: '/RED', value: 2 }], { red: 1, RED: 2 }],
    [
      'a copy is no alias of its source',
      nested,
      [
        { op: 'copy', from: '/box', path: '/spare' },
        { op: 'replace', path: '/spare/lid/hinges/0/metal', value: 'iron' },
      ],
      { ...nested, spare: { lid: { hinges: [{ metal: 'iron' }] } } },
    ],
    [
      'a source is no alias of its copy',
      nested,
      [
        { op: 'copy', from: '/box', path: '/spare' },
        { op: 'replace', path: '/box/lid/hinges/0/metal', value: 'iron' },
      ],
      { box: { lid: { hinges: [{ metal: 'iron' }] } }, spare: nested.box },
    ],
  ])('%s', (_title, doc, patch, expected) => {
    expect(patchJson(doc, patch, bounds)).toEqual(expected)
  })

  test.each([
    ['replace below a missing key', { a: 1 }, { op: 'replace', path: '/b/c', value: false }],
    ['no path', {}, { op: 'add', value: 1 }],
    ['null as path', {}, { op: 'add', path: null, value: 1 }],
    ['a path without a slash', {}, { op: 'add', path: 'a', value: 1 }],
    ['copy from nowhere', { a: 1 }, { op: 'copy', from: '/b', path: '/a' }],
    ['move from nowhere', { a: 1 }, { op: 'move', from: '/b', path: '/a' }],
    ['an index of two zeros', ['x', 'y'], { op: 'test', path: '/00', value: 'x' }],
    ['an index that begins with zero', ['x', 'y'], { op: 'test', path: '/01', value: 'y' }],
    ['remove a missing key', { a: 1 }, { op: 'remove', path: '/b' }],
    ['remove below a missing key', { a: 1 }, { op: 'remove', path: '/b/c' }],
    ['remove beyond the end', ['x', 'y'], { op: 'remove', path: '/2' }],
  ])('refused: %s', (_title, doc, operation) => {
    expect(() => patchJson(doc, [operation], bounds)).toThrow(PatchInvalid)
  })
})

test.each(['/__proto__/x', '/constructor/prototype/x', '/a/__proto__', '/toString/x', '/name/length'])(
  'inherited members are out of reach: %s',
  (path) => {
    const doc = { a: {}, name: 'Ada' }
    for (const op of ['add', 'replace'])
      expect(() => patchJson(doc, [{ op, path, value: 1 }], bounds)).toThrow(PatchInvalid)
    expect(({} as { x?: unknown }).x).toBeUndefined()
    expect((Object.prototype.toString as unknown as { x?: unknown }).x).toBeUndefined()
  },
)

test('a key named like an inherited one is missing until it is added', () => {
  expect(() => patchJson({}, [{ op: 'remove', path: '/toString' }], bounds)).toThrow(/patch\.0: path leads nowhere/)
  expect(patchJson({}, [{ op: 'add', path: '/toString', value: 1 }], bounds)).toEqual({ toString: 1 })
})

test.each(['/a~2', '/a~', '/~/a'])('a ~ that escapes nothing is refused: %s', (path) => {
  expect(() => patchJson({}, [{ op: 'add', path, value: 1 }], bounds)).toThrow(/path must not contain a ~/)
  expect(() => patchJson({ a: 1 }, [{ op: 'copy', from: path, path: '/b' }], bounds)).toThrow(/from must not contain/)
})

test('a copy that doubles the document is refused before it has grown far', () => {
  const doubling = Array.from({ length: 40 }, (_, index) => ({ op: 'copy', from: '', path: `/k${index}` }))
  expect(() => patchJson({ text: 'x'.repeat(1_000) }, doubling, bounds)).toThrow(/more than 256000 bytes/)
})

test('depth is bounded after each operation', () => {
  const deeper = Array.from({ length: 40 }, (_, index) => ({ op: 'add', path: '/a'.repeat(index + 1), value: {} }))
  expect(() => patchJson({}, deeper, bounds)).toThrow(/patch\.31.*nested too deeply/)
})

test('a hundred and one operations are refused', () => {
  const many = Array.from({ length: 101 }, () => ({ op: 'add', path: '/a', value: 1 }))
  expect(() => patchJson({}, many, bounds)).toThrow(/more than 100 operations/)
})

test('an error repeats no value of the document', () => {
  const attempt = () => patchJson({ token: 'hunter2' }, [{ op: 'test', path: '/token', value: 'guess' }], bounds)
  expect(attempt).toThrow('patch.0: the test failed')
})

test('lists and objects are compared as wholes, whatever their lengths', () => {
  const long = Array.from({ length: 10_000 }, (_, n) => n)
  const passes = (value: unknown) => () =>
    patchJson({ list: long, map: { a: 0, b: [1] } }, [{ op: 'test', path: '/list', value }], bounds)
  expect(passes([...long])).not.toThrow()
  expect(passes(long.map((n) => n + 1))).toThrow('patch.0: the test failed')
  expect(passes(long.slice(1))).toThrow('patch.0: the test failed')
  const map = (value: unknown) => () => patchJson({ a: 0, b: [1] }, [{ op: 'test', path: '', value }], bounds)
  expect(map({ b: [1], a: -0 })).not.toThrow()
  expect(map({ b: [1], a: 0, c: null })).toThrow('patch.0: the test failed')
})
