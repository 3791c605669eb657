/** /automations/templates: automations stored under a name, in versions that never change. */
import {
  type AutomationProgress,
  AutomationTemplate,
  AutomationTemplateInput,
  automationsPage,
  progressRunsMax,
  type Trigger,
  versionsPage,
} from '@postrider/contract'
import { Type } from 'typebox'
import { checkSize, readAutomation } from '../../../automations/definition/automation.ts'
import { circleWarnings } from '../../../automations/definition/invocation-circles.ts'
import { checkBeside, checkWritten } from '../../../automations/definition/validation.ts'
import { readTriggers, triggerRows } from '../../../automations/runs/triggers.ts'
import { conflict, notFound } from '../../../base/errors.ts'
import { checkFieldNames, collectWarnings, refuse } from '../../../base/schema/unknown-fields.ts'
import { iso } from '../../../base/time/clock.ts'
import { ConflictError, isDuplicate } from '../../../database/engine.ts'
import {
  type AutomationTemplateRow,
  automationNamed,
  automationSave,
  automationVersions,
  deleteAutomation,
  findAutomation,
  listAutomations,
  triggersWrite,
  versionTimes,
} from '../../../database/tables/automations/automation-templates.ts'
import { countProgress, latestRuns, type ShortRun } from '../../../database/tables/automations/runs.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'
import { checkPreconditions, entityTagOf, resourceNamed } from '../../preconditions.ts'
import { refuseWarnings } from '../../warnings.ts'
import { listedRun, type StoredAutomation } from './automations.ts'

export const automationTemplates = {
  'automations.templates': async ({ query: { cursor, limit = automationsPage } }, { app, caller }) => {
    const page = await listAutomations(app.database, caller.workspaceId, cursor, limit)
    const latest = await latestRuns(
      app.database,
      caller.workspaceId,
      page.rows.map(({ id }) => id),
    )
    const templates = page.rows.map((row) => shortTemplate(row, latest.get(row.id)))
    return success('automations.templates', {
      templates,
      ...(page.cursor !== undefined && { cursor: page.cursor }),
    })
  },
  'automations.putTemplate': async ({ params: { template_id: id }, body }, ctx) => {
    const { app, caller, now, preconditions } = ctx
    const { workspaceId } = caller
    const { triggers, warnings: ofFields } = checked(body, now)
    const kept = storedOf(id, body, triggers)
    const warnings = [...ofFields, ...(await circlesOf(ctx, id, body))]
    if (warnings.length > 0) refuseWarnings({ strict: ctx.strict, warnings })
    await checkNames(ctx, id, kept.alias)
    const before = await findAutomation(app.database, workspaceId, id)
    // A write that comes between this and the commit is found by its version, and the call runs again.
    checkPreconditions(preconditions, resourceNamed('automation template', id), before?.version)
    const row = {
      ...{ id, name: kept.name, alias: kept.alias ?? null, template: JSON.stringify(kept) },
      ...{ version: (before?.version ?? 0) + 1, created: before?.created ?? now, updated: now },
    }
    return {
      reply: {
        ...success('automations.putTemplate', {
          ...templateRecord(row),
          ...(warnings.length > 0 && { warnings }),
        }),
        headers: entityTagOf(row.version),
      },
      writes: [
        automationSave(app.database.tokens, { ...row, workspaceId, now }, before?.version),
        ...triggersWrite(workspaceId, id, triggerRows(triggers, now)),
      ],
      onConflict(error) {
        if (isDuplicate(error)) return conflict('already_exists', 'Another template has this alias', 'alias')
        return error instanceof ConflictError ? retry('The template is being written by others') : undefined
      },
    }
  },
  'automations.inspect': async ({ body }, ctx) => {
    const { warnings } = checked(body, ctx.now)
    return success('automations.inspect', { warnings: [...warnings, ...(await circlesOf(ctx, body.id, body))] })
  },
  'automations.template': async ({ params: { template_id } }, ctx) => {
    const row = await automationNamed(ctx.app.database, ctx.caller.workspaceId, template_id)
    if (!row) throw notFound()
    return { ...success('automations.template', templateRecord(row)), headers: entityTagOf(row.version) }
  },
  'automations.versions': async (
    { params: { template_id }, query: { cursor, limit = versionsPage } },
    { app, caller },
  ) => {
    const { id } = (await automationNamed(app.database, caller.workspaceId, template_id)) ?? {}
    if (id === undefined) throw notFound()
    const page = await automationVersions(app.database, caller.workspaceId, id, cursor, limit)
    return success('automations.versions', { paging: paging(page), results: page.rows.map(versionRecord) })
  },
  'automations.progress': async ({ params: { template_id }, query }, { app, caller: { workspaceId } }) => {
    const template = await automationNamed(app.database, workspaceId, template_id)
    if (!template) throw notFound()
    const { version = template.version } = query
    const times = await versionTimes(app.database, workspaceId, template.id, version)
    if (!times) throw notFound()
    const filter = { templateId: template.id, ...times }
    const counts = await countProgress(app.database, workspaceId, filter, progressRunsMax)
    const more = counts.counted === progressRunsMax
    return success('automations.progress', { version, more, ...counts } as AutomationProgress)
  },
  'automations.deleteTemplate': ({ params: { template_id: id } }, { app, caller }) => ({
    reply: success('automations.deleteTemplate', undefined),
    writes: deleteAutomation(caller.workspaceId, id),
    onConflict: otherwise(async () => {
      const named = await automationNamed(app.database, caller.workspaceId, id)
      return notFound(named && `\`${id}\` is an alias; the id of the template is \`${named.id}\``)
    }),
  }),
} satisfies Partial<ResourceHandlers<'automations'>>

