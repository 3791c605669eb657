/** `throttle`: limits how many runs pass in a period. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { countingScope, period, word } from '../api/step-fields.ts'

/** A year, for yearly notices. */
export const throttlePeriodMsMax = 366 * 86_400_000

const { Optional } = Type

export default automationStep({
  position: 110,
  fields: Type.Object(
    {
      max_allowed: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: '^[1-9][0-9]{0,8}$' })], {
        description: 'Number of runs that pass in one period.',
      }),
      period: period(
        `Length of the period, at most ${throttlePeriodMsMax / 86_400_000} days; it begins with the first run that passes.`,
      ),
      scope: Optional(countingScope),
      throttle_key: Optional(word('Key by which runs are counted, for the scope `dynamic`.')),
      should_alert: Optional(Type.Boolean({ description: 'Stored in the result of the step; no alert is sent.' })),
      on_throttle: Optional(
        Type.Object(
          { $node_id: word('`ref` of a later step at which a throttled run continues instead of ending.') },
          { title: 'OnThrottle', description: 'Step at which a throttled run continues.' },
        ),
      ),
    },
    {
      description:
        'Lets a limited number of runs pass in a period. Other runs end with the status `THROTTLED`, or continue at the step that `on_throttle` names.',
    },
  ),
  example: { max_allowed: 3, period: '1 hour', scope: 'user' },
  summary: ({ result }) => `pass the throttle of ${result.max_allowed} in ${result.period}`,
})
