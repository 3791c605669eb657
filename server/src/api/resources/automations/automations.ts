/** /automations: runs are started, looked into and canceled. */
import { type AutomationRun, type AutomationRunStep, type AutomationTemplate, runsPage } from '@postrider/contract'
import { cancelationTokenNames, checkSize, readAutomation, workIn } from '../../../automations/definition/automation.ts'
import { checkBeside, checkContext, checkWritten } from '../../../automations/definition/validation.ts'
import { reportUnknownZones } from '../../../automations/profile-zones.ts'
import { withoutLiterals } from '../../../automations/references/references.ts'
import { type RunContext, type RunState, readContext } from '../../../automations/run.ts'
import { startOf } from '../../../automations/runs/initial-state.ts'
import { newRun } from '../../../automations/runs/run-rows.ts'
import { conflict, invalidField, notFound } from '../../../base/errors.ts'
import { timedId } from '../../../base/ids.ts'
import { isObject, type JsonObject } from '../../../base/json/json.ts'
import { collectWarnings } from '../../../base/schema/unknown-fields.ts'
import { maskTokens } from '../../../base/secret.ts'
import { iso, parseTimestamp } from '../../../base/time/clock.ts'
import { automationNamed } from '../../../database/tables/automations/automation-templates.ts'
import { runsInsert } from '../../../database/tables/automations/live-runs.ts'
import {
  cancelRun,
  findRun,
  listRuns,
  type RunRow,
  type RunStepRow,
  runSteps,
  type ShortRun,
} from '../../../database/tables/automations/runs.ts'
import { type CallContext, success } from '../../call.ts'
import { requireSender } from '../../key-kinds.ts'
import { otherwise, type ResourceHandlers, type SharedWork } from '../../outcome.ts'
import { warn } from '../../warnings.ts'

/** The stored fields of a template beside its row. */
export type StoredAutomation = Pick<AutomationTemplate, 'name' | 'alias' | 'triggers' | 'automation'>

export const automations = {
  'automations.invoke': ({ body }, ctx) => {
    return start(ctx, body.automation, readContext(body))
  },
  'automations.invokeTemplate': async ({ params: { template_id }, body = {} }, ctx) => {
    const row = await automationNamed(ctx.app.database, ctx.caller.workspaceId, template_id)
    if (!row) throw notFound()
    const { automation } = JSON.parse(row.template) as StoredAutomation
    return start(ctx, automation, readContext(body), row.id)
  },
  'automations.runs': async ({ query }, { app, caller }) => {
    const { status, template_id: templateId, parent_run_id: parentId, cursor, limit = runsPage } = query
    const { start_date: from, end_date: before } = query
    const filter = {
      ...(status !== undefined && { status }),
      ...(templateId !== undefined && { templateId }),
      ...(parentId !== undefined && { parentId }),
      ...(from !== undefined && { from: timestampParameter('start_date', from) }),
      ...(before !== undefined && { before: timestampParameter('end_date', before) }),
      ...(cursor !== undefined && { cursor }),
    }
    if (templateId !== undefined) {
      const named = await automationNamed(app.database, caller.workspaceId, templateId)
      if (named) filter.templateId = named.id
    }
    const page = await listRuns(app.database, caller.workspaceId, filter, limit)
    const runs = page.rows.map(listedRun)
    return success('automations.runs', { runs, ...(page.cursor !== undefined && { next_cursor: page.cursor }) })
  },
  'automations.run': async ({ params: { run_id } }, ctx) =>
    success('automations.run', runRecord(await runOf(ctx, run_id))),
  'automations.steps': async ({ params: { run_id } }, ctx) => {
    const run = await runOf(ctx, run_id)
    const rows = await runSteps(ctx.app.database, ctx.caller.workspaceId, run_id)
    return success('automations.steps', { steps: stepRecords(run, rows) })
  },
  'automations.cancelRun': async ({ params: { run_id } }, ctx) => {
    const { caller, now } = ctx
    const run = await runOf(ctx, run_id)
    requireSender(caller, run)
    const canceled = run.due_at === null ? run : { ...run, status: 'CANCELED', updated: now }
    return {
      reply: success('automations.cancelRun', runRecord(canceled)),
      writes: cancelRun(caller.workspaceId, run_id, now),
      onConflict: otherwise(async () => {
        const after = await runOf(ctx, run_id)
        return after.status === 'CANCELED'
          ? success('automations.cancelRun', runRecord(after))
          : conflict('too_late_to_cancel', 'The run is over')
      }),
    }
  },
} satisfies Partial<ResourceHandlers<'automations'>>

