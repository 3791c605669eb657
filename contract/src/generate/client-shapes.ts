/** Shapes that the client's types say more strictly than the wire takes them, so that a misspelled field does not compile. */
import { type TObject, type TSchema, Type } from 'typebox'
import { Automation } from '../resources/automations/automations.ts'
import { automationSteps } from '../shapes/automation-steps.ts'
import { elementShapes } from '../shapes/elements.ts'
import { MessageSend } from '../shapes/message-send.ts'
import { RunContext } from '../shapes/run-context.ts'
import { type PlainSchema, plainSchema } from './plain-schema.ts'

/** What is said of a provider; the adapters declare it. */
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
    description: 'A message of a step; what it leaves out the step says, else the run.',
  },
)

const steps = Object.entries(automationSteps).map(([action, step]) => {
  const { message, ...fields } = step.properties as Record<string, TSchema>
  const { description = '' } = plainSchema(step)
  return Type.Object(
    {
      action: Type.Literal(action, { description: `Always \`${action}\`.` }),
      ...fields,
      ...(message && { message: Type.Optional(stepMessage) }),
      if: Type.Optional(Type.String({ description: 'Done only while this expression is true.' })),
      ref: Type.Optional(Type.String({ description: 'A name by which later steps ask for its result.' })),
    },
    { title: `${capitals(action)}Step`, description },
  )
})

/** By title. `open` shapes of the wire lose `additionalProperties` here; those that promise further fields keep it. */
export const clientShapes: ReadonlyMap<string, PlainSchema> = new Map([
  [
    'Element',
    {
      title: 'Element',
      description: 'One element of content. An element that this version does not know is sent with `postrider.call`.',
      anyOf: elementShapes.map(plainSchema),
    },
  ],
  [
    'AutomationStep',
    {
      title: 'AutomationStep',
      description: "One step. In the place of a value it may hold a reference: `{ $ref: 'data.order.id' }`.",
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

/** The settings of each provider as an interface, and a map of them by the provider's name. */
export function settingsShapes(providers: readonly ProviderSettings[]): PlainSchema[] {
  const shapes = providers.map(({ key, title, settings }) => ({
    ...withoutTitles(plainSchema(settings)),
    title: `${capitals(key)}Settings`,
    description: `The settings of ${title}.`,
  }))
  const byProvider: PlainSchema = {
    title: 'SettingsByProvider',
    description:
      'The settings of each provider. A provider that a later server brings is added by declaration merging.',
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

/** The title of a setting is its label in a form. */
function withoutTitles({ title, ...schema }: PlainSchema): PlainSchema {
  const { properties, default: standard } = schema
  const said = [title, schema.description].filter(Boolean).join(': ')
  const fallback = standard === undefined ? '' : ` Default: ${JSON.stringify(standard)}.`
  return {
    ...schema,
    ...(said && { description: `${said}.${fallback}` }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, field]) => [key, withoutTitles(field)])),
    }),
  }
}
