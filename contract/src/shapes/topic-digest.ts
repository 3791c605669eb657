/** The digest of a topic: its template, its schedules and what is kept of the events, as written and as read. */
import { type Static, Type } from 'typebox'
import { id, nullable } from '../api/values.ts'
import { cron, timezone } from './schedule.ts'

/** Schedules of one digest: a page of preferences offers a handful. */
export const digestSchedulesMax = 10
/** Categories of one digest; an event is stored once for each it belongs to. */
export const digestCategoriesMax = 5
/** Events of one category that a digest shows: a mail of a hundred entries is as long as anybody reads. */
export const digestKeepMax = 100
/** The data of one event in a digest, as JSON: 500 of them are one message of 8 MB at the most. */
export const digestEventBytesMax = 16_384

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
export const digestFrequencies = ['instant', 'daily', 'weekdays', 'weekly', 'custom_days', 'monthly'] as const
export const digestRetains = ['FIRST', 'LAST', 'HIGHEST', 'LOWEST', 'NONE'] as const

const optional = <S extends Parameters<typeof nullable>[0]>(schema: S) => Type.Optional(nullable(schema))

const cadence = {
  frequency: Type.Enum([...digestFrequencies], {
    description: 'How often. `instant`: each event at once, as a digest of one.',
  }),
  time: Type.String({
    pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
    description: 'When on the day, `HH:MM`; for every frequency but `instant`.',
  }),
  timezone: timezone('Where `time` and the days are read; UTC when left out. Clock changes are followed.'),
  day_of_week: Type.Enum([...days], { description: 'With `weekly`.' }),
  days_of_week: Type.Array(Type.Enum([...days]), { minItems: 1, maxItems: 7, description: 'With `custom_days`.' }),
  day_of_month: Type.Integer({
    minimum: 1,
    maximum: 31,
    description: 'With `monthly`; in a month that is shorter, its last day.',
  }),
  cron: cron('Instead of `frequency` and its fields.'),
  is_default: Type.Boolean({ description: 'For who has chosen none; when no schedule says so, the first.' }),
  disabled: Type.Boolean({ description: 'Nobody is on it; who has chosen it is on the default one.' }),
}

export const DigestScheduleWrite = Type.Object(
  {
    schedule_id: optional(id('One of the topic, to change it; without it a new one is made.')),
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
  { title: 'DigestScheduleWrite', description: 'When a digest is released, as it is written.' },
)
export type DigestScheduleWrite = Static<typeof DigestScheduleWrite>

const { Optional } = Type

export const DigestSchedule = Type.Object(
  {
    schedule_id: Type.String({ description: 'What recipients choose it by.' }),
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
  { title: 'DigestSchedule', description: 'When a digest is released.' },
)
export type DigestSchedule = Static<typeof DigestSchedule>

const category = {
  category_key: Type.String({
    minLength: 1,
    maxLength: 64,
    description: 'Events whose data have this key at the top belong to it; it is the key in the data of the digest.',
  }),
  sort_key: Type.String({
    minLength: 1,
    maxLength: 256,
    description:
      'Where in an event the number or moment is that `HIGHEST` and `LOWEST` compare: `likes`, `post.likes`.',
  }),
}
const keepDescription = 'How many events of it the digest shows; all are counted.'
const retainDescription =
  'Which ones: those that came `FIRST` or `LAST`, or with the `HIGHEST` or `LOWEST` value at `sort_key`. `NONE`: all, as far as there can be.'

export const DigestCategoryWrite = Type.Object(
  {
    category_key: category.category_key,
    retain: optional(
      Type.Enum([...digestRetains, ...digestRetains.map((retain) => retain.toLowerCase())], {
        description: `${retainDescription} \`FIRST\` when left out.`,
      }),
    ),
    limit: optional(
      Type.Integer({ minimum: 1, maximum: digestKeepMax, description: `${keepDescription} 10 when left out.` }),
    ),
    sort_key: optional(category.sort_key),
  },
  { title: 'DigestCategoryWrite', description: 'One kind of events in a digest, as it is written.' },
)
export type DigestCategoryWrite = Static<typeof DigestCategoryWrite>

export const DigestCategory = Type.Object(
  {
    category_key: category.category_key,
    retain: Type.Enum([...digestRetains], { description: retainDescription }),
    limit: Type.Integer({ description: keepDescription }),
    sort_key: Optional(category.sort_key),
  },
  { title: 'DigestCategory', description: 'One kind of events in a digest.' },
)
export type DigestCategory = Static<typeof DigestCategory>

const template = id('The notification that tells of all of them: its id, its alias, or a mapped event.')

export const TopicDigestWrite = Type.Object(
  {
    template_id: template,
    schedules: optional(
      Type.Array(DigestScheduleWrite, {
        minItems: 1,
        maxItems: digestSchedulesMax,
        description: 'All of them; those left out are gone. Without this field those that are there stay.',
      }),
    ),
    categories: optional(
      Type.Array(DigestCategoryWrite, {
        minItems: 1,
        maxItems: digestCategoriesMax,
        description: 'What is kept, by kind; one category `digest` for all events when left out.',
      }),
    ),
    trigger_empty: optional(
      Type.Literal(false, { description: 'A digest without an event is not sent; only `false` is taken.' }),
    ),
  },
  { title: 'TopicDigestWrite', description: 'The digest of a topic as it is written.' },
)
export type TopicDigestWrite = Static<typeof TopicDigestWrite>

export const TopicDigest = Type.Object(
  {
    template_id: template,
    schedules: Type.Array(DigestSchedule, { description: 'When it is released: each recipient is on one of them.' }),
    categories: Type.Array(DigestCategory, { description: 'What is kept of the events, by kind.' }),
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
