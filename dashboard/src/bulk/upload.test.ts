/** Pages of users are the same each time, and go on where they stopped. */
import type { Postrider } from '@postrider/client'
import { expect, test } from 'vitest'
import { openCsv } from '../parts/csv.ts'
import { guessColumns } from './columns.ts'
import { addPages, checkRows, lineIds, type UploadOptions } from './upload.ts'

const file = (lines: readonly string[]) => openCsv(new Blob([lines.join('\n')]), 4_000)

async function check(lines: readonly string[]) {
  const csv = await file(lines)
  let last: Awaited<ReturnType<ReturnType<typeof checkRows>['next']>>['value']
  for await (const part of checkRows(csv, guessColumns(csv.header), lineIds('J'))) last = part
  return last
}

test('each row is checked, and a recipient is in the job once', async () => {
  const checked = await check(['id,email', 'a,a@b.c', 'b,broken', ',x@b.c', 'a,c@b.c', ',x@b.c', 'c,c@b.c'])
  expect(checked).toMatchObject({ rows: 6, valid: 3, badCount: 3 })
  expect(checked?.bad.map(({ line, problem }: { line: number; problem: object }) => [line, problem])).toEqual([
    [3, { code: 'email', detail: 'broken' }],
    [5, { code: 'duplicate', detail: '2' }],
    [6, { code: 'duplicate', detail: '4' }],
  ])
})

test('an upload that fails goes on with the same page, under the same key', async () => {
  const csv = await file(['id', ...Array.from({ length: 2_500 }, (_, n) => `user-${n}`)])
  const calls: { key: string | undefined; users: number }[] = []
  let fails = true
  const ingest = async (_: string, { users }: { users: unknown[] }, options?: { idempotencyKey?: string }) => {
    calls.push({ key: options?.idempotencyKey, users: users.length })
    if (calls.length === 2 && fails) throw new Error('offline')
    const [first] = users as Record<string, unknown>[]
    return { total: users.length - 1, errors: [{ error: 'No good', user: first ?? {} }] }
  }
  let upload = { page: 0, done: 0, present: 0, refused: [] } as UploadOptions['from']
  const options = (): UploadOptions => ({
    client: { bulk: { ingest } } as unknown as Pick<Postrider, 'bulk'>,
    ...{ jobId: 'J', file: csv, columns: guessColumns(csv.header), from: upload },
    signal: new AbortController().signal,
    progress: (next) => {
      upload = next
    },
  })
  await expect(addPages(options())).rejects.toThrow('offline')
  expect(upload).toMatchObject({ page: 1, done: 999 })
  fails = false
  expect(await addPages(options())).toMatchObject({ page: 3, done: 2_497 })
  expect(calls.map(({ users }) => users)).toEqual([1_000, 1_000, 1_000, 500])
  const [first, second, again, last] = calls.map(({ key }) => key)
  expect(again).toBe(second)
  expect(new Set([first, second, last]).size).toBe(3)
  expect(upload.refused.map(({ line }) => line)).toEqual([2, 1_002, 2_002])
})

/** A job as the API keeps it: users by id, and the first reply of each key. */
function fakeJob() {
  const users = new Map<string, unknown>()
  const replies = new Map<string, { total: number; errors: { error: string; user: Record<string, unknown> }[] }>()
  let lost = 0
  const ingest = async (
    _: string,
    body: { users: Record<string, unknown>[] },
    { idempotencyKey = '' }: { idempotencyKey?: string } = {},
  ) => {
    let reply = replies.get(idempotencyKey)
    if (!reply) {
      const isPresent = ({ recipient }: Record<string, unknown>) => users.has(String(recipient))
      const errors = body.users.filter(isPresent).map((user) => ({ error: 'Duplicate user', user }))
      reply = { total: body.users.length - errors.length, errors }
      for (const user of body.users) if (!isPresent(user)) users.set(String(user.recipient), user)
      replies.set(idempotencyKey, reply)
    }
    if (lost > 0) {
      lost -= 1
      throw new Error('lost')
    }
    return reply
  }
  return { users, ingest, loseNext: () => void (lost = 1) }
}

test('a page whose reply was lost counts as the first time, and users of another call are counted apart', async () => {
  const job = fakeJob()
  await job.ingest('J', { users: [{ recipient: 'user-1' }, { recipient: 'user-1500' }] }, { idempotencyKey: 'other' })
  const upload = async (names: string, from: UploadOptions['from']) => {
    const csv = await file([names, ...Array.from({ length: 2_000 }, (_, n) => `user-${n},${n}`)])
    let latest = from
    const end = addPages({
      client: { bulk: { ingest: job.ingest } } as unknown as Pick<Postrider, 'bulk'>,
      ...{ jobId: 'J', file: csv, columns: guessColumns(csv.header), from, signal: new AbortController().signal },
      progress: (next) => {
        latest = next
      },
    })
    return end.catch(() => latest)
  }
  const nothing: UploadOptions['from'] = { page: 0, done: 0, present: 0, refused: [] }
  job.loseNext()
  const interrupted = await upload('id,age', nothing)
  expect([interrupted.page, job.users.size]).toEqual([0, 1_001])
  expect(await upload('id,age', interrupted)).toMatchObject({ done: 2_000, present: 2 })
  // The same users with another column are another page: the job keeps what it has of them.
  expect(await upload('id,size', nothing)).toMatchObject({ done: 2_000, present: 2_000 })
  expect(job.users.size).toBe(2_000)
})
