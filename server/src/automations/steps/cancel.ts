/** cancel: ends every other run in progress that holds the token. */
import { tokenCancellation, tokenLock } from '../../database/tables/automations/runs.ts'
import type { StepBehavior } from '../step.ts'

export default {
  fieldKinds: { names: ['cancelation_token'] },
  run: ({ cancelation_token: token }) => ({
    kind: 'next',
    effects: { ofStep: token },
    result: { cancelation_token: token },
  }),
  effect: {
    durable(token, { run: { id: runId, workspaceId, mode }, position, now }) {
      const cancellation = tokenCancellation({ workspaceId, mode, token }, { runId, position }, now)
      return [
        { statement: tokenLock(workspaceId, mode, token, runId), otherwise: 'done', isFirst: true },
        { statement: cancellation, otherwise: 'done' },
      ]
    },
    inMemory: (token, data) => data.cancelRuns(token),
  },
} satisfies StepBehavior<'cancel', string>
