/** Erases people a bounded step at a time; whatever dies in between, the next claim goes on where the last commit was. */
import { randomBytes } from 'node:crypto'
import { failpoint } from '../base/failpoint.ts'
import { SECOND } from '../base/time/duration.ts'
import { ConflictError, type Engine } from '../database/engine.ts'
import {
  claimErasure,
  deadLetterErasure,
  finishErasure,
  type LiveErasure,
  nextErasureDue,
  stand,
} from '../database/tables/erasure/erasures.ts'
import { guardPlan } from '../database/tables/messages/live-messages.ts'
import { IDLE_MS } from '../queue/poll-loop.ts'
import type { EraseOptions, Step } from './step.ts'
import { type StepName, steps } from './steps.ts'

/** Who died with it so often kills whoever tries again. */
const CLAIMS_MAX = 10
/** A provider call under way may take 30 s; most take less than this. */
const WAIT_MS = SECOND / 4

const order = Object.keys(steps) as StepName[]
export const FIRST_STEP: StepName = 'fence'

/** Does one step of the erasure that has waited longest; the answer says how long to sleep. */
export function createEraser(options: EraseOptions): () => Promise<number> {
  const { engine, now } = options
  const node = randomBytes(6).toString('base64url')
  let claims = 0
  return async () => {
    claims += 1
    const erasure = await claimErasure(engine, {
      now: now(),
      until: now() + options.leaseMs,
      lease: `${node}-${claims}`,
    })
    if (!erasure) {
      const due = await nextErasureDue(engine)
      return due === undefined ? IDLE_MS : Math.max(0, Math.min(IDLE_MS, due - now()))
    }
    await goOn(erasure, options)
    return 0
  }
}

async function goOn(erasure: LiveErasure, options: EraseOptions): Promise<void> {
  const { engine, log, now } = options
  if (erasure.claims > CLAIMS_MAX) {
    log.error({ erasure: erasure.id }, 'an erasure was put away: a step of it never came to an end')
    return deadLetterErasure(engine, erasure)
  }
  const step = order.find((name) => name === erasure.step)
  failpoint('before-erasure-step')
  if (step) await take(erasure, step, options)
  // What was accepted meanwhile is erased as well.
  else if (!(await finishErasure(engine, erasure, FIRST_STEP, now()))) await put(erasure, 'digests', now(), engine)
  failpoint('after-erasure-step')
}

async function take(erasure: LiveErasure, step: StepName, options: EraseOptions): Promise<void> {
  const { engine, now } = options
  const run: Step = steps[step]
  const { work, first, left } = await run(erasure, options)
  const next = order[order.indexOf(step) + 1] ?? 'finish'
  const at = {
    step: left.kind === 'nothing' ? next : step,
    place: left.kind === 'more' ? left.place : left.kind === 'held' ? erasure.place : null,
    dueAt: left.kind === 'held' ? now() + WAIT_MS : now(),
  }
  try {
    await engine.batch([guardPlan, ...(first ? [first] : []), stand(erasure, at, work)])
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error
    await engine.run(stand(erasure, { ...at, step, place: erasure.place }))
  }
}

async function put(erasure: LiveErasure, step: StepName, dueAt: number, engine: Engine): Promise<void> {
  await engine.run(stand(erasure, { step, place: null, dueAt }))
}
