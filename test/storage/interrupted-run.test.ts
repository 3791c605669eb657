/** A stop in the middle of a run is no fault of it: it is where it was after its last step, and free at once. */
import { startRuns } from '@postrider/server/internal/automations/runs/worker'
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import { requestWrite } from '@postrider/server/internal/recipients/fan-out-request'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { createTransport } from '@postrider/server/internal/transport/transport'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { rowsOn, started } from './run-rows.ts'

withEngine((open) => {
  let peer: Recorder
  beforeAll(async () => {
    peer = await startRecorder()
  })
  afterAll(() => peer.close())

  async function begin(paths: readonly string[]) {
    const engine = await open()
    const clock = { now: () => Date.now() }
    const runs = startRuns({
      engine,
      clock,
      log: createLog('silent'),
      secretKey: secretKey(Buffer.alloc(32, 7)),
      transport: createTransport({ addresses: addressGuard(true, []), clock }),
      leaseMs: 60_000,
      requestWrite,
      added: () => undefined,
      accepted: () => undefined,
    })
    const steps = paths.map((path) => ({ action: 'fetch-data', webhook: { url: peer.url + path } }))
    const now = Date.now()
    const row = { automation: JSON.stringify({ steps }), created: now, due_at: now }
    const [run = started()] = await rowsOn(engine).start(1, row)
    runs.wake()
    await peer.waitFor(({ path }) => path === paths[0])
    const look = async () => {
      const { rows } = await engine.run({
        text: `select status, lease, claims, state::json ->> 'position' as position, due_at <= $2::bigint as due,
          (select count(*)::integer from run_steps where run_id = runs.id) as steps from runs where id = $1`,
        values: [run.id, Date.now()],
      })
      return rows[0]
    }
    return { engine, runs, look }
  }
  const requests = (to: string) => peer.all.filter(({ path }) => path === to).length
  const free = { status: 'PROCESSING', lease: null, claims: 0, due: true }

  test('a stop during a fetch that hangs counts as no try', async () => {
    peer.answer('/hangs', { instead: 'hang' })
    const { runs, look } = await begin(['/hangs'])
    await runs.stop()
    expect(await look()).toEqual({ ...free, position: null, steps: 0 })
  })

  test('a fetch that ends in time is kept, and the next one does not start', async () => {
    const release = peer.hold('/slow')
    const { runs, look } = await begin(['/slow', '/next'])
    const stopped = runs.stop()
    release()
    await stopped
    expect(await look()).toEqual({ ...free, position: '1', steps: 1 })
    expect(requests('/next')).toBe(0)
  })

  test('a result for a lost lease is not written under the next one of the same process', async () => {
    const releaseSecond = peer.hold('/twice')
    const releaseFirst = peer.hold('/twice', {}, 1)
    const { engine, runs, look } = await begin(['/twice', '/after'])
    await engine.run({ text: 'update runs set lease = null, due_at = 0', values: [] })
    runs.wake()
    await until(
      async () => requests('/twice'),
      (count) => count === 2,
    )
    releaseFirst()
    await look()
    releaseSecond()
    const run = await until(look, (row) => row?.status === 'PROCESSED')
    expect(run).toMatchObject({ steps: 2 })
    expect([requests('/twice'), requests('/after')]).toEqual([2, 1])
    await runs.stop()
  })
})
