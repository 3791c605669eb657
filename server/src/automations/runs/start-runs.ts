/** Starts runs: each is on disk before the reply; runs that start together share a commit. */
import { unavailable } from '../../base/errors.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { Engine } from '../../database/engine.ts'
import { type LiveRun, type NewRun, readableRun, runsInsert } from '../../database/tables/automations/live-runs.ts'
import { groupCommit } from '../../queue/group-commit.ts'
import type { RunStart } from '../run.ts'
import { newRun } from './run-rows.ts'

export interface StartingOptions {
  engine: Engine
  now(): number
  leaseMs: number
  newLease(): string
  /** The rows that this process can start at once; others stay in the table until a claim. */
  fitting(rows: readonly NewRun[]): NewRun[]
  begin(rows: readonly LiveRun[], until: number): void
  /** Called after a commit with runs that did not start. */
  wake(): void
}

/** Runs waiting for their flush, some seconds of work. Above it, callers get a 503. */
const PENDING_MAX = 10_000
const PENDING_BYTES_MAX = 128 * 1_048_576
const ROWS_MAX = 500
const BYTES_MAX = 4 * 1_048_576

/** Resolves when the run is on disk. Runs that can start at once are inserted with a lease, which saves the claim. */
export function createStarter(options: StartingOptions): (run: RunStart) => Promise<void> {
  const { engine, now } = options
  const bytesOf = ({ automation, start }: NewRun) => automation.length + start.length
  const commit = groupCommit<NewRun, void>({
    itemsMax: ROWS_MAX,
    bytesMax: BYTES_MAX,
    bytesOf,
    async flush(rows) {
      const until = now() + options.leaseMs
      const lease = options.newLease()
      const mine = new Set(options.fitting(rows))
      const leased = [...mine].map((row) => ({ ...row, lease, due_at: until, claims: 1, state: null }))
      failpoint('before-run-start')
      await engine.run(runsInsert([...leased, ...rows.filter((row) => !mine.has(row))]))
      failpoint('after-run-start')
      if (leased.length > 0)
        options.begin(
          leased.map((row) => readableRun(engine.tokens, row.workspace_id, row)),
          until,
        )
      if (mine.size < rows.length) options.wake()
      return rows.map(() => undefined)
    },
  })
  return async (run) => {
    const row = newRun(run, engine.tokens)
    if (commit.pending >= PENDING_MAX || commit.pendingBytes + bytesOf(row) > PENDING_BYTES_MAX)
      throw unavailable('Too many runs wait to be written')
    return commit.add(row)
  }
}
