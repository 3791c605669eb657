/** /automations: runs are started, looked into and canceled. */
import { runsPage } from '@postrider/contract'
import { checkSize, readAutomation, workIn } from '../../automations/definition/automation.ts'
import { checkContext, checkWritten } from '../../automations/definition/validation.ts'
import type { RunContext } from '../../automations/run.ts'
import { readContext } from '../../automations/run-context.ts'
import { startOf } from '../../automations/runs/initial-state.ts'
import { newRun } from '../../automations/runs/run-rows.ts'
import { conflict, invalidRequest, notFound } from '../../base/errors.ts'
import { timedId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { parseMoment } from '../../base/time/timestamp.ts'
import { automationNamed } from '../../database/tables/automations/automation-templates.ts'
import { runsInsert } from '../../database/tables/automations/live-runs.ts'
import { cancelRun, findRun, listRuns, runSteps } from '../../database/tables/automations/runs.ts'

import { type CallContext, success } from '../call.ts'
import { otherwise, type ResourceHandlers, type SharedWork } from '../outcome.ts'
import { runRecord, type StoredAutomation, shortRun, stepRecords } from '../records/automations.ts'

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
      ...(from !== undefined && { from: momentOf('start_date', from) }),
      ...(before !== undefined && { before: momentOf('end_date', before) }),
      ...(cursor !== undefined && { cursor }),
    }
    if (templateId !== undefined) {
      const named = await automationNamed(app.database, caller.workspaceId, templateId)
      if (named) filter.templateId = named.id
    }
    const page = await listRuns(app.database, caller.workspaceId, filter, limit)
    const runs = page.rows.map((row) => ({ run_id: row.id, ...shortRun(row) }))
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
    const canceled = run.due_at === null ? run : { ...run, status: 'CANCELED', updated: now }
    return {
      reply: success('automations.cancelRun', runRecord(canceled)),
      writes: cancelRun(caller.workspaceId, run_id, now),
      onConflict: otherwise(async () => {
        const after = await runOf(ctx, run_id)
        return after.status === 'CANCELED'
          ? success('automations.cancelRun', runRecord(after))
          : conflict('The run is over')
      }),
    }
  },
} satisfies Partial<ResourceHandlers<'automations'>>

/** Unknown fields are ignored, as the public API ignores them; simulations and templates name them. */
const ignored = () => undefined

/** Of a run that was read without a fault. */
function start(ctx: CallContext, automation: JsonObject, context: RunContext, templateId?: string): SharedWork {
  const { app, caller, now } = ctx
  const { workspaceId, mode } = caller
  const id = timedId(now)
  // Who names a template has sent no automation.
  const at = templateId === undefined ? 'automation' : 'The template: automation'
  // The context in it counts as little as the one beside it.
  checkSize(workIn(automation), at)
  const read = readAutomation(automation, now, at)
  const wanted = { id, workspaceId, mode, automation, context, source: ['api'], depth: 0, created: now }
  const run = startOf({ ...wanted, ...(templateId !== undefined && { templateId }) }, read, at)
  // A template was checked when it was written; a run reports what its steps lack.
  if (templateId === undefined) {
    checkWritten(read, now, ignored)
    checkContext(read, run.context, at)
  }
  return {
    reply: success('automations.invoke', { runId: id }),
    storeShared: () => app.automations.start(run),
    writes: () => [runsInsert([newRun(run, app.database.tokens)])],
    afterCommit: () => app.automations.wake(),
  }
}

async function runOf({ app, caller }: CallContext, id: string) {
  const run = await findRun(app.database, caller.workspaceId, id)
  if (!run) throw notFound()
  return run
}

function momentOf(name: string, text: string): number {
  const moment = parseMoment(text)
  if (Number.isNaN(moment)) throw invalidRequest(`${name} must be an ISO 8601 moment`)
  return Math.max(0, moment)
}
