/** Counts of messages: accepted and finished in a window, and waiting now. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { text, timestamp, timestampText } from '../../api/values.ts'
import { channels } from '../../shapes/channel.ts'
import { messageStatuses, Reason } from '../../shapes/status.ts'

/** A quarter: beyond it, figures are for reports made elsewhere. */
export const summaryDaysMax = 92

/** Lengths of buckets in milliseconds. */
export const summaryBuckets = { '1m': 60_000, '5m': 300_000, '1h': 3_600_000, '1d': 86_400_000 } as const
/** Twenty days of hours. */
export const summaryBucketsMax = 500

/** Deliveries of finished messages. */
const deliveries = {
  sent: Type.Integer({ description: 'Deliveries that the provider accepted.' }),
  delivered: Type.Integer({ description: 'Accepted deliveries that were confirmed.' }),
  failed: Type.Integer({
    description: 'Deliveries that ended without success, also where another provider took over.',
  }),
}

const statuses = Type.Array(
  Type.Object({
    status: Type.Enum([...messageStatuses], { description: 'The status with which messages ended.' }),
    count: Type.Integer({ description: 'How many ended so in that time.' }),
  }),
  { description: 'The finished messages by status, most frequent first.' },
)

const Bucket = Type.Object(
  {
    start: timestamp('Start of the bucket, inclusive. Those of a day are days of UTC.'),
    accepted: Type.Integer({ description: 'Messages accepted in the bucket.' }),
    finished: Type.Integer({ description: 'Messages that ended in the bucket.' }),
    statuses,
  },
  { title: 'MetricsBucket', description: 'Messages of the environment in a part of the window.' },
)
export type MetricsBucket = Static<typeof Bucket>

const Summary = Type.Object(
  {
    from: timestamp('Start of the window, inclusive: `from` rounded down to a full minute.'),
    to: timestamp('End of the window, exclusive: `to` rounded up to a full minute.'),
    accepted: Type.Integer({ description: 'Messages accepted in the window.' }),
    finished: Type.Integer({
      description: 'Messages that ended in the window, whatever their status; also those accepted before it.',
    }),
    waiting: Type.Integer({
      description:
        'Messages that have not ended now, delayed ones included. Exact up to 25,000; beyond that it follows from the counts.',
    }),
    held: Type.Integer({ description: 'Those among them that wait for the repair of an integration; 25,000 at most.' }),
    delayed: Type.Integer({ description: 'Those among them that wait for their delay; 25,000 at most.' }),
    scheduled_requests: Type.Integer({
      description:
        'Sends to lists, audiences and tenants that wait for their time: their recipients are found then, and no message of them is counted before. 1,000 at most.',
    }),
    paused_requests: Type.Integer({ description: 'Requests that are paused; 1,000 at most.' }),
    oldest: Type.Union([Type.Integer(), Type.Null()], {
      description:
        'Age of the oldest waiting message in milliseconds; a delay counts only once it is over, and held messages do not count. Null when none waits.',
    }),
    statuses,
    reasons: Type.Array(
      Type.Object({
        status: Type.Enum([...messageStatuses], { description: 'The status with which messages ended.' }),
        reason: Reason,
        count: Type.Integer({ description: 'How many ended so in the window.' }),
      }),
      {
        description:
          'The same by reason, for those that have one. `UNSUBSCRIBED` and `OPT_IN_REQUIRED` are no failures: the recipient decides. A receipt that comes after the end, such as a bounce, changes no count.',
      },
    ),
    channels: Type.Array(
      Type.Object({ channel: Type.Enum([...channels], { description: 'The channel.' }), ...deliveries }),
      { description: 'Deliveries of the finished messages by channel.' },
    ),
    providers: Type.Array(
      Type.Object({
        provider: Type.String({ description: 'The provider: `sendgrid`.' }),
        channel: Type.Enum([...channels], { description: 'The channel.' }),
        ...deliveries,
      }),
      { description: 'The same by provider and channel.' },
    ),
    buckets: Type.Optional(
      Type.Array(Bucket, {
        maxItems: summaryBucketsMax,
        description: 'With `bucket`: the parts of the window, oldest first, also those without messages.',
      }),
    ),
  },
  { title: 'MetricsSummary', description: 'Messages of the environment in a window of time.' },
)
export type MetricsSummary = Static<typeof Summary>

export default resource({
  name: 'metrics',
  position: 305,
  title: 'Metrics',
  description: 'Counts of messages by status, channel and provider.',
  impersonal: true,
  operations: [
    operation({
      id: 'metrics.summary',
      origin: 'postrider',
      method: 'GET',
      path: '/metrics/summary',
      summary: 'Summarize messages',
      description: `Counts messages of the environment of the key: accepted and finished in a window, and waiting now. The window is \`from\` until \`to\`, or \`window\` until \`to\` or from \`from\` on; the last 24 hours unless given, ${summaryDaysMax} days at most. Its ends are widened to full minutes, and where they are more than a day ago to full hours; the reply has them. With \`bucket\` the window is also divided into parts, at most ${summaryBucketsMax}, and its ends are widened to full ones. Counts are kept as long as messages (\`POSTRIDER_RETENTION_DAYS\`).`,
      query: Type.Object({
        from: Type.Optional(timestampText('Start, inclusive.')),
        to: Type.Optional(timestampText('End, exclusive; now unless given.')),
        window: Type.Optional(text('Length: `15m`, `24h`, `7 days`, or ISO 8601 (`PT24H`); `24h` unless given.')),
        bucket: Type.Optional(
          Type.Enum(Object.keys(summaryBuckets) as (keyof typeof summaryBuckets)[], {
            description:
              'Length of the parts in `buckets`. Times more than a day ago have counts by the hour: `1h` or `1d` for those.',
          }),
        ),
      }),
      replies: { 200: Summary },
      example: {
        query: { window: '24h' },
        reply: {
          from: 1_710_248_280_000,
          to: 1_710_334_680_000,
          accepted: 1_204,
          finished: 1_201,
          waiting: 3,
          ...{ held: 0, delayed: 2, scheduled_requests: 0, paused_requests: 0 },
          oldest: 1_830,
          statuses: [
            { status: 'SENT', count: 1_180 },
            { status: 'UNDELIVERABLE', count: 21 },
          ],
          reasons: [
            { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR', count: 17 },
            { status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED', count: 4 },
          ],
          channels: [{ channel: 'email', sent: 1_180, delivered: 0, failed: 44 }],
          providers: [
            { provider: 'sendgrid', channel: 'email', sent: 1_157, delivered: 0, failed: 23 },
            { provider: 'smtp', channel: 'email', sent: 23, delivered: 0, failed: 21 },
          ],
        },
      },
    }),
  ],
})
