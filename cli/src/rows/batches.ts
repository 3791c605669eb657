/** Works on rows a batch at a time, so that a file of any length takes the same memory, and an interrupted run can go on. */
import { errorReportOf, Failure } from '../failure.ts'
import type { Session } from '../session.ts'
import type { Row } from './read.ts'
import type { Source } from './source.ts'

export interface BatchOptions {
  session: Session
  source: Source
  rows: AsyncIterable<Row>
  /** Ends the reading at once, and the work after the batch in progress. */
  stop: AbortSignal
  /** Rows before this line are skipped. */
  fromLine: number
  rowsMax: number
  /** When all of a batch is done it is never needed again; one that throws is repeated by a run that continues. */
  work(batch: readonly Row[]): Promise<void>
  /** Where it stands, for people. */
  status(): string
  /** Advice for an interrupted run, by the line to continue with. */
  continueWith(line: number): string
}

/** A row can have a megabyte: a batch is full with as many characters, too. */
const CHARACTERS_MAX = 8_000_000

/** As it stands in the file, without its delimiters. */
const charactersOf = ({ original }: Row): number =>
  typeof original === 'string' ? original.length : original.reduce((sum, cell) => sum + cell.length, 0)

/** The command ended because of a signal. */
export const stopped = (hint: string) => new Failure('Stopped', { hint })

/** For a 404 of an operation that imports. */
export const importsMissing = (what: string, cause: unknown) =>
  new Failure(`The server cannot import ${what}`, { hint: 'It is of an earlier release: update it.', cause })

export async function inBatches(options: BatchOptions): Promise<void> {
  const { session, source, rows, stop, fromLine, rowsMax, work, status, continueWith } = options
  const { terminal, server } = session
  let batch: Row[] = []
  let characters = 0
  let next = fromLine
  let isWorking = false
  const finish = async () => {
    isWorking = true
    if (batch.length > 0) await work(batch)
    isWorking = false
    next = (batch.at(-1)?.line ?? next - 1) + 1
    batch = []
    characters = 0
    terminal.progress.update(`${status()}${share(source)}`)
  }
  // A pipe may stay open without a row for hours: closing it ends the wait.
  stop.addEventListener('abort', source.close)
  if (stop.aborted) source.close()
  try {
    for await (const row of rows) {
      if (stop.aborted) break
      if (row.line < fromLine) continue
      batch.push(row)
      characters += charactersOf(row)
      if (batch.length === rowsMax || characters >= CHARACTERS_MAX) await finish()
    }
    if (!stop.aborted) return await finish()
  } catch (error) {
    const isClosed = stop.aborted && !isWorking
    if (!isClosed) throw next === fromLine ? error : resumable(error, server.url, next, continueWith(next))
  } finally {
    stop.removeEventListener('abort', source.close)
    // An open pipe would keep the process alive.
    source.close()
    terminal.progress.end()
  }
  throw stopped(continueWith(next))
}

function resumable(error: unknown, url: string, line: number, advice: string): Failure {
  const { message, hint, exitCode } = errorReportOf(error, url)
  const done = `Every row before line ${line} is done. ${advice}`
  return new Failure(message, { hint: hint ? `${hint} ${done}` : done, exitCode, cause: error })
}

function share({ bytesTotal, bytesRead }: Source): string {
  if (!bytesTotal) return ''
  return ` (${Math.min(100, Math.floor((100 * bytesRead()) / bytesTotal))} % of the file)`
}

/** Runs `work` for each, at most so many at a time. The first error ends it, after what is in progress. */
export async function concurrently<T>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values()
  let failure: { error: unknown } | undefined
  const lane = async () => {
    for (const item of queue) {
      if (failure) return
      await work(item).catch((error: unknown) => {
        failure ??= { error }
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, lane))
  if (failure) throw (failure as { error: unknown }).error
}
