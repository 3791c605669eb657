/** /providers: the integrations of a workspace, and the catalog of providers. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { filterValuesMax, pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, jsonObject, name, nullable, text, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { TrackingTerms } from '../../shapes/tracking.ts'

/** Sufficient for any ordering, and within a database integer. */
export const providerPriorityMax = 1_000_000
export const providersPage = 50

/** The value that replaces stored secrets in every reply. */
export const secretMask = '********'

const priority = Type.Integer({
  minimum: 0,
  maximum: providerPriorityMax,
  description: 'Priority; integrations of a channel are tried in ascending order.',
})
const enabled = Type.Boolean({ description: 'Whether the integration is used for sending.' })

/** Sufficient for any share; together with all others of a channel within a database integer. */
export const providerWeightMax = 10_000
/** Calls start at most this often: more than one installation makes. */
export const providerPerSecondMax = 100_000
/** One call in a hundred seconds. */
export const providerPerSecondMin = 0.01
export const providerConcurrencyMax = 10_000
export const providerPerDayMax = 1_000_000_000

const weight = Type.Integer({
  minimum: 1,
  maximum: providerWeightMax,
  description:
    'Share of the messages of a channel among its enabled integrations with a weight. Each of those messages tries the integration first that its id chooses, then the others by priority.',
})
const perSecond = Type.Number({
  minimum: providerPerSecondMin,
  maximum: providerPerSecondMax,
  description: 'Calls that may start per second, evenly spaced, over all nodes. 0.5 is one in two seconds.',
})
const concurrency = Type.Integer({
  minimum: 1,
  maximum: providerConcurrencyMax,
  description: 'Calls that may be in progress at a time; the nodes divide them.',
})
const perDay = Type.Integer({
  minimum: 1,
  maximum: providerPerDayMax,
  description: 'Calls that may start in a day of UTC, over all nodes.',
})

const IntegrationLimits = Type.Object(
  { per_second: Type.Optional(perSecond), concurrency: Type.Optional(concurrency), per_day: Type.Optional(perDay) },
  {
    title: 'IntegrationLimits',
    description:
      'Limits of the calls of an integration. A message that finds one reached tries the next integration, or waits; that uses up no attempt.',
  },
)

const IntegrationLimitsWrite = Type.Object(
  {
    per_second: Type.Optional(nullable(perSecond)),
    concurrency: Type.Optional(nullable(concurrency)),
    per_day: Type.Optional(nullable(perDay)),
  },
  {
    title: 'IntegrationLimitsWrite',
    description: 'Limits of the calls of an integration, in a request. Omitted ones are unchanged; null removes one.',
  },
)

export const CircuitBreaker = Type.Object(
  {
    state: Type.Enum(['closed', 'open', 'half_open'], {
      description:
        '`open`: the integration is not called. `half_open`: one call at a time probes it. `closed`: it is used.',
    }),
    reason: Type.Optional(
      Type.Enum(['failures', 'connection', 'configuration', 'authentication'], {
        description:
          'Why it opened: calls failed, no connection came about, the provider refused the configuration, or the credentials.',
      }),
    ),
    since: Type.Optional(timestamp('When it opened.')),
    next_probe: Type.Optional(timestamp('When the next call may probe the integration.')),
    error: Type.Optional(Type.String({ description: 'Latest error of the provider.' })),
  },
  {
    title: 'CircuitBreaker',
    description:
      'Circuit breaker of an integration, shared by all nodes. Any change of the integration closes it, also one that changes nothing.',
  },
)
export type CircuitBreaker = Static<typeof CircuitBreaker>

