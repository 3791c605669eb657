/** POST /automations/simulate: what an automation would do, under a clock of its own. */
import { type Static, Type } from 'typebox'
import { idCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, isoMoment, jsonObject, type nullable } from '../../api/values.ts'
import { RunContext } from '../../shapes/run-context.ts'
import { MessageStatus } from '../../shapes/status.ts'
import { Explanation, explanationExample } from '../messages/explain.ts'
import { Automation } from './automations.ts'

/** Profiles that a simulation is given. */
export const simulationProfilesMax = 1_000
/** Runs beside the first one of a simulation. */
export const simulationFurtherMax = 100

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

const byName = (value: Parameters<typeof nullable>[0], maxProperties: number, description: string) =>
  Optional(Type.Record(Type.String({ maxLength: 8_192 }), value, { maxProperties, description }))

export const FurtherRun = Type.Object({
  after: Type.String({ minLength: 1, maxLength: 64, description: 'How long after the start: `2 hours`, `P1D`.' }),
  context: Optional(RunContext),
  automation: Optional(Automation),
})

export const SimulationBody = Type.Object(
  {
    automation: Optional(Automation),
    template_id: Optional(id('An automation template by id or alias, instead of `automation`.')),
    context: Optional(RunContext),
    start: Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Integer({ minimum: 0 })], {
        description: 'When the run begins: ISO 8601, or milliseconds since the Unix epoch; now when left out.',
      }),
    ),
    profiles: byName(
      Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
      simulationProfilesMax,
      'Profiles by recipient; of anybody else the stored one is used. Who is in an audience is always found by the stored ones.',
    ),
    lists: byName(
      Type.Array(Type.String({ minLength: 1, maxLength: idCharactersMax }), { maxItems: simulationProfilesMax }),
      100,
      'Subscribers by list, without preferences of the list; of other lists the stored ones are used.',
    ),
    fetched: byName(
      Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
      100,
      'Answers by address, with or without its query. Nothing is called: an address that is not here answers nothing.',
    ),
    fetched_status: byName(
      Type.Integer({ minimum: 200, maximum: 599 }),
      100,
      'HTTP statuses of those answers, by the same addresses; 200 when nothing is said. An address that is only here answers with an empty body, and so does any with 204, 205 or 304.',
    ),
    statuses: byName(
      MessageStatus,
      100,
      'What becomes of messages, by the `ref` of their step or by their event. When nothing is said: what the explanation of the message comes to (`UNROUTABLE`, `DIGESTED`), `DELAYED` until it is due, `SENT` for one that goes or is not explained.',
    ),
    templates: byName(Automation, 100, 'Automations by name for the step `invoke`, before the stored ones.'),
    further: Optional(
      Type.Array(FurtherRun, {
        maxItems: simulationFurtherMax,
        description: 'More runs, of the same automation unless another is given: for batches, throttles and tokens.',
      }),
    ),
  },
  { title: 'SimulationBody', description: 'An automation, and the world it is tried in.' },
)
export type SimulationBody = Static<typeof SimulationBody>

const runId = '1-69cf2c80-0007d3b0a1f2e4c5d6978a9b'
const messageId = '1-69cf2c80-0001c2d3e4f5061728394a5b'

export default resource({
  name: 'simulate',
  position: 30,
  title: 'Simulate',
  description: 'What an automation would do, in a moment instead of days.',
  operations: [
    operation({
      id: 'simulate.simulate',
      origin: 'postrider',
      method: 'POST',
      path: '/automations/simulate',
      summary: 'Try an automation in a moment',
      description:
        'Runs an automation under a clock of its own and answers what would happen: every message with its channel and its words, every digest with its events, every step that was skipped and why, every wait. Nothing is sent, stored or called, and nobody waits. Delays take no time; brands, notifications, preferences and integrations are those of now.',
      body: SimulationBody,
      replies: { 200: Simulation },
      example: {
        body: {
          automation: {
            steps: [
              { action: 'send', ref: 'hello' },
              { action: 'delay', duration: '2 days' },
              { action: 'send', template: 'welcome', if: 'refs.hello.status < MessageStatus.Opened' },
            ],
          },
          context: { template: 'welcome', recipient: 'user-7', data: { name: 'Ada' } },
          profiles: { 'user-7': { email: 'ada@example.com' } },
          statuses: { hello: 'OPENED' },
          start: '2026-04-03T03:00:00.000Z',
        },
        reply: {
          start: '2026-04-03T03:00:00.000Z',
          end: '2026-04-05T03:00:00.000Z',
          complete: true,
          runs: [{ run_id: runId, source: ['simulation'], status: 'PROCESSED' }],
          timeline: [
            {
              at: '2026-04-03T03:00:00.000Z',
              run_id: runId,
              position: 0,
              action: 'send',
              status: 'PROCESSED',
              ended_at: '2026-04-03T03:00:00.000Z',
              result: { messageId },
              messages: [
                {
                  message_id: messageId,
                  recipient: 'user-7',
                  event: 'welcome',
                  channels: ['email'],
                  explanation: explanationExample,
                },
              ],
            },
            {
              at: '2026-04-03T03:00:00.000Z',
              run_id: runId,
              position: 1,
              action: 'delay',
              status: 'PROCESSED',
              ended_at: '2026-04-05T03:00:00.000Z',
              waited_ms: 172_800_000,
              result: { until: '2026-04-05T03:00:00.000Z', waited_ms: 172_800_000 },
            },
            {
              at: '2026-04-05T03:00:00.000Z',
              run_id: runId,
              position: 2,
              action: 'send',
              status: 'SKIPPED',
              reason: '`refs.hello.status < MessageStatus.Opened` is not true',
              ended_at: '2026-04-05T03:00:00.000Z',
            },
          ],
          digests: [],
        },
      },
    }),
  ],
})
