/** A list and a bulk job of thousands make exactly one message each, though the process is killed again and again. */

import type { Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type CrashTest, openCrashTest } from './crash-test.ts'
import { localPlace } from './places.ts'

/** Ten thousand each in the project `long`. */
const SIZE = 10_000
const LEASE_SECONDS = 3
/** Before a step is written, right after it, and in the middle of delivering. */
const CRASH_POINTS = ['mid-fan-out:3', 'after-fan-out-step:2', 'after-response-before-commit:5', 'mid-fan-out:1']

const recipient = (kind: string, n: number) => `${kind}-${String(n).padStart(5, '0')}`

async function fill(client: Postrider): Promise<{ list: string; bulk: string }> {
  const subscribers = Array.from({ length: SIZE }, (_, n) => ({ recipientId: recipient('list', n) }))
  await client.lists.replaceSubscriptions('everyone', { recipients: subscribers }, { timeoutMs: 60_000 })
  const { jobId } = await client.bulk.create({ message: { event: 'crash' } })
  for (let from = 0; from < SIZE; from += 1_000) {
    const users = Array.from({ length: 1_000 }, (_, n) => ({ recipient: recipient('bulk', from + n) }))
    await client.bulk.ingest(jobId, { users })
  }
  const { messageId } = await client.lists.send({ list: 'everyone', event: 'crash' })
  await client.bulk.run(jobId)
  return { list: messageId, bulk: jobId }
}

let arrivals: CrashTest['arrivals']
let totals: number[] = []

beforeAll(async () => {
  const { fleet, client, crashAt, close, ...test } = await openCrashTest(LEASE_SECONDS, await localPlace())
  arrivals = test.arrivals
  try {
    const ids = await fill(client)
    await crashAt(CRASH_POINTS)
    const finished = await Promise.all(
      [ids.list, ids.bulk].map((id) =>
        until(
          () => client.requests.get(id),
          ({ status }) => status === 'COMPLETED',
          120_000,
        ),
      ),
    )
    totals = finished.map(({ enqueued }) => enqueued)
    await until(
      async () => arrivals.size,
      (size) => size === 2 * SIZE,
      120_000,
    )
    expect(fleet.faults).toEqual([])
  } finally {
    await close()
  }
}, 400_000)

test('each request made as many messages as it has recipients', () => expect(totals).toEqual([SIZE, SIZE]))

test('every recipient got one and the same message, however often it came', () => {
  const expected = ['list', 'bulk'].flatMap((kind) => Array.from({ length: SIZE }, (_, n) => recipient(kind, n)))
  expect(expected.filter((name) => arrivals.get(name)?.size !== 1)).toEqual([])
  expect(arrivals.size).toBe(2 * SIZE)
})
