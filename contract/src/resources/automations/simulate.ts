/** POST /automations/simulate: runs an automation in memory, with a simulated clock. */
import { type Static, Type } from 'typebox'
import { idCharactersMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, isoTimestamp, jsonObject, type nullable } from '../../api/values.ts'
import { RunContext } from '../../shapes/run-context.ts'
import { MessageStatus } from '../../shapes/status.ts'
import { Explanation, explanationOfTemplate } from '../messages/explain.ts'
import { Automation } from './automations.ts'

/** Profiles in the body of a simulation. */
export const simulationProfilesMax = 1_000
/** Further runs of a simulation. */
export const simulationFurtherMax = 100

const { Optional } = Type

const SimulatedMessage = Type.Object(
  {
    message_id: Type.String({ description: 'Id in this simulation.' }),
    recipient: Type.String({ description: 'Recipient of the message.' }),
    event: Type.String({ description: 'Notification or event; empty for inline content.' }),
    due_at: Optional(
      isoTimestamp(
        'Time of the decision and of sending, if a delay or opening hours defer it; channels and explanation are those at that time. Opening hours are not evaluated for a message without an explanation.',
      ),
    ),
    channels: Type.Array(Type.String(), {
      description:
        'Channels, in order: all are used, or each if the earlier ones fail. Empty if the message would not be sent.',
    }),
    explanation: Optional(Explanation),
  },
  { title: 'SimulatedMessage', description: 'A message that would be sent.' },
)
export type SimulatedMessage = Static<typeof SimulatedMessage>

const SimulatedStep = Type.Object(
  {
    at: isoTimestamp('Start of the step.'),
    run_id: Type.String({ description: 'The run id.' }),
    position: Type.Integer({ minimum: 0, description: 'Position of the step, from 0.' }),
    action: Type.String({ description: 'The action.' }),
    status: Type.Enum(['PROCESSED', 'SKIPPED', 'WAITING', 'ERROR', 'THROTTLED', 'CANCELED', 'PROCESSING'], {
      description: 'Status of the step; `CANCELED`: another run canceled it while it was waiting.',
    }),
    reason: Optional(Type.String({ description: 'Reason why the step was skipped, failed or is waiting.' })),
    ended_at: Optional(isoTimestamp('End of the step.')),
    waited_ms: Optional(Type.Integer({ minimum: 0, description: 'Duration in milliseconds, if the step waited.' })),
    result: Optional(jsonObject('Result of the step.')),
    messages: Optional(
      Type.Array(SimulatedMessage, {
        description: 'Messages of the step; for a send to many recipients, those of the first ones.',
      }),
    ),
    request: Optional(
      Type.Object(
        {
          to: Type.Array(Type.String(), {
            description: 'Human-readable names of the lists, audiences, tenants and users.',
          }),
          recipients: Type.Integer({
            minimum: 0,
            description: 'Number of distinct recipients, up to 1,000; the first 100 are in `messages`.',
          }),
          more: Optional(
            Type.Boolean({ description: 'True if counting stopped at the maximum: there can be more recipients.' }),
          ),
        },
        { description: 'A send to many recipients.' },
      ),
    ),
  },
  { title: 'SimulatedStep', description: 'A step of a simulated run.' },
)
export type SimulatedStep = Static<typeof SimulatedStep>

const DigestedCategory = Type.Object(
  {
    count: Type.Integer({ minimum: 0, description: 'Number of events of the category.' }),
    items: Type.Array(jsonObject('Data of one event.'), {
      description: 'Retained events, in order.',
    }),
  },
  { title: 'DigestedCategory', description: 'Data of one category in the template.' },
)

const SimulatedDigest = Type.Object(
  {
    topic_id: Type.String({ description: 'Topic of the digest.' }),
    schedule_id: Type.String({ description: 'Schedule of the recipient.' }),
    recipient: Type.String({ description: 'Recipient of the digest.' }),
    tenant_id: Optional(Type.String({ description: 'Tenant of the digest; absent outside any tenant.' })),
    collected: Type.Integer({ minimum: 1, description: 'Number of events of this simulation in the digest.' }),
    opened_at: isoTimestamp('Time of the first event.'),
    released_at: isoTimestamp('Time of release.'),
    data: Optional(
      Type.Record(Type.String(), DigestedCategory, {
        description: 'Data of the template by category; omitted after the first megabyte of a simulation.',
      }),
    ),
    message: SimulatedMessage,
  },
  {
    title: 'SimulatedDigest',
    description: 'A digest that would be released as one message, without events that are already stored.',
  },
)
export type SimulatedDigest = Static<typeof SimulatedDigest>

