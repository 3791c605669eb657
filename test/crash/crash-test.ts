/** One process that is killed at named places, and a provider that records the messages it receives for each recipient. */
import { Postrider } from '@postrider/client'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { type Fleet, openFleet, type Place } from './fleet.ts'
import { emptyLedger } from './ledger.ts'
import { defineCrash } from './prepare-campaign.ts'

export interface CrashTest {
  fleet: Fleet
  client: Postrider
  provider: Recorder
  /** The ids of the messages that came for each recipient. */
  arrivals: ReadonlyMap<string, ReadonlySet<string>>
  /** One process for each of these crash points, then one without; resolves with the number of points reached. */
  crashAt(places: readonly string[], withinMs?: number): Promise<number>
  close(): Promise<void>
}

/** A place that is not reached within this time is one that is done. */
const REACHED_MS = 5_000

/** Starts the process; the event `crash` is a webhook to the provider. */
export async function openCrashTest(leaseSeconds: number, place: Place): Promise<CrashTest> {
  const provider = await startRecorder()
  const arrivals = new Map<string, Set<string>>()
  provider.answer(
    ({ method, path }) => method === 'POST' && path === '/',
    ({ body }) => {
      const { recipient, messageId } = JSON.parse(body) as { recipient: string; messageId: string }
      arrivals.set(recipient, (arrivals.get(recipient) ?? new Set()).add(messageId))
      return { status: 200 }
    },
  )
  const fleet = await openFleet(place, 1, leaseSeconds, emptyLedger())
  const [url = ''] = fleet.urls
  await fleet.start(0)
  await defineCrash(url, fleet.apiKey, provider.url)
  return {
    fleet,
    provider,
    arrivals,
    client: new Postrider({ baseUrl: url, apiKey: fleet.apiKey, retries: 5 }),
    async crashAt(failpoints, withinMs = REACHED_MS) {
      let reached = 0
      for (const failpoint of failpoints) {
        await fleet.kill(0)
        await fleet.start(0, failpoint)
        if (await fleet.endsWithin(0, withinMs)) reached += 1
      }
      await fleet.kill(0)
      await fleet.start(0)
      return reached
    },
    async close() {
      await Promise.all([fleet.kill(0), provider.close()])
    },
  }
}
