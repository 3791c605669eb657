/** Executes a claimed run until it is blocked, and handles what fails on the way. */

import { CallerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { SECOND } from '../../base/time/duration.ts'
import { DatabaseRefused, DatabaseUnavailable, type Engine, failureLevel } from '../../database/engine.ts'
import { type LiveRun, putAwayRun, releaseRuns } from '../../database/tables/automations/live-runs.ts'
import type { RunStore } from '../run-store.ts'
import { StepFailed, StepInterrupted } from '../step.ts'
import { firstState } from './initial-state.ts'
import { runOf, stateOf } from './run-rows.ts'
import { isGuilty } from './run-slots.ts'
import { RetriedTooOften, runUntilBlocked } from './run-until-blocked.ts'

export interface ExecuteRunOptions {
  engine: Engine
  log: Log
  store: RunStore
  now(): number
  /** False: the run is given back between two steps. */
  goesOn(): boolean
}

/** After a fault of the database, or when others kept coming first. */
const AGAIN_MS = SECOND

/** Never throws: what cannot be given back is taken over when its lease has run out. */
export async function executeRun(row: LiveRun, options: ExecuteRunOptions): Promise<void> {
  const { engine, log, store, now, goesOn } = options
  try {
    if (isGuilty(row)) return await quarantine(row, options)
    const run = runOf(row)
    const outcome = await runUntilBlocked(run, stateOf(row) ?? firstState(run), store, goesOn)
    if (outcome?.status === 'PROCESSING') await releaseRuns(engine, [row], now())
  } catch (error) {
    await settle(row, error, options).catch((failed: unknown) =>
      log[failureLevel(failed)]({ err: failed, run: row.id }, 'a run could not be given back'),
    )
  }
}

async function settle(row: LiveRun, error: unknown, { engine, log, now }: ExecuteRunOptions): Promise<void> {
  if (error instanceof StepInterrupted) return releaseRuns(engine, [row], now())
  if (error instanceof DatabaseUnavailable || error instanceof RetriedTooOften)
    return releaseRuns(engine, [row], now() + AGAIN_MS)
  const sentence = faultOf(error)
  if (!(error instanceof StepFailed || error instanceof CallerError))
    log.error({ err: error, run: row.id }, 'a step of a run failed')
  // Without one its lease runs out, and it is tried again, alone at last.
  if (sentence !== undefined) await putAwayRun(engine, row, stepOf(row), sentence, now())
}

/** Trying once more would only kill another worker. */
async function quarantine(row: LiveRun, { engine, log, now }: ExecuteRunOptions): Promise<void> {
  const error = `Put away after ${row.claims - 1} attempts to go on with it without an outcome`
  log.error({ run: row.id }, 'a run was put away: a step of it never came to an end')
  await putAwayRun(engine, row, stepOf(row), error, now())
}

/** The step it was at. */
function stepOf(row: LiveRun): { position: number; action: string; started: number } {
  const { position, since } = stateOf(row) ?? { position: 0, since: row.created }
  const { steps } = JSON.parse(row.automation) as { steps: readonly { action?: unknown }[] }
  return { position, action: String(steps[position]?.action ?? 'none'), started: since }
}

function faultOf(error: unknown): string | undefined {
  if (error instanceof StepFailed || error instanceof CallerError) return error.message
  if (error instanceof DatabaseRefused && error.isDataError) return 'What a step came to cannot be stored'
  return undefined
}
