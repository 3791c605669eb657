/** /webhooks: endpoints that are called on changes, their secrets encrypted and shown once, and their deliveries. */
import {
  type Webhook,
  type WebhookDelivery,
  type WebhookType,
  webhookDeliveriesPage,
  webhooksMax,
} from '@postrider/contract'
import { busy, conflict, invalidAt, invalidField, notFound } from '../../../base/errors.ts'
import { recordId, timedId } from '../../../base/ids.ts'
import {
  type DeliveryRow,
  deleteWebhook,
  deliveryReplay,
  findDelivery,
  findWebhook,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  updateWebhook,
  type WebhookRow,
} from '../../../database/tables/webhooks/webhooks.ts'
import { newSecret, sealSecret } from '../../../webhooks/signing-secret.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { changesConfig, orNotFound, otherwise, type ResourceHandlers } from '../../outcome.ts'

export const webhooks = {
  'webhooks.list': async (_input, { app, caller }) => {
    const rows = await listWebhooks(app.database, caller.workspaceId, webhooksMax)
    return success('webhooks.list', { results: rows.map(record) })
  },
  'webhooks.create': ({ body }, ctx) => {
    const { caller, now } = ctx
    const id = recordId()
    const secret = body.secret === undefined ? newSecret() : body.secret
    const row: WebhookRow = {
      id,
      url: address(ctx, body.url),
      secret: sealed(ctx, id, secret),
      types: body.types ?? ['message:updated'],
      enabled: body.enabled ?? true,
      version: 1,
      created: now,
      updated: now,
    }
    const reply = success('webhooks.create', { ...record(row), ...(secret !== null && { secret }) })
    return {
      reply,
      writes: insertWebhook(caller.workspaceId, row, webhooksMax),
      onConflict: otherwise(() =>
        conflict('limit_reached', `There are ${webhooksMax} webhooks already; delete one first`),
      ),
      changesConfig,
    }
  },
  'webhooks.get': async ({ params: { id } }, ctx) => success('webhooks.get', record(await requireWebhook(ctx, id))),
  'webhooks.update': async ({ params: { id }, body }, ctx) => {
    const before = await requireWebhook(ctx, id)
    const row: WebhookRow = {
      ...before,
      url: body.url === undefined ? before.url : address(ctx, body.url),
      secret: body.secret === undefined ? before.secret : sealed(ctx, id, body.secret),
      types: body.types ?? before.types,
      enabled: body.enabled ?? before.enabled,
      updated: ctx.now,
    }
    return {
      reply: success('webhooks.update', record(row)),
      writes: updateWebhook(ctx.caller.workspaceId, row),
      onConflict: otherwise(() => busy('The webhook is being changed by others')),
      changesConfig,
    }
  },
  'webhooks.delete': ({ params: { id } }, { caller }) => ({
    reply: success('webhooks.delete', undefined),
    writes: deleteWebhook(caller.workspaceId, id),
    onConflict: orNotFound,
    changesConfig,
  }),
  'webhooks.deliveries': async ({ params: { id }, query }, ctx) => {
    await requireWebhook(ctx, id)
    const { app, caller } = ctx
    const page = await listDeliveries(app.database, caller.workspaceId, id, query, query.limit ?? webhookDeliveriesPage)
    return success('webhooks.deliveries', { paging: paging(page), results: page.rows.map(delivery) })
  },
  'webhooks.replay': async ({ params: { id, delivery_id } }, ctx) => {
    const { app, caller, now } = ctx
    await requireWebhook(ctx, id)
    const earlierDelivery = await findDelivery(app.database, caller.workspaceId, { webhookId: id, id: delivery_id })
    if (!earlierDelivery) throw notFound()
    const newId = timedId(now)
    const { type, message_id } = earlierDelivery
    const row = { ...NEW, id: `${newId}-${id}`, type, message_id, created: now, due_at: now }
    return {
      reply: success(
        'webhooks.replay',
        delivery({ ...row, replay_of: earlierDelivery.replay_of ?? earlierDelivery.id }),
      ),
      writes: [deliveryReplay(caller.workspaceId, id, { id: delivery_id, newId, now })],
      onConflict: orNotFound,
    }
  },
} satisfies ResourceHandlers<'webhooks'>

/** A delivery before its first attempt. */
const NEW = {
  ...{ attempts: 0, lease: null, delivered: null, error: null, attempted: null, reply_status: null, reply_body: null },
} as const

async function requireWebhook({ app, caller }: CallContext, id: string): Promise<WebhookRow> {
  const row = await findWebhook(app.database, caller.workspaceId, id)
  if (!row) throw notFound()
  return row
}

/** Where a name leads is found out when it is called: tomorrow it leads elsewhere. */
function address({ app }: CallContext, text: string): string {
  const url = URL.canParse(text) && !/[\s\\]/.test(text) ? new URL(text) : undefined
  if (!url || url.username || url.password)
    throw invalidField('url', 'must be a web address without user name and password')
  const reason = app.network.addresses.blockedReason(url.hostname)
  if (reason !== undefined) throw invalidAt('url', reason)
  return text
}

function sealed({ app, caller }: CallContext, id: string, secret: string | null): string | null {
  return secret === null ? null : sealSecret(app.secretKey, { workspaceId: caller.workspaceId, id }, secret)
}

function record({ id, url, types, enabled, secret, created, updated }: WebhookRow): Webhook {
  return { id, url, types: types as WebhookType[], enabled, signed: secret !== null, created, updated }
}

/** A leased delivery is due when its lease runs out, which is not its next attempt. */
function delivery({
  id,
  type,
  attempts,
  created,
  message_id,
  delivered,
  due_at,
  lease,
  error,
  attempted,
  reply_status,
  reply_body,
  replay_of,
}: DeliveryRow): WebhookDelivery {
  return {
    id,
    type,
    status: due_at !== null ? 'WAITING' : delivered !== null ? 'DELIVERED' : 'FAILED',
    attempts,
    created,
    ...(message_id !== null && { message_id }),
    ...(delivered !== null && { delivered }),
    ...(due_at !== null && lease === null && { next_attempt_at: due_at }),
    ...(attempted !== null && { attempted }),
    ...(error !== null && { error }),
    ...(reply_status !== null && { reply: { status: reply_status, body: reply_body ?? '' } }),
    ...(replay_of !== null && { replay_of }),
  }
}
