/** `get-profile`: reads a stored profile. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { mergeStrategy, recipient, word } from '../api/step-fields.ts'
import { id } from '../api/values.ts'

export default automationStep({
  position: 70,
  fields: Type.Object(
    {
      user_id: recipient('User whose profile is read.'),
      path: Type.Optional(word('Path in `data` for the profile: `profile`, `people.owner`. Default: the top level.')),
      merge_strategy: Type.Optional(mergeStrategy('`overwrite`')),
      tenant_id: Type.Optional(id('Tenant in which the profile is read.')),
    },
    { description: 'Copies a stored profile into the data of the run.' },
  ),
  example: { user_id: 'user-7', path: 'owner' },
  summary: ({ result }) => `read the profile of ${result.user_id}${result.found ? '' : ', which is not there'}`,
})
