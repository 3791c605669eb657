/** `postrider metrics …`: counts of accepted, finished and waiting messages. */
import type { MetricsSummary } from '@postrider/client'
import { countText } from '../../count-text.ts'
import type { Resource } from '../../operations/resource.ts'
import { utcTime } from '../../plain.ts'
import { span } from '../../span.ts'
import { statusStyle } from '../../status.ts'
import { sheet, table } from '../../table.ts'
import type { Terminal } from '../../terminal.ts'

export const metrics: Resource = {
  name: 'metrics',
  description: 'Message counts by status, channel and provider.',
  commands: [
    {
      name: 'summary',
      operation: 'metrics.summary',
      description: 'Show the messages accepted and finished in a window, and those waiting now.',
      examples: ['summary', 'summary --window 15m', 'summary --from 2026-11-01 --to 2026-11-08'],
      help: 'Default window: the last 24 hours. Finished messages are counted by status and by reason, and their deliveries by channel and\nprovider: sent, delivered and failed.',
      text: (reply, terminal) => summaryText(reply as MetricsSummary, terminal),
    },
  ],
}

function summaryText(summary: MetricsSummary, terminal: Terminal): string {
  const { from, to, accepted, finished, waiting, oldest, statuses, channels, providers } = summary
  // A server of the release before has none of these.
  const {
    reasons = [],
    delayed = 0,
    scheduled_requests: scheduled = 0,
    paused_requests: paused = 0,
  } = summary as Partial<MetricsSummary>
  const counts = ['SENT', 'DELIVERED', 'FAILED'].map((title) => ({ title }))
  const parts = [
    sheet([
      ['window', `${utcTime(from)} to ${utcTime(to)}`],
      ['accepted', accepted],
      ['finished', finished],
      ['waiting', `${waiting}${oldest === null ? '' : `, the oldest for ${span(oldest)}`}`],
      ['delayed', delayed > 0 ? countText(delayed, 'message') : undefined],
      ['scheduled', scheduled > 0 ? `${countText(scheduled, 'request')}: postrider requests list` : undefined],
      ['paused', paused > 0 ? `${countText(paused, 'request')}: postrider requests list --status PAUSED` : undefined],
    ]),
    statuses.length > 0 &&
      table(
        [{ title: 'STATUS', style: (text) => statusStyle(terminal, text) }, { title: 'MESSAGES' }],
        statuses.map(({ status, count }) => [status, count]),
      ),
    reasons.length > 0 &&
      table(
        [{ title: 'REASON' }, { title: 'STATUS', style: (text) => statusStyle(terminal, text) }, { title: 'MESSAGES' }],
        reasons.map(({ status, reason, count }) => [reason, status, count]),
      ),
    channels.length > 0 &&
      table(
        [{ title: 'CHANNEL' }, ...counts],
        channels.map(({ channel, sent, delivered, failed }) => [channel, sent, delivered, failed]),
      ),
    providers.length > 0 &&
      table(
        [{ title: 'PROVIDER' }, { title: 'CHANNEL' }, ...counts],
        providers.map(({ provider, channel, sent, delivered, failed }) => [provider, channel, sent, delivered, failed]),
      ),
  ]
  return parts.filter(Boolean).join('\n\n')
}
