/** POST /explain: what a send would do now. */
import { type ResourceHandlers, success } from '../call.ts'
import { expiryWarnings, sendWarnings } from '../send-warnings.ts'
import { inputOf } from './send.ts'

export const explain = {
  'explain.explain': async ({ body }, call) => {
    const { workspaceId, mode } = call.caller
    const { input, notBefore } = inputOf(body, call)
    const { explanation } = await call.house.pipeline.explain(workspaceId, mode, input, { notBefore })
    const warnings = [...sendWarnings(body), ...expiryWarnings(call), ...(explanation.warnings ?? [])]
    return success('explain.explain', { ...explanation, ...(warnings.length > 0 && { warnings }) })
  },
} satisfies ResourceHandlers<'explain'>
