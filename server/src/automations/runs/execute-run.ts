/** Executes a claimed run until it is blocked, and handles errors. */

import { CallerError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { SECOND } from '../../base/time/duration.ts'
import { DatabaseRefused, DatabaseUnavailable, type Engine, failureLevel } from '../../database/engine.ts'
import { deadLetterRun, type LiveRun, runQueue } from '../../database/tables/automations/live-runs.ts'
import { isPoison, reportDeadLetter } from '../../queue/poison.ts'
import type { RunStore } from '../run-store.ts'
import { StepFailed, StepInterrupted } from '../step.ts'
import { RetriedTooOften, runUntilBlocked } from './execute-steps.ts'
import { firstState } from './initial-state.ts'
import { runOf, stateOf } from './run-rows.ts'

export interface ExecuteRunOptions {
  engine: Engine
  log: Log
  store: RunStore
  now(): number
  /** False: the run is released between two steps. */
  goesOn(): boolean
}

/** The pause after an error of the database, or too many conflicts. */
const AGAIN_MS = SECOND

/** Never throws: a run that cannot be released is claimed again when its lease expires. */
export async function executeRun(row: LiveRun, options: ExecuteRunOptions): Promise<void> {
  const { engine, log, store, now, goesOn } = options
  try {
    if (isPoison(runQueue, row))
      return await deadLetterRun(engine, row, stepOf(row), reportDeadLetter(runQueue, row, log), now())
    const run = runOf(row)
    const outcome = await runUntilBlocked(run, stateOf(row) ?? firstState(run), store, goesOn)
    if (outcome?.status === 'PROCESSING') await runQueue.release(engine, [row], now())
  } catch (error) {
    await settle(row, error, options).catch((failed: unknown) =>
      log[failureLevel(failed)]({ event: 'run.not_released', err: failed, run: row.id }, 'a run could not be released'),
    )
  }
}

async function settle(row: LiveRun, error: unknown, { engine, log, now }: ExecuteRunOptions): Promise<void> {
  if (error instanceof StepInterrupted) return runQueue.release(engine, [row], now())
  if (error instanceof DatabaseUnavailable || error instanceof RetriedTooOften)
    return runQueue.release(engine, [row], now() + AGAIN_MS)
  const sentence = faultOf(error)
  if (!(error instanceof StepFailed || error instanceof CallerError))
    log.error({ event: 'run.step_failed', err: error, run: row.id }, 'a step of a run failed')
  // Otherwise the lease expires and the run is claimed again, in the end as suspected poison.
  if (sentence !== undefined) await deadLetterRun(engine, row, stepOf(row), sentence, now())
}

/** The step at which the run stopped. */
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
