/**
 * Sends to thousands that are canceled or paused while the process is killed: nothing is sent afterwards, what was sent
 * was sent once, and nothing is lost.
 * @module-tag safety
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type CrashTest, openCrashTest } from './crash-test.ts'
import { serverPlace } from './places.ts'

const SIZE = 5_000
const HOUR = 3_600_000

let crashTest: CrashTest

beforeAll(async () => {
  crashTest = await openCrashTest(await serverPlace())
})
afterAll(() => crashTest.close())

async function sendToMany(name: string, fields: object = {}): Promise<string> {
  const { client } = crashTest
  const { jobId } = await client.bulk.create({ message: { event: 'crash', ...fields } })
  for (let from = 0; from < SIZE; from += 1_000)
    await client.bulk.ingest(jobId, {
      users: Array.from({ length: 1_000 }, (_, n) => ({ recipient: `${name}-${from + n}` })),
    })
  await client.bulk.run(jobId)
  return jobId
}

const arrivedFor = (name: string) => [...crashTest.arrivals].filter(([recipient]) => recipient.startsWith(`${name}-`))
const arrived = (name: string, least: number) =>
  until(
    async () => arrivedFor(name).length,
    (count) => count >= least,
  )
const statusesOf = async (id: string) =>
  Object.fromEntries((await crashTest.client.requests.get(id)).statuses.map(({ status, count }) => [status, count]))

test.each(['after-cancel-batch:1', 'after-cancel-batch:7'])(
  'a process that dies at %s: thousands that wait and thousands in progress are canceled all the same',
  async (place) => {
    const { client, fleet, atRest } = crashTest
    const [waiting, running] = [`waiting-${place}`, `running-${place}`]
    const waitingId = await sendToMany(waiting, { delay: { duration: HOUR } })
    await until(
      () => client.requests.get(waitingId),
      ({ status }) => status === 'COMPLETED',
    )
    await fleet.kill(0)
    await fleet.start(0, { failpoint: place })
    const runningId = await sendToMany(running)
    await arrived(running, 50)
    const calls = [waitingId, runningId].map((id) => client.requests.cancel(id, { retries: 0 }).catch(() => undefined))
    expect(await fleet.reached(0)).toBe(true)
    await Promise.all(calls)
    await fleet.kill(0)
    await fleet.start(0)
    // A call that was stored before the crash is not repeated by its caller; one that was not is.
    for (const id of [waitingId, runningId])
      if ((await client.requests.get(id)).status !== 'CANCELED') await client.requests.cancel(id)
    const before = arrivedFor(running).length
    await atRest()
    const sent = arrivedFor(running)
    // Calls of the process that died may be repeated: they were in progress, and their end was not stored.
    expect(sent.length).toBe(before)
    const ended = await statusesOf(runningId)
    expect(Object.keys(ended).filter((status) => status !== 'DELIVERED' && status !== 'CANCELED')).toEqual([])
    expect(await statusesOf(waitingId)).toEqual({ CANCELED: SIZE })
    expect(arrivedFor(waiting)).toEqual([])
    expect(sent.filter(([, messages]) => messages.size !== 1)).toEqual([])
    expect(sent.length).toBeGreaterThanOrEqual(Number(ended.DELIVERED))
    expect(fleet.faults).toEqual([])
  },
)

test('a paused request stays so over a crash, and each of its messages is sent once when it goes on', async () => {
  const { client, fleet, atRest } = crashTest
  const id = await sendToMany('paused')
  await arrived('paused', 50)
  expect(await client.requests.pause(id)).toMatchObject({ status: 'PAUSED', inDelivery: 0 })
  const before = arrivedFor('paused').length
  await fleet.kill(0)
  await fleet.start(0)
  const { requestId } = await client.send({ message: { to: [{ user_id: 'a' }, { user_id: 'b' }], template: 'crash' } })
  await until(
    () => client.requests.get(requestId),
    ({ statuses }) => statuses.some(({ status, count }) => status === 'DELIVERED' && count === 2),
  )
  expect(arrivedFor('paused')).toHaveLength(before)
  await client.requests.resume(id)
  await until(
    () => client.requests.get(id),
    ({ status }) => status === 'COMPLETED',
  )
  await atRest()
  const sent = arrivedFor('paused')
  expect(sent).toHaveLength(SIZE)
  expect(sent.filter(([, messages]) => messages.size !== 1)).toEqual([])
  expect(await statusesOf(id)).toEqual({ DELIVERED: SIZE })
  expect(fleet.faults).toEqual([])
})
