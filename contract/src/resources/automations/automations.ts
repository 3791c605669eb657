/** /automations: runs are started, watched, looked into and canceled. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, isoMoment, jsonObject, text } from '../../api/values.ts'
import { RunContext, runContextFields } from '../../shapes/run-context.ts'

/** Steps of one automation; people draw ten. */
export const automationStepsMax = 100
/** An automation as JSON: it is stored with every run of it. */
export const automationBytesMax = 256_000
export const runsPage = 20

/** Its fields depend on its action, and any of them may be a reference; they are checked when it is written. */
const AutomationStep = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  title: 'AutomationStep',
  description: 'A step: `action`, its fields, and optionally `if` and `ref`.',
})

/** Beside these each part of a context may stand in it too, wherever it is kept; what is given beside it wins. */
export const Automation = Type.Object(
  {
    steps: Type.Array(AutomationStep, {
      minItems: 1,
      maxItems: automationStepsMax,
      description:
        'What is done, strictly in this order: `send`, `send-list`, `delay`, `cancel`, `fetch-data`, `update-profile`, `get-profile`, `invoke`, `add-to-batch`, `add-to-digest`, `throttle`.',
    }),
    cancelation_token: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'Runs that hold it can be canceled together. A text, a template in a text, or `{"$ref": "data.…"}`. `cancelationToken`, `cancellation_token` and `cancellationToken` are read too.',
      }),
    ),
  },
  {
    title: 'Automation',
    description: 'Steps, the token they are canceled by, and what is given of a context.',
    additionalProperties: true,
  },
)
export type Automation = Static<typeof Automation>

export const runStatuses = ['PROCESSING', 'WAITING', 'PROCESSED', 'CANCELED', 'ERROR', 'THROTTLED'] as const

const RunStatus = Type.Enum([...runStatuses], {
  title: 'RunStatus',
  description:
    'Where a run stands: `PROCESSING` (its next step is under way), `WAITING` (in a delay, a batch, or between two tries), `PROCESSED` (all steps are done), `CANCELED`, `ERROR` (a step failed, the later ones were not begun), `THROTTLED` (a throttle stopped it).',
})
const StepStatus = Type.Enum([...runStatuses, 'SKIPPED', 'NOT PROCESSED', 'COMPUTING'], {
  title: 'RunStepStatus',
  description:
    'Where a step stands: as a run, or `SKIPPED` (its `if` did not hold, or its recipient wants nothing collected) or `NOT PROCESSED` (not begun); `CANCELED` is the one that its run was at. `COMPUTING` is a word of the public API that does not come up here.',
})

const short = {
  source: Type.Array(Type.String(), {
    description: 'What started it: `api`, `event/<event>`, `schedule`, `invoke/<run id>`, `send-list/<run id>`.',
  }),
  status: RunStatus,
  template_id: Type.Optional(Type.String({ description: 'The automation template it runs.' })),
  created_at: isoMoment('When it was started.'),
}

export const AutomationRun = Type.Object(
  {
    runId: Type.String({ description: 'The run id.' }),
    ...short,
    updated_at: isoMoment('When it last moved on.'),
    error: Type.Optional(
      Type.String({
        description: 'What went wrong, with the place of the step it happened in: `steps.0` is the first.',
      }),
    ),
    automation: jsonObject('`steps` and `cancelation_token` as given, tokens in them masked.'),
    brand: Type.Optional(Type.String({ description: 'As given.' })),
    template: Type.Optional(Type.String({ description: 'As given.' })),
    recipient: Type.Optional(Type.String({ description: 'As given.' })),
    data: Type.Optional(jsonObject('As given.')),
    profile: Type.Optional(jsonObject('As given, tokens masked.')),
  },
  { title: 'AutomationRun', description: 'A run: what it was started with and where it stands.' },
)
export type AutomationRun = Static<typeof AutomationRun>

export const AutomationRunStep = Type.Object(
  {
    step_id: Type.String({
      description:
        'The run id and the place of the step in `automation.steps`, from 0, as errors and simulations count too.',
    }),
    action: Type.String({ description: 'What it does.' }),
    ref: Type.Optional(Type.String({ description: 'Its name, where it has one.' })),
    status: StepStatus,
    message_id: Type.Optional(Type.String({ description: 'The message it sent; the first of several.' })),
    result: Type.Optional(jsonObject('What it came to.')),
    error: Type.Optional(Type.String({ description: 'What went wrong.' })),
    reason: Type.Optional(
      Type.String({ description: 'Why it was skipped, did not do what it is for, or waits, and for what.' }),
    ),
    created_at: isoMoment('When it was begun; of one that was not, when the run was started.'),
    updated_at: isoMoment('When it last changed.'),
  },
  { title: 'AutomationRunStep', description: 'A step of a run.' },
)
export type AutomationRunStep = Static<typeof AutomationRunStep>

