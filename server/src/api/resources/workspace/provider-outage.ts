/** GET /providers/:id/outage: recent messages without an integration. */
import { outagePage } from '@postrider/contract'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { integrationsNamed } from '../messages/explain.ts'
import { integrationNamed } from './providers.ts'

export const providerOutage = {
  'providers.outage': async ({ params, query: { limit = outagePage, unavailable: named = [] } }, ctx) => {
    const { id, provider, title } = await integrationNamed(ctx, params.id)
    const unavailable = new Set([id, ...(await integrationsNamed(named, ctx))])
    const drill = { integrationId: id, unavailable, limit }
    const outage = await ctx.app.pipeline.outage(ctx.caller.workspaceId, drill)
    return success('providers.outage', { integration: { id, provider, title }, ...outage })
  },
} satisfies Partial<ResourceHandlers<'providers'>>
