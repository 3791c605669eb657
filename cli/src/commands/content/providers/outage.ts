/** `postrider providers outage`: which way the latest messages would go without an integration. */
import type { OutageMessage, ProviderOutage } from '@postrider/client'
import { type Command, InvalidArgumentError } from 'commander'
import { countText } from '../../../count-text.ts'
import { plain } from '../../../plain.ts'
import { runningClientOf, sessionOf } from '../../../session.ts'
import { span } from '../../../span.ts'
import { table } from '../../../table.ts'
import { findIntegration, integrationName } from './find.ts'

interface OutageOptions {
  limit: number
  unavailable?: string[]
}

/** As many as a reply has. */
const LIMIT_MAX = 200

export function addOutage(providers: Command): void {
  providers
    .command('outage')
    .description('Simulate an outage: which way the latest messages would go without the integration. Nothing is sent.')
    .argument('<integration>', 'id, alias, title or provider of the integration')
    .option('--limit <messages>', 'messages that are decided again, at most 200', messageCount, 50)
    .option('--unavailable <names...>', 'further integrations that are down: ids, aliases, or keys of providers')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider providers outage smtp
  $ postrider providers outage smtp --unavailable twilio --limit 200
  $ postrider providers outage smtp --json | jq '.results[] | select(.result == "waits")'

It takes the latest messages that the integration could have sent, with the profiles, preferences and
integrations of now. One message that was not sent yet: postrider explain --unavailable`,
    )
    .action(async (name: string, { limit, unavailable }: OutageOptions, command: Command) => {
      const session = sessionOf(command)
      const client = await runningClientOf(session)
      const integration = await findIntegration(client, name)
      const outage = await client.providers.outage(integration.id, { limit, ...(unavailable && { unavailable }) })
      session.terminal.answer(outage, () => `${integrationName(integration)}\n${outageText(outage)}`)
    })
}

function messageCount(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1 && count <= LIMIT_MAX) return count
  throw new InvalidArgumentError(`It must be a number from 1 to ${LIMIT_MAX}.`)
}

function outageText({ compared, complete, results }: ProviderOutage): string {
  if (compared === 0)
    return complete
      ? 'No stored message could have been sent by it.'
      : 'None of the latest messages could have been sent by it; older ones were not searched.'
  const routes = new Map<string, number>()
  for (const message of results) routes.set(duringText(message), (routes.get(duringText(message)) ?? 0) + 1)
  const counts = [...routes].toSorted(([, left], [, right]) => right - left).map(([route, count]) => [count, route])
  const rows = results.map((message) => [
    message.message_id,
    message.recipient,
    message.before.map(routeText).join(', '),
    message.result,
    duringText(message),
  ])
  const columns = ['MESSAGE', 'RECIPIENT', 'SENT BY', 'RESULT', 'WITHOUT IT'].map((title) => ({ title }))
  return [
    `Without it, the latest ${countText(compared, 'message')}:`,
    table([{ title: 'MESSAGES' }, { title: 'ROUTE' }], counts),
    '',
    table(columns, rows),
    ...(complete ? [] : ['', 'Older messages were not searched.']),
  ].join('\n')
}

function duringText({ result, during, failover_ms: failoverMs, reason, summary }: OutageMessage): string {
  if (result === 'waits') return 'wait until it is back'
  if (result === 'not_delivered') return `not delivered: ${reason ?? plain(summary)}`
  const delay = failoverMs === undefined ? '' : `, after ${span(failoverMs)} at most`
  return `by ${during.map(routeText).join(' and ')}${delay}`
}

const routeText = ({ channel, provider, title }: OutageMessage['during'][number]) => `${channel} (${title ?? provider})`
