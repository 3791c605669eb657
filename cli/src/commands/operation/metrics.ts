/** `postrider metrics …`: counts of messages, and the files with which Prometheus and Grafana watch a server. */
import type { MetricsSummary } from '@postrider/client'
import type { Command } from 'commander'
import { countText } from '../../count-text.ts'
import { addResourceCommands, type ResourceCommand } from '../../operations/resource.ts'
import { utcTime } from '../../plain.ts'
import { serverModules } from '../../server-modules.ts'
import { sessionOf } from '../../session.ts'
import { span } from '../../span.ts'
import { statusStyle } from '../../status.ts'
import { sheet, table } from '../../table.ts'
import type { Terminal } from '../../terminal.ts'

export function addMetrics(program: Command): void {
  const metrics = program
    .command('metrics')
    .description('Message counts, the dashboard for Grafana and the alert rules for Prometheus.')
  addResourceCommands(metrics, [summary])
  metrics
    .command('grafana')
    .description('Print the dashboard for Grafana.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider metrics grafana >postrider.json

Import the file in Grafana: Dashboards, New, Import. It reads the figures that Prometheus scrapes from /metrics of each
node, and needs no plugin.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const dashboard = (await serverModules()).grafanaDashboard()
      sessionOf(command).terminal.answer(JSON.parse(dashboard), () => dashboard.trimEnd())
    })
  metrics
    .command('alerts')
    .description('Print the alert rules for Prometheus.')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider metrics alerts >/etc/prometheus/postrider-alerts.yml

Name the file in rule_files of prometheus.yml. The rules expect that the job of the scrape configuration is called
postrider.`,
    )
    .action(async (_options: unknown, command: Command) => {
      const rules = (await serverModules()).alertRules()
      sessionOf(command).terminal.answer({ rules }, () => rules.trimEnd())
    })
}

const summary: ResourceCommand = {
  name: 'summary',
  operation: 'metrics.summary',
  description: 'Show the messages accepted and finished in a window, and those waiting now.',
  examples: [
    'summary',
    'summary --window 15m',
    'summary --window 7d --bucket 1d',
    'summary --from 2026-11-01 --to 2026-11-08',
  ],
  help: 'Default window: the last 24 hours. Finished messages are counted by status and by reason, and their deliveries by channel and\nprovider: sent, delivered and failed.',
  text: (reply, terminal) => summaryText(reply as MetricsSummary, terminal),
}

/** A line for each bucket, with the statuses of the window. */
function bucketTable({ buckets = [], statuses }: MetricsSummary): string | false {
  if (buckets.length === 0) return false
  const columns = ['START', 'ACCEPTED', 'FINISHED', ...statuses.map(({ status }) => status)]
  return table(
    columns.map((title) => ({ title })),
    buckets.map(({ start, accepted, finished, statuses: counts }) => [
      ...[utcTime(start), accepted, finished],
      ...statuses.map(({ status }) => counts.find((each) => each.status === status)?.count ?? 0),
    ]),
  )
}

const FAILED_NOTE =
  'FAILED counts deliveries, also where another integration sent the message, and where an open circuit breaker prevented\nthe call. The integrations of a provider are added up: `postrider providers health` has the calls of each.'

export function summaryText(summary: MetricsSummary, terminal: Terminal): string {
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
    providers.some(({ sent, failed }) => sent > 0 && failed > 0) && FAILED_NOTE,
    bucketTable(summary),
  ]
  return parts.filter(Boolean).join('\n\n')
}
