/** update-list: subscribes a recipient to a list or unsubscribes it; the same again changes nothing. */
import { checkListId } from '../../base/list-pattern.ts'
import { addSubscriptions, subscriptionDelete } from '../../database/tables/lists/lists.ts'
import { type StepBehavior, StepFailed } from '../step.ts'
import { changesNothing } from './shared/changes-nothing.ts'

interface SubscriptionChange {
  list: string
  recipient: string
  isSubscribed: boolean
}

export default {
  fieldKinds: { names: ['list', 'recipient_id'] },
  check({ list }) {
    if (list !== undefined) checkListId(list, 'list_id')
  },
  run({ list, operation, recipient_id }, { run }) {
    if (run.mode !== 'live') return changesNothing(run, 'list')
    const recipient = recipient_id ?? run.context.recipient
    if (recipient === undefined) throw new StepFailed('Neither the step nor the run has a recipient')
    return {
      kind: 'next',
      effects: { ofStep: { list, recipient: String(recipient), isSubscribed: operation === 'subscribe' } },
      result: { list, operation, recipient_id: String(recipient) },
    }
  },
  effect: {
    durable({ list, recipient, isSubscribed }, { run: { workspaceId }, now }) {
      const subscription = { listId: list, recipient, preferences: null }
      const statements = isSubscribed
        ? addSubscriptions(workspaceId, [list], [subscription], now)
        : [subscriptionDelete(workspaceId, list, recipient)]
      return statements.map((statement) => ({ statement, otherwise: 'done' }))
    },
    inMemory: ({ list, recipient, isSubscribed }, data) => data.setSubscription(list, recipient, isSubscribed),
  },
} satisfies StepBehavior<'update-list', SubscriptionChange>
