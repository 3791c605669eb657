/** `postrider providers health`: calls of an integration over time, by result and latency. */
import type { ProviderHealth } from '@postrider/client'
import type { Command } from 'commander'
import { plain, utcTime } from '../../../plain.ts'
import { runningClientOf, sessionOf } from '../../../session.ts'
import { sheet, table } from '../../../table.ts'
import { findIntegration, integrationName } from './find.ts'

export function addHealth(providers: Command): void {
  providers
    .command('health')
    .description(
      'Show the calls of an integration over time: results, latency, the latest error and the circuit breaker.',
    )
    .argument('<integration>', 'id, alias, title or provider of the integration')
    .option('--window <length>', 'how far back: 15m, 24h, 7 days or ISO 8601; at most 30 days', '24h')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers health smtp
  $ postrider providers health smtp --window '7 days'
  $ postrider providers health smtp --json | jq '.buckets[] | select(.results.failed > 0)'

Buckets are five minutes long, and an hour where they are more than a day ago. Calls that the
provider rejected for the address or the content count as working.`,
    )
    .action(async (name: string, { window }: { window: string }, command: Command) => {
      const session = sessionOf(command)
      const client = await runningClientOf(session)
      const integration = await findIntegration(client, name)
      const health = await client.providers.health(integration.id, { window })
      session.terminal.answer(health, () => `${integrationName(integration)}\n${healthText(health)}`)
    })
}

function healthText(health: ProviderHealth): string {
  const { circuit_breaker: breaker, calls, working, p50_ms, p95_ms, last_error: last, from } = health
  const head = sheet([
    ['since', utcTime(from)],
    ['breaker', breaker.state],
    ['calls', calls],
    ['working', working === undefined ? undefined : `${(working * 100).toFixed(2)} %`],
    ['results', resultsText(health.results)],
    ['latency', latencyText({ p50_ms, p95_ms })],
    ['last error', last && `${utcTime(last.at)} ${last.result}: ${last.error}`],
  ])
  if (health.buckets.length === 0) return `${head}\n\nIt made no calls.`
  const rows = health.buckets.map((bucket) => [
    utcTime(bucket.at),
    bucket.span_ms >= 3_600_000 ? '1 h' : '5 min',
    bucket.calls,
    latencyText(bucket),
    resultsText(bucket.results),
  ])
  const columns = [
    { title: 'FROM' },
    { title: 'SPAN' },
    { title: 'CALLS' },
    { title: 'P50 / P95' },
    { title: 'RESULTS' },
  ]
  return `${head}\n\n${table(columns, rows)}`
}

const resultsText = (results: ProviderHealth['results']) =>
  Object.entries(results)
    .map(([result, count]) => `${plain(result)} ${count}`)
    .join(', ')

const latencyText = ({ p50_ms, p95_ms }: { p50_ms?: number | undefined; p95_ms?: number | undefined }) =>
  p50_ms === undefined ? '' : `${p50_ms} / ${p95_ms} ms`
