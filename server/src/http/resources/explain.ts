/** POST /explain: what a send would do now. */
import { type ResourceHandlers, success } from '../call.ts'
import { notBeforeOf, sendInput } from './send.ts'

export const explain = {
  'explain.explain': async ({ body }, { house, caller, now }) => {
    const { workspaceId, mode } = caller
    const notBefore = body.delay ? notBeforeOf(body.delay, now) : undefined
    return success('explain.explain', await house.pipeline.explain(workspaceId, mode, sendInput(body), notBefore))
  },
} satisfies ResourceHandlers<'explain'>
