/** `postrider copy <address>`: what another server of this API has, for a move to this one. */
import { type Call, isPostriderError, Postrider, type PostriderError } from '@postrider/client'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { readSourceKey } from '../../config.ts'
import type { Api } from '../../copy/api.ts'
import { type CopyReport, copy, copyKinds } from '../../copy/copy.ts'
import { exitCodes, Failure } from '../../failure.ts'
import { plain } from '../../plain.ts'
import { canPrompt, withQuestions } from '../../questions.ts'
import { interruptible } from '../../rows/interruption.ts'
import { refuseNoAddress, runningClientOf, type Session, sessionOf } from '../../session.ts'
import { table } from '../../table.ts'
import { readText } from '../../text-file.ts'
import { version } from '../../version.ts'
import { count } from '../messages/messages/filters.ts'

interface CopyOptions {
  only?: readonly string[]
  users?: string
  overwrite?: boolean
  dryRun?: boolean
  concurrency: number
}

const CONCURRENCY_MAX = 64

export function addCopy(program: Command): void {
  program
    .command('copy')
    .description('Copy templates, users, lists, preferences and tenants from Courier, or from another Postrider.')
    .argument('<address>', 'address of that server, such as https://api.courier.com')
    .option('--only <kinds>', `kinds to copy, separated by commas: ${copyKinds.join(', ')}`, kindsOf)
    .option('--users <file>', 'file with ids of further users to copy, one on each line, or - for standard input')
    .option('--overwrite', 'replace existing records, profiles and choices')
    .option('--dry-run', 'only count the records to copy')
    .addOption(
      new Option('--concurrency <count>', 'number of users that are copied at a time')
        .default(8)
        .argParser(count(CONCURRENCY_MAX)),
    )
    .addHelpText(
      'after',
      `
Examples:
  $ postrider copy https://api.courier.com --dry-run
  $ postrider copy https://api.courier.com --users ids.txt
  $ postrider copy https://api.courier.com --only templates,events --overwrite

The key of the other server is read from POSTRIDER_SOURCE_API_KEY, or from the file that POSTRIDER_SOURCE_API_KEY_FILE
names; in a terminal the command prompts for it. Nothing is written there.

Records keep their ids. A template gets a new one and is sent by its alias, its old id, and the events mapped to it. Users
are those of lists, tenants and audiences and those of --users, each with profile, preferences, subscriptions, tenants and
device tokens.

Records of this server stay as they are, and so does a user who is here, but for opt-outs that were made at the other
server since. Choices that were made here by another key than that of the copy stay. Run the command as often as needed,
also after an interruption. --overwrite replaces records, profiles and choices, and unsubscribes users from the lists
that they left.`,
    )
    .action(async (address: string, options: CopyOptions, command: Command) =>
      copyFrom(sessionOf(command), address, options),
    )
}

function kindsOf(text: string): readonly string[] {
  const kinds = text.split(',').map((kind) => kind.trim())
  const unknown = kinds.find((kind) => !copyKinds.includes(kind))
  if (unknown !== undefined)
    throw new InvalidArgumentError(`Unknown kind \`${plain(unknown)}\`. The kinds are ${copyKinds.join(', ')}.`)
  return kinds
}

async function copyFrom(session: Session, address: string, options: CopyOptions): Promise<void> {
  const { terminal } = session
  const { only = copyKinds, users, overwrite = false, dryRun = false, concurrency } = options
  const baseUrl = sourceAddress(address)
  if (users !== undefined && !only.includes('users'))
    throw new Failure('--users has no effect without the kind users', { exitCode: exitCodes.wrong })
  const userIds = users === undefined ? [] : linesOf(readText(users))
  const apiKey = await sourceKey(baseUrl)
  const target = await runningClientOf(session)
  if (baseUrl === session.server.url && apiKey === session.server.apiKey)
    throw new Failure('The other server is this one, with the same key', { exitCode: exitCodes.wrong })
  const client = new Postrider({ baseUrl, apiKey, userAgent: `postrider-cli/${version}` })
  const { source, isOfSource } = trackErrors(client)
  const report: CopyReport = { counts: [], problems: 0, failures: [], notServed: [] }
  const answer = () => terminal.answer({ ...report, dry_run: dryRun }, () => reportText(report, options))
  const { update } = terminal.progress
  const request = { source, target, userIds, kinds: new Set(only), overwrite, dryRun, concurrency }
  try {
    await interruptible((stop) =>
      copy({ ...request, stop, onProgress: update, onWarning: terminal.warning }, report),
    ).finally(() => terminal.progress.end())
  } catch (error) {
    // Failures are named also by a copy that ends early.
    if (report.counts.length > 0) answer()
    throw isOfSource(error) ? sourceFailure(baseUrl, error) : error
  }
  if (report.counts.every(({ kind }) => kind === 'users') && report.notServed.length > 1)
    throw new Failure(`The server at ${baseUrl} has no list of this API`, {
      hint: 'Check the address, and the rights of POSTRIDER_SOURCE_API_KEY.',
    })
  if (report.problems > 0) process.exitCode = exitCodes.failed
  answer()
}

