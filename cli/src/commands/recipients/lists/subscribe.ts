/** `postrider lists subscribe` and `unsubscribe`: recipients by id, from arguments or a file. */

import { isPostriderError, type Preferences } from '@postrider/client'
import { type Command, InvalidArgumentError } from 'commander'
import { countText } from '../../../count-text.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import { withReach } from '../../../reach.ts'
import { concurrently, inBatches } from '../../../rows/batches.ts'
import { idOf, idProblem } from '../../../rows/id-column.ts'
import { interruptible } from '../../../rows/interruption.ts'
import { openRows, type RowOptions, withRowOptions } from '../../../rows/options.ts'
import type { Row } from '../../../rows/read.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'

interface SubscribeOptions extends RowOptions {
  csv?: string
  preferences?: Preferences
}

function preferencesOf(text: string): Preferences {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // The same advice as for anything else that is not an object.
  }
  throw new InvalidArgumentError(
    'It must be a JSON object, such as {"notifications":{"weekly":{"status":"OPTED_OUT"}}}.',
  )
}

const BATCH_ROWS = 10_000
const RETRIES = 6
const CONCURRENCY = 8

export function addSubscribe(lists: Command): void {
  withRowOptions(lists.command('subscribe'))
    .description('Subscribe recipients to a list. Creates the list if it does not exist.')
    .argument('<list>', 'id of the list')
    .argument('[recipients...]', 'ids of the recipients')
    .option('--csv <file>', 'CSV or JSON lines file with the ids, or - for standard input')
    .option('--preferences <json>', 'preferences for messages sent to the list', preferencesOf)
    .addHelpText(
      'after',
      `
Examples:
  $ postrider lists subscribe news.product.eu ada grace
  $ postrider lists subscribe news.product.eu --csv users.csv --id user_id

Only the id column of the file is read. Existing subscriptions do not change, so an interrupted run can be repeated.`,
    )
    .action(async (list: string, recipients: string[], options: SubscribeOptions, command: Command) => {
      const session = sessionOf(command)
      if ((options.csv === undefined) === (recipients.length === 0))
        throw new Failure('No recipient is given', {
          hint: 'Give ids as arguments or a file with --csv, but not both.',
          exitCode: exitCodes.wrong,
        })
      if (options.csv !== undefined) await subscribeFile(session, list, options.csv, options)
      else await subscribeNamed(session, list, recipients, options)
    })
}

/** Preferences that are not given stay as they are. */
const subscriptionsOf = (ids: Iterable<string>, { preferences }: SubscribeOptions) => ({
  recipients: [...ids].map((recipientId) => ({ recipientId, ...(preferences && { preferences }) })),
})

async function subscribeNamed(
  session: Session,
  list: string,
  recipients: readonly string[],
  options: SubscribeOptions,
): Promise<void> {
  const ids = [...new Set(recipients)]
  await withReach(session, ({ client }) => client.lists.addSubscriptions(list, subscriptionsOf(ids, options)))
  session.terminal.answer(
    { list, subscribed: ids.length },
    () => `Subscribed ${ids.map(plain).join(', ')} to ${plain(list)}.`,
  )
}

async function subscribeFile(session: Session, list: string, file: string, options: SubscribeOptions): Promise<void> {
  const { terminal } = session
  const client = await runningClientOf(session)
  const opened = await openRows(terminal, file, options, { needsId: true })
  const { failures } = opened
  let rows = 0
  let subscribed = 0
  const work = async (batch: readonly Row[]) => {
    rows += batch.length
    const ids = new Set<string>()
    for (const row of batch) {
      const identified = row.problem ? undefined : idOf(row, opened.idColumn)
      const problem = row.problem ?? (identified ? idProblem(identified.id) : 'The id is missing')
      if (problem) failures.add(row, problem)
      else if (identified) ids.add(identified.id)
    }
    if (ids.size === 0) return
    await client.lists.addSubscriptions(list, subscriptionsOf(ids, options), { retries: RETRIES })
    subscribed += ids.size
  }
  try {
    await interruptible((stop) =>
      inBatches({
        session,
        source: opened.source,
        rows: opened.rows,
        stop,
        fromLine: options.fromLine,
        rowsMax: BATCH_ROWS,
        work,
        status: () => `${subscribed} subscribed, ${countText(failures.count(), 'row')} failed`,
        continueWith: (line) => `Continue with: --from-line ${line}`,
      }),
    )
  } finally {
    failures.close()
  }
  if (failures.count() > 0) process.exitCode = exitCodes.failed
  terminal.answer({ list, rows, subscribed, failed: failures.count(), failures: failures.first }, () => {
    const failed = failures.count() > 0 ? ` ${countText(failures.count(), 'row')} failed.` : ''
    return `${countText(rows, 'row')}: ${subscribed} subscribed to ${plain(list)}.${failed}`
  })
}

export function addUnsubscribe(lists: Command): void {
  lists
    .command('unsubscribe')
    .description('Unsubscribe recipients from a list.')
    .argument('<list>', 'id of the list')
    .argument('<recipients...>', 'ids of the recipients')
    .addHelpText(
      'after',
      `
Example:
  $ postrider lists unsubscribe news.product.eu ada grace`,
    )
    .action(async (list: string, recipients: string[], _options: unknown, command: Command) => {
      const session = sessionOf(command)
      const absent: string[] = []
      await withReach(session, ({ client }) =>
        concurrently([...new Set(recipients)], CONCURRENCY, async (id) => {
          await client.lists.unsubscribe(list, id).catch((error: unknown) => {
            if (!isPostriderError(error, 'not_found')) throw error
            absent.push(id)
          })
        }),
      )
      const unsubscribed = recipients.filter((id) => !absent.includes(id))
      if (unsubscribed.length === 0) process.exitCode = exitCodes.failed
      session.terminal.answer({ list, unsubscribed, absent }, () =>
        [
          ...(unsubscribed.length > 0
            ? [`Unsubscribed ${unsubscribed.map(plain).join(', ')} from ${plain(list)}.`]
            : []),
          ...(absent.length > 0 ? [`Not subscribed to ${plain(list)}: ${absent.map(plain).join(', ')}.`] : []),
        ].join('\n'),
      )
    })
}
