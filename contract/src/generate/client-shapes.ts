/** Shapes whose client types are stricter than the wire, so that a misspelled field does not compile. */
import { type TObject, type TSchema, Type } from 'typebox'
import { Automation } from '../resources/automations/automations.ts'
import { BulkMessage, BulkUser } from '../resources/messages/bulk.ts'
import { audienceOperators } from '../resources/recipients/audiences.ts'
import { ChannelName } from '../shapes/channel.ts'
import { DecisionParamsByCode } from '../shapes/decision-codes.ts'
import { elementShapes } from '../shapes/elements.ts'
import { MessageSend } from '../shapes/message-send.ts'
import { MessageRecipient } from '../shapes/recipient.ts'
import { RunContext } from '../shapes/run-context.ts'
import { automationSteps } from '../steps.ts'
import { type PlainSchema, plainSchema } from './plain-schema.ts'

/** The declaration of a provider by its adapter. */
export interface ProviderSettings {
  key: string
  title: string
  description: string
  settings: TObject
}

const capitals = (name: string) => name.replaceAll(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase())

const stepMessage = Type.Object(
  { ...Type.Partial(MessageSend).properties },
  {
    title: 'StepMessage',
    description: 'A message of a step; missing fields come from the step, else from the run.',
  },
)

const steps = Object.entries(automationSteps).map(([action, step]) => {
  const { message, ...fields } = step.fields.properties as Record<string, TSchema>
  const { description = '' } = plainSchema(step.fields)
  return Type.Object(
    {
      action: Type.Literal(action, { description: `Always \`${action}\`.` }),
      ...fields,
      ...(message && { message: Type.Optional(stepMessage) }),
      if: Type.Optional(
        Type.String({ description: 'Condition: an expression that must be true for the step to be executed.' }),
      ),
      ref: Type.Optional(Type.String({ description: 'Name of the result for later steps.' })),
    },
    { title: `${capitals(action)}Step`, description },
  )
})

const routes = 'Array<Channel | ProviderName | ChannelRoute | NestedRouting>'
const providerNames = 'Array<ProviderName | IntegrationId>'
const messageFields = {
  channels: 'SettingsByChannel<ChannelSettings>',
  providers: 'OptionsByProvider<ProviderSettings>',
}

/**
 * Fields whose types say more than their schemas, by the title of the shape. The server looks up channels and providers by
 * name, so a name that it does not know has no effect; only a list of providers takes ids and aliases of integrations, too.
 */
export const clientFields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  MessageSend: messageFields,
  StepMessage: { ...messageFields, template: 'TemplateName' },
  BulkMessage: { ...messageFields, override: 'Override', message: "Omit<MessageSend, 'to'>" },
  SendBody: { override: 'Override' },
  ListSendBody: { override: 'Override' },
  SendStep: { override: 'Override', template: 'TemplateName' },
  SendListStep: { override: 'Override', template: 'TemplateName' },
  InlineRouting: { channels: 'Array<Channel | ProviderName>' },
  MessageRouting: { channels: routes },
  NestedRouting: { channels: routes },
  ChannelRoute: { channel: 'Channel | ProviderName', providers: providerNames },
  ChannelSettings: { providers: providerNames },
  MessageTimeout: { channel: 'number | ByChannel<number>', provider: 'number | ByProvider<number>' },
  Integration: { id: 'IntegrationId' },
  BulkIngestBody: { users: 'Array<BulkUser>' },
  AudienceFilter: {
    operator: 'AudienceOperator',
    value: 'AudienceValue | AudienceValue[]',
    filters: 'AudienceFilter[]',
    rules: 'AudienceFilter[]',
  },
}

const audienceTypes: [string, PlainSchema][] = [
  [
    'AudienceOperator',
    {
      title: 'AudienceOperator',
      description: 'Operator of a group (`AND`, `OR`) or of a condition.',
      enum: [...audienceOperators],
    },
  ],
  [
    'AudienceValue',
    { title: 'AudienceValue', description: 'A value in a condition.', typescript: 'string | number | boolean' },
  ],
]

