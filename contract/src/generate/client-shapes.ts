/** Shapes whose client types are stricter than the wire, so that a misspelled field does not compile. */
import { type TObject, type TSchema, Type } from 'typebox'
import { Automation } from '../resources/automations/automations.ts'
import { elementShapes } from '../shapes/elements.ts'
import { MessageSend } from '../shapes/message-send.ts'
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
