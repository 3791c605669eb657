/** POST /explain: what a send would do now. */
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { expiryWarnings, sendWarnings } from '../../strict-sends.ts'
import { inputOf } from './send.ts'

export const explain = {
  'explain.explain': async ({ body }, ctx) => {
    const { workspaceId, mode } = ctx.caller
    const { input, notBefore } = inputOf(body, ctx)
    const { explanation } = await ctx.app.pipeline.explain(workspaceId, mode, input, { notBefore })
    const warnings = [...sendWarnings(body), ...expiryWarnings(ctx), ...(explanation.warnings ?? [])]
    return success('explain.explain', { ...explanation, ...(warnings.length > 0 && { warnings }) })
  },
} satisfies ResourceHandlers<'explain'>
