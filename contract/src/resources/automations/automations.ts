/** /automations: starting, listing and canceling runs. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, isoTimestamp, jsonObject, text } from '../../api/values.ts'
import { RunContext, runContextFields } from '../../shapes/run-context.ts'
import { automationActions } from '../../steps.ts'

/** Steps of one automation; ten are usual. */
export const automationStepsMax = 100
/** An automation as JSON; it is stored with each of its runs. */
export const automationBytesMax = 256_000
export const runsPage = 20

/** Fields depend on the action and can be references; they are validated when the automation is written. */
const AutomationStep = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  title: 'AutomationStep',
  description: 'A step: `action`, its fields, and optionally `if` and `ref`.',
})

/** The fields of a run context are accepted here too; those beside the automation take precedence. */
export const Automation = Type.Object(
  {
    steps: Type.Array(AutomationStep, {
      minItems: 1,
      maxItems: automationStepsMax,
      description: `Steps, executed in this order. Actions: ${automationActions
        .map((action) => `\`${action}\``)
        .join(', ')}.`,
    }),
    cancelation_token: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'Token to cancel runs together: a string, a template string, or `{"$ref": "data.…"}`. `cancelationToken`, `cancellation_token` and `cancellationToken` are aliases.',
      }),
    ),
  },
  {
    title: 'Automation',
    description: 'Steps, the cancelation token, and fields of a run context.',
    additionalProperties: true,
  },
)
export type Automation = Static<typeof Automation>

export const runStatuses = ['PROCESSING', 'WAITING', 'PROCESSED', 'CANCELED', 'ERROR', 'THROTTLED'] as const

const RunStatus = Type.Enum([...runStatuses], {
  title: 'RunStatus',
  description:
    'Status of a run: `PROCESSING` (the next step is in progress), `WAITING` (in a delay or batch, or between two attempts), `PROCESSED` (all steps are done), `CANCELED`, `ERROR` (a step failed; later steps were not started), `THROTTLED` (stopped by a throttle).',
})
export const stepStatuses = [...runStatuses, 'SKIPPED', 'NOT PROCESSED', 'COMPUTING'] as const

const StepStatus = Type.Enum([...stepStatuses], {
  title: 'RunStepStatus',
  description:
    'Status of a step: as of a run, or `SKIPPED` (its `if` was false, or its recipient opted out of the digest) or `NOT PROCESSED` (not started); `CANCELED` is the step at which its run was canceled. `COMPUTING` is a value of the API that is not used.',
})

const short = {
  source: Type.Array(Type.String(), {
    description: 'Source of the run: `api`, `event/<event>`, `schedule`, `invoke/<run id>`, `send-list/<run id>`.',
  }),
  status: RunStatus,
  template_id: Type.Optional(Type.String({ description: 'Automation template of the run.' })),
  created_at: isoTimestamp('Start of the run.'),
}

export const ShortRun = Type.Object(
  { run_id: Type.String({ description: 'The run id.' }), ...short },
  { title: 'ShortRun' },
)

export const AutomationRun = Type.Object(
  {
    runId: Type.String({ description: 'The run id.' }),
    ...short,
    updated_at: isoTimestamp('Time of the last progress.'),
    error: Type.Optional(
      Type.String({
        description: 'Error, with the position of the failed step: `steps.0` is the first.',
      }),
    ),
    automation: jsonObject('`steps` and `cancelation_token` of the run, with tokens masked.'),
    brand: Type.Optional(Type.String({ description: 'Brand of the run.' })),
    template: Type.Optional(Type.String({ description: 'Template of the run.' })),
    recipient: Type.Optional(Type.String({ description: 'Recipient of the run.' })),
    data: Type.Optional(jsonObject('Data at the start of the run.')),
    profile: Type.Optional(jsonObject('Profile at the start of the run, with tokens masked.')),
  },
  { title: 'AutomationRun', description: 'A run with its input and status.' },
)
export type AutomationRun = Static<typeof AutomationRun>

export const AutomationRunStep = Type.Object(
  {
    step_id: Type.String({
      description: 'Run id and position of the step in `automation.steps`, from 0.',
    }),
    action: Type.String({ description: 'Action of the step.' }),
    ref: Type.Optional(Type.String({ description: 'Name of the step, if it has one.' })),
    status: StepStatus,
    message_id: Type.Optional(Type.String({ description: 'Message that the step sent; the first of several.' })),
    result: Type.Optional(jsonObject('Result of the step.')),
    error: Type.Optional(Type.String({ description: 'Error of the step.' })),
    reason: Type.Optional(
      Type.String({ description: 'Reason why the step was skipped, had no effect or is waiting.' }),
    ),
    created_at: isoTimestamp('Start of the step; for a step that was not started, start of the run.'),
    updated_at: isoTimestamp('Time of the last change.'),
  },
  { title: 'AutomationRunStep', description: 'A step of a run.' },
)
export type AutomationRunStep = Static<typeof AutomationRunStep>

const Started = Type.Object(
  { runId: Type.String({ description: 'Id of the run.' }) },
  { title: 'RunStarted', description: 'The run is stored and started.' },
)

const params = Type.Object({ run_id: id('The run id.') })
const paramsExample = { run_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b8' }
const timestamps = { created_at: '2024-03-13T13:37:23.161Z', updated_at: '2024-03-13T13:37:23.204Z' }
const steps = [
  { action: 'send', template: 'welcome' },
  { action: 'delay', duration: '2 days' },
  { action: 'send', template: 'tips', if: 'data.send_tips' },
]
const contextExample = { recipient: 'user-7', data: { send_tips: true } }

export default resource({
  name: 'automations',
  position: 210,
  title: 'Automations',
  description: 'Sequences of steps over time, for one or many recipients: runs and templates.',
  operations: [
    operation({
      id: 'automations.invoke',
      method: 'POST',
      path: '/automations/invoke',
      access: 'key',
      summary: 'Run an automation',
      description:
        'Starts a run of the steps in the body. Fields of the run context are also accepted in `automation`; those beside it take precedence.',
      body: Type.Object({ automation: Automation, ...runContextFields }),
      replies: { 200: Started },
      example: { body: { automation: { steps }, ...contextExample }, reply: { runId: paramsExample.run_id } },
    }),
    operation({
      id: 'automations.invokeTemplate',
      method: 'POST',
      path: '/automations/:template_id/invoke',
      access: 'key',
      summary: 'Run an automation template',
      description: 'Starts a run of the current steps of the template.',
      params: Type.Object({ template_id: id('The id or alias of the template.') }),
      body: RunContext,
      bodyOptional: true,
      replies: { 200: Started, 404: ErrorBody },
      example: { params: { template_id: 'onboarding' }, body: contextExample, reply: { runId: paramsExample.run_id } },
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
            description:
              'Status of the runs. `NOT PROCESSED` matches no run, since runs are started when they are stored.',
          }),
        ),
        template_id: Type.Optional(text('Template of the runs, by id or alias.')),
        parent_run_id: Type.Optional(text('Run that started the runs, by `invoke` or for a subscriber of a list.')),
        start_date: Type.Optional(text('Earliest start, inclusive; ISO 8601.')),
        end_date: Type.Optional(text('Latest start, exclusive; ISO 8601.')),
      }),
      replies: {
        200: Type.Object({
          runs: Type.Array(ShortRun, { maxItems: pageMax, description: 'Runs of this page.' }),
          next_cursor: Type.Optional(
            Type.String({ description: 'Value of `cursor` for the next page; absent on the last page.' }),
          ),
        }),
      },
      example: {
        query: { limit: 50 },
        reply: { runs: [{ ...paramsExample, source: ['api'], status: 'WAITING', created_at: timestamps.created_at }] },
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
        params: paramsExample,
        reply: {
          runId: paramsExample.run_id,
          source: ['api'],
          status: 'WAITING',
          ...timestamps,
          automation: { steps },
          ...contextExample,
        },
      },
    }),
    operation({
      id: 'automations.steps',
      method: 'GET',
      path: '/automations/runs/:run_id/steps',
      summary: 'List the steps of a run',
      description:
        'All steps of the automation, in order. `GET /messages?runId=` lists the messages they sent, including those of `send-list`.',
      params,
      replies: {
        200: Type.Object({
          steps: Type.Array(AutomationRunStep, { maxItems: automationStepsMax, description: 'Steps, in order.' }),
        }),
        404: ErrorBody,
      },
      example: {
        params: paramsExample,
        reply: {
          steps: [
            {
              step_id: `${paramsExample.run_id}/0`,
              action: 'send',
              status: 'PROCESSED',
              message_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5',
              result: { messageId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' },
              ...timestamps,
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
      access: 'sender',
      summary: 'Cancel a run',
      description:
        'Starts no further steps of the run, or of the runs that it started for subscribers of lists, even if the run itself has ended. Runs that it started by `invoke` continue, and messages already sent are not canceled. Canceling is idempotent. Returns 409 if all of these runs have ended otherwise.',
      params,
      replies: { 200: AutomationRun, 404: ErrorBody, 409: ErrorBody },
      example: {
        params: paramsExample,
        reply: {
          runId: paramsExample.run_id,
          source: ['api'],
          status: 'CANCELED',
          ...timestamps,
          automation: { steps },
          ...contextExample,
        },
      },
    }),
  ],
})
