/** Erases people one bounded step at a time; after a crash the next claim resumes at the last commit. */

import { failpoint } from '../base/failpoint.ts'
import { SECOND } from '../base/time/duration.ts'
import { ConflictError } from '../database/engine.ts'
import { guardPlan } from '../database/query.ts'
import {
  deadLetterErasure,
  erasureProgress,
  erasureQueue,
  finishErasure,
  type LiveErasure,
} from '../database/tables/erasure/erasures.ts'
import { createQueuePoll } from '../queue/queue-poll.ts'
import { type EraseOptions, type ErasureStep, type StepName, steps } from './steps.ts'

/** A provider call in flight may take 30 s; most take less than this. */
const WAIT_MS = SECOND / 4

const order = Object.keys(steps) as StepName[]
export const FIRST_STEP: StepName = 'fence'

/** Executes one step of the erasure that waits longest; returns how many milliseconds to sleep. */
export function createEraser(options: EraseOptions): () => Promise<number> {
  const { engine, log, leaseMs, now } = options
  return createQueuePoll({
    ...{ engine, log, leaseMs, now, queue: erasureQueue },
    claim: (take) => take({}),
    async start(erasures) {
      for (const erasure of erasures) await advance(erasure, options)
    },
    deadLetter: (erasure) => deadLetterErasure(engine, erasure),
  })
}

async function advance(erasure: LiveErasure, options: EraseOptions): Promise<void> {
  const { engine, now } = options
  const step = order.find((name) => name === erasure.step)
  failpoint('before-erasure-step')
  if (step) await executeStep(erasure, step, options)
  // Messages accepted meanwhile are erased as well.
  else if (!(await finishErasure(engine, erasure, FIRST_STEP, now())))
    await engine.run(erasureProgress(erasure, { step: 'digests', place: null, dueAt: now() }))
  failpoint('after-erasure-step')
}

async function executeStep(erasure: LiveErasure, step: StepName, options: EraseOptions): Promise<void> {
  const { engine, now } = options
  const execute: ErasureStep = steps[step]
  const { work, first, left } = await execute(erasure, options)
  const next = order[order.indexOf(step) + 1] ?? 'finish'
  const at = {
    step: left.kind === 'nothing' ? next : step,
    place: left.kind === 'more' ? left.place : left.kind === 'held' ? erasure.place : null,
    dueAt: left.kind === 'held' ? now() + WAIT_MS : now(),
  }
  try {
    await engine.batch([guardPlan, ...(first ? [first] : []), erasureProgress(erasure, at, work)])
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    await engine.run(erasureProgress(erasure, { ...at, step, place: erasure.place }))
  }
}
