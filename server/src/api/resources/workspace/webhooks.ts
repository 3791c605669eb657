/** /webhooks: endpoints that are called on changes, their secrets encrypted and shown once, and their deliveries. */
import {
  type Webhook,
  type WebhookDelivery,
  type WebhookType,
  webhookDeliveriesPage,
  webhooksMax,
} from '@postrider/contract'
import { busy, conflict, invalidAt, invalidField, notFound } from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import {
  deleteWebhook,
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
    const found = await listWebhooks(app.database, caller.workspaceId, webhooksMax)
    return success('webhooks.list', { results: found.map(record) })
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
} satisfies ResourceHandlers<'webhooks'>

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
  const fault = app.addresses.blockedReason(url.hostname)
  if (fault !== undefined) throw invalidAt('url', fault)
  return text
}

function sealed({ app, caller }: CallContext, id: string, secret: string | null): string | null {
  return secret === null ? null : sealSecret(app.secretKey, { workspaceId: caller.workspaceId, id }, secret)
}

function record({ id, url, types, enabled, secret, created, updated }: WebhookRow): Webhook {
  return { id, url, types: types as WebhookType[], enabled, signed: secret !== null, created, updated }
}

type DeliveryRow = Awaited<ReturnType<typeof listDeliveries>>['rows'][number]

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
    ...(error !== null && { error }),
  }
}
