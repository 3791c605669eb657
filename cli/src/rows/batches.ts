/** Works on rows a batch at a time, so that a file of any length takes the same memory, and an interrupted run can go on. */
import { Failure, faultOf } from '../failure.ts'
import type { Session } from '../session.ts'
import type { Row } from './read.ts'
import type { Source } from './source.ts'

export interface BatchOptions {
  session: Session
  source: Source
  rows: AsyncIterable<Row>
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

const STOPPED = 'Stopped'

export async function inBatches(options: BatchOptions): Promise<void> {
  const { session, source, rows, fromLine, rowsMax, work, status, continueWith } = options
  const { terminal, server } = session
  let isStopped = false
  const stop = () => {
    isStopped = true
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  let batch: Row[] = []
  let next = fromLine
  const finish = async () => {
    if (batch.length > 0) await work(batch)
    next = (batch.at(-1)?.line ?? next - 1) + 1
    batch = []
    terminal.progress.update(`${status()}${share(source)}`)
  }
  try {
    for await (const row of rows) {
      if (row.line < fromLine) continue
      batch.push(row)
      if (batch.length < rowsMax) continue
      await finish()
      if (isStopped) throw new Failure(STOPPED, { hint: continueWith(next) })
    }
    await finish()
  } catch (error) {
    if (next === fromLine || (error instanceof Failure && error.message === STOPPED)) throw error
    const { message, hint, exitCode } = faultOf(error, server.url)
    const advice = `Every row before line ${next} is done. ${continueWith(next)}`
    throw new Failure(message, { hint: hint ? `${hint} ${advice}` : advice, exitCode, cause: error })
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop)
    terminal.progress.end()
  }
}

function share({ bytesTotal, bytesRead }: Source): string {
  if (!bytesTotal) return ''
  return ` (${Math.min(100, Math.floor((100 * bytesRead()) / bytesTotal))} %)`
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
