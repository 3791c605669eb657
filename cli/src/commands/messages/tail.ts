/** `postrider messages tail`: new messages as they are accepted, a line each, until it is stopped. */
import { setTimeout as pause } from 'node:timers/promises'
import { isPostriderError, type Message, type MessagesListQuery, type Postrider } from '@postrider/client'
import { type Command, Option } from 'commander'
import { moment, plain } from '../../plain.ts'
import { runningClientOf, type Session, sessionOf } from '../../session.ts'
import { statusStyle } from '../../status.ts'
import type { Terminal } from '../../terminal.ts'
import { count, type Filters, queryOf, withFilters } from './filters.ts'

interface TailOptions extends Filters {
  limit?: number
}

const POLL_MS = 1_000
// Ten a page: one look shows at most a thousand. Whoever sends more than that a second reads a log instead.
const LOOK_MAX = 1_000
// Messages of several nodes appear a little out of order: the last seconds are looked at again.
const OVERLAP_MS = 3_000

export function addTail(messages: Command): void {
  const limit = new Option('-l, --limit <count>', 'end after this many').argParser(count(1_000_000))
  withFilters(messages.command('tail'))
    .description('Follow new messages, one line each, until Ctrl+C.')
    .addOption(limit)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider messages tail
  $ postrider messages tail --recipient user-7 --json
  $ postrider messages tail --limit 1 --event welcome`,
    )
    .action(async (options: TailOptions, command: Command) => tail(sessionOf(command), options))
}

async function tail(session: Session, options: TailOptions): Promise<void> {
  const { terminal } = session
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  const looking = follow(await runningClientOf(session), queryOf(options), stop.signal, terminal)
  let left = options.limit ?? Number.POSITIVE_INFINITY
  for await (const message of looking) {
    terminal.line(message, lineOf(terminal, message))
    left -= 1
    if (left <= 0) break
  }
}

const lineOf = (terminal: Terminal, { enqueued, id, status, recipient, event, notification, error }: Message) =>
  [
    terminal.style('dim', moment(enqueued)),
    plain(id),
    statusStyle(terminal, status),
    plain(recipient),
    plain(event || notification),
    ...(error ? [plain(error)] : []),
  ].join('  ')

/** Begins after the newest message there is, by the server's clock. */
async function* follow(
  client: Postrider,
  query: MessagesListQuery,
  signal: AbortSignal,
  terminal: Terminal,
): AsyncGenerator<Message> {
  const newest = await client.messages.list(undefined, { signal }).then(({ results }) => results)
  let since = newest[0]?.enqueued ?? 0
  // The newest page may hold less than the overlap: what is older than `from` was there before us.
  const from = since
  let seen = new Map(newest.map(({ id, enqueued }) => [id, enqueued]))
  terminal.note('Waiting for messages. Ctrl+C ends it.')
  let troubled = false
  while (!signal.aborted) {
    const fresh: Message[] = []
    try {
      const after = { ...query, enqueued_after: String(Math.max(0, Math.max(since - OVERLAP_MS, from - 1))) }
      let looked = 0
      for await (const message of client.messages.list(after, { signal })) {
        looked += 1
        if (!seen.has(message.id)) fresh.push(message)
        if (looked < LOOK_MAX) continue
        terminal.note(`More than ${LOOK_MAX} at once; some are left out.`)
        break
      }
      troubled = false
    } catch (error) {
      if (signal.aborted) return
      if (!passing(error)) throw error
      if (!troubled) terminal.note(`The server does not answer (${(error as Error).message}); trying on.`)
      troubled = true
    }
    for (const message of fresh) since = Math.max(since, message.enqueued)
    seen = remembered(seen, fresh, since)
    yield* fresh.reverse()
    await pause(POLL_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** What the overlap can show again, and no more. */
function remembered(seen: Map<string, number>, fresh: readonly Message[], since: number): Map<string, number> {
  for (const { id, enqueued } of fresh) seen.set(id, enqueued)
  return new Map([...seen].filter(([, enqueued]) => enqueued >= since - OVERLAP_MS))
}

const passing = (error: unknown) =>
  (['connection', 'timeout', 'server', 'rate_limit'] as const).some((kind) => isPostriderError(error, kind))
