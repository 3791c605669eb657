/** A topic as stored and as served by the API. */
import {
  type DigestCategory,
  type DigestCategoryWrite,
  type DigestSchedule,
  type DigestScheduleWrite,
  digestRetains,
  type Topic,
  type TopicDigest,
  type TopicDigestWrite,
  type TopicWrite,
  topicDataBytesMax,
} from '@postrider/contract'
import { invalidAt, invalidField, invalidRequest, missingField, tooLarge } from '../base/errors.ts'
import { recordId } from '../base/ids.ts'
import { type JsonObject, jsonBytes } from '../base/json/json.ts'
import { iso } from '../base/time/clock.ts'
import { checkRecurrence, RecurrenceInvalid } from '../base/time/recurrence.ts'
import type { TopicRow } from '../database/tables/preferences/topics.ts'
import { recurrenceOf } from '../digests/schedule.ts'
import { allEvents } from '../digests/terms.ts'

type Settings = Pick<
  Topic,
  'routing_options' | 'allowed_preferences' | 'include_unsubscribe_header' | 'topic_data' | 'digest'
>

/** Absent fields are cleared, except the digest, which stays as in `before`. */
export function topicSettings(write: TopicWrite, before: JsonObject, now: number): Settings & JsonObject {
  const { routing_options, allowed_preferences, include_unsubscribe_header, topic_data } = write
  if (jsonBytes(topic_data ?? {}) > topicDataBytesMax)
    throw tooLarge(`topic_data has at most ${topicDataBytesMax} bytes`, 'topic_data')
  const digest = digestOver(write.digest, storedDigest(before), now)
  return {
    routing_options: routing_options ?? [],
    allowed_preferences: allowed_preferences ?? [],
    include_unsubscribe_header: include_unsubscribe_header ?? true,
    topic_data: topic_data ?? {},
    ...(digest && { digest }),
  }
}

export function topicRecord(row: TopicRow): Topic {
  const settings = row.settings as unknown as Settings
  return {
    id: row.id,
    name: row.name,
    default_status: row.defaultStatus as Topic['default_status'],
    ...settings,
    ...authorship(row),
  }
}

interface Authored {
  created: number
  creator: string
  updated: number
  updater: string
}

/** ISO 8601, unlike other resources, as clients of the public API expect. */
export function authorship({ created, creator, updated, updater }: Authored) {
  return { created: iso(created), creator, updated: iso(updated), updater }
}

/** The digest in the settings of a topic. */
const storedDigest = (settings: JsonObject): TopicDigest | undefined =>
  (settings.digest as TopicDigest | undefined) ?? undefined

export function isActiveSchedule(settings: JsonObject, id: string): boolean {
  return storedDigest(settings)?.schedules.some(({ schedule_id, disabled }) => schedule_id === id && !disabled) ?? false
}

/** An absent digest stays, null removes it. Throws a 400. */
function digestOver(
  write: TopicDigestWrite | null | undefined,
  before: TopicDigest | undefined,
  now: number,
): TopicDigest | undefined {
  if (write === undefined) return before
  if (write === null) return undefined
  const schedules = write.schedules
    ? write.schedules.map((schedule, n) => scheduleOf(schedule, before, `digest.schedules.${n}`, now))
    : before?.schedules
  if (!schedules) throw missingField('digest.schedules', 'is required: without a schedule nothing is ever released')
  checkTogether(schedules)
  return { template_id: write.template_id, schedules, categories: categoriesOf(write.categories ?? []) }
}

const invalidSchedules = (message: string) =>
  invalidRequest(message, { code: 'invalid_field', param: 'digest.schedules' })

function checkTogether(schedules: readonly DigestSchedule[]): void {
  const ids = new Set(schedules.map(({ schedule_id }) => schedule_id))
  if (ids.size < schedules.length) throw invalidField('digest.schedules', 'names a schedule_id twice')
  const defaults = schedules.filter(({ is_default }) => is_default)
  if (defaults.length > 1) throw invalidField('digest.schedules', 'has more than one default')
  if (defaults.some(({ disabled }) => disabled)) throw invalidSchedules('The default of digest.schedules is disabled')
  if (schedules.every(({ disabled }) => disabled)) throw invalidSchedules('All of digest.schedules are disabled')
}

function scheduleOf(
  write: DigestScheduleWrite,
  before: TopicDigest | undefined,
  place: string,
  now: number,
): DigestSchedule {
  const { schedule_id, is_default, disabled, ...rest } = write
  if (schedule_id && !before?.schedules.some((schedule) => schedule.schedule_id === schedule_id))
    throw invalidField(`${place}.schedule_id`, 'must be the id of a schedule of the topic')
  const cadence = {
    ...cadenceOf(rest, place),
    is_default: is_default ?? false,
    disabled: disabled ?? false,
  }
  const recurrence = recurrenceOf(cadence)
  try {
    if (recurrence) checkRecurrence(recurrence, now)
  } catch (error) {
    if (error instanceof RecurrenceInvalid) throw invalidAt(place, error.message, { cause: error })
    throw error
  }
  return { schedule_id: schedule_id ?? `sch_${recordId().toLowerCase()}`, ...cadence }
}

/** Only the fields that the frequency uses. */
function cadenceOf(write: DigestScheduleWrite, place: string) {
  const need = <Value>(value: Value | null | undefined, name: string): Value => {
    if (value === null || value === undefined) throw missingField(`${place}.${name}`)
    return value
  }
  const { cron, frequency, timezone } = write
  if (cron && frequency) throw invalidField(place, 'must have either cron or frequency')
  const zone = timezone ? { timezone } : {}
  if (cron) return { cron, ...zone }
  const often = need(frequency, 'frequency')
  if (often === 'instant') return { frequency: often }
  return {
    frequency: often,
    time: need(write.time, 'time'),
    ...zone,
    ...(often === 'weekly' && { day_of_week: need(write.day_of_week, 'day_of_week') }),
    ...(often === 'custom_days' && { days_of_week: need(write.days_of_week, 'days_of_week') }),
    ...(often === 'monthly' && { day_of_month: need(write.day_of_month, 'day_of_month') }),
  }
}

function categoriesOf(write: readonly DigestCategoryWrite[]): DigestCategory[] {
  const categories = write.map(({ category_key, retain, limit, sort_key }, n): DigestCategory => {
    const kept = digestRetains.find((rule) => rule === retain?.toUpperCase()) ?? allEvents.retain
    if ((kept === 'HIGHEST' || kept === 'LOWEST') && !sort_key)
      throw invalidField(`digest.categories.${n}.sort_key`, `is required with \`${kept}\``)
    return { category_key, retain: kept, limit: limit ?? allEvents.limit, ...(sort_key && { sort_key }) }
  })
  if (new Set(categories.map(({ category_key }) => category_key)).size < categories.length)
    throw invalidField('digest.categories', 'names a category_key twice')
  return categories.length > 0 ? categories : [allEvents]
}