/** Starts a run whose automation is valid. */
function start(ctx: CallContext, automation: JsonObject, context: RunContext, templateId?: string): SharedWork {
  const { app, caller, now } = ctx
  const { workspaceId, mode } = caller
  const id = timedId(now)
  // A caller who names a template has not sent the automation.
  const at = templateId === undefined ? 'automation' : 'The template: automation'
  // The context in it counts as little as the one beside it.
  checkSize(workIn(automation), at)
  const read = readAutomation(automation, now, at)
  const fields = { id, workspaceId, mode, automation, context, source: ['api'], depth: 0, created: now }
  const run = startOf({ ...fields, ...(templateId !== undefined && { templateId }) }, read, at)
  // A template was checked when it was written; a run reports what its steps lack.
  const { warnings, report } = collectWarnings()
  reportUnknownZones(context.profile, 'profile', report)
  if (templateId === undefined) {
    checkBeside(automation, report)
    checkWritten(read, now, report)
    checkContext(read, run.context, at)
  }
  warn(ctx, ...warnings)
  return {
    reply: success('automations.invoke', { runId: id }),
    storeShared: () => app.jobs.startRun(run),
    alone: () => ({
      writes: [runsInsert([newRun(run, app.database.tokens)])],
      afterCommit: () => app.jobs.wake('runs'),
    }),
  }
}

async function runOf({ app, caller }: CallContext, id: string) {
  const run = await findRun(app.database, caller.workspaceId, id)
  if (!run) throw notFound()
  return run
}

function timestampParameter(name: string, text: string): number {
  const time = parseTimestamp(text)
  if (Number.isNaN(time)) throw invalidField(name, 'must be an ISO 8601 timestamp')
  return Math.max(0, time)
}

const shortRun = ({ status, source, template_id, created }: Omit<ShortRun, 'id' | 'updated' | 'error'>) => ({
  source,
  status: status as AutomationRun['status'],
  ...(template_id !== null && { template_id }),
  created_at: iso(created),
})

export const listedRun = (row: ShortRun) => ({ run_id: row.id, ...shortRun(row) })

function runRecord(row: RunRow): AutomationRun {
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
function stepRecords(run: RunRow, rows: readonly RunStepRow[]): AutomationRunStep[] {
  const { steps } = JSON.parse(run.automation) as { steps: JsonObject[] }
  const { position, since = run.created }: Partial<RunState> =
    run.state === null ? { position: 0 } : JSON.parse(run.state)
  const rowByPosition = new Map(rows.map((row) => [row.position, row]))
  return steps.map((step, index): AutomationRunStep => {
    const row = rowByPosition.get(index)
    const place = { step_id: `${run.id}/${index}`, action: String(step.action) }
    const named = typeof step.ref === 'string' ? { ref: step.ref } : {}
    if (!row) {
      // Where a run stands, or was canceled, before the step has left anything.
      const at = position !== index ? undefined : run.due_at !== null ? 'PROCESSING' : canceledAt(run)
      if (!at) return { ...place, ...named, status: 'NOT PROCESSED', ...timestamps(run.created, run.created) }
      return { ...place, ...named, status: at, ...timestamps(since, at === 'CANCELED' ? run.updated : since) }
    }
    const [message] = row.message_ids ?? []
    return {
      ...place,
      ...named,
      status: row.status as AutomationRunStep['status'],
      ...(message !== undefined && { message_id: message }),
      ...(row.result !== null && { result: masked(JSON.parse(row.result)) }),
      ...(row.reason !== null && { [row.status === 'ERROR' ? 'error' : 'reason']: row.reason }),
      ...timestamps(row.started, row.updated),
    }
  })
}

const canceledAt = ({ status }: RunRow) => (status === 'CANCELED' ? status : undefined)

const timestamps = (created: number, updated: number) => ({ created_at: iso(created), updated_at: iso(updated) })