/** The address as the client takes it. One with a password would be shown in messages. */
function sourceAddress(address: string): string {
  refuseNoAddress(address, 'The argument')
  const { username, password, search, hash } = new URL(address)
  if (username + password + search + hash === '') return address.replace(/\/+$/, '')
  throw new Failure('The address of the other server must have no user name, password, query or fragment', {
    hint: 'Its API key is read from POSTRIDER_SOURCE_API_KEY.',
    exitCode: exitCodes.wrong,
  })
}

/** The calls of a client, and which errors are theirs: another client can have the same address. */
function trackErrors({ call }: Postrider): { source: Api; isOfSource(error: unknown): error is PostriderError } {
  const errors = new WeakSet<PostriderError>()
  const tracked: Call = async (request) => {
    try {
      return await call(request)
    } catch (error) {
      if (isPostriderError(error)) errors.add(error)
      throw error
    }
  }
  const isOfSource = (error: unknown): error is PostriderError => isPostriderError(error) && errors.has(error)
  return { source: { call: tracked }, isOfSource }
}

function sourceFailure(baseUrl: string, error: PostriderError): Failure {
  if (error.kind === 'authentication')
    return new Failure(`The server at ${baseUrl} rejected the API key`, {
      hint: 'Check POSTRIDER_SOURCE_API_KEY.',
      cause: error,
    })
  const isPassing = ['server', 'timeout', 'connection', 'rate_limit'].includes(error.kind)
  return new Failure(`The server at ${baseUrl} failed: ${error.message}`, {
    ...(isPassing && { hint: 'Run the command again.' }),
    cause: error,
  })
}

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean)

async function sourceKey(baseUrl: string): Promise<string> {
  const key = readSourceKey()
  if (key !== undefined) return key
  if (canPrompt()) {
    const answer = await withQuestions((prompt) => prompt(`API key of ${plain(baseUrl)}: `, { secret: true }))
    if (answer.trim() !== '') return answer.trim()
  }
  throw new Failure(`There is no API key for the server at ${plain(baseUrl)}`, {
    hint: 'Set POSTRIDER_SOURCE_API_KEY.',
    exitCode: exitCodes.wrong,
  })
}

function reportText({ counts, problems, failures, notServed }: CopyReport, { dryRun, overwrite }: CopyOptions): string {
  const columns = [
    { title: 'KIND' },
    { title: dryRun ? 'TO COPY' : 'COPIED' },
    { title: 'PRESENT' },
    { title: 'FAILED' },
  ]
  const rows = counts.map(({ kind, copied, present, failed }) => [kind, copied, present, failed])
  return [
    table(columns, rows),
    ...(notServed.length > 0
      ? ['', `The other server does not have, or not for this key: ${notServed.join(', ')}.`]
      : []),
    ...(failures.length > 0
      ? ['', ...failures.map(({ kind, id, problem }) => `${kind} ${plain(id)}: ${plain(problem)}`)]
      : []),
    ...(problems > failures.length ? [`${problems - failures.length} more problems are not shown.`] : []),
    ...(counts.some(({ present }) => present > 0) && !overwrite
      ? ['', 'PRESENT: left as they are on this server. To replace them: --overwrite']
      : []),
  ].join('\n')
}
