/** An erasure completes although the process crashes before and after every step of it. */
import { Postrider } from '@postrider/client'
import { expect, test } from 'vitest'
import { searchDatabase } from '../support/names.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { openFleet } from './fleet.ts'
import { emptyLedger } from './ledger.ts'
import { localPlace } from './places.ts'
import { defineCrash } from './prepare-campaign.ts'

const LEASE_SECONDS = 1
const PERSON = 'mortal-person'
/** Three slices of messages. */
const MESSAGES = 450
const REMOVED = { profiles: 1, listSubscriptions: 1, bulkUsers: 1, messages: MESSAGES, canceledMessages: MESSAGES }
/** More than there are steps; a place that is not reached any more is one that is done. */
const CRASHES_MAX = 30

async function fill(client: Postrider): Promise<void> {
  await client.profiles.replace(PERSON, { profile: { name: PERSON } })
  await client.lists.replaceSubscriptions('everyone', { recipients: [{ recipientId: PERSON }] })
  const { jobId } = await client.bulk.create({ message: { event: 'crash' } })
  await client.bulk.ingest(jobId, { users: [{ recipient: PERSON }] })
  const delay = { duration: 3_600_000 }
  for (let from = 0; from < MESSAGES; from += 50)
    await Promise.all(Array.from({ length: 50 }, () => client.send({ event: 'crash', recipient: PERSON, delay })))
}

test('no data is left, and the receipt counts each thing once', async () => {
  const recorder = await startRecorder()
  const where = await localPlace()
  const fleet = await openFleet(where, 1, LEASE_SECONDS, emptyLedger())
  const [url = ''] = fleet.urls
  const client = new Postrider({ baseUrl: url, apiKey: fleet.apiKey, retries: 5 })
  const erase = () => client.profiles.delete(PERSON, { erase: true }) as Promise<{ erasureId: string }>
  try {
    await fleet.start(0, 'after-erasure-begin')
    await defineCrash(url, fleet.apiKey, recorder.url)
    await fill(client)
    const once = new Postrider({ baseUrl: url, apiKey: fleet.apiKey, retries: 0 })
    await expect(once.profiles.delete(PERSON, { erase: true })).rejects.toThrow()
    expect(await fleet.endsWithin(0, 5_000)).toBe(true)
    let crashes = 0
    for (; crashes < CRASHES_MAX; crashes += 1) {
      await fleet.start(0, crashes % 2 ? 'before-erasure-step:2' : 'after-erasure-step:1')
      if (!(await fleet.endsWithin(0, 4_000))) break
    }
    expect(crashes).toBeGreaterThan(8)
    expect(crashes).toBeLessThan(CRASHES_MAX)
    await fleet.kill(0)
    await fleet.start(0)
    // Gone by then: this is another one, with an empty receipt.
    const { erasureId } = await erase()
    const receipt = await until(
      () => client.erasures.get(erasureId),
      ({ status }) => status === 'COMPLETED',
    )
    expect(receipt.removed).toEqual({})
    const canceled = []
    for await (const message of client.messages.list({ recipient: receipt.pseudonym })) canceled.push(message.status)
    expect(canceled).toEqual(Array(MESSAGES).fill('CANCELED'))
    expect(recorder.all).toHaveLength(0)
    await fleet.stop(0)
    expect((await searchDatabase(fleet.database, [PERSON])).rows).toEqual([])
    const { rows: receipts } = await searchDatabase(fleet.database, ['canceledMessages'])
    expect(receipts).toHaveLength(1)
    for (const [kind, count] of Object.entries(REMOVED)) expect(receipts[0]).toContain(`""${kind}"": ${count}`)
    expect(fleet.faults).toEqual([])
  } finally {
    await Promise.all([fleet.kill(0), recorder.close()])
  }
}, 400_000)
