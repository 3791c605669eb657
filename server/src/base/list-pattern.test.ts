/** List ids, patterns, and the ids that a pattern matches. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CallerError } from './errors.ts'
import { checkListId, parseListPattern } from './list-pattern.ts'

const stages = ['pokemon.grass.gen1', 'pokemon.fire.gen1', 'pokemon.fire.gen2', 'pokemon.fire.gen1.evolution1']
const ids = ['pokemon', 'digimon', 'digimon.fire.gen1', 'pokemonx.fire', ...stages]

/** As the database queries: the prefix bounds the range, the expression chooses in it. */
function matches(pattern: string, id: string): boolean {
  const { wild, prefix, expression } = parseListPattern(pattern)
  return wild ? id.startsWith(prefix) && new RegExp(expression).test(id) : id === prefix
}

describe('a pattern matches', () => {
  test.each([
    ['pokemon.*.gen1', ['pokemon.grass.gen1', 'pokemon.fire.gen1']],
    ['pokemon.fire.**', ['pokemon.fire.gen1', 'pokemon.fire.gen2', 'pokemon.fire.gen1.evolution1']],
    ['pokemon.**', stages],
    ['pokemon.fire.*', ['pokemon.fire.gen1', 'pokemon.fire.gen2']],
    ['*', ['pokemon', 'digimon']],
    ['*.fire.gen1', ['digimon.fire.gen1', 'pokemon.fire.gen1']],
    ['*.fire.**', ['digimon.fire.gen1', 'pokemon.fire.gen1', 'pokemon.fire.gen2', 'pokemon.fire.gen1.evolution1']],
    ['*.*.*.*', ['pokemon.fire.gen1.evolution1']],
    ['pokemon', ['pokemon']],
    ['pokemon.fire.gen1', ['pokemon.fire.gen1']],
    ['pokemon.fire', []],
  ])('%s', (pattern, expected) => {
    expect(ids.filter((id) => matches(pattern, id))).toEqual(ids.filter((id) => expected.includes(id)))
  })
})

test.each([
  ['**'],
  ['**.gen1'],
  ['a.**.b'],
  ['*.**'],
  ['a.*.**'],
  ['**.**'],
  ['***'],
  ['a.***'],
  ['poke*'],
  ['poke**'],
  ['pokemon.fire.g*'],
  ['a.*b'],
  ['.a'],
  ['a.'],
  ['a.*.'],
  ['..a.*'],
  ['a..*'],
  [''],
  ['a b.*'],
  ['a. .b'],
  ['a.*\n'],
  ['a#.*'],
  ['a.b.c.d.e'],
  ['a.b.c.d.**'],
])('%j is no pattern', (text) => {
  expect(() => parseListPattern(text)).toThrow(CallerError)
})

test.each([['a'], ['a.b.c.d'], ['ExampleListId'], ['team-1.eu_west.ümläut@x/y'], ['($^)'], ['😀.1']])(
  '%j is a list id',
  (id) => {
    expect(() => checkListId(id)).not.toThrow()
    expect(matches(id, id)).toBe(true)
  },
)

test.each([
  [''],
  ['.'],
  ['.a'],
  ['a.'],
  ['a..b'],
  ['a.b.c.d.e'],
  ['a.*'],
  ['*'],
  ['a*'],
  ['a#'],
  ['a b'],
  ['a\tb'],
  ['a b'],
])('%j is no list id', (id) => {
  expect(() => checkListId(id)).toThrow(CallerError)
})

test('special characters of an id have no meaning in a pattern', () => {
  expect(matches('a+(b).*', 'a+(b).c')).toBe(true)
  expect(matches('a+(b).*', 'aab.c')).toBe(false)
  expect(matches('*.x|y', 'a.x')).toBe(false)
  expect(matches('*.[a]', 'b.a')).toBe(false)
})

test('a pattern made of an id matches it, part by part', () => {
  const part = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }).filter((text) => !/[\s.#*]/.test(text))
  fc.assert(
    fc.property(fc.array(part, { minLength: 2, maxLength: 4 }), fc.nat(3), (parts, place) => {
      const id = parts.join('.')
      const starred = parts.with(place % parts.length, '*').join('.')
      expect(matches(starred, id)).toBe(true)
      expect(matches(starred, `${id}.more`)).toBe(false)
      expect(matches(`${parts[0]}.**`, id)).toBe(true)
    }),
  )
})
