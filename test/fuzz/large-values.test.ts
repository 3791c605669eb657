/** No helper, method or operator does work on a large value that the budget of the message is not charged for. */
import { budgetOf } from '@postrider/server/internal/base/budget'
import { processorTime } from '@postrider/server/internal/base/processor-time'
import { expect, test } from 'vitest'
import { CHARACTERS_MAX, evaluatorCases, runsOf } from './large-values.ts'
import { slowdown } from './time.ts'

/** A tenth of a budget takes some 10 ms; work that is not charged is repeated for each item of a list. */
const SHARE = 0.1
const MS_MAX = 60

const text = 'x'.repeat(CHARACTERS_MAX)

test.each(evaluatorCases.map((one) => [one.name, one] as const))(
  '%s is charged for its work',
  (_name, evaluator) => {
    const slow = runsOf(evaluator, text).flatMap(({ name, act }) => {
      const ms = processorTime(() => act(budgetOf(SHARE)), MS_MAX)
      return ms > MS_MAX && ms > MS_MAX * slowdown() ? [`${Math.round(ms)} ms for ${name}`] : []
    })
    expect(slow).toEqual([])
  },
  120_000,
)
