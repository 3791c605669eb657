/** Triggers start runs: an inbound event in its commit, a schedule once for each of its times. */
import { EventTrigger, ScheduleTriggerWrite, type Trigger, type TriggerWrite } from '@postrider/contract'
import { CallerError, invalidAt } from '../../base/errors.ts'
import { childId, timedId, timedIdFloor } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { checkFieldNames, refuse } from '../../base/schema/unknown-fields.ts'
import type { SecretKey } from '../../base/secret.ts'
import { iso } from '../../base/time/clock.ts'
import { checkRecurrence, latestOf, nextOf, type Recurrence, RecurrenceInvalid } from '../../base/time/recurrence.ts'
import type { Engine, Reader, Statement } from '../../database/engine.ts'
import {
  type DueSchedule,
  dueSchedules,
  type NewTrigger,
  nextScheduleDue,
  schedulesMoved,
  type TriggeredTemplate,
  templatesTriggeredBy,
} from '../../database/tables/automations/automation-templates.ts'
import { failRun, runsInsert } from '../../database/tables/automations/live-runs.ts'
import type { TokenCipher } from '../../database/token-cipher.ts'
import type { Mode } from '../../messages/send.ts'
import { sleepUntil } from '../../queue/poll.ts'
import { readContext } from '../run.ts'
import type { UnparsedRun } from '../step.ts'
import { startRun } from './initial-state.ts'
import { newRun } from './run-rows.ts'

/** Triggers as the API shows them. Throws a 400 that names the place. */
export function readTriggers(triggers: readonly TriggerWrite[], now: number, at: string): Trigger[] {
  return triggers.map((trigger, n) => {
    const schema = trigger.type === 'event' ? EventTrigger : ScheduleTriggerWrite
    const what = `a trigger of the type ${trigger.type}`
    checkFieldNames(schema, { ...trigger }, { at: `${at}.${n}`, what, report: refuse })
    if (trigger.type === 'event') return trigger
    const { type, cron, timezone } = trigger
    const read = { type, cron, timezone: timezone ?? 'UTC' }
    try {
      checkRecurrence(recurrenceOf(read), now)
    } catch (error) {
      if (error instanceof RecurrenceInvalid) throw invalidAt(`${at}.${n}`, error.message, { cause: error })
      throw error
    }
    return read
  })
}

/** Triggers as they are stored. */
export const triggerRows = (triggers: readonly Trigger[], now: number): NewTrigger[] =>
  triggers.map((trigger) =>
    trigger.type === 'event'
      ? { event: trigger.event }
      : { cron: trigger.cron, zone: trigger.timezone, dueAt: nextOf(recurrenceOf(trigger), now) ?? null },
  )

const recurrenceOf = ({ cron, timezone }: { cron: string; timezone: string }): Recurrence => ({
  crons: [cron],
  zone: timezone,
})

export interface Happening {
  workspaceId: number
  mode: Mode
  event: string
  userId: string | null
  properties: JsonObject
}

/** Templates that one event starts, in one commit. */
const TEMPLATES_MAX = 100

/** The statements that insert the runs of an event, for its commit. */
export async function runsOfEvent(
  engine: Reader,
  { workspaceId, mode, event, userId, properties }: Happening,
  now: number,
): Promise<Statement[]> {
  const triggered = await templatesTriggeredBy(engine, workspaceId, event, TEMPLATES_MAX)
  const starts = triggered.map((template) => ({
    ...common(template, workspaceId, mode, now),
    id: timedId(now),
    context: readContext({ data: properties, ...(userId !== null && { recipient: userId }) }),
    source: [`event/${event}`],
  }))
  return started(starts, now, engine.tokens)
}

export interface ScheduleOptions {
  engine: Engine
  secretKey: SecretKey
  now(): number
  /** Called after a commit: there are runs to claim. */
  wake(): void
}

const SCHEDULES_A_STEP = 100

/** Starts due schedules; of missed times, only the latest. Resolves with the time until the next poll. */
export function createScheduler({ engine, secretKey, now, wake }: ScheduleOptions): () => Promise<number> {
  const secret = secretKey.derive('schedules')
  return async () => {
    const time = now()
    const due = await dueSchedules(engine, time, SCHEDULES_A_STEP)
    if (due.length === 0) return sleepUntil(await nextScheduleDue(engine), now())
    const starts = due.map((schedule) => startOf(schedule, secret, time))
    const moved = due.map((schedule) => ({ ...schedule, next: nextOf(scheduleOf(schedule), time) ?? null }))
    // The id of a run is derived from its time: a second start finds it and has no effect.
    await engine.batch([schedulesMoved(moved), ...started(starts, time, engine.tokens)])
    wake()
    return 0
  }
}

const scheduleOf = ({ cron, zone }: DueSchedule): Recurrence => ({ crons: [cron], zone })

function startOf(due: DueSchedule, secret: Buffer, now: number): UnparsedRun {
  const slot = Math.max(due.due_at, latestOf(scheduleOf(due), now) ?? due.due_at)
  return {
    ...common(due, due.workspace_id, 'live', now),
    id: childId(secret, timedIdFloor(slot), `${due.workspace_id}/${due.template_id}`),
    context: { data: { scheduled_for: iso(slot) } },
    source: ['schedule'],
  }
}

function common({ template_id, template }: TriggeredTemplate, workspaceId: number, mode: Mode, now: number) {
  const { automation } = JSON.parse(template) as { automation: JsonObject }
  return { workspaceId, mode, automation, templateId: template_id, depth: 0, created: now }
}

/** If the cancelation token has no value, the run is stored as failed: callers find it in the list of runs. */
function started(starts: readonly UnparsedRun[], now: number, tokens: TokenCipher): Statement[] {
  const failures: Statement[] = []
  const runs = starts.map((start) => {
    try {
      return startRun(start)
    } catch (error) {
      if (!(error instanceof CallerError)) throw error
      failures.push(failRun(start.id, error.message, now))
      return { ...start, root: start.id }
    }
  })
  return runs.length > 0 ? [runsInsert(runs.map((run) => newRun(run, tokens))), ...failures] : []
}
