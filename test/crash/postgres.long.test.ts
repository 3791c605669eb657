/**
 * Crashes of nodes that share a PostgreSQL: the others take over, and nothing is lost.
 * @module-tag safety
 */
import { describe, expect, test } from 'vitest'
import { apiCaller, mustCall } from '../support/api-client.ts'
import { newDatabase } from '../support/databases.ts'
import { inTime } from '../support/in-time.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { delaysOf, problemsOf, run } from './campaign.ts'
import { openFleet } from './fleet.ts'
import { emptyLedger } from './ledger.ts'
import { defineCrash, REPLY_MS } from './prepare-campaign.ts'

/** The default of POSTRIDER_LEASE_SECONDS. */
const REAL_LEASE_SECONDS = 45
const TAKEOVER_MS = 60_000

describe('two nodes on one database', () => {
  test('20 kills: nothing lost, late, doubled or needlessly repeated', async () => {
    const report = await run({
      place: { engine: 'postgres', url: await newDatabase() },
      kills: 20,
      seed: 20,
      leaseSeconds: 10,
    })
    expect(problemsOf(report)).toEqual({})
    inTime(() => expect(delaysOf(report)).toEqual({}))
  }, 1_200_000)

  test('with the real lease, messages of a crashed node are taken over within a minute', async () => {
    const ledger = emptyLedger()
    const place = { engine: 'postgres', url: await newDatabase() } as const
    const fleet = await openFleet(place, 2, REAL_LEASE_SECONDS, ledger)
    const recorder = await startRecorder()
    try {
      expect(await fleet.start(0), fleet.faults.join()).toBe(true)
      const [first = ''] = fleet.urls
      await defineCrash(first, fleet.apiKey, recorder.url)
      // The first node waits for answers that never come; the other one is answered.
      recorder.answer(() => true, { instead: 'hang' })
      const ids = await Promise.all(
        Array.from({ length: 20 }, async (_, send) => {
          const body = { event: 'crash', recipient: `recipient-${send}`, data: { send } }
          return (await mustCall(apiCaller(first, fleet.apiKey, REPLY_MS), 'POST', '/send', body)).messageId as string
        }),
      )
      await recorder.waitForCount(20)
      expect(await fleet.start(1), fleet.faults.join()).toBe(true)
      recorder.answer(() => true, { status: 200 })
      await fleet.kill(0)
      const killed = Date.now()
      const arrivals = await recorder.waitForCount(40)
      const again = arrivals.slice(20).map(({ body }) => (JSON.parse(body) as { messageId: string }).messageId)
      expect(again.toSorted()).toEqual(ids.toSorted())
      // Not before the lease has run out, either: until then the dead node could have been alive.
      const times = arrivals.slice(20).map(({ at }) => at)
      expect(Math.min(...times)).toBeGreaterThan(killed + 20_000)
      expect(fleet.faults).toEqual([])
      inTime(() => expect(Math.max(...times)).toBeLessThan(killed + TAKEOVER_MS))
    } finally {
      await Promise.all([fleet.kill(0), fleet.kill(1), recorder.close()])
    }
  })
})
