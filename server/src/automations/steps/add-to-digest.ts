/** add-to-digest: keeps the data of the run for the next digest of a topic. */
import { ownRecipient } from '../run-context.ts'
import { type StepBehavior, StepFailed } from '../step.ts'

export const addToDigest: StepBehavior<'add-to-digest'> = {
  fieldKinds: { names: ['subscription_topic_id'] },
  async act({ subscription_topic_id: topicId }, { run, state, store, id }) {
    // The public samples of digests name the user in the data.
    const recipient = run.context.recipient ?? ownRecipient(state.data)
    if (recipient === undefined)
      throw new StepFailed('A digest needs a recipient: the run has none, and its data no `user_id`')
    const refusal = await store.digestRefusal(run.workspaceId, topicId, state.data)
    if (refusal !== undefined) throw new StepFailed(refusal)
    const unwanted = await store.digestUnwanted({ workspaceId: run.workspaceId, topicId, recipient })
    if (unwanted !== undefined)
      return { kind: 'next', skipped: unwanted, result: { subscription_topic_id: topicId, collected: false } }
    const messageId = id('digest')
    return {
      kind: 'next',
      effects: { digest: { id: messageId, topicId, recipient, data: state.data } },
      ref: { messageId },
      result: { subscription_topic_id: topicId },
      messageIds: [messageId],
    }
  },
}
