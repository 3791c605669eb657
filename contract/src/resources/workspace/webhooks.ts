/** /webhooks: URLs that are called for changes in a workspace, and their deliveries. */

import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { httpUrlPattern, visibleAsciiPattern } from '../../api/patterns.ts'
import { resource } from '../../api/resource.ts'
import { id, nullable, timestamp } from '../../api/values.ts'

/** Webhooks of one workspace; every change calls each of them, and lists have no pages. */
export const webhooksMax = 20
/** The length that all browsers and proxies accept. */
export const webhookUrlCharactersMax = 2_048
/** Below 16 characters a secret can be guessed; beyond 256 it adds nothing to a digest of 32 bytes. */
export const webhookSecretCharactersMin = 16
export const webhookSecretCharactersMax = 256
export const webhookDeliveriesPage = 50
/** Enough for the error of a receiver. */
export const webhookReplyCharactersMax = 1_000

const meanings = {
  'message:updated': 'the status of a message changed; `data` is the message as `GET /messages/:message_id` shows it',
  'notification:published': 'a version of a notification was published',
  'notification:submitted': 'checks of a submission were written for the first time',
  'notification:submission_canceled': 'the checks of a submission were deleted',
  'audiences:created': 'an audience was written for the first time',
  'audiences:updated': 'an audience was written again',
  'audiences:deleted': 'an audience was deleted',
  'audiences:calculated': 'all users were evaluated after a write of an audience',
  'audiences:user:matched': 'a user became a member of an audience',
  'audiences:user:unmatched': 'a user is no longer a member of an audience',
  'preferences:user:updated': 'the preferences of a user were written',
  'sms:received': 'a text message came in at a number of an integration',
} as const

export type WebhookType = keyof typeof meanings
export const webhookTypes = Object.keys(meanings) as WebhookType[]

