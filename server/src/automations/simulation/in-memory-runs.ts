/** Runs of a simulation: which have ended, and which is next. */
import { isObject } from '../../base/json/json.ts'
import type { RunStart, RunState, RunStatus } from '../run.ts'

interface Due {
  start: RunStart
  state: RunState
  status: RunStatus
  due: number
}

export const isOver = (status: RunStatus) => status !== 'PROCESSING' && status !== 'WAITING'

/** Of those due at the same time one that is about to cancel others, so that nothing ends its wait before; else the one that began first. */
export function firstDue<Run extends Due>(runs: ReadonlyMap<string, Run>): Run | undefined {
  let first: Run | undefined
  for (const run of runs.values()) {
    if (isOver(run.status) || (first && run.due > first.due)) continue
    if (!first || run.due < first.due || (isCanceling(run) && !isCanceling(first))) first = run
  }
  return first
}

/** Whether a `cancel` stands before the next step that waits. What it waits for now is over when it is due. */
function isCanceling({ start: { automation }, state: { position } }: Due): boolean {
  const steps = Array.isArray(automation.steps) ? automation.steps.slice(position) : []
  for (const [index, step] of steps.entries()) {
    const action = isObject(step) ? String(step.action).replaceAll('_', '-') : ''
    if (action === 'cancel') return true
    if (index > 0 && (action === 'delay' || action === 'add-to-batch')) return false
  }
  return false
}
