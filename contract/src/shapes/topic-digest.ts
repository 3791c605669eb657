/** The digest of a topic: its template, schedules and categories. */

import { type Static, Type } from 'typebox'
import { timeOfDayPattern } from '../api/patterns.ts'
import { id, nullable } from '../api/values.ts'
import { cron, timezone } from './schedule.ts'

/** Schedules of one digest; a preference page offers a handful. */
export const digestSchedulesMax = 10
/** Categories of one digest; an event is stored once for each of its categories. */
export const digestCategoriesMax = 5
/** Events of one category in a digest; more than a hundred entries are not readable in one message. */
export const digestKeepMax = 100
/** Data of one event in a digest, as JSON: 500 of them are a message of at most 8 MB. */
export const digestEventBytesMax = 16_384

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
export const digestFrequencies = ['instant', 'daily', 'weekdays', 'weekly', 'custom_days', 'monthly'] as const
export const digestRetains = ['FIRST', 'LAST', 'HIGHEST', 'LOWEST', 'NONE'] as const

const optional = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))

const cadence = {
  frequency: Type.Enum([...digestFrequencies], {
    description: 'Frequency. `instant`: events are released at once; those that come together are one digest.',
  }),
  time: Type.String({
    pattern: timeOfDayPattern,
    description: 'Time of day, `HH:MM`; required for every frequency except `instant`.',
  }),
  timezone: timezone('Time zone of `time` and the days, including daylight saving time. Default: UTC.'),
  day_of_week: Type.Enum([...days], { description: 'Day of the week, for `weekly`.' }),
  days_of_week: Type.Array(Type.Enum([...days]), {
    minItems: 1,
    maxItems: 7,
    description: 'Days of the week, for `custom_days`.',
  }),
  day_of_month: Type.Integer({
    minimum: 1,
    maximum: 31,
    description: 'Day of the month, for `monthly`; in shorter months the last day.',
  }),
  cron: cron('Replaces `frequency` and its fields.'),
  is_default: Type.Boolean({
    description: 'Whether recipients without a choice are on this schedule. Default: the first schedule.',
  }),
  disabled: Type.Boolean({
    description: 'Whether the schedule is disabled; recipients who chose it are on the default schedule.',
  }),
}

export const DigestScheduleWrite = Type.Object(
  {
    schedule_id: optional(id('Id of the schedule to change; without it a new schedule is created.')),
    frequency: optional(cadence.frequency),
    time: optional(cadence.time),
    timezone: optional(cadence.timezone),
    day_of_week: optional(cadence.day_of_week),
    days_of_week: optional(cadence.days_of_week),
    day_of_month: optional(cadence.day_of_month),
    cron: optional(cadence.cron),
    is_default: optional(cadence.is_default),
    disabled: optional(cadence.disabled),
  },
  { title: 'DigestScheduleWrite', description: 'A release schedule of a digest, in a request.' },
)
export type DigestScheduleWrite = Static<typeof DigestScheduleWrite>

const { Optional } = Type

export const DigestSchedule = Type.Object(
  {
    schedule_id: Type.String({ description: 'Id of the schedule.' }),
    frequency: Optional(cadence.frequency),
    time: Optional(cadence.time),
    timezone: Optional(cadence.timezone),
    day_of_week: Optional(cadence.day_of_week),
    days_of_week: Optional(cadence.days_of_week),
    day_of_month: Optional(cadence.day_of_month),
    cron: Optional(cadence.cron),
    is_default: cadence.is_default,
    disabled: cadence.disabled,
  },
  { title: 'DigestSchedule', description: 'A release schedule of a digest.' },
)
export type DigestSchedule = Static<typeof DigestSchedule>

const category = {
  category_key: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'Top-level key in the data of an event that puts the event into the category; also the key in the data of the digest.',
  }),
  sort_key: Type.String({
    minLength: 1,
    maxLength: 256,
    description: 'Path of the number or time in the event that `HIGHEST` and `LOWEST` compare: `likes`, `post.likes`.',
  }),
}
const keepDescription = 'Maximum number of events in the digest; all events are counted.'
const retainDescription =
  'Events to retain: the `FIRST` or `LAST`, or those with the `HIGHEST` or `LOWEST` value at `sort_key`. `NONE`: all, up to the maximum.'

export const DigestCategoryWrite = Type.Object(
  {
    category_key: category.category_key,
    retain: optional(
      Type.Enum([...digestRetains, ...digestRetains.map((retain) => retain.toLowerCase())], {
        description: `${retainDescription} Default: \`FIRST\`.`,
      }),
    ),
    limit: optional(
      Type.Integer({ minimum: 1, maximum: digestKeepMax, description: `${keepDescription} Default: 10.` }),
    ),
    sort_key: optional(category.sort_key),
  },
  { title: 'DigestCategoryWrite', description: 'A category of events in a digest, in a request.' },
)
export type DigestCategoryWrite = Static<typeof DigestCategoryWrite>

export const DigestCategory = Type.Object(
  {
    category_key: category.category_key,
    retain: Type.Enum([...digestRetains], { description: retainDescription }),
    limit: Type.Integer({ description: keepDescription }),
    sort_key: Optional(category.sort_key),
  },
  { title: 'DigestCategory', description: 'A category of events in a digest.' },
)
export type DigestCategory = Static<typeof DigestCategory>

const template = id('Notification of the digest: its id, its alias, or a mapped event.')

export const TopicDigestWrite = Type.Object(
  {
    template_id: template,
    schedules: optional(
      Type.Array(DigestScheduleWrite, {
        minItems: 1,
        maxItems: digestSchedulesMax,
        description:
          'All schedules; schedules that are not listed are removed. Without this field the schedules are unchanged.',
      }),
    ),
    categories: optional(
      Type.Array(DigestCategoryWrite, {
        minItems: 1,
        maxItems: digestCategoriesMax,
        description: 'Categories of events. Default: one category `digest` with all events.',
      }),
    ),
    trigger_empty: optional(
      Type.Literal(false, { description: 'Always `false`: a digest without events is not sent.' }),
    ),
  },
  { title: 'TopicDigestWrite', description: 'The digest of a topic, in a request.' },
)
export type TopicDigestWrite = Static<typeof TopicDigestWrite>

export const TopicDigest = Type.Object(
  {
    template_id: template,
    schedules: Type.Array(DigestSchedule, { description: 'Release schedules; each recipient is on one of them.' }),
    categories: Type.Array(DigestCategory, { description: 'Categories of events.' }),
  },
  { title: 'TopicDigest', description: 'The digest of a topic.' },
)
export type TopicDigest = Static<typeof TopicDigest>

export const digestExample: TopicDigest = {
  template_id: 'activity-digest',
  schedules: [
    {
      schedule_id: 'sch_c3vfj6pyazq4m9r2k7t1wxbhn5d8',
      frequency: 'daily',
      time: '09:00',
      timezone: 'Europe/Berlin',
      is_default: true,
      disabled: false,
    },
    { schedule_id: 'sch_d8c3vfj6pyazq4m9r2k7t1wxbhn5', frequency: 'instant', is_default: false, disabled: false },
  ],
  categories: [{ category_key: 'comments', retain: 'LAST', limit: 10 }],
}

export const digestWriteExample = {
  template_id: 'activity-digest',
  schedules: [
    { frequency: 'daily', time: '09:00', timezone: 'Europe/Berlin', is_default: true },
    { frequency: 'instant' },
  ],
  categories: [{ category_key: 'comments', retain: 'LAST', limit: 10 }],
}
