/** Converts runs to rows and back: start, state, and the record of a step. */
import { LIST_SOURCE, type LiveRun, type NewRun } from '../../database/tables/automations/live-runs.ts'
import type { RunChange } from '../../database/tables/automations/runs.ts'
import { lanes } from '../../database/tables/messages/lanes.ts'
import type { TokenCipher } from '../../database/token-cipher.ts'
import type { Mode } from '../../messages/send.ts'
import type { RunContext, RunStart, RunState } from '../run.ts'
import type { StepOutcome } from '../run-store.ts'

/** The column `start`. */
type Start = { context: RunContext } & Pick<RunStart, 'marks'>

/** Due at once, without a lease. */
export function newRun(run: RunStart, tokens: TokenCipher): NewRun {
  const { context, marks, created } = run
  const start: Start = { context, ...(marks && { marks }) }
  const textOf = (document: object) => JSON.stringify(tokens.encryptAutomation(run.workspaceId, document))
  return {
    id: run.id,
    workspace_id: run.workspaceId,
    mode: run.mode,
    lane: run.source[0]?.startsWith(LIST_SOURCE) ? lanes.bulk : lanes.automation,
    due_at: created,
    lease: null,
    cancelation_token: run.cancelationToken ?? null,
    template_id: run.templateId ?? null,
    source: run.source,
    depth: run.depth,
    root: run.root,
    parent_id: parentOf(run),
    created,
    automation: textOf(run.automation),
    start: textOf(start),
  }
}

/** The source of a child is `<kind>/<run id>`. */
const parentOf = ({ depth, source: [first = ''] }: RunStart) => (depth > 0 ? first.slice(first.indexOf('/') + 1) : null)

export function runOf(row: Omit<LiveRun, 'lease' | 'claims' | 'state'>): RunStart {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    mode: row.mode as Mode,
    automation: JSON.parse(row.automation),
    ...(JSON.parse(row.start) as Start),
    ...(row.cancelation_token !== null && { cancelationToken: row.cancelation_token }),
    ...(row.template_id !== null && { templateId: row.template_id }),
    source: row.source,
    depth: row.depth,
    root: row.root,
    created: row.created,
  }
}

export const storedState = ({ state }: Pick<LiveRun, 'state'>): RunState | undefined =>
  state === null ? undefined : JSON.parse(state)

export function changeRows(
  run: RunStart,
  { step, state, status, due, error }: StepOutcome,
  { lease, now }: { lease: string; now: number },
  tokens: TokenCipher,
): Omit<RunChange, 'messages'> {
  const isProcessing = status === 'PROCESSING'
  const waits = status === 'WAITING'
  return {
    run: {
      id: run.id,
      lease,
      next_lease: isProcessing ? lease : null,
      due_at: waits ? (due ?? now) : null,
      status,
      // A run that added to a batch can be resumed after its end; other ended runs need no state.
      state:
        isProcessing || waits || (status === 'PROCESSED' && state.waiting)
          ? JSON.stringify(tokens.encryptAutomation(run.workspaceId, state))
          : null,
      error: error ?? null,
      updated: now,
    },
    step: {
      run_id: run.id,
      position: step.position,
      workspace_id: run.workspaceId,
      action: step.action,
      status: step.status,
      started: step.started,
      updated: step.ended ?? now,
      result: step.result ? JSON.stringify(step.result) : null,
      reason: step.reason ?? null,
      message_ids: step.messageIds ? [...step.messageIds] : null,
    },
  }
}
