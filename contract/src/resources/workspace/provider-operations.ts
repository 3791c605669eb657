/** /providers/:id/test and /providers/:id/health: whether an integration works, now and over time. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, jsonObject, text, timestamp } from '../../api/values.ts'
import { ChannelName } from '../../shapes/channel.ts'
import { MessageStatus } from '../../shapes/status.ts'
import { CircuitBreaker } from './providers.ts'

/** An attempt takes 30 s at most, and waits for its turn before. */
export const testTimeoutMaxMs = 45_000
/** A person who tries settings needs fewer; a program that sends by tests would need more. */
export const testsPerMinute = 30

const timeoutMs = Type.Integer({
  minimum: 1_000,
  maximum: testTimeoutMaxMs,
  description: `How long to wait for the provider. Default: ${testTimeoutMaxMs}.`,
})

const ProviderTestBody = Type.Object(
  {
    to: Type.Optional(
      text('Address to send to: an email address, a phone number, a channel, a token of a device, a web address.'),
    ),
    recipient: Type.Optional(text('Recipient with a stored profile, instead of an address.')),
    profile: Type.Optional(jsonObject('Profile values, instead of an address or over those of the recipient.')),
    send: Type.Optional(
      Type.Boolean({
        description:
          'Whether a message is sent. Default: true with `to`, `recipient` or `profile`. Needed where the settings name the address.',
      }),
    ),
    channel: Type.Optional(
      Type.Enum([...ChannelName.enum], {
        description: 'Channel of the message. Default: the first of the integration.',
      }),
    ),
    subject: Type.Optional(text('Subject or title of the message.')),
    text: Type.Optional(text('Text of the message.')),
    timeout_ms: Type.Optional(timeoutMs),
  },
  { title: 'ProviderTestBody', description: 'A test of an integration; without an address nothing is sent.' },
)
export type ProviderTestBody = Static<typeof ProviderTestBody>

const hint = Type.Optional(Type.String({ description: 'The remedy.' }))
const tookMs = Type.Optional(Type.Integer({ minimum: 0, description: 'How long it took, in milliseconds.' }))

const ProviderTest = Type.Object(
  {
    ok: Type.Boolean({ description: 'Whether everything that was tried went well.' }),
    integration: Type.Object({
      id: Type.String({ description: 'The integration id.' }),
      provider: Type.String({ description: 'The provider: `sendgrid`.' }),
      title: Type.String({ description: 'Display name.' }),
    }),
    sign_in: Type.Object({
      state: Type.Enum(['ok', 'fail', 'skip'], {
        description:
          '`ok`: the provider accepts the credentials, or takes connections where it has no such call. `skip`: only a message would show it.',
      }),
      detail: Type.String({ description: 'The result, as a sentence.' }),
      hint,
      took_ms: tookMs,
    }),
    message: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'The message id; its history and explanation are those of any message.' }),
          channel: ChannelName,
          status: MessageStatus,
          outcome: Type.Enum(['sent', 'retry', 'rejected', 'in_doubt', 'not_called', 'no_answer'], {
            description:
              '`sent`: the provider accepted it. `retry`: a temporary failure, which a test does not repeat. `rejected`: a permanent one. `in_doubt`: no answer came after the message was handed over. `not_called`: nothing was sent. `no_answer`: the time of the test is over.',
          }),
          cause: Type.Optional(
            Type.Enum(['configuration', 'recipient', 'content'], {
              description: 'Cause of a rejection: the integration, the address, or the content.',
            }),
          ),
          error: Type.Optional(Type.String({ description: 'Error of the provider.' })),
          hint,
          reference: Type.Optional(jsonObject('Identifiers of the message at the provider.')),
          took_ms: tookMs,
        },
        { description: 'The test message, where one was sent.' },
      ),
    ),
  },
  { title: 'ProviderTest', description: 'Result of a test of an integration.' },
)
export type ProviderTest = Static<typeof ProviderTest>

/** Buckets are kept so long. */
export const healthDaysMax = 30

const callCount = (description: string) => Type.Optional(Type.Integer({ minimum: 1, description }))
const CallCounts = Type.Object(
  {
    sent: callCount('Accepted by the provider.'),
    recipient: callCount('Rejected for the address: the integration works.'),
    content: callCount('Rejected for the content: the integration works.'),
    configuration: callCount('Rejected for the configuration, such as an unverified sender.'),
    authentication: callCount('Rejected credentials.'),
    rate_limited: callCount('Refused by a rate limit of the provider.'),
    connection: callCount('No connection came about.'),
    failed: callCount('Other failures: errors of the server, no answer in time.'),
    in_doubt: callCount('No answer after the message was handed over.'),
  },
  { title: 'CallCounts', description: 'Calls by result; results without a call are omitted.' },
)

