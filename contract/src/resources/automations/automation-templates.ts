/** /automations/templates: stored automations with versions and triggers. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax, versionsPage } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, isoTimestamp, name, nullable, text } from '../../api/values.ts'
import { cron, timezone } from '../../shapes/schedule.ts'
import {
  Automation,
  AutomationRunStep,
  automationStepsMax,
  runStatuses,
  ShortRun,
  stepStatuses,
} from './automations.ts'

/** Triggers of one automation template; a handful is usual. */
export const triggersMax = 20
export const automationsPage = 50
/** Newest runs of a version that its progress counts: a count of millions would read all of them. */
export const progressRunsMax = 1_000

const schedule = { type: Type.Literal('schedule', { description: 'Always `schedule`.' }), cron: cron('Start times.') }

export const EventTrigger = Type.Object(
  {
    type: Type.Literal('event', { description: 'Always `event`.' }),
    event: id(
      'The `event` of `POST /inbound/courier`. Its properties are the data of the run, its user is the recipient.',
    ),
  },
  { title: 'EventTrigger', description: 'Starts a run for each inbound event of this name.' },
)

export const ScheduleTriggerWrite = Type.Object(
  { ...schedule, timezone: Type.Optional(nullable(timezone('Time zone of the schedule. Default: UTC.'))) },
  { title: 'ScheduleTriggerWrite', description: 'Starts a run at each time of the schedule, in a request.' },
)

/** A trigger in a request. */
export const TriggerWrite = Type.Union([EventTrigger, ScheduleTriggerWrite], { description: 'Trigger of runs.' })
export type TriggerWrite = Static<typeof TriggerWrite>

export const Trigger = Type.Union(
  [
    EventTrigger,
    Type.Object(
      { ...schedule, timezone: timezone('Time zone of the schedule.') },
      {
        title: 'ScheduleTrigger',
        description:
          'Starts a run at each time of the schedule; of the times missed while no server was running, only the latest. `data.scheduled_for` is the scheduled time.',
      },
    ),
  ],
  { description: 'Trigger of runs.' },
)
export type Trigger = Static<typeof Trigger>

const counted = Type.Integer({ minimum: 1, description: 'Version number; incremented by every write.' })

const fields = {
  id: Type.String({ description: 'Template id.' }),
  name: Type.String({ description: 'Display name.' }),
  createdAt: isoTimestamp('Time of creation.'),
  updatedAt: isoTimestamp('Time this version was written.'),
}

export const AutomationTemplate = Type.Object(
  {
    ...fields,
    version: counted,
    alias: Type.Optional(Type.String({ description: 'Alternative id to invoke the template.' })),
    triggers: Type.Optional(Type.Array(Trigger, { description: 'Triggers that start runs of the template.' })),
    automation: Automation,
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Ignored parts of the automation, each with its path, and steps by which it invokes itself again and again. Only in replies to writes; absent when there are none.',
      }),
    ),
  },
  { title: 'AutomationTemplate', description: 'A stored automation.' },
)
export type AutomationTemplate = Static<typeof AutomationTemplate>

export const AutomationTemplateInput = Type.Object(
  {
    name: Type.Optional(nullable(name('Display name. Default: the template id.'))),
    alias: Type.Optional(nullable(id('Alternative id to invoke the template; unique.'))),
    triggers: Type.Optional(
      nullable(
        Type.Array(TriggerWrite, {
          maxItems: triggersMax,
          description: 'Triggers that start runs of the template. Default: none.',
        }),
      ),
    ),
    automation: Automation,
  },
  { title: 'AutomationTemplateInput', description: 'An automation template, in a request.' },
)
export type AutomationTemplateInput = Static<typeof AutomationTemplateInput>

const version = Type.Literal('published', {
  description: 'Always `published`: writes take effect immediately. The version number is in the template itself.',
})

