/** `postrider messages release`: tries held messages again, after a dry run that counts them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Postrider, Release, Released } from '@postrider/client'
import type { Command } from 'commander'
import { confirm } from '../../../confirm.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { utcTime } from '../../../plain.ts'
import { recipientText } from '../../../recipient-text.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { table } from '../../../table.ts'
import type { Terminal } from '../../../terminal.ts'
import { type ChoiceFilters, choiceOf, withAttributes, withChoice } from './filters.ts'
import { countOf } from './replay.ts'

interface ReleaseOptions extends ChoiceFilters {
  dryRun?: boolean
  yes?: boolean
}

/** The messages of a call start one after the other: the next call waits for their turns. */
const SPACING_MS = 5

export function addRelease(messages: Command): void {
  withChoice(withAttributes(messages.command('release')))
    .description('Try held messages again, for example after the account at a provider is repaired.')
    .argument('[ids...]', 'ids of the messages, instead of filters; without either, every held message')
    .option('--dry-run', 'count and list the messages, and release none')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `
Examples:
  $ postrider messages release --dry-run
  $ postrider messages release --provider smtp --yes
  $ postrider messages release 1-691f0000-0000000000000000000000ab

The command shows how many messages are held and the first of them, and requires a confirmation. Messages go on 200 a
second, oldest first; those that are refused again are held again. Ctrl+C leaves the others held. A change of an
integration and a good test of it release its messages without this command.`,
    )
    .action(async (ids: string[], options: ReleaseOptions, command: Command) =>
      release(sessionOf(command), ids, options),
    )
}

async function release(session: Session, ids: readonly string[], options: ReleaseOptions): Promise<void> {
  const { terminal } = session
  const filter = choiceOf(options)
  const isFiltered = Object.keys(filter).length > 0
  if (ids.length > 0 && isFiltered) throw new Failure('Give ids or filters, not both', { exitCode: exitCodes.wrong })
  const body: Release = {
    ...(ids.length > 0 && { message_ids: [...ids] }),
    ...(isFiltered && { filter }),
  }
  const client = await runningClientOf(session)
  const plan = await client.messages.release({ ...body, dry_run: true })
  const { releasable = 0 } = plan
  if (options.dryRun || releasable === 0) {
    const end = options.dryRun ? 'Nothing was released.' : 'There is nothing to release.'
    terminal.answer(plan, () => `${planText(plan)}\n\n${end}`)
    return
  }
  if (!options.yes) {
    terminal.note(planText(plan))
    if (!(await confirm(terminal, `Release ${countOf(releasable)}?`)))
      throw new Failure('Nothing was released', { exitCode: exitCodes.failed })
  }
  const released = await releaseAll(client, body, releasable, terminal)
  terminal.answer({ released }, () => `Released ${countOf(released)}.`)
}

/** Every message once: one that is held again meanwhile is behind the cursor. */
async function releaseAll(
  client: Postrider,
  body: Release,
  releasable: number,
  { progress }: Terminal,
): Promise<number> {
  let total = 0
  for (let cursor: string | undefined; ; ) {
    const { released, more, cursor: next } = await client.messages.release({ ...body, ...(cursor && { cursor }) })
    total += released
    if (!more || next === undefined) {
      progress.end()
      return total
    }
    cursor = next
    progress.update(`${total} of ${countOf(Math.max(total, releasable))} …`)
    await pause(released * SPACING_MS)
  }
}

function planText({ releasable = 0, messages = [] }: Released): string {
  const first = `${countOf(releasable)} ${releasable === 1 ? 'is' : 'are'} held.`
  if (messages.length === 0) return first
  const columns = [
    { title: 'ACCEPTED' },
    { title: 'MESSAGE' },
    { title: 'RECIPIENT', charactersMax: 40 },
    { title: 'EVENT', charactersMax: 40 },
    { title: 'ERROR', charactersMax: 80 },
  ]
  const rows = messages.map((message) => [
    utcTime(message.enqueued),
    message.id,
    recipientText(message.recipient),
    message.event,
    message.error,
  ])
  const more =
    releasable > messages.length ? [`… and ${(releasable - messages.length).toLocaleString('en-US')} more`] : []
  return [first, '', table(columns, rows), ...more].join('\n')
}
