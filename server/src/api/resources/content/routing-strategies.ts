/** /routing-strategies: routings that notifications share, checked as those of a send are. */
import {
  type RoutingStrategy,
  type RoutingStrategySummary,
  type RoutingStrategyWrite,
  routingStrategiesPage,
} from '@postrider/contract'
import { conflict, notFound } from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import { listNotifications } from '../../../database/tables/notifications/notifications.ts'
import {
  archiveRoutingStrategy,
  findRoutingStrategy,
  insertRoutingStrategy,
  listRoutingStrategies,
  type RoutingStrategyChange,
  type RoutingStrategyRow,
  updateRoutingStrategy,
} from '../../../database/tables/notifications/routing-strategies.ts'
import { summary as notificationSummary } from '../../../notifications/notification.ts'
import { strategyDocument, strategyRoutings } from '../../../notifications/routing-strategies.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { changesConfig, orNotFound, orTaken, otherwise, type ResourceHandlers } from '../../outcome.ts'

export const routingStrategies = {
  'routingStrategies.list': async ({ query: { cursor, limit = routingStrategiesPage } }, { app, caller }) => {
    const page = await listRoutingStrategies(app.database, caller.workspaceId, cursor, limit)
    return success('routingStrategies.list', { paging: paging(page), results: page.rows.map(summary) })
  },
  'routingStrategies.create': ({ body }, ctx) => {
    const { caller, now } = ctx
    const id = body.id ?? recordId()
    const change = changeOf(body, ctx)
    const row = { id, ...change, created: now, updated: now, creator: caller.name, updater: caller.name }
    return {
      reply: success('routingStrategies.create', record(row)),
      writes: insertRoutingStrategy(caller.workspaceId, id, change),
      onConflict: orTaken,
      changesConfig,
    }
  },
  'routingStrategies.get': async ({ params: { id } }, ctx) =>
    success('routingStrategies.get', record(await requireStrategy(ctx, id))),
  'routingStrategies.replace': ({ params: { id }, body }, ctx) => ({
    writes: updateRoutingStrategy(ctx.caller.workspaceId, id, changeOf(body, ctx)),
    onConflict: orNotFound,
    replyFrom: async () => success('routingStrategies.replace', record(await requireStrategy(ctx, id))),
    changesConfig,
  }),
  'routingStrategies.archive': ({ params: { id } }, ctx) => ({
    reply: success('routingStrategies.archive', undefined),
    writes: archiveRoutingStrategy(ctx.caller.workspaceId, id, ctx.caller.name, ctx.now),
    onConflict: otherwise(async () => {
      await requireStrategy(ctx, id)
      return conflict('in_use', 'Notifications use the routing strategy: give them another routing first', 'id')
    }),
    changesConfig,
  }),
  'routingStrategies.notifications': async (
    { params: { id }, query: { cursor, limit = routingStrategiesPage } },
    ctx,
  ) => {
    const { app, caller } = ctx
    await requireStrategy(ctx, id)
    const filter = { strategy: id, ...(cursor !== undefined && { cursor }) }
    const page = await listNotifications(app.database, caller.workspaceId, filter, limit)
    const routings = await strategyRoutings(app.database, caller.workspaceId, page.rows)
    const results = page.rows.map((row) => notificationSummary(row, routings))
    return success('routingStrategies.notifications', { paging: paging(page), results })
  },
} satisfies ResourceHandlers<'routingStrategies'>

async function requireStrategy({ app, caller }: CallContext, id: string): Promise<RoutingStrategyRow> {
  const row = await findRoutingStrategy(app.database, caller.workspaceId, id)
  if (!row) throw notFound()
  return row
}

function changeOf(body: RoutingStrategyWrite, { caller, now }: CallContext): RoutingStrategyChange {
  const { name, description, tags } = body
  const document = strategyDocument(body)
  return { name, description: description ?? null, tags: tags ?? [], document, author: caller.name, now }
}

function summary(row: Omit<RoutingStrategyRow, 'document'>): RoutingStrategySummary {
  const { id, name, description, tags, created, creator, updated, updater } = row
  return { id, name, description, tags, created, creator, ...(updated !== created && { updated, updater }) }
}

function record(row: RoutingStrategyRow): RoutingStrategy {
  const { routing, channels, providers } = row.document as Pick<RoutingStrategy, 'routing' | 'channels' | 'providers'>
  return { ...summary(row), routing, channels, providers }
}
