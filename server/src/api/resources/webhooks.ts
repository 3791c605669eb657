/** /webhooks: where changes are told, with secrets encrypted and shown once, and what became of each call. */
import {
  type Webhook,
  type WebhookDelivery,
  type WebhookType,
  webhookDeliveriesPage,
  webhooksMax,
} from '@postrider/contract'
import { busy, conflict, invalidRequest, notFound } from '../../base/errors.ts'
import { recordId } from '../../base/ids.ts'
import { listDeliveries } from '../../database/tables/webhooks/webhook-deliveries.ts'
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listWebhooks,
  updateWebhook,
  type WebhookRow,
} from '../../database/tables/webhooks/webhooks.ts'
import { newSecret, sealSecret } from '../../webhooks/signing-secret.ts'
import { type Call, type ResourceHandlers, success } from '../call.ts'
import { paging } from '../paging.ts'
import { catalogueChanged } from '../workspace-config-change.ts'

export const webhooks = {
  'webhooks.list': async (_input, { house, caller }) => {
    const found = await listWebhooks(house.engine, caller.workspaceId, webhooksMax)
    return success('webhooks.list', { results: found.map(record) })
  },
  'webhooks.create': async ({ body }, call) => {
    const { caller, now } = call
    const id = recordId()
    const secret = body.secret === undefined ? newSecret() : body.secret
    const row: WebhookRow = {
      id,
      url: address(call, body.url),
      secret: sealed(call, id, secret),
      types: body.types ?? ['message:updated'],
      enabled: body.enabled ?? true,
      version: 1,
      created: now,
      updated: now,
    }
    const reply = success('webhooks.create', { ...record(row), ...(secret !== null && { secret }) })
    if (!(await insertWebhook(call.keeping(reply), caller.workspaceId, row, webhooksMax)))
      throw conflict(`There are ${webhooksMax} webhooks already; delete one first`)
    await catalogueChanged(call)
    return reply
  },
  'webhooks.get': async ({ params: { id } }, call) => success('webhooks.get', record(await known(call, id))),
  'webhooks.update': async ({ params: { id }, body }, call) => {
    const before = await known(call, id)
    const row: WebhookRow = {
      ...before,
      url: body.url === undefined ? before.url : address(call, body.url),
      secret: body.secret === undefined ? before.secret : sealed(call, id, body.secret),
      types: body.types ?? before.types,
      enabled: body.enabled ?? before.enabled,
      updated: call.now,
    }
    const reply = success('webhooks.update', record(row))
    if (!(await updateWebhook(call.keeping(reply), call.caller.workspaceId, row)))
      throw busy('The webhook is being changed by others')
    await catalogueChanged(call)
    return reply
  },
  'webhooks.delete': async ({ params: { id } }, call) => {
    const reply = success('webhooks.delete', undefined)
    if (!(await deleteWebhook(call.keeping(reply), call.caller.workspaceId, id))) throw notFound()
    await catalogueChanged(call)
    return reply
  },
  'webhooks.deliveries': async ({ params: { id }, query }, call) => {
    await known(call, id)
    const { house, caller } = call
    const page = await listDeliveries(house.engine, caller.workspaceId, id, query, query.limit ?? webhookDeliveriesPage)
    return success('webhooks.deliveries', { paging: paging(page), results: page.rows.map(delivery) })
  },
} satisfies ResourceHandlers<'webhooks'>

async function known({ house, caller }: Call, id: string): Promise<WebhookRow> {
  const row = await findWebhook(house.engine, caller.workspaceId, id)
  if (!row) throw notFound()
  return row
}

/** Where a name leads is found out when it is called: tomorrow it leads elsewhere. */
function address({ house }: Call, text: string): string {
  const url = URL.canParse(text) && !/[\s\\]/.test(text) ? new URL(text) : undefined
  if (!url || url.username || url.password)
    throw invalidRequest('url must be a web address without user name and password')
  const fault = house.addresses.refusalOf(url.hostname)
  if (fault !== undefined) throw invalidRequest(`url: ${fault}`)
  return text
}

function sealed({ house, caller }: Call, id: string, secret: string | null): string | null {
  return secret === null ? null : sealSecret(house.secretKey, { workspaceId: caller.workspaceId, id }, secret)
}

function record({ id, url, types, enabled, secret, created, updated }: WebhookRow): Webhook {
  return { id, url, types: types as WebhookType[], enabled, signed: secret !== null, created, updated }
}

type DeliveryRow = Awaited<ReturnType<typeof listDeliveries>>['rows'][number]

/** A leased one is due when its lease runs out, which is nobody's next attempt. */
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
