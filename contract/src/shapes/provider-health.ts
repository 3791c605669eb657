/** The calls of an integration over time, by result and latency. */
import { type Static, Type } from 'typebox'
import { timestamp } from '../api/values.ts'
import { CircuitBreaker, IntegrationName } from './integration.ts'

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
    connection: callCount('Calls for which no connection could be opened.'),
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

export const ProviderHealth = Type.Object(
  {
    integration: IntegrationName,
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
          error: Type.String({
            description: 'Error of the provider; addresses of recipients are masked.',
            'x-masked': true,
          }),
        },
        { description: 'The latest failure of the window that the integration is at fault for.' },
      ),
    ),
    last_success: Type.Optional(
      timestamp(
        'End of the latest call of the window that the integration answered as it should. Later than `last_error`: it works again.',
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
