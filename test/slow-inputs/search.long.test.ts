/** Nothing that a caller can write blocks the process for long, however it is grown; `npm run fuzz` draws more. */
import { describe, expect, test } from 'vitest'
import { families } from './families.ts'
import { describeSlow, inputText, searchForTime } from './search.ts'

/** As in `npm run fuzz`: processor time, in that of a machine without other work. */
const CALL_MS_MAX = 250

/** Inputs of each family, after its words one by one. */
const DRAWS = 40

describe('no call takes longer than a quarter of a second', () => {
  test.each(families.map((family) => [family.name, family] as const))('%s', { timeout: 120_000 }, (_name, family) => {
    const [slowest] = searchForTime([family], { draws: DRAWS, seed: 1, msMax: CALL_MS_MAX })
    expect(slowest && slowest.ms > CALL_MS_MAX ? describeSlow(slowest) : '').toBe('')
  })
})

test.each(families.map((family) => [family.name, family] as const))(
  '%s: an example is not refused before it takes any time',
  (_name, { call, example }) => {
    expect(() => call(example)).not.toThrow()
  },
)

test('the search finds what grows with the square', () => {
  const quadratic = { name: 'pairs', words: ['a', 'b', 'c'], charactersMax: 30_000, example: '', call: pairs }
  const [slowest] = searchForTime([quadratic], { draws: 50, seed: 1, msMax: 50 })
  expect(slowest?.ms).toBeGreaterThan(50)
})

function pairs(text: string): void {
  let count = 0
  for (let a = 0; a < text.length; a += 1)
    if (text[a] === 'a') for (let b = 0; b < text.length; b += 1) if (text[b] === 'b') count += 1
  if (count < 0) throw new Error('never')
}

test('a shape fills the size', () => {
  expect(inputText(['<', 'ab', '|', 'c', '>'], 12)).toBe('<ababab|ccc>')
  expect(inputText(['', '', '', '', ''], 5)).toBe('')
})
