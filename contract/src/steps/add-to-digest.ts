/** `add-to-digest`: adds data to the digest of a topic. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { id } from '../api/values.ts'

export default automationStep({
  position: 100,
  fields: Type.Object(
    {
      subscription_topic_id: id('Topic of the digest.'),
    },
    { description: 'Adds the data of the run to the digest of its recipient.' },
  ),
  example: { subscription_topic_id: 'comments' },
  summary: ({ result }) => `keep the data for the digest of ${result.subscription_topic_id}`,
})
