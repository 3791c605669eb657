/** Named points where a test may kill the process or make a step fail. Inert unless a test set the plan. */

export type FailpointName =
  | 'first-start'
  | 'mid-access-rules'
  | 'before-database-watcher'
  | 'after-database-start'
  | 'mid-backup'
  | 'mid-migration'
  | 'before-commit'
  | 'after-commit-before-reply'
  | 'after-claim'
  | 'after-render'
  | 'mid-request'
  | 'mid-batch'
  | 'after-response-before-commit'
  | 'after-result-commit'
  | 'during-lease-renew'
  | 'before-reply-stored'
  | 'after-reply-stored'
  | 'mid-partition-drop'
  | 'mid-fan-out'
  | 'after-fan-out-step'
  | 'mid-ingest'
  | 'before-members-commit'
  | 'after-erasure-begin'
  | 'before-erasure-step'
  | 'after-erasure-step'
  | 'before-run-start'
  | 'after-run-start'
  | 'after-run-claim'
  | 'before-run-step-commit'
  | 'after-run-step-commit'
  | 'before-digest-release'
  | 'after-digest-release'
  | 'after-receipts-applied'
  | 'after-cancel-batch'
  | 'before-release-step'
  | 'after-release-step'
  | 'after-export-mark'
  | 'mid-export'
  | 'after-export-chunk'
  | 'before-export-end'
  | 'after-import-mark'
  | 'mid-import'
  | 'after-import-chunk'
  | 'before-import-end'
  | 'after-rotation-mark'
  | 'mid-rotation'
  | 'before-rotation-end'
  | 'after-rotation-end'
  | 'during-shutdown'
  | 'fail-flush'

interface Plan {
  name: string
  argument: string
  /** The how-manieth passage acts. */
  nth: number
}

let plan: Plan | undefined
let passed = 0

/** `name` or `name:nth`. */
export function setFailpoint(text: string | undefined): void {
  passed = 0
  if (!text) {
    plan = undefined
    return
  }
  const [name = '', nth = '1'] = text.split(':')
  plan = { name, argument: nth, nth: Number(nth) }
}

/** True once, at the planned passage. */
export function reached(name: FailpointName): boolean {
  if (!plan || plan.name !== name) return false
  passed += 1
  return passed === plan.nth
}

/** Dies here, without any clean-up, when a test planned it; its last line names the place. */
export function failpoint(name: FailpointName): void {
  if (!reached(name)) return
  // A pipe is written to before this returns.
  process.stderr.write(`${lastLine(name)}\n`)
  process.kill(process.pid, 'SIGKILL')
}

/** The last line of a process that ended at a failpoint. */
export const lastLine = (name: string): string => `Killed at ${name}`

/** Never returns for what begins with the text of the plan, when a test planned it: `stand-still:poison`. */
export function standStill(subject: string): void {
  if (plan?.name !== 'stand-still' || !subject.startsWith(plan.argument)) return
  for (let forever = true; forever; ) forever = true
}