export const Integration = Type.Object(
  {
    id: Type.String({ description: 'The integration id.' }),
    provider: Type.String({ description: 'Provider, as in the catalog.' }),
    channel: ChannelName,
    channels: Type.Array(ChannelName, { description: 'All channels of the integration; `channel` is the first.' }),
    title: Type.String({ description: 'Display name.' }),
    alias: Type.Optional(Type.String({ description: 'Alternative id, unique in the workspace.' })),
    settings: jsonObject(`Settings; every secret is \`${secretMask}\`.`),
    enabled,
    unreadable: Type.Optional(
      Type.Literal(true, {
        description:
          'True if the secrets were encrypted with another secret key; the integration is not used until they are set again.',
      }),
    ),
    priority,
    callback_url: Type.Optional(
      Type.String({
        description:
          'Address under which the provider reports the later results of messages; absent where it has no callbacks. It begins with `POSTRIDER_PUBLIC_URL`.',
      }),
    ),
    weight: Type.Optional(weight),
    limits: Type.Optional(IntegrationLimits),
    tracking: Type.Optional(TrackingTerms),
    used_today: Type.Optional(
      Type.Integer({ minimum: 0, description: 'Calls of this day of UTC; present with a limit per second or day.' }),
    ),
    circuit_breaker: Type.Optional(CircuitBreaker),
    created: timestamp('Time of creation.'),
    updated: Type.Optional(timestamp('Time of the last change.')),
  },
  { title: 'Integration', description: 'A provider with credentials and settings.' },
)
export type Integration = Static<typeof Integration>

export const IntegrationWrite = Type.Object(
  {
    provider: name('Provider, as in the catalog.'),
    channel: Type.Optional(
      Type.Enum([...ChannelName.enum], {
        description: 'Channel of the integration. Default: every channel of the provider.',
      }),
    ),
    title: Type.Optional(name('Display name. Default: the title of the provider.')),
    alias: Type.Optional(nullable(id('Alternative id, unique in the workspace.'))),
    settings: Type.Optional(
      jsonObject(
        `Settings, as in the catalog. In an update, absent settings are unchanged and a secret sent as \`${secretMask}\` keeps its value.`,
      ),
    ),
    enabled: Type.Optional(enabled),
    priority: Type.Optional(priority),
    weight: Type.Optional(nullable(weight)),
    limits: Type.Optional(IntegrationLimitsWrite),
    tracking: Type.Optional(nullable(TrackingTerms)),
  },
  {
    title: 'IntegrationWrite',
    description: 'An integration, in a request. Default: `enabled` true, `priority` 0.',
  },
)
export type IntegrationWrite = Static<typeof IntegrationWrite>

export const IntegrationUpdate = Type.Object(IntegrationWrite.properties, {
  title: 'IntegrationUpdate',
  description:
    'A change of an integration. Omitted fields are unchanged; null removes a setting, a limit, the weight or the tracking. Any change closes the circuit breaker.',
})

export const CatalogSetting = Type.Object(
  {
    type: Type.Enum(['string', 'number', 'integer', 'boolean', 'enum', 'array', 'object'], {
      description: 'Type of the setting.',
    }),
    required: Type.Boolean({ description: 'Whether the setting is required.' }),
    values: Type.Optional(Type.Array(Type.String(), { description: 'Values of an `enum`.' })),
    secret: Type.Optional(Type.Boolean({ description: 'Whether the setting is a secret, which is never returned.' })),
    title: Type.Optional(Type.String({ description: 'Display name.' })),
    description: Type.Optional(Type.String({ description: 'Purpose of the setting.' })),
    default: Type.Optional(Type.Unknown({ description: 'Default value.' })),
  },
  { title: 'CatalogSetting', description: 'One setting of a provider.' },
)
export type CatalogSetting = Static<typeof CatalogSetting>

const SizeLimits = Type.Object(
  {
    request_bytes: Type.Optional(Type.Integer({ description: 'Bytes of the request that hands a message over.' })),
    characters: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description: 'Characters of a field of that request, by its dotted path.',
      }),
    ),
  },
  {
    title: 'SizeLimits',
    description: 'The sizes that the service publishes. A larger message is rejected before it leaves.',
  },
)

export const CatalogEntry = Type.Object(
  {
    provider: Type.String({ description: 'Key of the provider.' }),
    name: Type.String({ description: 'Display name.' }),
    channel: ChannelName,
    channels: Type.Array(ChannelName, { description: 'All channels of the provider.' }),
    description: Type.String({ description: 'Short description.' }),
    website: Type.Optional(Type.String({ description: 'Website of the provider.' })),
    profile_keys: Type.Optional(Type.Array(Type.String(), { description: 'Required profile keys.' })),
    limits: Type.Optional(SizeLimits),
    settings: Type.Record(Type.String(), CatalogSetting, { description: 'Settings by key.' }),
  },
  { title: 'CatalogEntry', description: 'A provider in the catalog.' },
)
export type CatalogEntry = Static<typeof CatalogEntry>

