/** POST /explain: what a send would do now. */
import { type ResourceHandlers, success } from '../call.ts'
import { ignoredExpiry, ignoredIn } from '../ignored.ts'
import { inputOf } from './send.ts'

export const explain = {
  'explain.explain': async ({ body }, call) => {
    const { workspaceId, mode } = call.caller
    const { input, notBefore } = inputOf(body, call)
    const { explanation } = await call.house.pipeline.explain(workspaceId, mode, input, { notBefore })
    const warnings = [...ignoredIn(body), ...ignoredExpiry(call), ...(explanation.warnings ?? [])]
    return success('explain.explain', { ...explanation, ...(warnings.length > 0 && { warnings }) })
  },
} satisfies ResourceHandlers<'explain'>
