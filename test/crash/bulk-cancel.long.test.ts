/**
 * A bulk job, and its messages, that are canceled while the process is killed: what was counted is sent once, nothing
 * else is.
 * @module-tag safety
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type CrashTest, openCrashTest } from './crash-test.ts'
import { serverPlace } from './places.ts'

const SIZE = 6_000

let crashTest: CrashTest

beforeAll(async () => {
  crashTest = await openCrashTest(await serverPlace())
})
afterAll(() => crashTest.close())

test.each([
  ['before a step is written', 'mid-fan-out:3'],
  ['after a step', 'after-fan-out-step:2'],
])('a process that dies %s takes nothing back, and the job stays canceled', async (_, place) => {
  const { client, fleet, arrivals, atRest } = crashTest
  await fleet.kill(0)
  await fleet.start(0, { role: 'api' })
  const { jobId } = await client.bulk.create({ message: { event: 'crash' } })
  for (let from = 0; from < SIZE; from += 1_000)
    await client.bulk.ingest(jobId, {
      users: Array.from({ length: 1_000 }, (_, n) => ({ recipient: `${place}-${from + n}` })),
    })
  await client.bulk.run(jobId)
  await fleet.kill(0)
  await fleet.start(0, { failpoint: place })
  expect(await fleet.reached(0)).toBe(true)
  // Canceled before another process goes on with it.
  await fleet.start(0, { role: 'api' })
  expect((await client.bulk.cancel(jobId)).job.status).toBe('CANCELED')
  const { job } = await client.bulk.get(jobId)
  expect(job.enqueued).toBeLessThan(SIZE)
  await fleet.kill(0)
  await fleet.start(0)
  // A job that goes on in spite of its cancellation is claimed with this one.
  const { requestId } = await client.send({
    message: { to: [{ user_id: 'a' }, { user_id: 'b' }], template: 'crash' },
  })
  await until(
    () => client.requests.get(requestId),
    ({ status }) => status === 'COMPLETED',
  )
  await atRest()
  const arrived = [...arrivals].filter(([recipient]) => recipient.startsWith(place))
  expect((await client.bulk.get(jobId)).job).toMatchObject({ status: 'CANCELED', enqueued: job.enqueued })
  expect(arrived.filter(([, messages]) => messages.size !== 1)).toEqual([])
  expect(arrived).toHaveLength(job.enqueued)
  expect(fleet.faults).toEqual([])
})

test('a process that dies between two commits of a cancellation leaves whole batches, and the repeated call cancels the rest', async () => {
  const { client, fleet } = crashTest
  const size = 900
  const { jobId } = await client.bulk.create({ message: { event: 'crash', delay: { duration: 3_600_000 } } })
  await client.bulk.ingest(jobId, { users: Array.from({ length: size }, (_, n) => ({ recipient: `batch-${n}` })) })
  await client.bulk.run(jobId)
  await until(
    () => client.bulk.get(jobId),
    ({ job }) => job.status === 'COMPLETED',
  )
  await fleet.kill(0)
  await fleet.start(0, { failpoint: 'after-cancel-batch:2' })
  const body = { filter: { messageId: jobId } }
  await expect(client.messages.cancelMany({ ...body, confirm: size }, { retries: 0 })).rejects.toThrow()
  expect(await fleet.reached(0)).toBe(true)
  await fleet.kill(0)
  await fleet.start(0)
  expect(await client.messages.cancelMany(body)).toMatchObject({ cancelable: 400, in_delivery: 0 })
  const again = await client.messages.cancelMany({ ...body, confirm: size })
  expect(again).toMatchObject({ canceled: 400, remaining: 0 })
  const { results } = await client.auditEvents.list()
  expect(results.filter(({ type, target }) => type === 'messages:canceled' && target === jobId)).toHaveLength(2)
  for await (const { id, status } of client.messages.list({ messageId: jobId, limit: 100 })) {
    expect(status).toBe('CANCELED')
    if (id.endsWith('0')) expect((await client.messages.history(id, { type: 'CANCELED' })).results).toHaveLength(1)
  }
})
