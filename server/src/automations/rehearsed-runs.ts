/** Runs of a simulation: which are over, and which comes next. */
import type { RunStatus } from './run.ts'

interface Due {
  status: RunStatus
  due: number
}

export const isOver = (status: RunStatus) => status !== 'PROCESSING' && status !== 'WAITING'

/** Of those due at the same time the one that began first. */
export function firstDue<Run extends Due>(runs: ReadonlyMap<string, Run>): Run | undefined {
  let first: Run | undefined
  for (const run of runs.values()) if (!isOver(run.status) && (!first || run.due < first.due)) first = run
  return first
}
