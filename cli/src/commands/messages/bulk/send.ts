/** `postrider bulk send`: creates a job from a file, runs it and follows it to its end; an interrupted run can be continued. */

import type { BulkMessage, Postrider } from '@postrider/client'
import { type Command, Option } from 'commander'
import { assign, type Fields } from '../../../assign.ts'
import { countText } from '../../../count-text.ts'
import { exitCodes, Failure } from '../../../failure.ts'
import { readObject } from '../../../json-file.ts'
import { plain } from '../../../plain.ts'
import { inBatches, stopped } from '../../../rows/batches.ts'
import { interruptible } from '../../../rows/interruption.ts'
import { type OpenRows, openRows, type RowOptions, withRowOptions } from '../../../rows/options.ts'
import type { Row } from '../../../rows/read.ts'
import { seconds } from '../../../seconds.ts'
import { runningClientOf, type Session, sessionOf } from '../../../session.ts'
import { failedStatuses, pendingStatuses } from '../../../status.ts'
import { checkAgainstServer } from './check.ts'
import {
  type AddedUsers,
  addUsers,
  CLOSED,
  compareRows,
  contentOf,
  createJob,
  type JobUsers,
  jobOf,
  runJob,
  USERS_MAX,
} from './job.ts'
import { awaitOutcome, countOf, type JobOutcome, outcomeText } from './outcome.ts'
import { otherPlaces, refuseUnplacedColumns, type UserRules, userReader } from './users.ts'

interface BulkOptions extends RowOptions, Pick<UserRules, 'otherColumns'> {
  csv: string
  data?: Fields
  brand?: string
  jsonBody?: string
  job?: string
  idempotencyKey?: string
  strict?: boolean
  dryRun?: boolean
  wait: boolean
  timeout: number
}

export function addSend(bulk: Command): void {
  withRowOptions(bulk.command('send'))
    .description('Send a notification to every recipient in a file.')
    .argument('[event]', 'notification id, or event mapped to a notification')
    .requiredOption('--csv <file>', 'CSV or JSON lines file, or - for standard input')
    .addOption(
      new Option(
        '--other-columns <place>',
        'handling of columns that match no field (default: reject the file)',
      ).choices(otherPlaces),
    )
    .option(
      '-d, --data <key=value>',
      'value of a template variable for every recipient; key:=json for values other than text',
      assign,
    )
    .option('--brand <id>', 'brand to use for rendering')
    .option('--json-body <file>', 'message of the job as JSON, from a file')
    .option('--strict', 'reject a message that is invalid for every recipient')
    .option('--job <id>', 'continue an interrupted job, by the id that was printed')
    .option('--idempotency-key <key>', 'repeated runs with the same key continue the same job, for 25 hours')
    .option('--dry-run', 'check the message and every row against the server, and count the messages, without sending')
    .option('--no-wait', 'exit after the job has started, without following it')
    .addOption(new Option('--timeout <seconds>', 'how long to wait for the messages').default(600).argParser(seconds))
    .addHelpText(
      'after',
      `
Examples:
  $ postrider bulk send welcome --csv users.csv --data product=Postrider
  $ postrider bulk send newsletter --csv users.csv --idempotency-key newsletter-2026-11 --errors failed.csv
  $ postrider bulk send welcome --csv users.csv --map 'First name=data.name' --ignore Notes --dry-run
  $ postrider bulk send newsletter --csv users.csv --other-columns ignore      reuses the file of profiles import
  $ postrider bulk send welcome --csv users.csv --job 1-691f0000-0000000000000000000000ab

Columns: recipient (or id, user_id), profile.*, data.*, preferences.*, and the profile fields email, phone_number, locale,
timezone and zoneinfo without a prefix:

  recipient,email,data.name,data.items:json
  user-7,ada@example.com,Ada,"[{""name"":""Tea""}]"

A job contains each recipient once and runs once, so that no message is sent twice. A second row of a recipient with
other data fails: two invoices for one customer are two files. If the command is interrupted, run it
again with --job, or with the same --idempotency-key: a row that the job does not have, or has with other data, fails
if the job was run before. With --json, use an --idempotency-key: the id of the job is
printed at the end only. The exit code is 1 if a row or a message failed, or if messages are still in progress after
--timeout.

--dry-run has the server decide every row, and counts the messages by channel and integration, the rows without a
message by cause, those with an address that cannot be used, and those without a value for a variable of the template,
which the message would show as {name}. Nothing is sent or stored. The exit code is 1 if a row is invalid, would get
no message, has such an address or lacks a value, if the file has no row, or if the event or the template is unknown.
With --job the rows are compared with the users of that job. --idempotency-key has no effect on --dry-run: whether the
key was used before is not checked, and the rows are checked as those of a new job.`,
    )
    .action(async (event: string | undefined, options: BulkOptions, command: Command) =>
      bulkSend(sessionOf(command), event, options),
    )
}

