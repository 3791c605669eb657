/** What starts an automation by itself: an inbound event, or a moment that comes again and again. */
import { type Static, Type } from 'typebox'
import { cron, timezone } from './digest.ts'
import { id, nullable } from './json.ts'

const schedule = { type: Type.Literal('schedule', { description: 'A schedule.' }), cron: cron('When it starts.') }

export const EventTrigger = Type.Object(
  {
    type: Type.Literal('event', { description: 'An inbound event.' }),
    event: id(
      'The `event` of `POST /inbound/courier`. Its properties are the data of the run, its user the recipient.',
    ),
  },
  { title: 'EventTrigger', description: 'One run for each inbound event of this name.' },
)

export const ScheduleTriggerWrite = Type.Object(
  { ...schedule, timezone: Type.Optional(nullable(timezone('Where it is read; UTC when left out.'))) },
  { title: 'ScheduleTriggerWrite', description: 'One run at each of these moments.' },
)

/** As it is written. */
export const TriggerWrite = Type.Union([EventTrigger, ScheduleTriggerWrite], { description: 'What starts a run.' })
export type TriggerWrite = Static<typeof TriggerWrite>

export const Trigger = Type.Union(
  [
    EventTrigger,
    Type.Object(
      { ...schedule, timezone: timezone('Where it is read.') },
      {
        title: 'ScheduleTrigger',
        description:
          'One run at each of these moments; of those that were missed while nothing was running, the latest. `data.scheduled_for` is the moment.',
      },
    ),
  ],
  { description: 'What starts a run.' },
)
export type Trigger = Static<typeof Trigger>
