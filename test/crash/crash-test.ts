/** One process that is killed at named places, and a provider that records the messages it receives for each recipient. */
import { Postrider } from '@postrider/client'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { checkLedger } from './check-ledger.ts'
import { type Fleet, openFleet, type Place } from './fleet.ts'
import { emptyLedger } from './ledger.ts'
import { defineCrash } from './prepare-campaign.ts'

export interface CrashTest {
  fleet: Fleet
  client: Postrider
  provider: Recorder
  /** The ids of the messages that came for each recipient. */
  arrivals: ReadonlyMap<string, ReadonlySet<string>>
  /** Writes down what another integration of the provider receives. */
  receive(message: { recipient: string; messageId: string }, at: number, status: number): void
  /** Messages that came a second time after they were taken, and not because a process was killed at their call. */
  needlessRepeats(): string[]
  /**
   * One process for each of these failpoints, then one without. Resolves with those that were reached: all, unless the
   * work was done before.
   */
  crashAt(failpoints: readonly string[], isDone?: () => Promise<boolean>): Promise<string[]>
  /** Resolves when no message waits or is in progress: nothing arrives any more. */
  atRest(): Promise<void>
  close(): Promise<void>
}

/** Longer than any work here: nothing waits for its end, because the leases of a killed process are void. */
export const LEASE_SECONDS = 15

/** Starts the process; the event `crash` is a webhook to the provider. */
export async function openCrashTest(place: Place): Promise<CrashTest> {
  const provider = await startRecorder()
  const arrivals = new Map<string, Set<string>>()
  const ledger = emptyLedger()
  const receive: CrashTest['receive'] = ({ recipient, messageId }, at, status) => {
    arrivals.set(recipient, (arrivals.get(recipient) ?? new Set()).add(messageId))
    ledger.receipts.push({ send: 0, messageId, at, status })
  }
  provider.answer(
    ({ method, path }) => method === 'POST' && path === '/',
    ({ body, at }) => {
      receive(JSON.parse(body) as { recipient: string; messageId: string }, at, 200)
      return { status: 200 }
    },
  )
  const fleet = await openFleet(place, 1, LEASE_SECONDS, ledger)
  const [url = ''] = fleet.urls
  await fleet.start(0)
  await defineCrash(url, fleet.apiKey, provider.url)
  const client = new Postrider({ baseUrl: url, apiKey: fleet.apiKey, retries: 5 })
  return {
    fleet,
    provider,
    arrivals,
    receive,
    needlessRepeats: () => checkLedger(ledger, { leaseMs: LEASE_SECONDS * 1_000 }).unexplained,
    client,
    async crashAt(failpoints, isDone) {
      const reached: string[] = []
      for (const failpoint of failpoints) {
        await fleet.kill(0)
        await fleet.start(0, { failpoint })
        if (await fleet.reached(0, isDone)) reached.push(failpoint)
      }
      await fleet.kill(0)
      await fleet.start(0)
      return reached
    },
    async atRest() {
      await until(
        () => client.metrics.summary(),
        ({ waiting }) => waiting === 0,
      )
    },
    async close() {
      await Promise.all([fleet.kill(0), provider.close()])
    },
  }
}
