/** `send`: one message. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { recipient, sendFields } from '../api/step-fields.ts'
import { id, jsonObject } from '../api/values.ts'

export default automationStep({
  position: 10,
  fields: Type.Object(
    {
      recipient: Type.Optional(recipient('Recipient. Default: the recipient of the run.')),
      template: Type.Optional(id('Notification or mapped event. Default: the template of the run.')),
      profile: Type.Optional(jsonObject('Merged over the profile of the run.')),
      message: Type.Optional(
        jsonObject('Message of the second generation; missing fields come from the step, else from the run.'),
      ),
      ...sendFields,
    },
    { description: 'Sends a message to one recipient. With `message`, the step can send to many recipients.' },
  ),
  example: { template: 'welcome' },
  summary: () => 'send nothing',
})
