/** Automations kept by name: versions that never change, which of them is in force, and the events and schedules that start them. */

import { sql } from 'kysely'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { columnList, expectRows, firstRow, query, type Row, recordset, rows, statement, typesOf } from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import type { TokenCipher } from '../../token-cipher.ts'

export interface TemplateSave {
  workspaceId: number
  id: string
  alias: string | null
  name: string
  /** JSON text, as given. */
  template: string
  now: number
}

const current = (workspaceId: number) =>
  query
    .selectFrom('automation_templates as t')
    .innerJoin('automation_versions as v', (join) =>
      join
        .onRef('v.workspace_id', '=', 't.workspace_id')
        .onRef('v.template_id', '=', 't.id')
        .onRef('v.version', '=', 't.version'),
    )
    .select(['t.id', 't.alias', 't.name', 't.version', 't.created', 't.updated', 'v.template'])
    .where('t.workspace_id', '=', workspaceId)

export type AutomationTemplateRow = NonNullable<Awaited<ReturnType<typeof findAutomation>>>

export async function findAutomation(engine: Reader, workspaceId: number, id: string) {
  const row = await firstRow(engine, current(workspaceId).where('t.id', '=', id))
  return row && readable(engine, workspaceId, row)
}

/** With the template as it was written. */
function readable<Row extends { template: string }>({ tokens }: Reader, workspaceId: number, row: Row): Row {
  return { ...row, template: tokens.decryptText(workspaceId, row.template) }
}

/** An id goes before an alias. */
export async function automationNamed(engine: Reader, workspaceId: number, name: string) {
  const matches = await rows(
    engine,
    current(workspaceId)
      .where((e) => e.or([e('t.id', '=', name), e('t.alias', '=', name)]))
      .limit(2),
  )
  const row = matches.find(({ id }) => id === name) ?? matches[0]
  return row && readable(engine, workspaceId, row)
}

