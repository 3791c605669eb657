/** A stop in the middle of a fetch is no fault of the fetch: the run is as if the step had not been begun. */
import { startRuns } from '@postrider/server/internal/automations/worker'
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import { requestWrite } from '@postrider/server/internal/fan-out/request'
import { addressGuard } from '@postrider/server/internal/transport/address'
import { createTransport } from '@postrider/server/internal/transport/transport'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'
import { type Recorder, startRecorder } from '../support/recorder.ts'
import { rowsOn, started } from './run-rows.ts'

eachEngine((_name, open) => {
  let peer: Recorder
  beforeAll(async () => {
    peer = await startRecorder()
  })
  afterAll(() => peer.close())

  test('a stop during a fetch counts as no try, and the run is free at once', async () => {
    const engine = await open()
    peer.answer('/slow', { instead: 'hang' })
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
    })
    const steps = [{ action: 'fetch-data', webhook: { url: `${peer.url}/slow` } }]
    const now = Date.now()
    const given = { automation: JSON.stringify({ steps }), created: now, due_at: now }
    const [run = started()] = await rowsOn(engine).start(1, given)
    runs.wake()
    await peer.waitFor(({ path }) => path === '/slow')
    await runs.stop()
    const { rows } = await engine.run({
      text: 'select status, lease, claims, state, due_at <= $2::bigint as due from runs where id = $1',
      values: [run.id, Date.now()],
    })
    expect(rows).toEqual([{ status: 'PROCESSING', lease: null, claims: 0, state: null, due: true }])
    const { rows: kept } = await engine.run({ text: 'select 1 from run_steps where run_id = $1', values: [run.id] })
    expect(kept).toEqual([])
  })
})
