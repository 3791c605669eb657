/** Runs start faster than the database writes them only up to a bound: beyond it callers get a retryable error, and every promised run is stored. */
import type { RunStart } from '@postrider/server/internal/automations/run'
import { startRun } from '@postrider/server/internal/automations/runs/initial-state'
import { createStarter } from '@postrider/server/internal/automations/runs/worker'
import { timedId } from '@postrider/server/internal/base/ids'
import { DatabaseUnavailable, type Engine } from '@postrider/server/internal/database/engine'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import type { RecordingApp } from '../support/recording-app.ts'
import { rowsOn } from './run-rows.ts'

const PENDING_MAX = 10_000
const PENDING_BYTES_MAX = 128 * 1_048_576

withEngine((open) => {
  let api: RecordingApp
  let rows: ReturnType<typeof rowsOn>
  let start: (run: RunStart) => Promise<void>
  /** The database waits for this before it writes. */
  let gate: Promise<void> = Promise.resolve()
  const wake = () => undefined

  beforeAll(async () => {
    const engine = await open()
    rows = rowsOn(engine)
    const gated: Engine = {
      ...engine,
      run: async (...args) => {
        await gate
        return engine.run(...args)
      },
    }
    const now = () => Date.now()
    const taking = { fitting: () => [], startRuns: () => undefined, wake }
    start = createStarter({ engine: gated, now, leaseMs: 1_000, newLease: () => 'L', ...taking })
    api = await openApp({ pipeline: 'recording', engine, replace: { jobs: { startRun: start, wake } } })
  })
  afterAll(() => api.stop())

  const steps = [{ action: 'send', template: 'welcome', recipient: 'ada' }]
  const run = (data: Record<string, unknown> = {}): RunStart => {
    const created = Date.now()
    const place = { workspaceId: 1, mode: 'live', source: ['api'], depth: 0, created } as const
    return startRun({ ...place, id: timedId(created), automation: { steps }, context: { data } })
  }
  const invoke = async () => {
    const { status, headers, json } = await api.call('POST', '/automations/invoke', { body: { automation: { steps } } })
    return [status, headers.get('retry-after'), json.type]
  }
  const count = () => rows.count('select count(*) from runs')

  test('one more than may wait is refused with 503, and all that were not are on disk', async () => {
    let write = () => {}
    gate = new Promise((resolve) => (write = resolve))
    const promised = Array.from({ length: PENDING_MAX }, () => start(run()))
    expect(await invoke()).toEqual([503, '1', 'api_error'])
    write()
    await Promise.all(promised)
    expect(await count()).toBe(PENDING_MAX)
    expect((await invoke())[0]).toBe(200)
  })

  test('so is what would be too many bytes, until they are written or have failed', async () => {
    let fail = (_error: Error) => {}
    gate = new Promise((_resolve, reject) => (fail = reject))
    // It may fail before it is awaited.
    gate.catch(() => undefined)
    const before = await count()
    const text = 'x'.repeat(4 * 1_048_576)
    const large = () => start(run({ text }))
    const fit = Math.floor(PENDING_BYTES_MAX / (text.length + 1_000))
    const waiting = Array.from({ length: fit }, large)
    await expect(large()).rejects.toMatchObject({ status: 503 })
    fail(new DatabaseUnavailable('gone'))
    const outcomes = await Promise.allSettled(waiting)
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(fit)
    gate = Promise.resolve()
    expect((await invoke())[0]).toBe(200)
    expect(await count()).toBe(before + 1)
  })
})
