/** An outage before it happens: recent messages, as they would go without an integration. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, nullable, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { DecisionCode } from '../../shapes/decision-codes.ts'
import { IntegrationName } from '../../shapes/integration.ts'
import { Reason } from '../../shapes/status.ts'
import { unavailableMax } from '../messages/explain.ts'

export const outagePage = 50
export const outageMax = 200

const results = [
  ...(['same', 'other_integration', 'other_channel', 'fewer_channels', 'waits', 'not_delivered'] as const),
] as const

export const OutageResult = Type.Enum([...results], {
  title: 'OutageResult',
  description:
    'How a message would go: `same`: it was sent by other integrations anyway; `other_integration`: by another integration of the channel; `other_channel`: by another channel; `fewer_channels`: only by those of its other channels that it was sent by anyway; `waits`: only the missing integrations could deliver it, and it is tried until they are back or its time is over; `not_delivered`: it would not be delivered at all.',
})
export type OutageResult = Static<typeof OutageResult>

export const OutageRoute = Type.Object(
  {
    channel: ChannelName,
    provider: Type.String({ description: 'The provider: `sendgrid`.' }),
    integration: Type.String({ description: 'The integration id.' }),
    title: Type.Optional(
      Type.String({ description: 'Title of the integration; absent when the integration has been deleted.' }),
    ),
  },
  { title: 'OutageRoute', description: 'An integration that a message is sent by.' },
)
export type OutageRoute = Static<typeof OutageRoute>

export const OutageMessage = Type.Object(
  {
    message_id: Type.String({ description: 'The message id.' }),
    recipient: Type.String({ description: 'The recipient id.', 'x-masked': true }),
    enqueued: timestamp('Time the message was accepted.'),
    result: OutageResult,
    before: Type.Array(OutageRoute, {
      description:
        'The integrations that accepted it; where none did, those that were tried, or this one where none was.',
    }),
    during: Type.Array(OutageRoute, {
      description: 'The integrations that would be called; empty when it waits or is not delivered.',
    }),
    failover_ms: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'For `other_channel`: the time after which the other channel has its turn, at most. Absent when it is used at once.',
      }),
    ),
    reason: Type.Optional(Reason),
    code: Type.Optional(DecisionCode),
    summary: Type.String({
      description: 'The last step of the decision in words, or why its content cannot be rendered.',
      'x-masked': true,
    }),
  },
  { title: 'OutageMessage', description: 'A recent message in an outage.' },
)
export type OutageMessage = Static<typeof OutageMessage>

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const ProviderOutage = Type.Object(
  {
    integration: IntegrationName,
    compared: count('Messages that were decided again.'),
    counts: Type.Object(
      {
        same: count('Messages that other integrations sent anyway.'),
        other_integration: count('Messages that go by another integration of the channel.'),
        other_channel: count('Messages that go by another channel.'),
        fewer_channels: count('Messages that lose a channel, and go by the others.'),
        waits: count('Messages that wait until the integration is back.'),
        not_delivered: count('Messages that are not delivered.'),
      } satisfies Record<OutageResult, unknown>,
      { description: 'The messages by result.' },
    ),
    oldest: nullable(timestamp('Time the oldest of them was accepted; null for none.')),
    complete: Type.Boolean({
      description: 'False when the search ended before it had found `limit` messages: older ones may exist.',
    }),
    results: Type.Array(OutageMessage, { maxItems: outageMax, description: 'The messages, newest first.' }),
  },
  { title: 'ProviderOutage', description: 'Recent messages without an integration.' },
)
export type ProviderOutage = Static<typeof ProviderOutage>

const example = { id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8' }

export default operationsOf('providers', [
  operation({
    id: 'providers.outage',
    origin: 'postrider',
    method: 'GET',
    path: '/providers/:id/outage',
    summary: 'Simulate an outage of an integration',
    description:
      'Decides the latest messages that had the integration among their candidates again, as if it were down, and says which route each would take. Profiles, preferences, templates and integrations are those of now. Integrations whose circuit breaker is open, or whose calls of the day are used up, are taken for down, too. Nothing is stored and no provider is called. Messages of mock keys, tests of integrations and messages of erased recipients are left out.',
    params: Type.Object({ id: id('The integration id or its alias.') }),
    query: Type.Object({
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: outageMax,
          description: `Messages that are decided again. Default: ${outagePage}.`,
        }),
      ),
      unavailable: Type.Optional(
        Type.Array(id('An integration.'), {
          maxItems: unavailableMax,
          description: 'Further integrations that are down: ids or aliases of integrations, or keys of providers.',
        }),
      ),
    }),
    replies: { 200: ProviderOutage, 404: ErrorBody },
    example: {
      params: example,
      query: { limit: 50 },
      reply: {
        integration: { id: example.id, provider: 'sendgrid', title: 'SendGrid' },
        compared: 0,
        counts: { same: 0, other_integration: 0, other_channel: 0, fewer_channels: 0, waits: 0, not_delivered: 0 },
        oldest: null,
        complete: true,
        results: [],
      },
    },
  }),
])
