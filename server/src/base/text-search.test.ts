/** The position is the one the engine finds, and no pair of texts is slow. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withinWork } from './processor-time.harness.ts'
import { positionOf } from './text-search.ts'

test('any text in any other is found where the engine finds it', () => {
  // Two letters, so that a needle has borders of every length; long enough for the search of our own.
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength })
  fc.assert(
    fc.property(letters(400), letters(40), fc.nat(20), (text, needle, times) => {
      const long = text.repeat(times + 1)
      for (const part of [needle, long.slice(-needle.length), long.slice(times, times + 300), long.slice(5) + needle])
        expect(positionOf(long, part)).toBe(long.indexOf(part))
    }),
  )
})

test.each([
  ['in the middle', `${'a'.repeat(100_000)}b${'a'.repeat(100_000)}`],
  ['at the front', `ab${'a'.repeat(40_000)}`],
  ['at the end', `${'a'.repeat(150_000)}b`],
  ['in turn', `${'ab'.repeat(50_000)}b`],
])('a needle that differs %s is looked for in time that grows with the text', async (_where, needle) => {
  const text = 'a'.repeat(300_000)
  expect(positionOf(text, needle)).toBe(-1)
  await withinWork(50, () => positionOf(text, needle))
})