const SimulatedRun = Type.Object(
  {
    run_id: Type.String({ description: 'Id in this simulation.' }),
    source: Type.Array(Type.String(), { description: 'Source of the run.' }),
    status: Type.Enum(['PROCESSING', 'WAITING', 'PROCESSED', 'CANCELED', 'ERROR', 'THROTTLED'], {
      description: 'Status of the run at the end.',
    }),
    error: Optional(Type.String({ description: 'Error of the run.' })),
  },
  { title: 'SimulatedRun', description: 'A simulated run.' },
)

export const Simulation = Type.Object(
  {
    start: isoTimestamp('Start of the simulation.'),
    end: isoTimestamp('End of the last step; delayed messages and digests can be sent later.'),
    complete: Type.Boolean({
      description:
        'False if the simulation was stopped at a limit: 1,000 runs, 10,000 iterations or five seconds of processing.',
    }),
    runs: Type.Array(SimulatedRun, { description: 'Runs; the first is the requested one.' }),
    timeline: Type.Array(SimulatedStep, { description: 'All steps of all runs, ordered by time.' }),
    warnings: Optional(
      Type.Array(Type.String(), {
        description: 'Ignored parts of the automations, each with its path. Absent when there are none.',
      }),
    ),
    digests: Type.Array(SimulatedDigest, {
      description:
        'Digests with events of `add-to-digest` and of explained messages on topics with a digest, and their release.',
    }),
  },
  { title: 'Simulation', description: 'Result of a simulation: runs, timeline and digests.' },
)
export type Simulation = Static<typeof Simulation>

const byName = (value: Parameters<typeof nullable>[0], maxProperties: number, description: string) =>
  Optional(Type.Record(Type.String({ maxLength: 8_192 }), value, { maxProperties, description }))

export const FurtherRun = Type.Object({
  after: Type.String({ minLength: 1, maxLength: 64, description: 'Time after the start: `2 hours`, `P1D`.' }),
  context: Optional(RunContext),
  automation: Optional(Automation),
})

export const SimulationBody = Type.Object(
  {
    automation: Optional(Automation),
    template_id: Optional(id('Id or alias of an automation template, instead of `automation`.')),
    context: Optional(RunContext),
    start: Optional(
      Type.Union([Type.String({ minLength: 1, maxLength: 64 }), Type.Integer({ minimum: 0 })], {
        description: 'Start of the run: ISO 8601, or milliseconds since the Unix epoch. Default: now.',
      }),
    ),
    profiles: byName(
      Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
      simulationProfilesMax,
      'Profiles by recipient; stored profiles are used for other recipients. Audience members are always resolved from stored profiles.',
    ),
    lists: byName(
      Type.Array(Type.String({ minLength: 1, maxLength: idCharactersMax }), { maxItems: simulationProfilesMax }),
      100,
      'Subscribers by list, without preferences of the list; stored subscribers are used for other lists.',
    ),
    fetched: byName(
      Type.Unsafe<Record<string, unknown>>({ type: 'object' }),
      100,
      'Responses by URL, with or without its query. No HTTP request is made: other URLs have no response.',
    ),
    fetched_status: byName(
      Type.Integer({ minimum: 200, maximum: 599 }),
      100,
      'HTTP statuses of these responses by URL. Default: 200. A URL that is only listed here has an empty body, and so has any with 204, 205 or 304.',
    ),
    statuses: byName(
      MessageStatus,
      100,
      'Statuses of messages by the `ref` of their step or by event. Default: the result of the explanation (`UNROUTABLE`, `DIGESTED`), `DELAYED` until the due time, or `SENT` for a message that is sent or not explained.',
    ),
    templates: byName(
      Automation,
      100,
      'Automations by name for the step `invoke`; they take precedence over stored ones.',
    ),
    further: Optional(
      Type.Array(FurtherRun, {
        maxItems: simulationFurtherMax,
        description:
          'Further runs, to simulate batches, throttles and tokens. Default automation: that of the first run.',
      }),
    ),
  },
  { title: 'SimulationBody', description: 'An automation, and the data of its simulation.' },
)
export type SimulationBody = Static<typeof SimulationBody>

const runId = '1-69cf2c80-0007d3b0a1f2e4c5d6978a9b'
const messageId = '1-69cf2c80-0001c2d3e4f5061728394a5b'

export default resource({
  name: 'simulate',
  position: 30,
  title: 'Simulate',
  description: 'Simulates an automation in memory, without waiting.',
  operations: [
    operation({
      id: 'simulate.simulate',
      checksFields: true,
      origin: 'postrider',
      method: 'POST',
      path: '/automations/simulate',
      access: 'key',
      role: 'editor',
      summary: 'Simulate an automation',
      description:
        'Runs an automation in memory with a simulated clock and returns every message with its channels and rendered content, every digest with its events, every skipped step with the reason, and every wait. Nothing is sent or stored, no HTTP request is made, and delays take no time. Brands, notifications, preferences and integrations are the current ones.',
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
                  explanation: explanationOfTemplate,
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
