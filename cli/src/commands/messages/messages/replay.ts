/** `postrider messages replay`: sends messages again by the filters of their list, after a dry run. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Postrider, Replay, ReplayPlan, ReplayWrite } from '@postrider/client'
import type { Command } from 'commander'
import { confirm } from '../../../confirm.ts'
import { existing, exitCodes, Failure, withOptions } from '../../../failure.ts'
import { plain, utcTime } from '../../../plain.ts'
import { recipientText } from '../../../recipient-text.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { statusStyle } from '../../../status.ts'
import { table } from '../../../table.ts'
import type { Terminal } from '../../../terminal.ts'
import { type ChoiceFilters, choiceOf, count, isNarrowed, withChoice, withFilters } from './filters.ts'

interface ReplayOptions extends ChoiceFilters {
  archived?: boolean
  rate?: number
  again?: boolean
  dryRun?: boolean
  yes?: boolean
  wait?: boolean
}

/** Those of the API. */
const RATE_MAX = 60_000
const POLL_MS = 1_000

export function addReplay(messages: Command): void {
  withChoice(withFilters(messages.command('replay')))
    .description('Send messages again as new messages, for example after an outage of a provider.')
    .argument('[ids...]', 'ids of the messages, instead of filters')
    .option('--archived', 'include archived messages')
    .option('--again', 'include messages that were replayed before')
    .option('--rate <number>', 'messages a minute (default: 600)', count(RATE_MAX))
    .option('--dry-run', 'count and list the messages, and send nothing')
    .option('-y, --yes', 'do not ask')
    .option('--wait', 'wait until every message is created')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider messages replay --status UNDELIVERABLE --provider smtp --after 2026-11-20T14:00Z --before 2026-11-20T15:00Z --dry-run
  $ postrider messages replay --status UNDELIVERABLE --error 535 --rate 1200 --yes --wait
  $ postrider messages replay 1-691f0000-0000000000000000000000ab

The command shows how many messages can be replayed, the first of them and why others cannot, and requires a
confirmation. Each one is a new message with the same inputs, decided anew: preferences, suppressed addresses and limits
apply as to any send. Messages that a replay has sent already are left out. Ctrl+C ends the wait of --wait, not the
replay: postrider messages cancel-replay <id> stops it.`,
    )
    .action(async (ids: string[], options: ReplayOptions, command: Command) => replay(sessionOf(command), ids, options))
  messages
    .command('cancel-replay')
    .description('Stop a replay: no further messages are created; those created already are sent.')
    .argument('<id>', 'id of the replay')
    .addHelpText(
      'after',
      `
Example:
  $ postrider messages cancel-replay 1-691f0000-0000000000000000000000ab`,
    )
    .action(async (id: string, _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const client = await runningClientOf(session)
      const canceled = await existing(client.replays.cancel(id), 'replay', id)
      session.terminal.answer(canceled, () => progressText(canceled, session.terminal))
    })
}

async function replay(session: Session, ids: readonly string[], options: ReplayOptions): Promise<void> {
  const { terminal } = session
  const chosen = chosenOf(ids, options)
  const client = await runningClientOf(session)
  // Messages that end between the two calls would change the count.
  const body: ReplayWrite = chosen.filter
    ? { ...chosen, filter: { ...chosen.filter, enqueued_before: chosen.filter.enqueued_before ?? String(Date.now()) } }
    : chosen
  const plan = await withOptions(client.replays.create({ ...body, dry_run: true }))
  if (options.dryRun || plan.replayable === 0) {
    terminal.answer(
      plan,
      () => `${planText(plan, terminal)}\n\n${options.dryRun ? 'Nothing was sent.' : 'There is nothing to replay.'}`,
    )
    return
  }
  if (!options.yes) {
    terminal.note(planText(plan, terminal))
    const question = `Send ${countOf(plan.replayable)} again?`
    if (!(await confirm(terminal, question))) throw new Failure('Nothing was sent', { exitCode: exitCodes.failed })
  }
  const started = await client.replays.create({ ...body, confirm: plan.replayable, set: plan.set })
  const { id } = started
  if (id === undefined) throw new Failure('The server did not start the replay')
  if (!options.wait) {
    terminal.answer(started, () => `Replay ${plain(id)} has started: ${countOf(started.replayable)}.`)
    return
  }
  const ended = await follow(client, id, terminal)
  terminal.answer(ended, () => progressText(ended, terminal))
  if (ended.status !== 'COMPLETED' || ended.failures > 0) process.exitCode = exitCodes.failed
}

/** Throws a `Failure` where the command line chooses no messages, or chooses them twice. */
function chosenOf(ids: readonly string[], options: ReplayOptions): ReplayWrite {
  const { archived, rate, again } = options
  const shared: ReplayWrite = {
    ...(rate !== undefined && { rate_per_minute: rate }),
    ...(again && { include_replayed: true }),
  }
  const filter = choiceOf(options)
  const isFiltered = Object.keys(filter).length > 0
  if (ids.length > 0 && isFiltered) throw new Failure('Give ids or filters, not both', { exitCode: exitCodes.wrong })
  if (ids.length > 0) return { message_ids: [...ids], ...shared }
  if (!isNarrowed(filter))
    throw new Failure('No messages are chosen', {
      hint: 'Give ids, or filters such as --status UNDELIVERABLE --after 2026-11-20T14:00Z.',
      exitCode: exitCodes.wrong,
    })
  return { filter: { ...filter, ...(archived && { archived }) }, ...shared }
}

async function follow(client: Postrider, id: string, { progress }: Terminal): Promise<Replay> {
  for (;;) {
    const replay = await client.replays.get(id)
    if (replay.status !== 'PROCESSING') {
      progress.end()
      return replay
    }
    progress.update(`${replay.replayed} of ${countOf(replay.replayable)} …`)
    await pause(POLL_MS)
  }
}

export const countOf = (messages: number) =>
  messages === 1 ? '1 message' : `${messages.toLocaleString('en-US')} messages`

const exclusions: Readonly<Record<ReplayPlan['excluded'][number]['reason'], string>> = {
  not_found: 'do not exist',
  erased: 'belong to erased recipients',
  in_progress: 'have not ended',
  content_expired: 'have no stored content any more',
  already_replayed: 'were replayed before (--again includes them)',
}

function planText(
  { replayable, messages, excluded, rate_per_minute, duration_ms }: ReplayPlan,
  terminal: Terminal,
): string {
  const minutes = Math.max(1, Math.ceil(duration_ms / 60_000))
  const lines = [
    `${countOf(replayable)} can be replayed${replayable > 0 ? `, at ${rate_per_minute} a minute: about ${minutes} min` : ''}.`,
    ...excluded.map(
      ({ reason, count, message_ids }) =>
        `Left out: ${count} ${exclusions[reason] ?? plain(reason)}, such as ${plain(message_ids[0])}.`,
    ),
  ]
  if (messages.length === 0) return lines.join('\n')
  const columns = [
    { title: 'ACCEPTED' },
    { title: 'MESSAGE' },
    { title: 'STATUS', style: (text: string) => statusStyle(terminal, text) },
    { title: 'RECIPIENT', charactersMax: 40 },
    { title: 'EVENT', charactersMax: 40 },
    { title: 'ERROR', charactersMax: 80 },
  ]
  const rows = messages.map((message) => [
    utcTime(message.enqueued),
    message.id,
    message.status,
    recipientText(message.recipient),
    message.event,
    message.error,
  ])
  const more =
    replayable > messages.length ? [`… and ${(replayable - messages.length).toLocaleString('en-US')} more`] : []
  return [...lines, '', table(columns, rows), ...more].join('\n')
}

const progressText = ({ id, status, replayed, replayable, failures, excluded, error }: Replay, terminal: Terminal) =>
  [
    `${plain(id)} ${statusStyle(terminal, status)}: ${replayed} of ${countOf(replayable)} sent again`,
    ...(failures > 0 ? [`${failures} could not be created`] : []),
    ...excluded.map(({ reason, count }) => `Left out: ${count} ${exclusions[reason] ?? plain(reason)}`),
    ...(error === undefined ? [] : [plain(error)]),
  ].join('\n')