/** The fields of `MessageRecipient` in groups; the forms of a recipient are put together of them (message-shapes.ts). */
const recipientFields = Object.entries({
  RecipientFields: {
    description: 'Fields of every recipient.',
    names: ['data', 'locale', 'timezone', 'preferences', 'context'],
  },
  ContactFields: { description: 'Contact values.', names: ['email', 'phone_number'] },
  UserFields: { description: 'A user, also in a tenant.', names: ['user_id', 'tenant_id', 'account_id'] },
  ListFields: { description: 'Restrictions of a list or an audience.', names: ['filters'] },
  TenantFields: { description: 'Members of a tenant.', names: ['include_children'] },
}).map(([title, { description, names }]): PlainSchema => {
  const { properties } = plainSchema(MessageRecipient)
  const fields = Object.fromEntries(names.map((name) => [name, properties?.[name] ?? {}]))
  return { title, description, properties: fields, required: title === 'UserFields' ? ['user_id'] : [] }
})

/** Shapes that no operation names, but the client does. */
export const furtherShapes: readonly PlainSchema[] = [
  ...recipientFields,
  ...audienceTypes.map(([, schema]) => schema),
  plainSchema(MessageSend),
  plainSchema(ChannelName),
  plainSchema(DecisionParamsByCode),
]

/** Shapes that are written by hand (message-shapes.ts). */
export const writtenShapes: ReadonlySet<string> = new Set(['MessageRecipient'])

/** By title. Shapes without further fields lose `additionalProperties`. */
export const clientShapes: ReadonlyMap<string, PlainSchema> = new Map([
  [
    'Element',
    {
      title: 'Element',
      description: 'A content element. Send elements unknown to this version with `postrider.call`.',
      anyOf: elementShapes.map(plainSchema),
    },
  ],
  [
    'AutomationStep',
    {
      title: 'AutomationStep',
      description: "A step. Values can be references: `{ $ref: 'data.order.id' }`.",
      anyOf: steps.map(plainSchema),
      references: true,
    },
  ],
  ['MessageSend', closed(MessageSend)],
  ['BulkMessage', closed(BulkMessage)],
  ['BulkUser', closed(BulkUser)],
  ['Automation', closed(Type.Object({ ...Automation.properties, ...RunContext.properties }, titled(Automation)))],
])

function titled(schema: TSchema): { title: string; description: string } {
  const { title = '', description = '' } = plainSchema(schema)
  return { title, description }
}

function closed(schema: TSchema): PlainSchema {
  const { additionalProperties: _, ...rest } = plainSchema(schema)
  return rest
}

/** An interface for the settings of each provider, and a map of them by provider. */
export function settingsShapes(providers: readonly ProviderSettings[]): PlainSchema[] {
  const shapes = providers.map(({ key, title, settings }) => ({
    ...withoutTitles(plainSchema(settings)),
    title: `${capitals(key)}Settings`,
    description: `Settings of ${title}.`,
    ...(Object.keys(settings.properties).length === 0 && { typescript: 'NoSettings' }),
  }))
  const byProvider: PlainSchema = {
    title: 'SettingsByProvider',
    description: 'Settings by provider. Providers of later servers can be added by declaration merging.',
    properties: Object.fromEntries(
      providers.map(({ key, description }, index) => [
        key,
        { description: `${description}.`, typescript: shapes[index]?.title ?? '' },
      ]),
    ),
    required: providers.map(({ key }) => key),
  }
  return [...shapes, byProvider]
}

/** The title of a setting is a form label, not the name of a shape. */
function withoutTitles({ title, ...schema }: PlainSchema): PlainSchema {
  const { properties, default: standard } = schema
  const label = [title, schema.description].filter(Boolean).join(': ')
  const fallback = standard === undefined ? '' : ` Default: ${JSON.stringify(standard)}.`
  return {
    ...schema,
    ...(label && { description: `${label}.${fallback}` }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, withoutTitles(field)])),
    }),
  }
}
