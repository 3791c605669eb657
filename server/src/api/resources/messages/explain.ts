/** POST /explain: what a send would do now. */
import { invalidField } from '../../../base/errors.ts'
import { textsOf } from '../../../base/finding.ts'
import { didYouMean, nearestName, quoted } from '../../../base/quote.ts'
import { listIntegrations } from '../../../database/tables/workspace/integrations.ts'
import { sendMistakes } from '../../../messages/accept/send-mistakes.ts'
import { type CallContext, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { expiryWarnings, nearestSendable } from '../../strict-sends.ts'
import { inputOf } from './send.ts'

export const explain = {
  'explain.explain': async ({ body, query: { unavailable: named } }, ctx) => {
    const { workspaceId, mode } = ctx.caller
    const { input, notBefore } = inputOf(body, ctx)
    const unavailable = named && (await integrationsNamed(named, ctx))
    const options = { notBefore, foreseesCalls: true, ...(unavailable && { unavailable }) }
    const { explanation } = await ctx.app.pipeline.explain(workspaceId, mode, input, options)
    const unknown = explanation.steps.find(({ code }) => code === 'template_unknown' || code === 'event_unknown')
    const near = unknown && (await nearestSendable(input.event, ctx))
    const warnings = [
      ...textsOf(sendMistakes(body, ctx.now)),
      ...expiryWarnings(ctx),
      ...(near === undefined ? [] : [`${unknown?.summary}${didYouMean(near)}`]),
      ...(explanation.warnings ?? []),
    ]
    return success('explain.explain', { ...explanation, ...(warnings.length > 0 && { warnings }) })
  },
} satisfies ResourceHandlers<'explain'>

/** A workspace has a handful. */
const INTEGRATIONS_MAX = 1_000

/** The ids of the integrations of these ids, aliases and providers. */
export async function integrationsNamed(
  names: readonly string[],
  { app, caller }: CallContext,
): Promise<ReadonlySet<string>> {
  const { rows } = await listIntegrations(app.database, caller.workspaceId, undefined, INTEGRATIONS_MAX)
  return new Set(
    names.flatMap((name, at) => {
      const matches = rows.filter(({ id, alias, provider }) => id === name || alias === name || provider === name)
      const near = nearestName(name, [...new Set(rows.map(({ provider }) => provider))])
      if (matches.length === 0)
        throw invalidField(
          `unavailable.${at}`,
          `must be the id, the alias or the provider of an integration: ${quoted(name)} is not.${didYouMean(near)}`,
        )
      return matches.map(({ id }) => id)
    }),
  )
}
