/** `invoke`: starts a run of an automation template. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { id } from '../api/values.ts'
import { RunContext } from '../shapes/run-context.ts'

export default automationStep({
  position: 80,
  fields: Type.Object(
    {
      template: id('Id or alias of an automation template.'),
      context: Type.Optional(RunContext),
    },
    {
      description:
        'Starts a run of an automation template and does not wait for it. `context` is merged over the context of this run.',
    },
  ),
  example: { template: 'onboarding', context: { data: { plan: 'pro' } } },
  summary: ({ result }, { run }) => `start ${run(String(result.runId))}`,
})
