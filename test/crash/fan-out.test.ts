/** A list and a bulk job of 10,000 make exactly one message each, though the process is killed again and again. */
import { Postrider } from '@postrider/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { hasPostgres, newDataFolder, newMigratedDatabase } from '../support/databases.ts'
import { startRecorder } from '../support/recorder.ts'
import { until } from '../support/until.ts'
import { openFleet, type Place } from './fleet.ts'
import { emptyLedger } from './ledger.ts'
import { defineCrash } from './scene.ts'

const SIZE = 10_000
const LEASE_SECONDS = 3
/** Before a step is written, right after it, and in the middle of delivering. */
const DEATHS = ['mid-fan-out:3', 'after-fan-out-step:2', 'after-response-before-commit:5', 'mid-fan-out:1']

const recipient = (kind: string, n: number) => `${kind}-${String(n).padStart(5, '0')}`

async function fill(client: Postrider): Promise<{ list: string; bulk: string }> {
  const subscribers = Array.from({ length: SIZE }, (_, n) => ({ recipientId: recipient('list', n) }))
  await client.lists.replaceSubscriptions('everybody', { recipients: subscribers }, { timeoutMs: 60_000 })
  const { jobId } = await client.bulk.create({ message: { event: 'crash' } })
  for (let from = 0; from < SIZE; from += 1_000) {
    const users = Array.from({ length: 1_000 }, (_, n) => ({ recipient: recipient('bulk', from + n) }))
    await client.bulk.ingest(jobId, { users })
  }
  const { messageId } = await client.lists.send({ list: 'everybody', event: 'crash' })
  await client.bulk.run(jobId)
  return { list: messageId, bulk: jobId }
}

const places: [string, () => Promise<Place>][] = [
  ['embedded', async () => ({ engine: 'embedded', folder: await newDataFolder() })],
  ['postgres', async () => ({ engine: 'postgres', url: await newMigratedDatabase() })],
]

describe.each(places.filter(([name]) => name === 'embedded' || hasPostgres))('on %s', (_name, place) => {
  const arrivals = new Map<string, Set<string>>()
  let totals: number[] = []

  beforeAll(async () => {
    const recorder = await startRecorder()
    recorder.answer(
      () => true,
      ({ body }) => {
        const { recipient, messageId } = JSON.parse(body) as { recipient: string; messageId: string }
        arrivals.set(recipient, (arrivals.get(recipient) ?? new Set()).add(messageId))
        return { status: 200 }
      },
    )
    const fleet = await openFleet(await place(), 1, LEASE_SECONDS, emptyLedger())
    try {
      await fleet.start(0)
      const [url = ''] = fleet.urls
      await defineCrash(url, fleet.apiKey, recorder.url)
      const client = new Postrider({ baseUrl: url, apiKey: fleet.apiKey, retries: 5 })
      const ids = await fill(client)
      for (const death of DEATHS) {
        await fleet.kill(0)
        await fleet.start(0, death)
        // A place that is not reached any more is one that is done.
        await fleet.diesWithin(0, 5_000)
      }
      await fleet.kill(0)
      await fleet.start(0)
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
      await Promise.all([fleet.kill(0), recorder.close()])
    }
  }, 400_000)

  test('each request made as many messages as it has recipients', () => expect(totals).toEqual([SIZE, SIZE]))

  test('every recipient got one and the same message, however often it came', () => {
    const wanted = ['list', 'bulk'].flatMap((kind) => Array.from({ length: SIZE }, (_, n) => recipient(kind, n)))
    expect(wanted.filter((name) => arrivals.get(name)?.size !== 1)).toEqual([])
    expect(arrivals.size).toBe(2 * SIZE)
  })
})