/** By id. */
export async function listAutomations(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<AutomationTemplateRow>> {
  let selection = current(workspaceId)
  if (cursor !== undefined) selection = selection.where('t.id', '>', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('t.id').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Those whose version in force has one of these texts as a JSON string, by id. */
export async function automationsWithTexts(
  engine: Reader,
  workspaceId: number,
  texts: readonly string[],
  limit: number,
): Promise<AutomationTemplateRow[]> {
  const matching = current(workspaceId).where((e) =>
    e.or(texts.map((text) => sql<boolean>`strpos(v.template, ${JSON.stringify(text)}) > 0`)),
  )
  const matches = await rows(engine, matching.orderBy('t.id').limit(limit))
  return matches.map((row) => readable(engine, workspaceId, row))
}

/** Newest first. */
export async function automationVersions(
  engine: Reader,
  workspaceId: number,
  id: string,
  cursor: string | undefined,
  limit: number,
): Promise<Page<{ version: number; created: number; template: string }>> {
  let selection = query
    .selectFrom('automation_versions')
    .select(['version', 'created', 'template'])
    .where('workspace_id', '=', workspaceId)
    .where('template_id', '=', id)
  if (cursor !== undefined) selection = selection.where('version', '<', decodeCursor(cursor, ['number'])[0])
  const newest = selection.orderBy('version', 'desc').limit(limit + 1)
  const versions = (await rows(engine, newest)).map((row) => readable(engine, workspaceId, row))
  return pageOf(versions, limit, ({ version }) => [version])
}

/** When the version came into force, and when the next one did. */
export async function versionTimes(
  engine: Reader,
  workspaceId: number,
  id: string,
  version: number,
): Promise<{ from: number; before: number | undefined } | undefined> {
  const selection = query
    .selectFrom('automation_versions')
    .select(['version', 'created'])
    .where('workspace_id', '=', workspaceId)
    .where('template_id', '=', id)
    .where('version', 'in', [version, version + 1])
  const versions = await rows(engine, selection)
  const from = versions.find((row) => row.version === version)?.created
  return from === undefined ? undefined : { from, before: versions.find((row) => row.version > version)?.created }
}

/** The first version, or the one after `version`: it touches nothing when another write came first. */
export function automationSave(
  tokens: TokenCipher,
  { workspaceId, id, alias, name, template, now }: TemplateSave,
  version: number | undefined,
): Statement {
  const encrypted = JSON.stringify(tokens.encryptAutomation(workspaceId, JSON.parse(template)))
  const values = [workspaceId, id, alias, name, now, encrypted]
  const save =
    version === undefined
      ? `insert into automation_templates (workspace_id, id, alias, name, version, created, updated)
         values ($1::smallint, $2::text, $3::text, $4::text, 1, $5::bigint, $5::bigint)
         on conflict (workspace_id, id) do nothing returning version`
      : `update automation_templates set alias = $3, name = $4, version = version + 1, updated = $5
         where workspace_id = $1 and id = $2 and version = $7 returning version`
  return expectRows({
    text: `with saved as (${save})
      insert into automation_versions (workspace_id, template_id, version, template, created)
      select $1::smallint, $2::text, version, $6::text, $5::bigint from saved`,
    values: version === undefined ? values : [...values, version],
  })
}

/** Must affect a row; affects none when there was none. Its runs go on: each holds what it was started with. */
export function deleteAutomation(workspaceId: number, id: string): Statement[] {
  const gone = query.deleteFrom('automation_templates').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [expectRows(statement(gone))]
}

export type NewTrigger = { event: string } | { cron: string; zone: string; dueAt: number | null }

const upsert = `insert into automation_triggers as t (workspace_id, template_id, position, event, cron, zone, due_at)
  select $1::smallint, $2, r.position, r.event, r.cron, r.zone, r.due_at
  from ${recordset('$3', 'r', typesOf('automation_triggers', ['position', 'event', 'cron', 'zone', 'due_at']))}
  on conflict (workspace_id, template_id, position) do update set
    event = excluded.event, cron = excluded.cron, zone = excluded.zone,
    due_at = case when t.cron = excluded.cron and t.zone = excluded.zone then t.due_at else excluded.due_at end`

/** Follows the write of the template in its commit. An unchanged schedule keeps its next time. */
export function triggersWrite(workspaceId: number, templateId: string, triggers: readonly NewTrigger[]): Statement[] {
  const records = triggers.map((trigger, position) => ({
    position,
    ...('event' in trigger
      ? { event: trigger.event }
      : { cron: trigger.cron, zone: trigger.zone, due_at: trigger.dueAt }),
  }))
  return [
    {
      text: 'delete from automation_triggers where workspace_id = $1 and template_id = $2 and position >= $3',
      values: [workspaceId, templateId, triggers.length],
    },
    ...(records.length > 0 ? [{ text: upsert, values: [workspaceId, templateId, JSON.stringify(records)] }] : []),
  ]
}

/** The current version of the template, as JSON text. */
const TEMPLATE = `join automation_templates a on a.workspace_id = t.workspace_id and a.id = t.template_id
  join automation_versions v on v.workspace_id = a.workspace_id and v.template_id = a.id and v.version = a.version`

export interface TriggeredTemplate {
  template_id: string
  template: string
}

/** Each template once, by id. */
export async function templatesTriggeredBy(
  engine: Reader,
  workspaceId: number,
  event: string,
  limit: number,
): Promise<TriggeredTemplate[]> {
  const { rows } = await engine.run<TriggeredTemplate>({
    text: `select distinct on (t.template_id) t.template_id, v.template from automation_triggers t ${TEMPLATE}
      where t.workspace_id = $1 and t.event = $2 order by t.template_id limit $3`,
    values: [workspaceId, event, limit],
    name: 'templates-triggered-by',
  })
  return rows.map((row) => ({ ...row, template: engine.tokens.decryptText(workspaceId, row.template) }))
}

const SCHEDULE = ['workspace_id', 'template_id', 'position', 'cron', 'zone', 'due_at'] as const

export interface DueSchedule
  extends Row<'automation_triggers', Exclude<(typeof SCHEDULE)[number], 'cron' | 'zone' | 'due_at'>> {
  cron: string
  zone: string
  due_at: number
  template: string
}

export async function dueSchedules(engine: Engine, now: number, limit: number): Promise<DueSchedule[]> {
  const { rows } = await engine.run<DueSchedule>({
    text: `select ${columnList(SCHEDULE, 't')}, v.template
        from automation_triggers t ${TEMPLATE}
        where t.due_at <= $1 order by t.due_at limit $2`,
    values: [now, limit],
    name: 'due-schedules',
  })
  return rows.map((row) => ({ ...row, template: engine.tokens.decryptText(row.workspace_id, row.template) }))
}

const movedRows = recordset('$1', 'r', {
  ...typesOf('automation_triggers', ['workspace_id', 'template_id', 'position', 'due_at']),
  next: columnTypes.automation_triggers.due_at,
})

/** In one commit with the runs; a schedule that another node has moved is unchanged. */
export function schedulesMoved(moved: readonly (DueSchedule & { next: number | null })[]): Statement {
  const records = moved.map(({ workspace_id, template_id, position, due_at, next }) => ({
    workspace_id,
    template_id,
    position,
    due_at,
    next,
  }))
  return {
    text: `update automation_triggers t set due_at = r.next
      from ${movedRows}
      where t.workspace_id = r.workspace_id and t.template_id = r.template_id and t.position = r.position
        and t.due_at = r.due_at`,
    values: [JSON.stringify(records)],
    name: 'schedules-moved',
  }
}

/** When the next schedule is due; undefined if there is none. */
export async function nextScheduleDue(engine: Engine): Promise<number | undefined> {
  const { rows } = await engine.run<{ due: number | null }>({
    text: 'select min(due_at) as due from automation_triggers where due_at is not null',
    values: [],
    name: 'next-schedule-due',
  })
  return rows[0]?.due ?? undefined
}
