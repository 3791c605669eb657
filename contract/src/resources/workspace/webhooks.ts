/** /webhooks: addresses that are called for changes in a workspace, and the result of each call. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, moment, nullable } from '../../api/values.ts'

/** Webhooks of one workspace; each is called for every change, and they are listed without pages. */
export const webhooksMax = 20
/** What browsers and proxies take everywhere. */
export const webhookUrlCharactersMax = 2_048
/** Below 16 characters a secret can be guessed; beyond 256 it adds nothing to a digest of 32 bytes. */
export const webhookSecretCharactersMin = 16
export const webhookSecretCharactersMax = 256
export const webhookDeliveriesPage = 50

const meanings = {
  'message:updated': 'the status of a message changed; `data` is the message as `GET /messages/:message_id` shows it',
  'notification:published': 'a version of a notification was published',
  'notification:submitted': 'checks of a submission were written for the first time',
  'notification:submission_canceled': 'the checks of a submission were deleted',
  'audiences:created': 'an audience was written for the first time',
  'audiences:updated': 'an audience was written again',
  'audiences:deleted': 'an audience was deleted',
  'audiences:calculated': 'every user was looked at since an audience was written',
  'audiences:user:matched': 'a user has become a member of an audience',
  'audiences:user:unmatched': 'a user is a member of an audience no more',
  'preferences:user:updated': 'the preferences of a user were written',
} as const

export type WebhookType = keyof typeof meanings
export const webhookTypes = Object.keys(meanings) as WebhookType[]

export const WebhookType = Type.Enum(webhookTypes, {
  title: 'WebhookType',
  description: `A change that a webhook is called for: ${Object.entries(meanings)
    .map(([type, meaning]) => `\`${type}\` (${meaning})`)
    .join(', ')}.`,
})

const types = Type.Array(WebhookType, {
  minItems: 1,
  maxItems: webhookTypes.length,
  uniqueItems: true,
  description: 'The changes that it is called for.',
})
const url = Type.String({
  pattern: '^https?://',
  maxLength: webhookUrlCharactersMax,
  description: 'Where it is called with POST: http or https, without user name and password.',
})
const enabled = Type.Boolean({
  description:
    'False: nothing is called. What waits goes on waiting, at most three days; what happens now is not kept.',
})
const secret = (description: string) =>
  Type.Optional(
    nullable(
      Type.String({
        minLength: webhookSecretCharactersMin,
        maxLength: webhookSecretCharactersMax,
        pattern: '^[\\x21-\\x7e]+$',
        description,
      }),
    ),
  )

const fields = {
  id: Type.String({ description: 'The webhook id.' }),
  url,
  types,
  enabled,
  signed: Type.Boolean({ description: 'True when it has a secret and its calls carry `courier-signature`.' }),
  created: moment('When it was created.'),
  updated: moment('When it last changed.'),
}

export const Webhook = Type.Object(fields, {
  title: 'Webhook',
  description: 'An address that is called for changes. Its secret is never shown again.',
})
export type Webhook = Static<typeof Webhook>

export const CreatedWebhook = Type.Object(
  {
    ...fields,
    secret: Type.Optional(Type.String({ description: 'The key that signs its calls. It is shown this once.' })),
  },
  { title: 'CreatedWebhook', description: 'A new webhook.' },
)

export const WebhookDelivery = Type.Object(
  {
    id: Type.String({ description: 'The id; every attempt carries it as the header `webhook-id`.' }),
    type: Type.String({ description: 'The change.' }),
    status: Type.Enum(['WAITING', 'DELIVERED', 'FAILED'], {
      description: 'Where it stands. A FAILED one is not tried again.',
    }),
    attempts: Type.Integer({ minimum: 0, description: 'Calls so far.' }),
    created: moment('When it happened.'),
    message_id: Type.Optional(Type.String({ description: 'The message it tells of.' })),
    delivered: Type.Optional(moment('When the address answered 2xx.')),
    next_attempt_at: Type.Optional(moment('When it is tried next.')),
    error: Type.Optional(Type.String({ description: 'The error of the last attempt.' })),
  },
  { title: 'WebhookDelivery', description: 'One change on its way to one webhook.' },
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
  description: 'Addresses of yours that hear of changes.',
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
      access: 'published',
      summary: 'Create a webhook',
      description: `It is called for changes from a second later on. Without \`types\` and \`enabled\` it is called for \`message:updated\` and is enabled. A workspace has at most ${webhooksMax}.`,
      audit: 'webhook:created',
      body: Type.Object({
        url,
        types: Type.Optional(types),
        enabled: Type.Optional(enabled),
        secret: secret('The key that signs calls. Left out: one is made. null: no signature.'),
      }),
      replies: { 201: CreatedWebhook, 409: ErrorBody },
      example: {
        body: { url: record.url },
        reply: { ...record, secret: 'pX1o0cG9mWqZ5uB8yRk3sVtE7nHdLfJa2iQw6xYzC4g' },
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
      access: 'published',
      summary: 'Change a webhook',
      description:
        'Fields that are left out stay as they are. Calls in progress use the new settings from their next attempt on.',
      audit: 'webhook:updated',
      params,
      body: Type.Object({
        url: Type.Optional(url),
        types: Type.Optional(types),
        enabled: Type.Optional(enabled),
        secret: secret('A new secret; null takes it away.'),
      }),
      replies: { 200: Webhook, 404: ErrorBody, 409: ErrorBody },
      example: { params: example, body: { enabled: true }, reply: record },
    }),
    operation({
      id: 'webhooks.delete',
      origin: 'postrider',
      method: 'DELETE',
      path: '/webhooks/:id',
      access: 'published',
      summary: 'Delete a webhook',
      description: 'Calls that wait for it are not made any more.',
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
      summary: 'List the calls of a webhook',
      description: 'Newest first.',
      params,
      query: Type.Object({
        ...pageQuery(webhookDeliveriesPage),
        status: Type.Optional(
          Type.Enum(['WAITING', 'DELIVERED', 'FAILED'], { description: 'Only those that stand there.' }),
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
              error: '500 Internal Server Error',
            },
          ],
        },
      },
    }),
  ],
})
