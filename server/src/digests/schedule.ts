/** The release times of digests: schedules as recurrences, and the schedule of a recipient. */
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

/** The cron fields after the time of day. */
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

/** Shorter months use their last day. */
function daysOfMonths(day: number): string[] {
  if (day > 30) return ['L * *']
  return day > 28 ? [`${day} * *`, 'L 2 *'] : [`${day} * *`]
}

/** The chosen schedule, else the default. */
export function scheduleFor({ schedules }: TopicDigest, chosen: string | null): DigestSchedule | undefined {
  const active = schedules.filter(({ disabled }) => !disabled)
  return (
    active.find(({ schedule_id }) => schedule_id === chosen) ?? active.find(({ is_default }) => is_default) ?? active[0]
  )
}

/** The next release after this time. */
export function releaseOf(schedule: DigestSchedule, now: number): number {
  const recurrence = recurrenceOf(schedule)
  return (recurrence && nextOf(recurrence, now)) ?? now
}
