/**
 * Runs continue where they were, though the process crashes before and after every commit: nothing is lost, and a
 * message is requested twice only where a crash explains it.
 * @module-tag safety
 */
import { type AutomationStep, Postrider } from '@postrider/client'
import { SECOND } from '@postrider/server/internal/base/time/duration'
import { expect, test } from 'vitest'
import { apiCaller, mustCall } from '../support/api-client.ts'
import { until } from '../support/until.ts'
import { checkLedger } from './check-ledger.ts'
import { LEASE_SECONDS } from './crash-test.ts'
import { openFleet } from './fleet.ts'
import { emptyLedger } from './ledger.ts'
import { serverPlace } from './places.ts'
import { defineCrash } from './prepare-campaign.ts'
import { startProvider } from './provider.ts'

/** Started in each process, so that each has work to crash at. */
const RUNS_A_PROCESS = 2
const SENDS = 3
/**
 * Crashes in a row: a run that was in five of them without a step between is dead-lettered as their likely cause. The end
 * of a calm life is one as well.
 */
const CRASHES_IN_A_ROW = 3
/** One after the other; early and late in a process. */
const CRASHES = [
  'before-run-start',
  'after-run-start',
  'before-run-step-commit:1',
  'after-run-step-commit:1',
  'after-run-claim:1',
  'before-run-step-commit:7',
  'after-run-step-commit:9',
  'after-claim:1',
  'mid-request:2',
  'after-run-claim:2',
]

/** Sends between delays, a throttle that all may pass, and data from a server that counts its calls. */
const stepsOf = (fetched: string, run: number): AutomationStep[] => [
  { action: 'fetch-data', webhook: { url: fetched }, merge_strategy: 'overwrite' },
  {
    action: 'throttle',
    max_allowed: CRASHES.length * RUNS_A_PROCESS,
    period: 'P1D',
    scope: 'dynamic',
    throttle_key: 'crash',
  },
  ...Array.from({ length: SENDS }, (_, n): AutomationStep[] => [
    { action: 'delay', duration: '1 second' },
    { action: 'send', template: 'crash', recipient: `run-${run}`, data: { send: run * SENDS + n, manner: 'prompt' } },
  ]).flat(),
]

test('every promised run completes with each of its messages once', async () => {
  const ledger = emptyLedger()
  const recorder = await startProvider(ledger, LEASE_SECONDS * SECOND)
  recorder.answer('/data', { body: {} })
  const fleet = await openFleet(await serverPlace(), 1, LEASE_SECONDS, ledger)
  const [url = ''] = fleet.urls
  const client = new Postrider({ baseUrl: url, apiKey: fleet.apiKey, retries: 8 })
  try {
    await fleet.start(0)
    await defineCrash(url, fleet.apiKey, recorder.url)
    const promised: string[] = []
    const stateOf = async (runId: string) => {
      const { status } = await client.automations.run(runId)
      return { status, steps: JSON.stringify(await client.automations.steps(runId)) }
    }
    /** A process in which every run continues by a step, or ends. */
    const live = async () => {
      await fleet.start(0)
      const { runs } = await client.automations.runs({ limit: 50 })
      const going = runs.map(async ({ run_id: id }) => {
        const before = await stateOf(id)
        const mayContinue = ({ status, steps }: typeof before) => status === 'PROCESSED' || steps !== before.steps
        await until(() => stateOf(id), mayContinue)
      })
      await Promise.all(going)
    }
    for (const [round, crash] of CRASHES.entries()) {
      await fleet.kill(0)
      if (round > 0 && round % CRASHES_IN_A_ROW === 0) {
        await live()
        await fleet.kill(0)
      }
      await fleet.start(0, { failpoint: crash })
      const started = Array.from({ length: RUNS_A_PROCESS }, (_, n) => {
        const automation = { steps: stepsOf(`${recorder.url}/data`, round * RUNS_A_PROCESS + n) }
        // Without a key, as the SDK would send it: those are stored with their replies.
        return mustCall(apiCaller(url, fleet.apiKey), 'POST', '/automations/invoke', { automation })
          .then(({ runId }) => void promised.push(runId))
          .catch(() => undefined)
      })
      await Promise.all(started)
      expect(await fleet.reached(0)).toBe(true)
    }
    expect(promised.length).toBeGreaterThan(4)
    await fleet.kill(0)
    await fleet.start(0)
    for (const runId of promised) {
      const run = await until(
        () => client.automations.run(runId),
        ({ status }) => status !== 'PROCESSING' && status !== 'WAITING',
      )
      expect([run.error, run.status]).toEqual([undefined, 'PROCESSED'])
    }
    // A start without a reply may have been stored: then it completes as well.
    const all = await until(
      () => client.automations.runs({ limit: 50 }),
      ({ runs }) => runs.every(({ status }) => status !== 'PROCESSING' && status !== 'WAITING'),
    )
    expect(all.runs.filter(({ status }) => status !== 'PROCESSED')).toEqual([])
    const runs: string[] = []
    for await (const { run_id } of client.automations.runs()) runs.push(run_id)
    expect(runs).toEqual(expect.arrayContaining(promised))
    const sent = new Map<string, string[]>()
    for await (const { id, runId } of client.messages.list()) {
      if (runId) sent.set(runId, [...(sent.get(runId) ?? []), id])
    }
    expect([...sent.keys()].toSorted()).toEqual(runs.toSorted())
    for (const runId of runs) {
      const { steps } = await client.automations.steps(runId)
      const messageIds = steps.flatMap(({ message_id }) => message_id ?? [])
      expect(messageIds).toHaveLength(SENDS)
      expect(sent.get(runId)?.toSorted()).toEqual(messageIds.toSorted())
    }
    // When all are sent nothing is in progress any more, and the provider gets no more.
    const ids = [...sent.values()].flat()
    await until(
      () => client.messages.list({ status: ['ENQUEUED', 'DELAYED', 'ROUTED'] }),
      ({ results }) => results.length === 0,
    )
    const { unexplained, doubled } = checkLedger(ledger, { leaseMs: LEASE_SECONDS * SECOND })
    expect({ unexplained, doubled }).toEqual({ unexplained: [], doubled: [] })
    const arrived = new Set(ledger.receipts.map(({ messageId }) => messageId))
    expect([...arrived].toSorted()).toEqual(ids.toSorted())
    expect(fleet.faults).toEqual([])
  } finally {
    await Promise.all([fleet.kill(0), recorder.close()])
  }
})
