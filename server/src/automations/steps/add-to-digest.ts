/** add-to-digest: keeps the data of the run for the next digest of a topic. */
import { ownRecipient } from '../run-context.ts'
import { StepFailed, type StepKind } from '../step.ts'

export const addToDigest: StepKind<'add-to-digest'> = {
  places: { names: ['subscription_topic_id'] },
  async act({ subscription_topic_id: topicId }, { run, state, world, id }) {
    // The public samples of digests name the user in the data.
    const recipient = run.context.recipient ?? ownRecipient(state.data)
    if (recipient === undefined)
      throw new StepFailed('A digest needs a recipient: the run has none, and its data no `user_id`')
    const refusal = await world.digestRefusal(run.workspaceId, topicId, state.data)
    if (refusal !== undefined) throw new StepFailed(refusal)
    const unwanted = await world.digestUnwanted({ workspaceId: run.workspaceId, topicId, recipient })
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
