/** Executes the steps of a run until it waits, ends or is lost: each step is committed before the next one starts. */
import { during } from '../../base/activity.ts'
import { CallerError } from '../../base/errors.ts'
import { type Automation, readAutomation } from '../definition/automation.ts'
import type { RunStart, RunState } from '../run.ts'
import type { Change, Outcome, RunStore, Verdict } from '../run-store.ts'
import { executeStep } from './execute-step.ts'

/** Retries on conflict; each means that another commit wrote data that the step had read. */
const AGAIN_MAX = 20

/** Too many conflicts: the run is executed again after a pause. */
export class RetriedTooOften extends Error {
  override readonly name = 'RetriedTooOften'
}

/** The last outcome; undefined if the run was lost. `PROCESSING` only if `goesOn` stopped it between two steps. */
export async function runUntilBlocked(
  run: RunStart,
  state: RunState,
  store: RunStore,
  goesOn: () => boolean = () => true,
): Promise<Outcome | undefined> {
  const automation = read(run)
  let current = state
  let again = 0
  for (;;) {
    const change =
      'steps' in automation
        ? await during('run', run.id, 'beginning a step', () => executeStep(run, current, automation, store))
        : unreadable(current, automation.fault, store)
    const verdict = await store.commit(run, change)
    if (verdict === 'lost') return undefined
    if (verdict === 'again') {
      again += 1
      if (again > AGAIN_MAX)
        throw new RetriedTooOften(`What the run ${run.id} read was changed ${AGAIN_MAX} times meanwhile`)
      continue
    }
    again = 0
    const outcome = outcomeOf(change, verdict)
    if (outcome.status !== 'PROCESSING' || !goesOn()) return outcome
    current = outcome.state
  }
}

/** An automation that an earlier release accepted can be invalid now: its run ends with the error. */
function read(run: RunStart): Automation | { fault: string } {
  try {
    return readAutomation(run.automation, run.created)
  } catch (error) {
    if (error instanceof CallerError) return { fault: error.message }
    throw error
  }
}

function unreadable(state: RunState, fault: string, store: RunStore): Change {
  const { position, since } = state
  const step = { position, action: 'none', status: 'ERROR', started: since, ended: store.now(), reason: fault } as const
  return { kind: 'plain', outcome: { step, state, status: 'ERROR', error: fault } }
}

function outcomeOf(change: Change, verdict: Verdict): Outcome {
  switch (change.kind) {
    case 'reserve':
      return verdict === 'refused' ? change.refused : change.allowed
    case 'collect':
      return verdict === 'opened' ? change.opened : change.added
    default:
      return change.outcome
  }
}
