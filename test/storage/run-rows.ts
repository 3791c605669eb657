/** Runs made by hand on an engine of their own: started, claimed, and what a step of them writes. */
import { timedId } from '@postrider/server/internal/base/ids'
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  type NewRun,
  type RunBounds,
  runQueue,
  runsInsert,
} from '@postrider/server/internal/database/tables/automations/live-runs'
import { findRun, type RunChange } from '@postrider/server/internal/database/tables/automations/runs'
import { beforeAll, beforeEach } from 'vitest'
import { withEngine } from '../support/engine.ts'

export const now = 1_795_000_000_000
export const SECOND = 1_000
export const DAY = 86_400_000

export const started = (fields: Partial<NewRun> = {}): NewRun => {
  const id = fields.id ?? timedId(now)
  return {
    ...{ workspace_id: 1, mode: 'live', lane: 1, due_at: now, lease: null, cancelation_token: null, template_id: null },
    ...{
      source: ['api'],
      depth: 0,
      root: id,
      parent_id: null,
      created: now,
      automation: '{"steps":[]}',
      start: '{"context":{}}',
    },
    ...fields,
    id,
  }
}

/** A step of a run leased as `L`, after which it is over. */
export const change = (
  id: string,
  parts: { run?: object; step?: object; messages?: RunChange['messages'] } = {},
): RunChange => ({
  run: {
    ...{ id, lease: 'L', next_lease: null, due_at: null, status: 'PROCESSED' },
    ...{ state: '{}', error: null, updated: now },
    ...parts.run,
  },
  step: {
    ...{ run_id: id, position: 0, workspace_id: 1, action: 'throttle', status: 'PROCESSED', started: now },
    ...{ updated: now, result: null, reason: null, message_ids: null },
    ...parts.step,
  },
  messages: parts.messages ?? [],
})

export const message = (id: string, runId: string): RunChange['messages'][number] => ({
  ...{ id, workspace_id: 1, lane: 1, due_at: now, lease: null, claims: 0, status: 'ENQUEUED', event: 'e' },
  ...{ recipient: 'r', mode: 'live', enqueued: now, first_due: now, input: '{}', run_id: runId },
})

export type RunRows = ReturnType<typeof rowsOn>

export const rowsOn = (engine: Engine) => ({
  forgetAll: () =>
    engine.batch(['runs', 'run_steps', 'batches', 'throttles', 'messages'].map((t) => ({ text: `delete from ${t}` }))),
  async start(count: number, fields: Partial<NewRun> = {}): Promise<NewRun[]> {
    const runs = Array.from({ length: count }, () => started(fields))
    await engine.batch([
      { text: `insert into workspaces values (1, 'production'), (2, 'test') on conflict do nothing` },
      runsInsert(runs),
    ])
    return runs
  },
  claim: (
    limit: number,
    lease = 'L',
    at = now,
    leaseMs = 3_600 * SECOND,
    more: Partial<RunBounds & { suspected: boolean }> = {},
  ) =>
    runQueue.claim(engine, {
      ...{ now: at, until: at + leaseMs, lease, limits: [limit, limit], bytesMax: 16_000_000, exceptRoots: [] },
      ...{ rootMax: limit, shares: [], share: [1_000, 1_000] },
      ...more,
    }),
  statusOf: async (id: string) => (await findRun(engine, 1, id))?.status,
  count: async (text: string) => Number((await engine.run<{ count: number }>({ text, values: [] })).rows[0]?.count),
})

/** Runs the suite on a new database; every test begins without runs. */
export function withRunRows(suite: (rows: RunRows, engine: Engine) => void): void {
  withEngine((open) => {
    let opened: Engine
    // Stands for the one that is opened before the first test.
    const engine = new Proxy({} as Engine, { get: (_target, part) => Reflect.get(opened, part) })
    const rows = rowsOn(engine)
    beforeAll(async () => {
      opened = await open()
    })
    beforeEach(() => rows.forgetAll())
    suite(rows, engine)
  })
}