/** A template that was read can be written back: fields that only the server sets are accepted and ignored. */
const Written = Type.Object({ ...AutomationTemplate.properties, ...AutomationTemplateInput.properties })

/** Throws a 400 that names the place. */
function checked(body: AutomationTemplateInput, now: number): { triggers: Trigger[]; warnings: string[] } {
  checkFieldNames(Written, body, { at: '', what: 'a template', report: refuse })
  checkSize(body.automation)
  const { warnings, report } = collectWarnings()
  checkBeside(body.automation, report)
  checkWritten(readAutomation(body.automation, now), now, report)
  return { triggers: readTriggers(body.triggers ?? [], now, 'triggers'), warnings }
}

/** The other automations of the circle are those in force now. */
const circlesOf = (
  { app: { database }, caller }: CallContext,
  id: string | undefined,
  { alias, automation }: AutomationTemplateInput,
) =>
  circleWarnings(
    automation,
    [id, alias].flatMap((name) => name ?? []),
    async (name) => {
      const row = await automationNamed(database, caller.workspaceId, name)
      return row && (JSON.parse(row.template) as StoredAutomation).automation
    },
  )

const storedOf = (
  id: string,
  { name, alias, automation }: AutomationTemplateInput,
  triggers: Trigger[],
): StoredAutomation => ({
  name: name ?? id,
  ...(alias != null && { alias }),
  ...(triggers.length > 0 && { triggers }),
  automation,
})

/** A name leads to one template: no alias is another one's id. */
async function checkNames({ app, caller }: CallContext, id: string, alias: string | undefined): Promise<void> {
  const named = await automationNamed(app.database, caller.workspaceId, id)
  if (named && named.id !== id) throw conflict('already_exists', `\`${id}\` is the alias of another template`)
  if (alias === undefined || alias === id) return
  if (await findAutomation(app.database, caller.workspaceId, alias))
    throw conflict('already_exists', 'Another template has this id', 'alias')
}

function templateRecord(row: AutomationTemplateRow): AutomationTemplate {
  const { alias, triggers, automation } = JSON.parse(row.template) as StoredAutomation
  return {
    ...named(row),
    version: row.version,
    ...(alias !== undefined && { alias }),
    ...(triggers && { triggers }),
    automation,
  }
}

function shortTemplate(row: AutomationTemplateRow, latest: ShortRun | undefined) {
  const { triggers } = JSON.parse(row.template) as StoredAutomation
  return {
    ...named(row),
    version: 'published' as const,
    ...(triggers && { triggers }),
    ...(latest && { latest_run: listedRun(latest) }),
  }
}

const named = ({ id, name, created, updated }: AutomationTemplateRow) => ({
  id,
  name,
  createdAt: iso(created),
  updatedAt: iso(updated),
})

function versionRecord({ version, created, template }: { version: number; created: number; template: string }) {
  return { version, createdAt: iso(created), ...(JSON.parse(template) as StoredAutomation) }
}
