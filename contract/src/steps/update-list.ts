/** `update-list`: subscribes a recipient to a list or unsubscribes it. */
import { Type } from 'typebox'
import { automationStep } from '../api/step.ts'
import { recipient } from '../api/step-fields.ts'
import { listId } from '../resources/recipients/lists.ts'

export default automationStep({
  position: 75,
  fields: Type.Object(
    {
      list: listId('The list id.'),
      operation: Type.Enum(['subscribe', 'unsubscribe'], {
        description:
          '`subscribe`: the list is created if necessary, and preferences of an existing subscription are unchanged. `unsubscribe`: without effect if the recipient is not subscribed.',
      }),
      recipient_id: Type.Optional(recipient('User to subscribe or unsubscribe. Default: the recipient of the run.')),
    },
    { description: 'Subscribes a recipient to a list, or unsubscribes it.' },
  ),
  example: { list: 'news.product.eu', operation: 'subscribe' },
  summary: ({ result: { operation, recipient_id: user, list } }) =>
    operation === 'subscribe' ? `subscribe ${user} to the list ${list}` : `unsubscribe ${user} from the list ${list}`,
})
