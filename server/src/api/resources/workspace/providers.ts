/** /providers: integrations, their secrets encrypted and never shown, and the catalog. */
import { providersPage } from '@postrider/contract'
import { busy, invalidField, notFound } from '../../../base/errors.ts'
import { ConflictError, isDuplicate } from '../../../database/engine.ts'
import { repairedMark } from '../../../database/tables/messages/held-messages.ts'
import { healthSince } from '../../../database/tables/workspace/integration-health.ts'
import { limitStates } from '../../../database/tables/workspace/integration-limits.ts'
import {
  deleteIntegration,
  findIntegration,
  type IntegrationRow,
  insertIntegration,
  listIntegrations,
  updateIntegration,
} from '../../../database/tables/workspace/integrations.ts'
import {
  aliasTaken,
  changedIntegration,
  healthFigures,
  integratedBy,
  integrationRecord,
  newIntegration,
  windowMs,
} from '../../../integrations/integration.ts'
import { breakerRecord } from '../../../limits/shared-breaker.ts'
import { catalogEntry } from '../../../providers/catalog.ts'
import { namesOf } from '../../../providers/provider.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { changesConfig, orNotFound, type ResourceHandlers } from '../../outcome.ts'
import {
  hasMessage,
  isRepaired,
  limitTests,
  logClosedBreaker,
  testChange,
  testIntegration,
  testSettings,
} from '../../provider-test.ts'

export const providers = {
  'providers.list': async ({ query: { cursor, limit = providersPage } }, ctx) => {
    const page = await listIntegrations(ctx.app.database, ctx.caller.workspaceId, cursor, limit)
    const { rows } = page
    const states = await limitStates(
      ctx.app.database,
      ctx.caller.workspaceId,
      rows.map(({ id }) => id),
    )
    const integrations = contextOf(ctx)
    const results = rows.map((row) => integrationRecord(integrations, row, states.get(row.id)))
    return success('providers.list', { paging: paging(page), results })
  },
  'providers.catalog': async ({ query: { keys, name, channel } }, { app }) => {
    const results = [...app.providers.values()]
      .filter((provider) => !keys || namesOf(provider).some((name) => keys.includes(name)))
      .filter(({ title, key }) => !name || `${title} ${key}`.toLowerCase().includes(name.toLowerCase()))
      .filter(({ channels }) => !channel || channels.includes(channel))
    return success('providers.catalog', { paging: { more: false }, results: results.map(catalogEntry) })
  },
  'providers.create': ({ body }, ctx) => {
    const integrations = contextOf(ctx)
    const row = newIntegration(integrations, body)
    return {
      reply: success('providers.create', integrationRecord(integrations, row)),
      writes: insertIntegration(ctx.caller.workspaceId, row, integratedBy(integrations, row)),
      onConflict: (error) => (isDuplicate(error) ? aliasTaken(row.alias) : undefined),
      changesConfig,
    }
  },
  'providers.testSettings': async ({ body }, ctx) => {
    limitTests(ctx)
    const row = newIntegration(contextOf(ctx), body)
    const reply = success('providers.testSettings', await testSettings(ctx, row))
    return { reply, writes: [], target: row.provider }
  },
  'providers.get': async ({ params: { id } }, ctx) => {
    const row = await integrationNamed(ctx, id)
    const states = await limitStates(ctx.app.database, ctx.caller.workspaceId, [row.id])
    return success('providers.get', integrationRecord(contextOf(ctx), row, states.get(row.id)))
  },
  'providers.update': async ({ params: { id }, body }, ctx) => {
    const integrations = contextOf(ctx)
    const before = await integrationNamed(ctx, id)
    const row = changedIntegration(integrations, before, body)
    const states = await limitStates(ctx.app.database, ctx.caller.workspaceId, [row.id])
    // The change closes its breaker.
    const { breaker, ...state } = states.get(row.id) ?? {}
    return {
      reply: success('providers.update', integrationRecord(integrations, row, state)),
      writes: updateIntegration(ctx.caller.workspaceId, row, integratedBy(integrations, before, row)),
      onConflict(error) {
        if (isDuplicate(error)) return aliasTaken(row.alias)
        return error instanceof ConflictError ? busy('The integration is being changed by others') : undefined
      },
      changesConfig,
      afterCommit: () => (breaker ? logClosedBreaker(ctx, row, 'the integration was changed') : undefined),
    }
  },
  'providers.test': async ({ params: { id }, body = {} }, ctx) => {
    limitTests(ctx)
    const row = await integrationNamed(ctx, id)
    if (body.settings) {
      if (hasMessage(body)) throw invalidField('settings', 'must be absent where a message is sent')
      const changed = changedIntegration(contextOf(ctx), row, { provider: row.provider, settings: body.settings })
      return { reply: success('providers.test', await testChange(ctx, changed)), writes: [] }
    }
    const result = await testIntegration(ctx, row, body)
    return {
      reply: success('providers.test', result),
      writes: isRepaired(result) ? [repairedMark(ctx.caller.workspaceId, row.id, ctx.now)] : [],
    }
  },
  'providers.health': async ({ params: { id }, query }, ctx) => {
    const { app, caller, now } = ctx
    const length = windowMs(query.window)
    const { id: integrationId, provider, title } = await integrationNamed(ctx, id)
    const from = now - length
    await app.pipeline.flushHealth()
    const [buckets, states] = await Promise.all([
      healthSince(app.database, caller.workspaceId, integrationId, from),
      limitStates(app.database, caller.workspaceId, [integrationId]),
    ])
    const { breaker } = states.get(integrationId) ?? {}
    return success('providers.health', {
      integration: { id: integrationId, provider, title },
      circuit_breaker: breaker ? breakerRecord(breaker, now) : { state: 'closed' },
      ...healthFigures(buckets, { from, to: now }),
    })
  },
  'providers.delete': async ({ params }, ctx) => {
    const { id } = await integrationNamed(ctx, params.id)
    return {
      reply: success('providers.delete', undefined),
      writes: deleteIntegration(ctx.caller.workspaceId, id),
      onConflict: orNotFound,
      changesConfig,
    }
  },
} satisfies Partial<ResourceHandlers<'providers'>>

const contextOf = ({ app: { providers, secretKey, publicUrl }, caller: { workspaceId }, now }: CallContext) => ({
  ...{ workspaceId, providers, secretKey, publicUrl, now },
})

export async function integrationNamed({ app, caller }: CallContext, name: string): Promise<IntegrationRow> {
  const row = await findIntegration(app.database, caller.workspaceId, name)
  if (!row) throw notFound()
  return row
}
