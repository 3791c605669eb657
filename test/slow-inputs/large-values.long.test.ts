/** No helper, method or operator does work on a large value that the budget of the message is not charged for. */

import { budgetOf } from '@postrider/server/internal/base/budget'
import { processorTime, slowdown } from '@postrider/server/internal/base/processor-time.harness'
import { expect, test } from 'vitest'
import { CHARACTERS_MAX, evaluatorCases, runsOf } from './large-values.ts'

/** A tenth of a budget takes some 10 ms; work that is not charged is repeated for each item of a list. */
const SHARE = 0.1
const MS_MAX = 60

const text = 'x'.repeat(CHARACTERS_MAX)

/** Enough to find the cause; each takes seconds. */
const REPORTED_MAX = 3

test.each(evaluatorCases.map((evaluator) => [evaluator.name, evaluator] as const))(
  '%s is charged for its work',
  { timeout: 120_000 },
  async (_name, evaluator) => {
    const slow: string[] = []
    for (const { name, act } of runsOf(evaluator, text)) {
      const ms = await processorTimeOf(() => act(budgetOf(SHARE)))
      if (ms > MS_MAX) slow.push(`${Math.round(ms)} ms for ${name}`)
      if (slow.length >= REPORTED_MAX) break
    }
    expect(slow).toEqual([])
  },
)

/** Repeated only where another try could be fast enough. */
async function processorTimeOf(act: () => void): Promise<number> {
  const first = await processorTime(act, Number.POSITIVE_INFINITY)
  if (first <= MS_MAX) return first
  return first > 8 * MS_MAX ? first / slowdown() : processorTime(act, MS_MAX)
}