async function bulkSend(session: Session, event: string | undefined, options: BulkOptions): Promise<void> {
  const { terminal } = session
  const message = options.job === undefined ? messageOf(event, options) : undefined
  const client = await runningClientOf(session)
  const opened = await openRows(terminal, options.csv, options, { needsId: false })
  if (opened.columns) refuseUnplacedColumns(opened.columns, opened.idColumn, options)
  try {
    await interruptible((stop) =>
      options.dryRun
        ? checkAgainstServer({ session, client, opened }, message, options, stop)
        : sendAll({ session, client, opened, options, stop }, message),
    )
  } finally {
    // An open pipe would keep the process alive.
    opened.source.close()
    opened.failures.close()
  }
  if (opened.failures.count() > 0) process.exitCode = exitCodes.failed
}

function messageOf(event: string | undefined, { data, brand, jsonBody }: BulkOptions): BulkMessage {
  const body: Record<string, unknown> = jsonBody === undefined ? {} : readObject(jsonBody)
  // The body of the API's own call is taken as well.
  const file = (Object.keys(body).join() === 'message' ? body.message : body) as BulkMessage
  const message: BulkMessage = {
    ...file,
    ...(event !== undefined && { event }),
    ...(brand !== undefined && { brand }),
    ...(data && { data: { ...file.data, ...data } }),
  }
  if (event === undefined && jsonBody === undefined)
    throw new Failure('The event is missing', {
      hint: 'postrider bulk send <event> --csv users.csv, or a message in --json-body.',
      exitCode: exitCodes.wrong,
    })
  return message
}

interface Sending {
  session: Session
  client: Postrider
  opened: OpenRows
  options: BulkOptions
  stop: AbortSignal
}

async function sendAll(sending: Sending, message: BulkMessage | undefined): Promise<void> {
  const { session, client, opened, options, stop } = sending
  const { terminal } = session
  const { idempotencyKey, strict } = options
  const jobId =
    options.job ??
    (await createJob(client, message ?? {}, {
      ...(idempotencyKey !== undefined && { idempotencyKey }),
      ...(strict && { strict }),
    }))
  // Before anything that can be interrupted: the id is what a next run needs.
  terminal.note(`Job ${plain(jobId)}`)
  const count: AddedUsers = { rows: 0, added: 0, present: 0 }
  const before = await jobOf(client, jobId)
  const job = { client, jobId, failures: opened.failures, count, read: userReader(opened.idColumn, options, jobId) }
  if (before.status === 'CREATED') {
    await fill(job, sending, 'Nothing was sent.', (batch) => addUsers(job, batch))
    const { received } = await jobOf(client, jobId)
    if (received === 0) throw new Failure(`No user was added to the job ${plain(jobId)}`, { hint: 'Nothing was sent.' })
    if (stop.aborted) throw stopped(`Nothing was sent. Every row has been added. To send: --job ${plain(jobId)}`)
    await runJob(client, jobId)
  } else {
    terminal.note(CLOSED)
    const inJob = await contentOf(client, jobId, terminal)
    await fill(job, sending, 'Nothing more was sent.', compareRows(job, inJob))
  }
  const outcome = options.wait ? await awaitOutcome(client, jobId, terminal, options.timeout, stop) : undefined
  terminal.progress.end()
  conclude(session, jobId, count, opened, outcome)
}

async function fill(
  job: JobUsers,
  { session, opened, options, stop }: Sending,
  ifStopped: string,
  work: (batch: readonly Row[]) => Promise<void>,
): Promise<void> {
  const { count, failures, jobId } = job
  await inBatches({
    session,
    source: opened.source,
    rows: opened.rows,
    stop,
    fromLine: options.fromLine,
    rowsMax: USERS_MAX,
    work,
    status: () => `${countText(count.rows, 'row')}, ${failures.count()} failed`,
    continueWith: (line) => `${ifStopped} Continue with: --job ${plain(jobId)} --from-line ${line}`,
  })
}

function conclude(
  { terminal }: Session,
  jobId: string,
  count: AddedUsers,
  { failures }: OpenRows,
  outcome: JobOutcome | undefined,
): void {
  const { rows, added, present } = count
  const pending = outcome && (outcome.statuses ? countOf(outcome, pendingStatuses) : outcome.job.received)
  const failedMessages = outcome ? countOf(outcome, failedStatuses) + outcome.job.failures : 0
  if (failedMessages > 0 || (pending ?? 0) > 0) process.exitCode = exitCodes.failed
  const value = {
    jobId,
    rows,
    added,
    present,
    failedRows: failures.count(),
    failures: failures.first,
    ...(outcome && {
      job: { ...outcome.job, definition: undefined },
      statuses: outcome.statuses,
      failed: outcome.failed,
    }),
  }
  terminal.answer(value, () => {
    const already = present > 0 ? `, ${present} already in the job` : ''
    const failed = failures.count() > 0 ? `, ${countText(failures.count(), 'row')} failed` : ''
    const head = rows > 0 ? `${countText(rows, 'row')}: ${countText(added, 'user')} added${already}${failed}.` : ''
    return [head, outcome ? outcomeText(terminal, outcome) : `The job ${plain(jobId)} has started.`]
      .filter(Boolean)
      .join('\n')
  })
  if (pending)
    terminal.note(
      `${pending} are still in progress in the background. To check them: postrider bulk show ${plain(jobId)}`,
    )
}
