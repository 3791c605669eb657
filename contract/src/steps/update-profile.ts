/** `update-profile`: writes a stored profile. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { mergeStrategy, recipient } from '../api/step-fields.ts'
import { jsonObject } from '../api/values.ts'

export default automationStep({
  position: 60,
  fields: Type.Object(
    {
      recipient_id: recipient('User whose profile is written.'),
      profile: jsonObject('The new profile data.'),
      merge: Type.Optional(mergeStrategy('`replace`')),
    },
    { description: 'Writes a stored profile.' },
  ),
  example: { recipient_id: 'user-7', profile: { plan: 'pro' }, merge: 'overwrite' },
  summary: ({ result }) => `write the profile of ${result.recipient_id} (${result.merge})`,
})
