/** POST /explain: what a send would do now. */
import { type ResourceHandlers, success } from '../call.ts'
import { sendInput } from './send.ts'

export const explain = {
  'explain.explain': async ({ body }, { house, caller }) =>
    success('explain.explain', await house.pipeline.explain(caller.workspaceId, caller.mode, sendInput(body))),
} satisfies ResourceHandlers<'explain'>
