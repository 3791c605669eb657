/** The users of a file, checked row by row, and added to a job in pages that can be repeated. */
import type { Postrider } from '@postrider/client'
import type { CsvFile, CsvRow } from '../parts/csv.ts'
import { type Column, type JobUser, type Problem, readRow } from './columns.ts'

/** As many as one call takes. */
const PAGE_USERS_MAX = 1_000
/** Half of what a body may hold, so that names and quotes have room. */
const PAGE_CHARACTERS_MAX = 1_500_000
/** More rows are shown as a number. */
const PROBLEMS_MAX = 1_000

export interface BadRow extends CsvRow {
  problem: Problem
}

export interface Checked {
  rows: number
  valid: number
  /** The first of them. */
  bad: readonly BadRow[]
  badCount: number
}

export interface CheckedRows extends Checked {
  bytesRead: number
  page: readonly CheckedUser[]
}

interface CheckedUser {
  row: CsvRow
  user: JobUser
}

/** The users without a problem, part by part, each recipient and each address without an id once. */
export async function* checkRows(
  file: CsvFile,
  columns: readonly Column[],
  idOfLine: (line: number) => string,
): AsyncGenerator<CheckedRows> {
  const lines = new Map<string, number>()
  const checked = { rows: 0, valid: 0, badCount: 0 }
  const bad: BadRow[] = []
  for await (const { rows, bytesRead } of file.parts()) {
    const page: CheckedUser[] = []
    for (const row of rows) {
      checked.rows += 1
      const read = withoutDuplicates(row, readRow(row, columns, idOfLine))
      if ('user' in read) page.push({ row, user: read.user })
      else {
        checked.badCount += 1
        if (bad.length < PROBLEMS_MAX) bad.push({ ...row, problem: read.problem })
      }
    }
    checked.valid += page.length
    yield { ...checked, bad, bytesRead, page }
  }

  function withoutDuplicates(row: CsvRow, read: ReturnType<typeof readRow>): ReturnType<typeof readRow> {
    if ('problem' in read) return read
    const { recipient, profile } = read.user
    // Rows without an id differ by their line only: the same contact values would get two messages.
    const key = recipient === idOfLine(row.line) ? JSON.stringify(profile) : recipient
    const line = lines.get(key)
    if (line !== undefined) return { problem: { code: 'duplicate', detail: String(line) } }
    lines.set(key, row.line)
    return read
  }
}

/** Pages that are the same whenever the same file is read with the same columns. */
async function* pagesOf(
  parts: AsyncGenerator<{ page: readonly CheckedUser[] }>,
): AsyncGenerator<readonly CheckedUser[]> {
  let page: CheckedUser[] = []
  let characters = 0
  for await (const part of parts)
    for (const checked of part.page) {
      const size = JSON.stringify(checked.user).length
      if (page.length > 0 && (page.length === PAGE_USERS_MAX || characters + size > PAGE_CHARACTERS_MAX)) {
        yield page
        page = []
        characters = 0
      }
      page.push(checked)
      characters += size
    }
  if (page.length > 0) yield page
}

export interface Upload {
  /** The page to add next. */
  page: number
  /** Users of the pages that are done. */
  done: number
  /** Those of them that were in the job before: they keep what it has of them. */
  present: number
  refused: readonly BadRow[]
}

export interface UploadOptions {
  client: Pick<Postrider, 'bulk'>
  jobId: string
  file: CsvFile
  columns: readonly Column[]
  from: Upload
  signal: AbortSignal
  progress(upload: Upload): void
}

/**
 * Adds the pages from a page on. A page has a key of its number and content: repeated after a failure or a reload it adds
 * none twice, and gets the reply of the first time. An id that the job has by another call is counted apart.
 */
export async function addPages(options: UploadOptions): Promise<Upload> {
  const { client, jobId, file, columns, from, signal, progress } = options
  let upload = from
  let number = 0
  for await (const page of pagesOf(checkRows(file, columns, lineIds(jobId)))) {
    if (signal.aborted) return upload
    if (number >= from.page) {
      const users = page.map(({ user }) => user)
      const call = { idempotencyKey: `${jobId}-${number}-${digestOf(users)}`, retries: 3, signal }
      const { errors } = await client.bulk.ingest(jobId, { users }, call)
      const lines = new Map(page.map(({ row, user }) => [user.recipient, row]))
      const isPresent = ({ error }: (typeof errors)[number]) => error === 'Duplicate user'
      const refused = errors.flatMap((entry) => {
        const row = lines.get(String(entry.user.recipient))
        return isPresent(entry) || !row ? [] : [{ ...row, problem: { code: 'refused' as const, detail: entry.error } }]
      })
      upload = {
        page: number + 1,
        done: upload.done + page.length - refused.length,
        present: upload.present + errors.filter(isPresent).length,
        refused: [...upload.refused, ...refused],
      }
      progress(upload)
    }
    number += 1
  }
  return upload
}

/** The id of a user without one: of this job and this line. */
export const lineIds = (jobId: string) => (line: number) => `anon_${jobId}_${line}`

/** A short name of what pages depend on; it need not resist anyone. */
export function digestOf(value: unknown): string {
  let hash = 0x811c9dc5
  for (const character of JSON.stringify(value)) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return (hash >>> 0).toString(16).padStart(8, '0')
}
