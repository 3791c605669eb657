/** When digests are released: a topic's schedules as recurrences, and which of them a recipient is on. */
import type { DigestSchedule, TopicDigest } from '@postrider/contract'
import { nextOf, type Recurrence } from '../base/time/recurrence.ts'

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

/** Undefined: at once. */
export function recurrenceOf(schedule: Omit<DigestSchedule, 'schedule_id'>): Recurrence | undefined {
  const { cron, frequency, time = '00:00', timezone: zone = 'UTC' } = schedule
  if (cron !== undefined) return { crons: [cron], zone }
  if (frequency === 'instant') return undefined
  const [hour, minute] = time.split(':').map(Number)
  return { crons: daysOf(schedule).map((days) => `${minute} ${hour} ${days}`), zone }
}

/** The fields behind the time of day. */
function daysOf({ frequency, day_of_week, days_of_week = [], day_of_month = 1 }: Omit<DigestSchedule, 'schedule_id'>) {
  switch (frequency) {
    case 'weekdays':
      return ['* * 1-5']
    case 'weekly':
      return [`* * ${DAYS.indexOf(day_of_week ?? 'sunday')}`]
    case 'custom_days':
      return [`* * ${days_of_week.map((day) => DAYS.indexOf(day)).join(',')}`]
    case 'monthly':
      return daysOfMonths(day_of_month)
    default:
      return ['* * *']
  }
}

/** A month that has no such day has it on its last one. */
function daysOfMonths(day: number): string[] {
  if (day > 30) return ['L * *']
  return day > 28 ? [`${day} * *`, 'L 2 *'] : [`${day} * *`]
}

/** Who has chosen none, or one that is not there, is on the default one. */
export function scheduleFor({ schedules }: TopicDigest, chosen: string | null): DigestSchedule | undefined {
  const active = schedules.filter(({ disabled }) => !disabled)
  return (
    active.find(({ schedule_id }) => schedule_id === chosen) ?? active.find(({ is_default }) => is_default) ?? active[0]
  )
}

/** The moment after this one at which what is kept now is released. */
export function releaseOf(schedule: DigestSchedule, now: number): number {
  const recurrence = recurrenceOf(schedule)
  return (recurrence && nextOf(recurrence, now)) ?? now
}
