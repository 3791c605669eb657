/**
 * An erasure completes although the process crashes before and after every step of it.
 * @module-tag safety
 */
import { Postrider } from '@postrider/client'
import { expect, test } from 'vitest'
import { searchDatabase } from '../support/names.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { LEASE_SECONDS } from './crash-test.ts'
import { openFleet } from './fleet.ts'
import { emptyLedger } from './ledger.ts'
import { serverPlace } from './places.ts'
import { defineCrash } from './prepare-campaign.ts'

const PERSON = 'mortal-person'
/** Three slices of messages. */
const MESSAGES = 450
const REMOVED = { profiles: 1, listSubscriptions: 1, bulkUsers: 1, messages: MESSAGES, canceledMessages: MESSAGES }

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
  const fleet = await openFleet(await serverPlace(), 1, LEASE_SECONDS, emptyLedger())
  const [url = ''] = fleet.urls
  const client = new Postrider({ baseUrl: url, apiKey: fleet.apiKey, retries: 5 })
  try {
    await fleet.start(0, { failpoint: 'after-erasure-begin' })
    await defineCrash(url, fleet.apiKey, recorder.url)
    await fill(client)
    const once = new Postrider({ baseUrl: url, apiKey: fleet.apiKey, retries: 0 })
    await expect(once.profiles.delete(PERSON, { erase: true })).rejects.toThrow()
    expect(await fleet.reached(0)).toBe(true)
    // The same call gives the erasure that is in progress.
    await fleet.start(0, { role: 'api' })
    const { erasureId } = (await client.profiles.delete(PERSON, { erase: true })) as { erasureId: string }
    await fleet.kill(0)
    const isComplete = async () => (await once.erasures.get(erasureId)).status === 'COMPLETED'
    let crashes = 0
    for (;;) {
      await fleet.start(0, { failpoint: crashes % 2 ? 'before-erasure-step:2' : 'after-erasure-step:1' })
      if (!(await fleet.reached(0, isComplete))) break
      crashes += 1
    }
    expect(crashes).toBeGreaterThan(8)
    // Its failpoint may come after the last commit.
    await fleet.kill(0)
    await fleet.start(0)
    const receipt = await client.erasures.get(erasureId)
    expect(receipt.removed).toEqual(REMOVED)
    const canceled = []
    for await (const message of client.messages.list({ recipient: receipt.pseudonym })) canceled.push(message.status)
    expect(canceled).toEqual(Array(MESSAGES).fill('CANCELED'))
    expect(recorder.all).toHaveLength(0)
    await fleet.stop(0)
    expect((await searchDatabase(fleet.database, [PERSON])).rows).toEqual([])
    expect(fleet.faults).toEqual([])
  } finally {
    await Promise.all([fleet.kill(0), recorder.close()])
  }
})
