/** /automations/templates: automations that are kept under a name, in versions. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax, versionsPage } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { operationsOf } from '../../api/resource.ts'
import { id, isoMoment, name, nullable, text } from '../../api/values.ts'
import { cron, timezone } from '../../shapes/schedule.ts'
import { Automation } from './automations.ts'

/** Triggers of one automation template; several events that mean the same are a handful. */
export const triggersMax = 20
export const automationsPage = 50

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

const counted = Type.Integer({ minimum: 1, description: 'Counted up by every write.' })

const fields = {
  id: Type.String({ description: 'The id of the template.' }),
  name: Type.String({ description: 'What people call it.' }),
  createdAt: isoMoment('When it was first written.'),
  updatedAt: isoMoment('When this version was written.'),
}

export const AutomationTemplate = Type.Object(
  {
    ...fields,
    version: counted,
    alias: Type.Optional(Type.String({ description: 'Another name to invoke it by.' })),
    triggers: Type.Optional(Type.Array(Trigger, { description: 'What starts runs of it, beside whoever invokes it.' })),
    automation: Automation,
    warnings: Type.Optional(
      Type.Array(Type.String(), {
        description: 'When it is written: what of the automation is ignored, with its place; absent when nothing is.',
      }),
    ),
  },
  { title: 'AutomationTemplate', description: 'An automation under a name.' },
)
export type AutomationTemplate = Static<typeof AutomationTemplate>

export const AutomationTemplateInput = Type.Object(
  {
    name: Type.Optional(nullable(name('What people call it; its id when left out.'))),
    alias: Type.Optional(nullable(id('Another name to invoke it by; one template has it.'))),
    triggers: Type.Optional(
      nullable(
        Type.Array(TriggerWrite, {
          maxItems: triggersMax,
          description: 'What starts runs of it by itself; nothing when left out.',
        }),
      ),
    ),
    automation: Automation,
  },
  { title: 'AutomationTemplateInput', description: 'A template as it is written.' },
)
export type AutomationTemplateInput = Static<typeof AutomationTemplateInput>

const version = Type.Literal('published', {
  description:
    'Always `published`: what is written is in force at once. The count of its versions is in the template itself.',
})

const params = Type.Object({ template_id: id('The id of the template.') })
const named = Type.Object({ template_id: id('The id or alias of the template.') })
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
    description: 'In the order of their ids.',
    query: Type.Object({
      ...pageQuery(automationsPage),
      version: Type.Optional(text('Taken for older clients; every template is shown in the version in force.')),
    }),
    replies: {
      200: Type.Object({
        templates: Type.Array(Type.Object({ ...fields, version }, { title: 'ShortAutomationTemplate' }), {
          maxItems: pageMax,
          description: 'The templates of this page.',
        }),
        cursor: Type.Optional(Type.String({ description: 'Pass it as `cursor`; absent on the last page.' })),
      }),
    },
    example: { query: {}, reply: { templates: [{ ...short, version: 'published' }] } },
  }),
  operation({
    id: 'automations.putTemplate',
    origin: 'postrider',
    method: 'PUT',
    path: '/automations/templates/:template_id',
    summary: 'Write an automation template',
    description:
      'Creates it, or replaces it by a new version, even when nothing was changed. Runs under way go on with the steps they were started with.',
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
    description:
      'Newest first, each as it was written; there is no call for a single one. A template that was deleted begins at version 1 again.',
    params: named,
    query: Type.Object(pageQuery(versionsPage)),
    replies: {
      200: Type.Object({
        paging: Paging,
        results: Type.Array(
          Type.Object(
            {
              version: counted,
              createdAt: isoMoment('When it was written.'),
              name: fields.name,
              alias: AutomationTemplate.properties.alias,
              triggers: AutomationTemplate.properties.triggers,
              automation: Automation,
            },
            { title: 'AutomationVersion' },
          ),
          { maxItems: pageMax, description: 'The versions of this page.' },
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
    id: 'automations.inspect',
    origin: 'postrider',
    method: 'POST',
    path: '/automations/inspect',
    summary: 'Check an automation template',
    description:
      'Takes the body of a write and stores nothing. 400 for what a write would refuse. Whether its alias is free is found out when it is written.',
    body: AutomationTemplateInput,
    replies: {
      200: Type.Object(
        {
          warnings: Type.Array(Type.String(), {
            description: 'What of the automation is ignored, with its place.',
          }),
        },
        { title: 'AutomationInspection', description: 'The template can be written.' },
      ),
    },
    example: { body: { name: 'Onboarding', triggers, automation }, reply: { warnings: [] } },
  }),
  operation({
    id: 'automations.deleteTemplate',
    origin: 'postrider',
    method: 'DELETE',
    path: '/automations/templates/:template_id',
    summary: 'Delete an automation template',
    description: 'By its id, not by its alias. Its runs go on.',
    params,
    audit: 'automation:deleted',
    replies: { 204: null, 404: ErrorBody },
    example: { params: at },
  }),
])
