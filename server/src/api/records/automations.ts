/** Runs, their steps and automation templates as replies show them. */
import type { AutomationRun, AutomationRunStep, AutomationTemplate } from '@postrider/contract'
import { cancelationTokenNames } from '../../automations/definition/automation.ts'
import { withoutLiterals } from '../../automations/references/references.ts'
import type { RunContext, RunState } from '../../automations/run.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { maskTokens } from '../../base/secret.ts'
import { iso } from '../../base/time/timestamp.ts'
import type { AutomationTemplateRow } from '../../database/tables/automations/automation-templates.ts'
import type { RunRow, RunStepRow, ShortRun } from '../../database/tables/automations/runs.ts'

/** What is stored of a template beside its row. */
export type StoredAutomation = Pick<AutomationTemplate, 'name' | 'alias' | 'triggers' | 'automation'>

export const shortRun = ({ status, source, template_id, created }: Omit<ShortRun, 'id' | 'updated' | 'error'>) => ({
  source,
  status: status as AutomationRun['status'],
  ...(template_id !== null && { template_id }),
  created_at: iso(created),
})

export function runRecord(row: RunRow): AutomationRun {
  const { context } = JSON.parse(row.start) as { context: RunContext }
  return {
    runId: row.id,
    ...shortRun(row),
    updated_at: iso(row.updated),
    ...(row.error !== null && { error: row.error }),
    automation: shown(JSON.parse(row.automation)),
    ...context,
    ...(context.profile && { profile: maskTokens(context.profile) }),
  }
}

function shown(automation: JsonObject): JsonObject {
  const steps = Array.isArray(automation.steps) ? automation.steps : []
  return { steps: steps.map(withoutLiterals).filter(isObject).map(masked), ...namesIn(automation) }
}

/** The token of a run is its name for others, and no secret. */
const masked = (part: JsonObject): JsonObject => ({ ...maskTokens(part), ...namesIn(part) })

const namesIn = (part: JsonObject) =>
  Object.fromEntries(Object.entries(part).filter(([key]) => cancelationTokenNames.has(key)))

/** All steps of the automation; those without a row have not started. */
export function stepRecords(run: RunRow, rows: readonly RunStepRow[]): AutomationRunStep[] {
  const { steps } = JSON.parse(run.automation) as { steps: JsonObject[] }
  const { position, since = run.created }: Partial<RunState> =
    run.state === null ? { position: 0 } : JSON.parse(run.state)
  const known = new Map(rows.map((row) => [row.position, row]))
  return steps.map((step, index): AutomationRunStep => {
    const row = known.get(index)
    const place = { step_id: `${run.id}/${index}`, action: String(step.action) }
    const named = typeof step.ref === 'string' ? { ref: step.ref } : {}
    if (!row) {
      // Where a run stands, or was canceled, before the step has left anything.
      const at = position !== index ? undefined : run.due_at !== null ? 'PROCESSING' : canceledAt(run)
      if (!at) return { ...place, ...named, status: 'NOT PROCESSED', ...moments(run.created, run.created) }
      return { ...place, ...named, status: at, ...moments(since, at === 'CANCELED' ? run.updated : since) }
    }
    const [message] = row.message_ids ?? []
    return {
      ...place,
      ...named,
      status: row.status as AutomationRunStep['status'],
      ...(message !== undefined && { message_id: message }),
      ...(row.result !== null && { result: masked(JSON.parse(row.result)) }),
      ...(row.reason !== null && { [row.status === 'ERROR' ? 'error' : 'reason']: row.reason }),
      ...moments(row.started, row.updated),
    }
  })
}

const canceledAt = ({ status }: RunRow) => (status === 'CANCELED' ? status : undefined)

const moments = (created: number, updated: number) => ({ created_at: iso(created), updated_at: iso(updated) })

export function templateRecord(row: AutomationTemplateRow): AutomationTemplate {
  const { alias, triggers, automation } = JSON.parse(row.template) as StoredAutomation
  return {
    ...named(row),
    version: row.version,
    ...(alias !== undefined && { alias }),
    ...(triggers && { triggers }),
    automation,
  }
}

export const shortTemplate = (row: AutomationTemplateRow) => ({ ...named(row), version: 'published' as const })

const named = ({ id, name, created, updated }: AutomationTemplateRow) => ({
  id,
  name,
  createdAt: iso(created),
  updatedAt: iso(updated),
})

export function versionRecord({ version, created, template }: { version: number; created: number; template: string }) {
  return { version, createdAt: iso(created), ...(JSON.parse(template) as StoredAutomation) }
}
