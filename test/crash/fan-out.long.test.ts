/**
 * A list and a bulk job of thousands make exactly one message each, though the process is killed again and again.
 * @module-tag safety
 */
import type { Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type CrashTest, openCrashTest } from './crash-test.ts'
import { serverPlace } from './places.ts'

/** How many recipients the list has, and the bulk job. */
const SIZE = 10_000
/** Before a step is written, right after it, and in the middle of delivering. */
const CRASH_POINTS = ['mid-fan-out:3', 'after-fan-out-step:2', 'after-response-before-commit:5', 'mid-fan-out:1']

const recipient = (kind: string, n: number) => `${kind}-${String(n).padStart(5, '0')}`

/** The ids of the requests. */
async function fill(client: Postrider): Promise<string[]> {
  const subscribers = Array.from({ length: SIZE }, (_, n) => ({ recipientId: recipient('list', n) }))
  await client.lists.replaceSubscriptions('everyone', { recipients: subscribers }, { timeoutMs: 60_000 })
  const { jobId } = await client.bulk.create({ message: { event: 'crash' } })
  for (let from = 0; from < SIZE; from += 1_000) {
    const users = Array.from({ length: 1_000 }, (_, n) => ({ recipient: recipient('bulk', from + n) }))
    await client.bulk.ingest(jobId, { users })
  }
  const { messageId } = await client.lists.send({ list: 'everyone', event: 'crash' })
  await client.bulk.run(jobId)
  return [messageId, jobId]
}

let arrivals: CrashTest['arrivals']
let totals: number[] = []
let reached: string[] = []

beforeAll(async () => {
  const { fleet, client, crashAt, atRest, close, ...test } = await openCrashTest(await serverPlace())
  arrivals = test.arrivals
  try {
    await fleet.kill(0)
    await fleet.start(0, { role: 'api' })
    const requests = await fill(client)
    const states = () => Promise.all(requests.map((id) => client.requests.get(id)))
    const isDone = (all: Awaited<ReturnType<typeof states>>) => all.every(({ status }) => status === 'COMPLETED')
    reached = await crashAt(CRASH_POINTS, async () => isDone(await states()))
    totals = (await until(states, isDone)).map(({ enqueued }) => enqueued)
    await atRest()
    expect(fleet.faults).toEqual([])
  } finally {
    await close()
  }
})

test('it was killed before and after a step, and in the middle of delivering', () =>
  expect(reached).toEqual(CRASH_POINTS))

test('each request made as many messages as it has recipients', () => expect(totals).toEqual([SIZE, SIZE]))

test('every recipient got one and the same message, however often it came', () => {
  const expected = ['list', 'bulk'].flatMap((kind) => Array.from({ length: SIZE }, (_, n) => recipient(kind, n)))
  expect(expected.filter((name) => arrivals.get(name)?.size !== 1)).toEqual([])
  expect(arrivals.size).toBe(2 * SIZE)
})
