/** POST /automations/simulate: what an automation would do, under a clock of its own. */
import { type Static, Type } from 'typebox'
import { Automation, RunContext } from './automations.ts'
import { explanationExample } from './explain.ts'
import { id, type nullable } from './json.ts'
import { idCharactersMax, simulationFurtherMax, simulationProfilesMax } from './limits.ts'
import { operation } from './operation.ts'
import { Simulation } from './simulated.ts'
import { MessageStatus } from './status.ts'

const { Optional } = Type

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

export const simulationOperations = [
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
] as const
