/** `postrider messages list`: the newest messages. */
import type { Message, Postrider } from '@postrider/client'
import { sourceText } from '@postrider/client/steps'
import { type Command, Option } from 'commander'
import { errorText } from '../../../error-text.ts'
import { withOptions } from '../../../failure.ts'
import { utcTime } from '../../../plain.ts'
import { withReach } from '../../../reach.ts'
import { type Session, sessionOf } from '../../../session.ts'
import { statusStyle } from '../../../status.ts'
import { table } from '../../../table.ts'
import type { Terminal } from '../../../terminal.ts'
import { count, type Filters, queryOf, withFilters } from './filters.ts'

interface ListOptions extends Filters {
  limit: number
  after?: string
  archived?: boolean
  retrying?: boolean
}

// Ten a page: a thousand are a hundred calls, a few seconds.
const LIMIT_MAX = 1_000
/** A list that takes several pages says how far it is. */
const PAGE = 10

export function addList(messages: Command): void {
  const limit = new Option('-l, --limit <count>', 'maximum number of messages').default(20).argParser(count(LIMIT_MAX))
  withFilters(messages.command('list'))
    .description('List messages, newest first.')
    .option('--after <time>', 'only messages accepted after this time: ISO 8601 or milliseconds')
    .option('--archived', 'include archived messages')
    .option('--retrying', 'only messages that wait for another attempt, with their last error')
    .addOption(limit)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider messages list --recipient user-7
  $ postrider messages list --address ada@example.com
  $ postrider messages list --status UNDELIVERABLE UNROUTABLE --limit 100
  $ postrider messages list --retrying
  $ postrider messages list --finding variable_missing field_ignored
  $ postrider messages list --json | jq -r '.results[].id'`,
    )
    .action(async (options: ListOptions, command: Command) => list(sessionOf(command), options))
}

async function newest(client: Postrider, options: ListOptions, { progress }: Terminal) {
  const query = {
    ...{ ...queryOf(options), archived: options.archived, enqueued_after: options.after },
    ...(options.retrying && { retrying: true }),
    // With the last error, the address without a user, and until when a message waits.
    include: 'providers' as const,
  }
  const results: Message[] = []
  let more = false
  for await (const message of client.messages.list(query)) {
    more = results.length === options.limit
    if (more) break
    results.push(message)
    if (results.length % (10 * PAGE) === 0) progress.update(`${results.length} messages …`)
  }
  progress.end()
  return { results, more }
}

/** For a message that no error ended. */
function circumstance({ canceledBy, until, paused, pausedBy, deliveriesPaused }: Message): string | undefined {
  if (paused !== undefined) return `paused${pausedBy === undefined ? '' : ` by ${sourceText(pausedBy)}`}`
  if (canceledBy !== undefined) return `by ${canceledBy === 'erasure' ? canceledBy : sourceText(canceledBy)}`
  if (until !== undefined) return `until ${utcTime(until)}`
  return deliveriesPaused === undefined ? undefined : 'deliveries are paused'
}

async function list(session: Session, options: ListOptions): Promise<void> {
  const { terminal } = session
  const { results, more } = await withOptions(withReach(session, ({ client }) => newest(client, options, terminal)))
  terminal.answer({ results, more }, () => {
    if (results.length === 0) return 'No messages.'
    const rows = results.map((message) => [
      utcTime(message.enqueued),
      message.id,
      message.status,
      message.address ?? message.recipient,
      message.event || message.notification,
      errorText(message.error ?? message.retry?.error) ?? message.reason ?? circumstance(message),
    ])
    return table(
      [
        { title: 'ACCEPTED' },
        { title: 'MESSAGE' },
        { title: 'STATUS', style: (text) => statusStyle(terminal, text) },
        { title: 'RECIPIENT', charactersMax: 40 },
        { title: 'EVENT', charactersMax: 40 },
        { title: 'ERROR OR REASON', charactersMax: 80 },
      ],
      rows,
    )
  })
  if (more) terminal.note(`There are more; --limit shows up to ${LIMIT_MAX}.`)
}
