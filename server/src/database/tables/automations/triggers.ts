/** What starts runs by itself: triggers of automation templates, by event and by schedule. */
import type { Engine, Reader, Statement } from '../../engine.ts'

export type NewTrigger = { event: string } | { cron: string; zone: string; dueAt: number | null }

const upsert = `insert into automation_triggers as t (workspace_id, template_id, position, event, cron, zone, due_at)
  select $1::smallint, $2, r.position, r.event, r.cron, r.zone, r.due_at
  from json_to_recordset($3::json) as r(position integer, event text, cron text, zone text, due_at bigint)
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

export interface DueSchedule extends TriggeredTemplate {
  workspace_id: number
  position: number
  cron: string
  zone: string
  due_at: number
}

export async function dueSchedules(engine: Engine, now: number, limit: number): Promise<DueSchedule[]> {
  const { rows } = await engine.run<DueSchedule>({
    text: `select t.workspace_id, t.template_id, t.position, t.cron, t.zone, t.due_at, v.template
        from automation_triggers t ${TEMPLATE}
        where t.due_at <= $1 order by t.due_at limit $2`,
    values: [now, limit],
    name: 'due-schedules',
  })
  return rows.map((row) => ({ ...row, template: engine.tokens.decryptText(row.workspace_id, row.template) }))
}

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
      from json_to_recordset($1::json)
        as r(workspace_id smallint, template_id text, position integer, due_at bigint, next bigint)
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
