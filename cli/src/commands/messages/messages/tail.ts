/** `postrider messages tail`: new messages as they are accepted, a line each, until it is stopped. */
import type { Message } from '@postrider/client'
import { type Command, Option } from 'commander'
import { withOptions } from '../../../failure.ts'
import { plain, utcTime } from '../../../plain.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { statusStyle } from '../../../status.ts'
import type { Terminal } from '../../../terminal.ts'
import { count, type Filters, queryOf, withFilters } from './filters.ts'
import { follow } from './follow.ts'

interface TailOptions extends Filters {
  limit?: number
}

export function addTail(messages: Command): void {
  const limit = new Option('-l, --limit <count>', 'stop after this many messages').argParser(count(1_000_000))
  withFilters(messages.command('tail'))
    .description('Print new messages as they are accepted, one per line, until Ctrl+C.')
    .addOption(limit)
    .addHelpText(
      'after',
      `
With --status, --provider or --notification, a message is printed within ten seconds of matching. If more than a
thousand messages are in progress, only the newest are checked again.

Examples:
  $ postrider messages tail
  $ postrider messages tail --recipient user-7 --json
  $ postrider messages tail --status UNDELIVERABLE UNMAPPED
  $ postrider messages tail --limit 1 --event welcome`,
    )
    .action(async (options: TailOptions, command: Command) => withOptions(tail(sessionOf(command), options)))
}

async function tail(session: Session, options: TailOptions): Promise<void> {
  const { terminal } = session
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const looking = follow(await runningClientOf(session), queryOf(options), stop.signal, terminal.note)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  for await (const message of looking) {
    terminal.line(message, lineOf(terminal, message))
    left -= 1
    if (left <= 0) break
  }
}

const lineOf = (
  terminal: Terminal,
  { enqueued, id, status, recipient, address, event, notification, error }: Message,
) =>
  [
    terminal.style('dim', utcTime(enqueued)),
    plain(id),
    statusStyle(terminal, status),
    plain(address ?? recipient),
    plain(event || notification),
    ...(error ? [plain(error)] : []),
  ].join('  ')
