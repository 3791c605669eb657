/** `send-list`: a message to every subscriber of a list. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { mergeStrategy, StepWebhook, sendFields } from '../api/step-fields.ts'
import { id } from '../api/values.ts'

export default automationStep({
  position: 20,
  fields: Type.Object(
    {
      list: id('The list id.'),
      template: Type.Optional(id('Notification or mapped event. Default: the template of the run.')),
      data_source: Type.Optional(
        Type.Object(
          { webhook: StepWebhook, merge_strategy: Type.Optional(mergeStrategy('`overwrite`')) },
          {
            title: 'DataSource',
            description: 'Source of the data of each subscriber; the request has `recipientId` in its query.',
          },
        ),
      ),
      ...sendFields,
    },
    { description: 'Sends to all subscribers of a list. With a data source, it starts a run for each subscriber.' },
  ),
  example: { list: 'news.product.eu', template: 'weekly-digest' },
  summary: ({ result }, { count }) =>
    result.runs === undefined ? 'send nothing' : `start ${count(result.runs, 'run')}, one for each subscriber`,
})