const figures = {
  calls: Type.Integer({ minimum: 0, description: 'Calls of the provider.' }),
  results: CallCounts,
  p50_ms: Type.Optional(Type.Integer({ description: 'Latency that half of the calls do not exceed, approximately.' })),
  p95_ms: Type.Optional(Type.Integer({ description: 'The same for 95 %.' })),
}

const ProviderHealth = Type.Object(
  {
    integration: Type.Object({
      id: Type.String({ description: 'The integration id.' }),
      provider: Type.String({ description: 'The provider: `sendgrid`.' }),
      title: Type.String({ description: 'Display name.' }),
    }),
    from: timestamp('Start of the window, widened to a bucket.'),
    to: timestamp('End of the window: now.'),
    circuit_breaker: CircuitBreaker,
    ...figures,
    working: Type.Optional(
      Type.Number({ description: 'Share of the calls that the integration is not at fault for, from 0 to 1.' }),
    ),
    last_error: Type.Optional(
      Type.Object(
        {
          at: timestamp('Time of the call.'),
          result: Type.String({ description: 'Result of the call, as in `results`.' }),
          error: Type.String({ description: 'Error of the provider; addresses of recipients are masked.' }),
        },
        { description: 'The latest failure of the window that the integration is at fault for.' },
      ),
    ),
    buckets: Type.Array(
      Type.Object({
        at: timestamp('Start of the bucket.'),
        span_ms: Type.Integer({ description: 'Length: 5 minutes, or an hour where it is more than a day ago.' }),
        ...figures,
      }),
      { description: 'The calls over time, oldest first; times without a call are omitted.' },
    ),
  },
  { title: 'ProviderHealth', description: 'Calls of an integration over time, summed over all nodes.' },
)
export type ProviderHealth = Static<typeof ProviderHealth>

const params = Type.Object({ id: id('The integration id or its alias.') })
const example = { id: 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8' }

export default operationsOf('providers', [
  operation({
    id: 'providers.test',
    origin: 'postrider',
    method: 'POST',
    path: '/providers/:id/test',
    access: 'published',
    summary: 'Test an integration',
    description: `Signs in to the provider, or makes an authorized call without side effects, and sends one message where \`to\`, \`recipient\`, \`profile\` or \`send\` says so: through this integration only, without failover and retries, within its limits. A sign-in that does not fail closes an open circuit breaker before the message. A test that goes well releases messages that are held for the integration. ${testsPerMinute} tests a minute.`,
    audit: 'integration:tested',
    params,
    body: ProviderTestBody,
    bodyOptional: true,
    replies: { 200: ProviderTest, 404: ErrorBody, 409: ErrorBody },
    example: {
      params: example,
      body: {},
      reply: {
        ok: false,
        integration: { id: example.id, provider: 'sendgrid', title: 'SendGrid' },
        sign_in: {
          state: 'fail',
          detail: 'api.sendgrid.com: The provided authorization grant is invalid, expired, or revoked',
          hint: 'Look at the credentials in its settings.',
          took_ms: 214,
        },
      },
    },
  }),
  operation({
    id: 'providers.health',
    origin: 'postrider',
    method: 'GET',
    path: '/providers/:id/health',
    summary: 'Get the health of an integration',
    description: `Calls of the last 24 hours, or of \`window\` (${healthDaysMax} days at most), by result and latency, with the circuit breaker as it is now. Each node adds its calls every ten seconds; a process that is killed loses those of that time.`,
    params,
    query: Type.Object({
      window: Type.Optional(text('Length: `15m`, `24h`, `7 days`, or ISO 8601 (`PT24H`); `24h` unless given.')),
    }),
    replies: { 200: ProviderHealth, 404: ErrorBody },
    example: {
      params: example,
      query: { window: '24h' },
      reply: {
        integration: { id: example.id, provider: 'sendgrid', title: 'SendGrid' },
        from: 1_710_248_100_000,
        to: 1_710_334_643_000,
        circuit_breaker: { state: 'closed' },
        calls: 0,
        results: {},
        buckets: [],
      },
    },
  }),
])