const Started = Type.Object(
  { runId: Type.String({ description: 'The run that was started.' }) },
  { title: 'RunStarted', description: 'The run is on disk and under way.' },
)

const params = Type.Object({ run_id: id('The run id.') })
const at = { run_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b8' }
const moments = { created_at: '2024-03-13T13:37:23.161Z', updated_at: '2024-03-13T13:37:23.204Z' }
const steps = [
  { action: 'send', template: 'welcome' },
  { action: 'delay', duration: '2 days' },
  { action: 'send', template: 'tips', if: 'data.wants_tips' },
]
const given = { recipient: 'user-7', data: { wants_tips: true } }

export default resource({
  name: 'automations',
  position: 210,
  title: 'Automations',
  description: 'Steps that follow each other over time, for one recipient or many: their runs, and templates of them.',
  operations: [
    operation({
      id: 'automations.invoke',
      method: 'POST',
      path: '/automations/invoke',
      summary: 'Run an automation',
      description:
        'Starts a run of the steps in the body. Keys of the context may also stand in `automation`; those beside it win.',
      body: Type.Object({ automation: Automation, ...runContextFields }),
      replies: { 200: Started },
      example: { body: { automation: { steps }, ...given }, reply: { runId: at.run_id } },
    }),
    operation({
      id: 'automations.invokeTemplate',
      method: 'POST',
      path: '/automations/:template_id/invoke',
      summary: 'Run an automation template',
      description: 'Starts a run of the steps that the template has at this moment.',
      params: Type.Object({ template_id: id('The id or alias of the template.') }),
      body: RunContext,
      bodyOptional: true,
      replies: { 200: Started, 404: ErrorBody },
      example: { params: { template_id: 'onboarding' }, body: given, reply: { runId: at.run_id } },
    }),
    operation({
      id: 'automations.runs',
      method: 'GET',
      path: '/automations/runs',
      summary: 'List runs',
      description: 'Newest first.',
      query: Type.Object({
        ...pageQuery(runsPage),
        status: Type.Optional(
          Type.Enum([...runStatuses, 'NOT PROCESSED'], {
            description: 'Only these. No run stands at `NOT PROCESSED`: a run is begun when it is stored.',
          }),
        ),
        template_id: Type.Optional(text('Only runs of this template, by its id or alias.')),
        parent_run_id: Type.Optional(
          text('Only runs that this run has started: by `invoke`, or for a subscriber of a list.'),
        ),
        start_date: Type.Optional(text('Started at this moment or later; ISO 8601.')),
        end_date: Type.Optional(text('Started before this moment; ISO 8601.')),
      }),
      replies: {
        200: Type.Object({
          runs: Type.Array(
            Type.Object({ run_id: Type.String({ description: 'The run id.' }), ...short }, { title: 'ShortRun' }),
            { maxItems: pageMax, description: 'The runs of this page.' },
          ),
          next_cursor: Type.Optional(Type.String({ description: 'Pass it as `cursor`; absent on the last page.' })),
        }),
      },
      example: {
        query: { limit: 50 },
        reply: { runs: [{ ...at, source: ['api'], status: 'WAITING', created_at: moments.created_at }] },
      },
    }),
    operation({
      id: 'automations.run',
      method: 'GET',
      path: '/automations/runs/:run_id',
      summary: 'Get a run',
      params,
      replies: { 200: AutomationRun, 404: ErrorBody },
      example: {
        params: at,
        reply: { runId: at.run_id, source: ['api'], status: 'WAITING', ...moments, automation: { steps }, ...given },
      },
    }),
    operation({
      id: 'automations.steps',
      method: 'GET',
      path: '/automations/runs/:run_id/steps',
      summary: 'List the steps of a run',
      description:
        'All of its automation, in their order. The messages they sent: `GET /messages`, by `runId`; of a `send-list` too, with a data source or without.',
      params,
      replies: {
        200: Type.Object({
          steps: Type.Array(AutomationRunStep, { maxItems: automationStepsMax, description: 'In their order.' }),
        }),
        404: ErrorBody,
      },
      example: {
        params: at,
        reply: {
          steps: [
            {
              step_id: `${at.run_id}/0`,
              action: 'send',
              status: 'PROCESSED',
              message_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
              result: { messageId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' },
              ...moments,
            },
          ],
        },
      },
    }),
    operation({
      id: 'automations.cancelRun',
      origin: 'postrider',
      method: 'POST',
      path: '/automations/runs/:run_id/cancel',
      summary: 'Cancel a run',
      description:
        'No step of it is begun afterwards, nor of the runs that lists were given by it, even when it has ended itself; runs that it started by `invoke` go on. What was sent is on its way. Canceling twice answers the same. 409 when all of them have ended otherwise.',
      params,
      replies: { 200: AutomationRun, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: at,
        reply: { runId: at.run_id, source: ['api'], status: 'CANCELED', ...moments, automation: { steps }, ...given },
      },
    }),
  ],
})
