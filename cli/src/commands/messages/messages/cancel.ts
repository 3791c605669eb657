/** `postrider messages cancel`: cancels messages that no provider has accepted; many of them after a dry run that counts them. */
import { type Cancellation, type Cancellations, isPostriderError, type Postrider } from '@postrider/client'
import type { Command } from 'commander'
import { confirm } from '../../../confirm.ts'
import { existing, exitCodes, Failure, withOptions } from '../../../failure.ts'
import { plain, utcTime } from '../../../plain.ts'
import { recipientText } from '../../../recipient-text.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { statusStyle } from '../../../status.ts'
import { table } from '../../../table.ts'
import type { Terminal } from '../../../terminal.ts'
import { type ChoiceFilters, choiceOf, isNarrowed, withChoice, withFilters } from './filters.ts'
import { countOf } from './replay.ts'
import { MESSAGES_HINT } from './show.ts'

interface CancelOptions extends ChoiceFilters {
  job?: string
  archived?: boolean
  dryRun?: boolean
  yes?: boolean
}

/** The API takes as many in a call. */
const IDS_MAX = 1_000

export function addCancel(messages: Command): void {
  withChoice(withFilters(messages.command('cancel')))
    .description('Cancel messages that no provider has accepted.')
    .argument('[ids...]', 'ids of the messages, instead of filters')
    .option('--job <id>', 'only messages of this bulk job')
    .option('--archived', 'include archived messages')
    .option('--dry-run', 'count and list the messages, and cancel none')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider messages cancel 1-691f0000-0000000000000000000000ab
  $ postrider messages cancel --job 1-691f0000-0000000000000000000000ab --dry-run
  $ postrider messages cancel --event spring-sale --before 2026-11-20T15:00Z --yes

One id needs no confirmation. For several, and for filters, the command shows how many messages wait and the first of
them, and requires a confirmation. Messages that are sent meanwhile stay sent. Ctrl+C leaves the others as they are; the
same command goes on. Stop a bulk job before: postrider bulk cancel <id>.`,
    )
    .action(async (ids: string[], options: CancelOptions, command: Command) => {
      const session = sessionOf(command)
      const [id, ...more] = ids
      const isOne =
        id !== undefined && more.length === 0 && !options.dryRun && Object.keys(filterOf(options)).length === 0
      await (isOne ? cancelOne(session, id) : cancelMany(session, ids, options))
    })
}

async function cancelOne(session: Session, id: string): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const message = await existing(client.messages.cancel(id), 'message', id, MESSAGES_HINT).catch((error: unknown) => {
    if (!isPostriderError(error, 'conflict')) throw error
    throw new Failure(plain(error.message), { hint: `See postrider messages show ${plain(id)}`, cause: error })
  })
  terminal.answer(message, () => `${plain(message.id)} ${statusStyle(terminal, message.status)}`)
}

const filterOf = ({ job, archived: _, dryRun: __, yes: ___, ...options }: CancelOptions) => ({
  ...choiceOf(options),
  ...(job !== undefined && { messageId: job }),
})

async function cancelMany(session: Session, ids: readonly string[], options: CancelOptions): Promise<void> {
  const { terminal } = session
  const body = chosenOf(ids, options)
  const client = await runningClientOf(session)
  const plan = await withOptions(client.messages.cancelMany({ ...body, dry_run: true }))
  const { cancelable } = plan
  if (options.dryRun || cancelable === 0) {
    const end = options.dryRun ? 'Nothing was canceled.' : 'There is nothing to cancel.'
    terminal.answer(plan, () => `${planText(plan, terminal)}\n\n${end}`)
    return
  }
  if (!options.yes) {
    terminal.note(planText(plan, terminal))
    if (!(await confirm(terminal, `Cancel ${countOf(cancelable)}?`)))
      throw new Failure('Nothing was canceled', { exitCode: exitCodes.failed })
  }
  const result = await cancelAll(client, body, cancelable, terminal)
  terminal.answer(result, () => resultText(result))
}

/** Throws a `Failure` where the command line chooses no messages, or chooses them twice. */
function chosenOf(ids: readonly string[], options: CancelOptions): Cancellation {
  const filter = filterOf(options)
  const isFiltered = Object.keys(filter).length > 0
  const wrong = (message: string, hint?: string) =>
    new Failure(message, { ...(hint && { hint }), exitCode: exitCodes.wrong })
  if (ids.length > 0 && isFiltered) throw wrong('Give ids or filters, not both')
  if (ids.length > IDS_MAX) throw wrong(`Give ${IDS_MAX} ids at most`)
  if (ids.length > 0) return { message_ids: [...ids] }
  if (!isNarrowed(filter))
    throw wrong(
      'No messages are chosen',
      'Give ids, or filters such as --job <id> or --event welcome --status ENQUEUED.',
    )
  // Messages that are accepted between two calls were not confirmed.
  const enqueued_before = filter.enqueued_before ?? String(Date.now())
  return { filter: { ...filter, enqueued_before, ...(options.archived && { archived: true }) } }
}

interface Result {
  canceled: number
  remaining: number
}

/** Until none is left, or the rest is being delivered. */
async function cancelAll(
  client: Postrider,
  body: Cancellation,
  cancelable: number,
  { progress }: Terminal,
): Promise<Result> {
  let total = 0
  for (let remaining = cancelable; ; ) {
    const reply = await client.messages.cancelMany({ ...body, confirm: remaining })
    total += reply.canceled
    remaining = reply.remaining
    if (remaining === 0 || reply.canceled === 0) {
      progress.end()
      return { canceled: total, remaining }
    }
    progress.update(`${total} of ${countOf(Math.max(total, cancelable))} …`)
  }
}

const resultText = ({ canceled, remaining }: Result) =>
  `Canceled ${countOf(canceled)}.${remaining > 0 ? ` ${countOf(remaining)} ${remaining === 1 ? 'is' : 'are'} being delivered.` : ''}`

const exclusions: Readonly<Record<Cancellations['excluded'][number]['reason'], string>> = {
  not_found: 'do not exist',
  canceled: 'are canceled',
  too_late: 'have ended or are at a provider',
}

function planText({ cancelable, messages, excluded }: Cancellations, terminal: Terminal): string {
  const lines = [
    `${countOf(cancelable)} can be canceled.`,
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
  ]
  const rows = messages.map(({ enqueued, id, status, recipient, event }) => [
    utcTime(enqueued),
    id,
    status,
    recipientText(recipient),
    event,
  ])
  const more =
    cancelable > messages.length ? [`… and ${(cancelable - messages.length).toLocaleString('en-US')} more`] : []
  return [...lines, '', table(columns, rows), ...more].join('\n')
}