export const WebhookType = Type.Enum(webhookTypes, {
  title: 'WebhookType',
  description: `Type of change for which a webhook is called: ${Object.entries(meanings)
    .map(([type, meaning]) => `\`${type}\` (${meaning})`)
    .join(', ')}.`,
})

const types = Type.Array(WebhookType, {
  minItems: 1,
  maxItems: webhookTypes.length,
  uniqueItems: true,
  description: 'Changes for which the webhook is called.',
})
const url = Type.String({
  pattern: httpUrlPattern,
  maxLength: webhookUrlCharactersMax,
  description: 'URL of the POST requests: http or https, without user name and password.',
})
const enabled = Type.Boolean({
  description:
    'Whether the webhook is called. While it is disabled, pending deliveries wait for up to three days, and new changes are not recorded.',
})
const secret = (description: string) =>
  Type.Optional(
    nullable(
      Type.String({
        minLength: webhookSecretCharactersMin,
        maxLength: webhookSecretCharactersMax,
        pattern: visibleAsciiPattern,
        description,
      }),
    ),
  )

const fields = {
  id: Type.String({ description: 'The webhook id.' }),
  url,
  types,
  enabled,
  signed: Type.Boolean({
    description:
      'Whether the webhook has a secret, so that its calls have the headers `courier-signature` and `webhook-signature`.',
  }),
  created: timestamp('Time of creation.'),
  updated: timestamp('Time of the last change.'),
}

export const Webhook = Type.Object(fields, {
  title: 'Webhook',
  description: 'A URL that is called for changes. Its secret is not returned.',
})
export type Webhook = Static<typeof Webhook>

export const CreatedWebhook = Type.Object(
  {
    ...fields,
    secret: Type.Optional(Type.String({ description: 'Secret that signs the calls; returned only once.' })),
  },
  { title: 'CreatedWebhook', description: 'A new webhook.' },
)

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({
      description: 'Delivery id; every attempt has it, or that of `replay_of`, in the header `webhook-id`.',
    }),
    type: Type.String({ description: 'Type of the change.' }),
    status: Type.Enum(['WAITING', 'DELIVERED', 'FAILED'], {
      description: 'Status of the delivery; `FAILED` deliveries are not retried.',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'Number of attempts so far.' }),
    created: timestamp('Time of the change.'),
    message_id: Type.Optional(Type.String({ description: 'Message of the change.' })),
    delivered: Type.Optional(timestamp('Time of the 2xx response.')),
    next_attempt_at: Type.Optional(timestamp('Time of the next attempt.')),
    attempted: Type.Optional(timestamp('Time of the last attempt.')),
    error: Type.Optional(Type.String({ description: 'Error of the last attempt.' })),
    reply: Type.Optional(
      Type.Object(
        {
          status: Type.Integer({ description: 'HTTP status.' }),
          body: Type.String({ description: `The first ${webhookReplyCharactersMax} characters of the body.` }),
        },
        { description: 'Reply to the last attempt; absent when there was none.' },
      ),
    ),
    replay_of: Type.Optional(
      Type.String({ description: 'The first delivery of the change, whose id the calls of this one have.' }),
    ),
  },
  { title: 'WebhookDelivery', description: 'Delivery of one change to one webhook.' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>

const params = Type.Object({ id: id('The webhook id.') })
const example = { id: 'K2T7QW4XJ9M5R8C3VFN6PYAZHB1D' }
const record = {
  id: example.id,
  url: 'https://hooks.example.com/postrider',
  types: ['message:updated' as const],
  enabled: true,
  signed: true,
  created: 1_710_334_643_000,
  updated: 1_710_334_643_000,
}

export default resource({
  name: 'webhooks',
  position: 260,
  title: 'Webhooks',
  description: 'URLs of yours that are called for changes.',
  operations: [
    operation({
      id: 'webhooks.list',
      origin: 'postrider',
      method: 'GET',
      path: '/webhooks',
      summary: 'List webhooks',
      replies: { 200: Type.Object({ results: Type.Array(Webhook, { maxItems: webhooksMax }) }) },
      example: { reply: { results: [record] } },
    }),
    operation({
      id: 'webhooks.create',
      origin: 'postrider',
      method: 'POST',
      path: '/webhooks',
      summary: 'Create a webhook',
      secretReply: 'caller',
      description: `Takes effect within a second. Without \`types\` and \`enabled\` the webhook is enabled and called for \`message:updated\`. A workspace has at most ${webhooksMax}.`,
      audit: 'webhook:created',
      body: Type.Object({
        url,
        types: Type.Optional(types),
        enabled: Type.Optional(enabled),
        secret: secret('Secret that signs the calls; null for no signature. Default: a generated secret.'),
      }),
      replies: { 201: CreatedWebhook, 409: ErrorBody },
      example: {
        body: { url: record.url },
        reply: { ...record, secret: 'whsec_pX1o0cG9mWqZ5uB8yRk3sVtE7nHdLfJa2iQw6xYzC4g=' },
      },
    }),
    operation({
      id: 'webhooks.get',
      origin: 'postrider',
      method: 'GET',
      path: '/webhooks/:id',
      summary: 'Get a webhook',
      params,
      replies: { 200: Webhook, 404: ErrorBody },
      example: { params: example, reply: record },
    }),
    operation({
      id: 'webhooks.update',
      origin: 'postrider',
      method: 'PUT',
      path: '/webhooks/:id',
      summary: 'Change a webhook',
      description: 'Omitted fields are unchanged. Deliveries in progress use the new settings from their next attempt.',
      audit: 'webhook:updated',
      params,
      body: Type.Object({
        url: Type.Optional(url),
        types: Type.Optional(types),
        enabled: Type.Optional(enabled),
        secret: secret('New secret; null removes it.'),
      }),
      replies: { 200: Webhook, 404: ErrorBody, 409: ErrorBody },
      example: { params: example, body: { enabled: true }, reply: record },
    }),
    operation({
      id: 'webhooks.delete',
      origin: 'postrider',
      method: 'DELETE',
      path: '/webhooks/:id',
      summary: 'Delete a webhook',
      description: 'Pending deliveries are discarded.',
      audit: 'webhook:deleted',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'webhooks.deliveries',
      origin: 'postrider',
      method: 'GET',
      path: '/webhooks/:id/deliveries',
      summary: 'List the deliveries of a webhook',
      description: 'Newest first.',
      params,
      query: Type.Object({
        ...pageQuery(webhookDeliveriesPage),
        status: Type.Optional(
          Type.Enum(['WAITING', 'DELIVERED', 'FAILED'], { description: 'Status of the deliveries.' }),
        ),
      }),
      replies: {
        200: Type.Object({
          paging: Paging,
          results: Type.Array(WebhookDelivery, { maxItems: pageMax }),
        }),
        404: ErrorBody,
      },
      example: {
        params: example,
        query: { status: 'WAITING' },
        reply: {
          paging: { more: false },
          results: [
            {
              id: `1-65f1a2b3-0a1b2c3d4e5f60718293a4b5-${example.id}`,
              type: 'message:updated',
              status: 'WAITING',
              attempts: 1,
              created: 1_710_334_644_200,
              message_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b4',
              next_attempt_at: 1_710_334_649_400,
              attempted: 1_710_334_644_300,
              error: '500 Internal Server Error',
            },
          ],
        },
      },
    }),
    operation({
      id: 'webhooks.replay',
      origin: 'postrider',
      method: 'POST',
      path: '/webhooks/:id/deliveries/:delivery_id/replay',
      summary: 'Replay a delivery',
      description:
        'Calls the webhook once more for the same change, as a new delivery with attempts of its own, for three days. A message is shown as it is now. The header `webhook-id` is that of the first delivery, so that receivers recognize the change. While the webhook is disabled the delivery waits.',
      audit: 'webhook:delivery_replayed',
      params: Type.Object({ id: id('The webhook id.'), delivery_id: id('The delivery id.') }),
      replies: { 201: WebhookDelivery, 404: ErrorBody },
      example: {
        params: { ...example, delivery_id: `1-65f1a2b3-0a1b2c3d4e5f60718293a4b5-${example.id}` },
        reply: {
          id: `1-65f1a2c1-5b6c7d8e9f0a1b2c3d4e5f60-${example.id}`,
          type: 'message:updated',
          status: 'WAITING',
          attempts: 0,
          created: 1_710_334_657_000,
          message_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b4',
          next_attempt_at: 1_710_334_657_000,
          replay_of: `1-65f1a2b3-0a1b2c3d4e5f60718293a4b5-${example.id}`,
        },
      },
    }),
  ],
})