const ShortAutomationTemplate = Type.Object(
  {
    ...fields,
    version,
    triggers: AutomationTemplate.properties.triggers,
    latest_run: Type.Optional(
      Type.Object(ShortRun.properties, {
        description: 'The run of the template that started last; absent without runs.',
      }),
    ),
  },
  { title: 'ShortAutomationTemplate' },
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const AutomationProgress = Type.Object(
  {
    version: counted,
    counted: count(`Number of runs that are counted: the newest, up to ${progressRunsMax.toLocaleString('en')}.`),
    more: Type.Boolean({ description: 'True if that many are counted: there can be older ones.' }),
    runs: Type.Array(
      Type.Object({ status: ShortRun.properties.status, count: count('Number of runs.') }, { title: 'RunCount' }),
      { maxItems: runStatuses.length, description: 'Runs by status.' },
    ),
    steps: Type.Array(
      Type.Object(
        {
          position: Type.Integer({ minimum: 0, description: 'Position of the step, from 0.' }),
          status: AutomationRunStep.properties.status,
          count: count('Number of runs.'),
        },
        { title: 'StepCount' },
      ),
      {
        maxItems: automationStepsMax * stepStatuses.length,
        description: 'Runs by step and its status, in order; steps that have not started are left out.',
      },
    ),
  },
  { title: 'AutomationProgress', description: 'How far the runs of a version have come.' },
)
export type AutomationProgress = Static<typeof AutomationProgress>

const params = Type.Object({ template_id: id('Template id.') })
const named = Type.Object({ template_id: id('Template id or alias.') })
const at = { template_id: 'onboarding' }
const automation = { steps: [{ action: 'send', template: 'welcome' }] }
const triggers = [{ type: 'event', event: 'user.signed-up' }]
const short = {
  id: 'onboarding',
  name: 'Onboarding',
  createdAt: '2024-03-13T13:37:23.161Z',
  updatedAt: '2024-03-13T13:37:23.161Z',
}

export default operationsOf('automations', [
  operation({
    id: 'automations.templates',
    method: 'GET',
    path: '/automations',
    summary: 'List automation templates',
    description: 'Ordered by id.',
    query: Type.Object({
      ...pageQuery(automationsPage),
      version: Type.Optional(text('Accepted for older clients; templates are always listed in their current version.')),
    }),
    replies: {
      200: Type.Object({
        templates: Type.Array(ShortAutomationTemplate, { maxItems: pageMax, description: 'Templates of this page.' }),
        cursor: Type.Optional(
          Type.String({ description: 'Value of `cursor` for the next page; absent on the last page.' }),
        ),
      }),
    },
    example: {
      query: {},
      reply: {
        templates: [
          {
            ...{ ...short, version: 'published', triggers },
            latest_run: {
              run_id: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b8',
              source: ['event/user.signed-up'],
              status: 'WAITING',
              template_id: short.id,
              created_at: '2024-03-14T09:00:00.000Z',
            },
          },
        ],
      },
    },
  }),
  operation({
    id: 'automations.putTemplate',
    checksFields: true,
    origin: 'postrider',
    method: 'PUT',
    path: '/automations/templates/:template_id',
    summary: 'Write an automation template',
    description:
      'Creates the template or a new version of it, even if nothing changed. Runs in progress keep the steps of their start. Its entity tag is `version` in quotes: `"3"`.',
    preconditions: ['absent', 'unchanged'],
    params,
    body: AutomationTemplateInput,
    audit: 'automation:updated',
    replies: { 200: AutomationTemplate, 409: ErrorBody },
    example: {
      params: at,
      body: { name: 'Onboarding', triggers, automation },
      reply: { ...short, version: 1, triggers, automation },
    },
  }),
  operation({
    id: 'automations.template',
    origin: 'postrider',
    method: 'GET',
    path: '/automations/templates/:template_id',
    summary: 'Get an automation template',
    params: named,
    replies: { 200: AutomationTemplate, 404: ErrorBody },
    example: { params: at, reply: { ...short, version: 1, triggers, automation } },
  }),
  operation({
    id: 'automations.versions',
    origin: 'postrider',
    method: 'GET',
    path: '/automations/templates/:template_id/versions',
    summary: 'List the versions of an automation template',
    description: 'Newest first, with their full content. Versions of a template that was deleted start again at 1.',
    params: named,
    query: Type.Object(pageQuery(versionsPage)),
    replies: {
      200: Type.Object({
        paging: Paging,
        results: Type.Array(
          Type.Object(
            {
              version: counted,
              createdAt: isoTimestamp('Time the version was written.'),
              name: fields.name,
              alias: AutomationTemplate.properties.alias,
              triggers: AutomationTemplate.properties.triggers,
              automation: Automation,
            },
            { title: 'AutomationVersion' },
          ),
          { maxItems: pageMax, description: 'Versions of this page.' },
        ),
      }),
      404: ErrorBody,
    },
    example: {
      params: at,
      reply: {
        paging: { more: false },
        results: [{ version: 1, createdAt: short.createdAt, name: short.name, triggers, automation }],
      },
    },
  }),
  operation({
    id: 'automations.progress',
    origin: 'postrider',
    method: 'GET',
    path: '/automations/templates/:template_id/progress',
    summary: 'Count the runs of an automation template by step',
    description:
      'Runs that started while the version was in force, by status, and by the status of each of its steps. Steps have the positions of that version.',
    params: named,
    query: Type.Object({
      version: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Version of the runs. Default: the current one.' }),
      ),
    }),
    replies: { 200: AutomationProgress, 404: ErrorBody },
    example: {
      params: at,
      query: { version: 1 },
      reply: {
        ...{ version: 1, counted: 3, more: false },
        runs: [
          { status: 'ERROR', count: 1 },
          { status: 'PROCESSED', count: 2 },
        ],
        steps: [
          { position: 0, status: 'ERROR', count: 1 },
          { position: 0, status: 'PROCESSED', count: 2 },
        ],
      },
    },
  }),
  operation({
    id: 'automations.inspect',
    checksFields: true,
    origin: 'postrider',
    method: 'POST',
    path: '/automations/inspect',
    access: 'key',
    role: 'editor',
    summary: 'Check an automation template',
    description:
      'Accepts the body of a write without storing it. Returns 400 if the write would be refused; the uniqueness of the alias is not checked.',
    body: Type.Object(
      {
        id: Type.Optional(id('The template id of the write, by which a step of the automation may name it.')),
        ...AutomationTemplateInput.properties,
      },
      { title: 'AutomationInspectionInput', description: 'An automation template to check.' },
    ),
    replies: {
      200: Type.Object(
        {
          warnings: Type.Array(Type.String(), {
            description:
              'Ignored parts of the automation, each with its path, and steps by which it invokes itself again and again.',
          }),
        },
        { title: 'AutomationInspection', description: 'The template is valid.' },
      ),
    },
    example: { body: { id: 'onboarding', name: 'Onboarding', triggers, automation }, reply: { warnings: [] } },
  }),
  operation({
    id: 'automations.deleteTemplate',
    origin: 'postrider',
    method: 'DELETE',
    path: '/automations/templates/:template_id',
    summary: 'Delete an automation template',
    description: 'Requires the id, not the alias. Runs of the template continue.',
    params,
    audit: 'automation:deleted',
    replies: { 204: null, 404: ErrorBody },
    example: { params: at },
  }),
])
