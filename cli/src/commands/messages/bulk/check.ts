/** `postrider bulk send --dry-run`: the rows and the message, checked against the server; nothing is sent or stored. */
import { type BulkMessage, type BulkUserForecast, isPostriderError, type Postrider } from '@postrider/client'
import { countText } from '../../../count-text.ts'
import { Failure } from '../../../failure.ts'
import { plain } from '../../../plain.ts'
import { inBatches } from '../../../rows/batches.ts'
import { byBody } from '../../../rows/bodies.ts'
import type { OpenRows } from '../../../rows/options.ts'
import type { Row } from '../../../rows/read.ts'
import type { Session } from '../../../session.ts'
import {
  countForecast,
  type ForecastCount,
  forecastText,
  forecastValue,
  isNotSent,
  newForecastCount,
  rowProblem,
} from './forecast-count.ts'
import { CLOSED, closedProblem, contentOf, DIFFERING, type Entry, type JobContent, jobOf, RETRIES } from './job.ts'
import { repeatCheck, type User, type UserRules, userReader } from './users.ts'

/** As many as one call explains. */
const USERS_MAX = 100
/** As many as one screen shows. */
const NOTES_MAX = 20

interface Check {
  session: Session
  client: Postrider
  message: BulkMessage
  opened: OpenRows
  count: ForecastCount
  /** Sentences about the message, each shown once. */
  notes: Set<string>
  /** With `--job`. */
  job: JobCheck | undefined
}

interface JobCheck {
  jobId: string
  inJob: JobContent
  /** It takes no users and sends nothing more. */
  isClosed: boolean
  received: number
}

export interface CheckOptions extends UserRules {
  strict?: boolean
  fromLine: number
  job?: string
}

/** `stated`: the message; undefined with `--job`, whose job has one. */
export async function checkAgainstServer(
  { session, client, opened }: Pick<Check, 'session' | 'client' | 'opened'>,
  stated: BulkMessage | undefined,
  options: CheckOptions,
  stop: AbortSignal,
): Promise<void> {
  const count = newForecastCount()
  const { message = stated ?? {}, job } = options.job === undefined ? {} : await jobCheck(session, client, options.job)
  const check: Check = { session, client, message, opened, count, notes: new Set(), job }
  const { terminal } = session
  if (!job?.isClosed) await checkMessage(check, options.strict === true)
  const read = userReader(opened.idColumn, options, job?.jobId ?? '')
  const repeats = repeatCheck()
  await inBatches({
    session,
    source: opened.source,
    rows: opened.rows,
    stop,
    fromLine: options.fromLine,
    rowsMax: USERS_MAX,
    work: async (batch) => {
      const entries = batch.flatMap((row) => entryOf(check, row, read(row), repeats))
      for (const part of byBody(entries, USERS_MAX, ({ user }) => user)) await checkPart(check, part)
    },
    status: () => `${countText(count.rows, 'row')} checked, ${opened.failures.count()} failed`,
    continueWith: (line) => `Nothing was sent. Continue with: --from-line ${line}`,
  })
  if (count.rows === 0 && !job?.isClosed && !job?.received)
    throw new Failure('No user would be added to the job', { hint: 'The file has no row. Nothing would be sent.' })
  const { failures } = opened
  const value = {
    ...forecastValue(count),
    failed: failures.count(),
    failures: failures.first,
    problems: [...check.notes],
  }
  terminal.answer(value, () => forecastText(count))
}

async function jobCheck({ terminal }: Session, client: Postrider, jobId: string) {
  const { definition, status, received } = await jobOf(client, jobId)
  const isClosed = status !== 'CREATED'
  if (isClosed) terminal.note(CLOSED)
  const inJob = await contentOf(client, jobId, terminal)
  return { message: definition as BulkMessage, job: { jobId, inJob, isClosed, received } }
}

/** Before any row: an unknown event or template stops all of them. Throws a `Failure`. */
async function checkMessage(check: Check, isStrict: boolean): Promise<void> {
  const { stopped, problems, warnings } = await explained(check, [])
  if (stopped) throw new Failure(stopped.error, { hint: 'No row would be sent.' })
  const issues = [...warnings, ...problems]
  if (isStrict && issues.length > 0) throw new Failure('The strict job would be refused', { issues })
  note(check, issues)
}

function note({ session: { terminal }, notes }: Check, sentences: readonly string[]): void {
  for (const sentence of sentences) {
    if (notes.has(sentence) || notes.size >= NOTES_MAX) continue
    notes.add(sentence)
    terminal.progress.end()
    terminal.note(`message: ${plain(sentence)}`)
  }
}

/** None for a row that no job takes, or takes already. */
function entryOf(
  { count, job, opened: { failures } }: Check,
  row: Row,
  read: ReturnType<ReturnType<typeof userReader>>,
  repeats: ReturnType<typeof repeatCheck>,
): Entry[] {
  count.rows += 1
  const repeat = 'problem' in read ? read : repeats(read.user, row.line)
  if (repeat === 'repeated') {
    count.repeated += 1
    return []
  }
  const problem = repeat?.problem ?? ('user' in read && job ? problemInJob(job, read.user) : undefined)
  if (problem !== undefined) {
    count.invalid += 1
    failures.add(row, problem)
  } else if (job?.isClosed) count.present += 1
  else if ('user' in read) return [{ row, user: read.user }]
  return []
}

/** As a real run finds it: a job that takes users refuses what differs, another one has to have the row. */
function problemInJob({ jobId, inJob, isClosed }: JobCheck, user: User): string | undefined {
  const content = inJob(user)
  if (isClosed) return closedProblem(jobId, content)
  return content === 'other' ? DIFFERING : undefined
}

const explained = ({ client, message }: Check, users: readonly Entry[]) =>
  client.bulk.explain({ message, users: users.map(({ user }) => user) }, { retries: RETRIES })

async function checkPart(check: Check, entries: readonly Entry[]): Promise<void> {
  const { count, opened } = check
  try {
    const { users, errors, problems } = await explained(check, entries)
    note(check, problems)
    for (const forecast of users) countRow(check, entries[forecast.user]?.row as Row, forecast)
    for (const { user, error } of errors) {
      count.invalid += 1
      opened.failures.add(entries[user]?.row as Row, error)
    }
  } catch (error) {
    if (!isPostriderError(error) || !['invalid_request', 'too_large'].includes(error.kind)) throw error
    const [only] = entries
    if (entries.length === 1 && only) {
      count.invalid += 1
      return opened.failures.add(only.row, error.message)
    }
    // One of them is what the call was refused for: the others are checked.
    const middle = Math.ceil(entries.length / 2)
    await checkPart(check, entries.slice(0, middle))
    await checkPart(check, entries.slice(middle))
  }
}

/** A row with nothing but an unfilled variable is named in the reply. */
function countRow({ count, opened: { failures } }: Check, row: Row, forecast: BulkUserForecast): void {
  countForecast(count, forecast, row.line)
  const problem = rowProblem(forecast)
  if (problem === undefined) return
  if (isNotSent(forecast)) failures.add(row, problem)
  else failures.record(row, problem)
}
