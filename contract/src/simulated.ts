/** What a simulation answers: runs, their steps by time, messages, digests. */
import { type Static, Type } from 'typebox'
import { Explanation } from './explain.ts'
import { isoMoment, jsonObject } from './json.ts'

const { Optional } = Type

const SimulatedMessage = Type.Object(
  {
    message_id: Type.String({ description: 'As it is called in this simulation.' }),
    recipient: Type.String({ description: 'Whom it would go to.' }),
    event: Type.String({ description: 'The notification or event; empty for content of its own.' }),
    due_at: Optional(
      isoMoment(
        'When it would be decided on and go, where a delay or its hours make that later than its step; channels and explanation are those of then. Of a message without an explanation hours are not looked at.',
      ),
    ),
    channels: Type.Array(Type.String(), {
      description:
        'The channels that were chosen, in order: all of them, or each should those before it fail. Empty when it would not go.',
    }),
    explanation: Optional(Explanation),
  },
  { title: 'SimulatedMessage', description: 'A message that would be sent.' },
)
export type SimulatedMessage = Static<typeof SimulatedMessage>

const SimulatedStep = Type.Object(
  {
    at: isoMoment('When the step would begin.'),
    run_id: Type.String({ description: 'The run.' }),
    position: Type.Integer({ minimum: 0, description: 'Its place among the steps, from 0.' }),
    action: Type.String({ description: 'The action.' }),
    status: Type.Enum(['PROCESSED', 'SKIPPED', 'WAITING', 'ERROR', 'THROTTLED', 'CANCELED', 'PROCESSING'], {
      description: 'How it would end; `CANCELED`: another run ended it while it waited.',
    }),
    reason: Optional(Type.String({ description: 'Why it was skipped, what went wrong, or what it waits for.' })),
    ended_at: Optional(isoMoment('When it would be done.')),
    waited_ms: Optional(Type.Integer({ minimum: 0, description: 'From its beginning to its end, when it waited.' })),
    result: Optional(jsonObject('What is kept of it.')),
    messages: Optional(
      Type.Array(SimulatedMessage, { description: 'What it would send; of a send to many, to the first recipients.' }),
    ),
    request: Optional(
      Type.Object(
        {
          to: Type.Array(Type.String(), { description: 'Lists, audiences, tenants and users, in words.' }),
          recipients: Type.Integer({
            minimum: 0,
            description:
              'How many recipients were found, each counted once: up to 1,000 of them, of whom the first 100 are among `messages`.',
          }),
          more: Optional(
            Type.Boolean({ description: 'True when they were counted no further: there may be more of them.' }),
          ),
        },
        { description: 'A send to many.' },
      ),
    ),
  },
  { title: 'SimulatedStep', description: 'One step of one run.' },
)
export type SimulatedStep = Static<typeof SimulatedStep>

const DigestedCategory = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'Events of the category.' }),
    items: Type.Array(jsonObject('The data of one event.'), {
      description: 'The events that are shown, in their order.',
    }),
  },
  { title: 'DigestedCategory', description: 'The values of one category in the template.' },
)

const SimulatedDigest = Type.Object(
  {
    topic_id: Type.String({ description: 'The topic that collects.' }),
    schedule_id: Type.String({ description: 'The schedule that the recipient is on.' }),
    recipient: Type.String({ description: 'For whom it is kept.' }),
    tenant_id: Optional(Type.String({ description: 'The tenant; absent outside any.' })),
    collected: Type.Integer({ minimum: 1, description: 'Events of this simulation that were kept for it.' }),
    opened_at: isoMoment('When its first event came.'),
    released_at: isoMoment('When it is released.'),
    data: Optional(
      Type.Record(Type.String(), DigestedCategory, {
        description: 'The values in the template, by category; left out behind the first megabyte of a simulation.',
      }),
    ),
    message: SimulatedMessage,
  },
  {
    title: 'SimulatedDigest',
    description: 'A digest that would be released as one message. What is stored already is no part of it.',
  },
)
export type SimulatedDigest = Static<typeof SimulatedDigest>

const SimulatedRun = Type.Object(
  {
    run_id: Type.String({ description: 'As it is called in this simulation.' }),
    source: Type.Array(Type.String(), { description: 'What started it.' }),
    status: Type.Enum(['PROCESSING', 'WAITING', 'PROCESSED', 'CANCELED', 'ERROR', 'THROTTLED'], {
      description: 'How it ends.',
    }),
    error: Optional(Type.String({ description: 'What went wrong.' })),
  },
  { title: 'SimulatedRun', description: 'One run.' },
)

export const Simulation = Type.Object(
  {
    start: isoMoment('When it begins.'),
    end: isoMoment('When the last step is done; delayed messages and digests may go later.'),
    complete: Type.Boolean({
      description: 'False when it was stopped: more than 1,000 runs, 10,000 turns or five seconds of work.',
    }),
    runs: Type.Array(SimulatedRun, { description: 'The runs; the first is the one that was asked for.' }),
    timeline: Type.Array(SimulatedStep, { description: 'Every step of every run, by time.' }),
    warnings: Optional(
      Type.Array(Type.String(), {
        description: 'Parts of the automations that are ignored, each with its place; absent without any.',
      }),
    ),
    digests: Type.Array(SimulatedDigest, {
      description:
        'What is kept for digests, by `add-to-digest` and by explained messages about a topic that has one, and how it is released.',
    }),
  },
  { title: 'Simulation', description: 'What would happen, when, to whom and by which channel.' },
)
export type Simulation = Static<typeof Simulation>
