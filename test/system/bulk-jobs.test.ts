/** Bulk jobs are listed, and canceled at any time: what exists is sent, the rest is not made, on any number of nodes. */
import { beforeAll, describe, expect, test } from 'vitest'
import { run } from '../cli/in-process.ts'
import { type App, withApp } from '../support/app.ts'
import { databaseEnvironment } from '../support/databases.ts'
import { until } from '../support/until.ts'

/** More than are due at a time, so that a job is running for seconds. */
const USERS = 4_000
const PART = 1_000

withApp((open) => {
  let app: App
  let other: App
  beforeAll(async () => {
    const env = await databaseEnvironment()
    app = await open({ env })
    other = await open({ env })
  })

  const create = async (users: number, event = 'welcome') => {
    const { jobId } = await app.client.bulk.create({ message: { event } })
    for (let from = 0; from < users; from += PART)
      await app.client.bulk.ingest(jobId, {
        users: Array.from({ length: Math.min(PART, users - from) }, (_, n) => ({ recipient: `${jobId}-${from + n}` })),
      })
    return jobId
  }
  const jobOf = async (jobId: string) => (await app.client.bulk.get(jobId)).job
  const ended = (jobId: string) =>
    until(
      () => jobOf(jobId),
      ({ status }) => status === 'COMPLETED',
    )

  test('a running job that is canceled through one node makes no further message on any', async () => {
    const jobId = await create(USERS)
    await app.client.bulk.run(jobId)
    await until(
      () => jobOf(jobId),
      ({ enqueued }) => enqueued > 0,
    )
    const reply = await other.call('POST', `/bulk/${jobId}/cancel`, { apiKey: app.apiKey })
    expect([reply.status, reply.json.job.status]).toEqual([200, 'CANCELED'])
    const { enqueued } = await jobOf(jobId)
    expect(enqueued).toBeGreaterThan(0)
    expect(enqueued).toBeLessThan(USERS)
    // Another job is made whole meanwhile, by the same workers.
    const next = await create(10)
    await app.client.bulk.run(next)
    await ended(next)
    expect(await jobOf(jobId)).toMatchObject({ status: 'CANCELED', received: USERS, enqueued, failures: 0 })
    const statuses: Record<string, number> = {}
    for await (const { status } of app.client.bulk.users(jobId, { limit: 100 }))
      statuses[status] = (statuses[status] ?? 0) + 1
    expect(statuses).toEqual({ ENQUEUED: enqueued, CANCELED: USERS - enqueued })
    expect(await app.client.requests.get(jobId)).toMatchObject({ kind: 'bulk', status: 'CANCELED', enqueued })
  })

  describe('a cancellation', () => {
    test('ends a job that was not run for good, also when it is repeated', async () => {
      const jobId = await create(1)
      const first = await app.client.bulk.cancel(jobId)
      expect(first.job).toMatchObject({ status: 'CANCELED', received: 1, enqueued: 0 })
      expect(await app.client.bulk.cancel(jobId)).toEqual(first)
      const refused = { status: 400, code: 'job_canceled' }
      await expect(app.client.bulk.run(jobId)).rejects.toMatchObject(refused)
      await expect(app.client.bulk.ingest(jobId, { users: [{ recipient: 'late' }] })).rejects.toMatchObject(refused)
      const { items } = await app.client.bulk.users(jobId)
      expect(items.map(({ status }) => status)).toEqual(['CANCELED'])
      const { results } = await app.client.auditEvents.list()
      expect(results.filter(({ type, target }) => type === 'bulk:canceled' && target === jobId)).toHaveLength(1)
    })

    test('beside others at the same time succeeds for each of them', async () => {
      const jobId = await create(1)
      const replies = await Promise.all([1, 2, 3, 4].map(() => app.client.bulk.cancel(jobId)))
      expect(replies.map(({ job }) => job.status)).toEqual(Array(4).fill('CANCELED'))
    })

    test('after the end is refused, and one of an unknown job, too', async () => {
      const jobId = await create(1)
      await app.client.bulk.run(jobId)
      await ended(jobId)
      await expect(app.client.bulk.cancel(jobId)).rejects.toMatchObject({ status: 409, code: 'too_late_to_cancel' })
      expect((await jobOf(jobId)).status).toBe('COMPLETED')
      await expect(app.client.bulk.cancel('nope')).rejects.toMatchObject({ status: 404 })
    })
  })

  test('jobs are listed newest first, page by page, by status and of their own environment', async () => {
    const { client } = await app.key('published', 'test')
    const ids: string[] = []
    for (const event of ['one', 'two', 'three']) ids.unshift((await client.bulk.create({ message: { event } })).jobId)
    await client.bulk.cancel(ids[1] ?? '')
    const inline = await client.bulk.create({ message: { content: { title: 'Hello', body: 'Hello' } } })
    const first = await client.bulk.list({ limit: 2 })
    expect(first.items.map(({ jobId, event }) => [jobId, event])).toEqual([
      [inline.jobId, undefined],
      [ids[0], 'three'],
    ])
    const { cursor } = first.paging
    const second = await client.bulk.list({ limit: 2, ...(cursor !== undefined && { cursor }) })
    expect([second.items.map(({ jobId }) => jobId), second.paging.more]).toEqual([ids.slice(1), false])
    const canceled = await client.bulk.list({ status: ['CANCELED', 'ERROR'] })
    expect(canceled.items).toMatchObject([{ jobId: ids[1], event: 'two', status: 'CANCELED', received: 0 }])
  })

  test('the command lists and cancels', async () => {
    const jobId = await create(2)
    const options = { env: { POSTRIDER_URL: app.url, POSTRIDER_API_KEY: app.apiKey } }
    const canceled = await run(['bulk', 'cancel', jobId], options)
    expect([canceled.code, canceled.out]).toEqual([0, 'Canceled: 0 messages created, 2 users will get none.\n'])
    const listed = await run(['bulk', 'list', '--status', 'CANCELED', '--json'], options)
    expect(JSON.parse(listed.out).results[0]).toMatchObject({ jobId, status: 'CANCELED' })
  })
})
