/** The nodes divide a limit among them: never more than it, and none of it is left. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concurrencyOf, nodesOf } from './gate.ts'

test('a node finds its place among the others, and counts itself when its own number is not there yet', () => {
  expect(nodesOf([3, 5, 9], 5)).toEqual({ count: 3, position: 1 })
  expect(nodesOf([3, 9], 5)).toEqual({ count: 3, position: 2 })
  expect(nodesOf([], 5)).toEqual({ count: 1, position: 0 })
})

test('the parts of all nodes are the limit', () => {
  fc.assert(
    fc.property(fc.nat({ max: 500 }), fc.integer({ min: 1, max: 20 }), fc.string(), (total, count, id) => {
      const parts = Array.from({ length: count }, (_, position) => concurrencyOf(total, { count, position }, id))
      expect(parts.reduce((sum, part) => sum + part)).toBe(total)
      expect(Math.max(...parts) - Math.min(...parts)).toBeLessThanOrEqual(1)
    }),
  )
})
