/** `delay`: a pause of a run. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'

export default automationStep({
  position: 30,
  waits: true,
  fields: Type.Object(
    {
      duration: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description:
            'An integer and a unit (`2 days`), or an ISO 8601 duration. Months and years are calendar units, in UTC.',
        }),
      ),
      until: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description: 'An ISO 8601 time, such as `20240408T080910.123`, or opening hours: `Mo-Fr 08:00-18:00`.',
        }),
      ),
      timezone: Type.Optional(
        Type.String({
          maxLength: 64,
          description: 'Time zone of `until`. Default: `zoneinfo` or `timezone` of the profile, else UTC.',
        }),
      ),
    },
    {
      description:
        'Waits for a `duration`, or `until` a time. If both are set, `until` takes precedence. If the time is in the past, or neither is set, the step does not wait.',
    },
  ),
  example: { duration: '2 days' },
  summary: ({ result, waitedMs }, { duration, time }) =>
    waitedMs > 0 ? `wait ${duration(waitedMs)} until ${time(result.until)}` : 'no wait: the time is in the past',
})
