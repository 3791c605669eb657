/** A provider with credentials and settings: its record, its writes, and its circuit breaker. */
import { type Static, Type } from 'typebox'
import { id, jsonObject, name, nullable, timestamp } from '../api/values.ts'
import { ChannelName } from './channel.ts'
import { TrackingTerms } from './tracking.ts'

/** Sufficient for any ordering, and within a database integer. */
export const providerPriorityMax = 1_000_000

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
          'Why it opened: calls failed, no connection could be opened, the provider refused the configuration, or the credentials.',
      }),
    ),
    since: Type.Optional(timestamp('When it opened.')),
    next_probe: Type.Optional(timestamp('When the next call may probe the integration.')),
    error: Type.Optional(Type.String({ description: 'Latest error of the provider.', 'x-masked': true })),
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
        'x-masked': true,
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

/** The integration that a test or the figures of its health belong to. */
export const IntegrationName = Type.Object({
  id: Type.String({ description: 'The integration id.' }),
  provider: Type.String({ description: 'The provider: `sendgrid`.' }),
  title: Type.String({ description: 'Display name.' }),
})