const params = Type.Object({ id: id('The integration id or its alias.') })
const example = { id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8' }
const record = {
  id: example.id,
  provider: 'sendgrid',
  channel: 'email',
  channels: ['email'],
  title: 'SendGrid',
  settings: { apiKey: secretMask, fromAddress: 'hello@example.com' },
  enabled: true,
  priority: 0,
  circuit_breaker: { state: 'closed' as const },
  callback_url: 'https://notify.example.com/callbacks/WyIxIiwiQzNWRkoiXQ.0mZfJ2c1nPq3x8KQv5yR7w',
  created: 1_710_334_643_000,
}
const mailbox = {
  id: 'N7Q2WJ5XKB8RT4MZC9V3HYDFA6P1',
  provider: 'mailbox',
  channel: 'email',
  channels: ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'],
  title: 'Mailbox',
  settings: {},
  enabled: true,
  priority: 0,
  circuit_breaker: { state: 'closed' as const },
  created: 1_710_334_643_000,
}
const body = { provider: 'sendgrid', settings: { apiKey: 'SG.example', fromAddress: 'hello@example.com' } }

export default resource({
  name: 'providers',
  position: 250,
  title: 'Providers',
  description: 'Integrations with providers, and the provider catalog.',
  operations: [
    operation({
      id: 'providers.list',
      method: 'GET',
      path: '/providers',
      summary: 'List integrations',
      query: Type.Object(pageQuery(providersPage)),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(Integration, { maxItems: pageMax }) }) },
      example: { reply: { paging: { more: false }, results: [mailbox] } },
    }),
    operation({
      id: 'providers.catalog',
      method: 'GET',
      path: '/providers/catalog',
      summary: 'List the provider catalog',
      query: Type.Object({
        keys: Type.Optional(
          Type.Array(text('Key of a provider.'), {
            maxItems: filterValuesMax,
            description: 'Keys of the providers to list.',
          }),
        ),
        name: Type.Optional(text('Part of the name of the providers.')),
        channel: Type.Optional(Type.Enum([...ChannelName.enum], { description: 'Channel of the providers.' })),
      }),
      replies: { 200: Type.Object({ paging: Paging, results: Type.Array(CatalogEntry) }) },
      example: {
        query: { channel: 'email' },
        reply: {
          paging: { more: false },
          results: [
            {
              provider: 'sendgrid',
              name: 'SendGrid',
              channel: 'email',
              channels: ['email'],
              description: 'Email over the SendGrid API.',
              website: 'https://sendgrid.com',
              profile_keys: ['email'],
              limits: { request_bytes: 31_457_280 },
              settings: { apiKey: { type: 'string', required: true, secret: true } },
            },
          ],
        },
      },
    }),
    operation({
      id: 'providers.create',
      method: 'POST',
      path: '/providers',
      access: 'published',
      summary: 'Create an integration',
      audit: 'integration:created',
      body: IntegrationWrite,
      replies: { 201: Integration, 409: ErrorBody },
      example: { body, reply: record },
    }),
    operation({
      id: 'providers.get',
      method: 'GET',
      path: '/providers/:id',
      summary: 'Get an integration',
      params,
      replies: { 200: Integration, 404: ErrorBody },
      example: { params: example, reply: record },
    }),
    operation({
      id: 'providers.update',
      method: 'PUT',
      path: '/providers/:id',
      access: 'published',
      summary: 'Change an integration',
      audit: 'integration:updated',
      description:
        'Omitted fields are unchanged. A change of the server address requires the secrets again. Messages in progress use the new settings from their next attempt.',
      params,
      body: IntegrationUpdate,
      replies: { 200: Integration, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: example,
        body: { ...body, settings: { apiKey: secretMask, fromAddress: 'hello@example.com' } },
        reply: { ...record, updated: 1_710_421_043_000 },
      },
    }),
    operation({
      id: 'providers.delete',
      method: 'DELETE',
      path: '/providers/:id',
      access: 'published',
      summary: 'Delete an integration',
      audit: 'integration:deleted',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
  ],
})
