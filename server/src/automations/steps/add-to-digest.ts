/** add-to-digest: adds the data of the run to the next digest of a topic. */
import type { JsonObject } from '../../base/json/json.ts'
import { digestEventAdd } from '../../digests/events.ts'
import { ownRecipient } from '../run.ts'
import { type StepBehavior, StepFailed } from '../step.ts'

interface AddedEvent {
  id: string
  topicId: string
  recipient: string
  data: JsonObject
}

export default {
  fieldKinds: { names: ['subscription_topic_id'] },
  async run({ subscription_topic_id: topicId }, { run, state, store, id }) {
    // The public samples of digests name the user in the data.
    const recipient = run.context.recipient ?? ownRecipient(state.data)
    if (recipient === undefined)
      throw new StepFailed('A digest needs a recipient: the run has none, and its data no `user_id`')
    const problem = await store.digestProblem(run.workspaceId, topicId, state.data)
    if (problem !== undefined) throw new StepFailed(problem)
    const unwanted = await store.digestOptOut({ workspaceId: run.workspaceId, topicId, recipient })
    if (unwanted !== undefined)
      return { kind: 'next', skipped: unwanted, result: { subscription_topic_id: topicId, collected: false } }
    const messageId = id('digest')
    return {
      kind: 'next',
      effects: { ofStep: { id: messageId, topicId, recipient, data: state.data } },
      ref: { messageId },
      result: { subscription_topic_id: topicId },
      messageIds: [messageId],
    }
  },
  effect: {
    async durable(event, { engine, run: { id: runId, workspaceId, mode }, now }) {
      const statements = await digestEventAdd(engine, { ...event, workspaceId, mode, runId }, now)
      return statements.map((statement) => ({ statement, otherwise: 'done' as const }))
    },
    inMemory: ({ topicId, recipient, data: added }, data) => data.addDigestEvent(topicId, recipient, added),
  },
} satisfies StepBehavior<'add-to-digest', AddedEvent>
