/** Content: what an author writes (Elemental JSON) and the words it becomes for one channel. */
import { type Static, Type } from 'typebox'

/** Elements directly below a template's root; nested ones count towards `bodyBytesMax`. */
export const elementsMax = 1_000

/** The fields of an element depend on its type; the template compiler checks them when it is stored. */
export const Element = Type.Unsafe<{ type: string; [field: string]: unknown }>({
  type: 'object',
  title: 'Element',
  description: 'One element; the other fields depend on its type.',
  required: ['type'],
  additionalProperties: true,
  properties: {
    type: { type: 'string', minLength: 1, description: '`text`, `meta`, `action`, `image`, `channel`, …' },
  },
})

export type Element = Static<typeof Element>

const elements = Type.Array(Element, { maxItems: elementsMax, description: 'The elements in order.' })
const version = Type.String({ maxLength: 32, description: 'The Elemental version: `2022-01-01`.' })

export const NotificationContent = Type.Object(
  { version, elements },
  { title: 'NotificationContent', description: 'Content as Elemental JSON.' },
)
export type NotificationContent = Static<typeof NotificationContent>

/** What may be written: Elemental, or title and body. */
export const ContentInput = Type.Union(
  [
    Type.Object({ version: Type.Optional(version), elements }),
    Type.Object({
      title: Type.Optional(Type.String({ description: 'Subject or title.' })),
      body: Type.String({ description: 'The text.' }),
    }),
  ],
  { title: 'ContentInput', description: 'Elemental JSON, or just a title and a body. Variables are written `{name}`.' },
)
export type ContentInput = Static<typeof ContentInput>

export const RenderedBlocks = Type.Array(
  Type.Object({
    type: Type.String({ description: 'The kind of block.' }),
    text: Type.String({ description: 'Its words.' }),
  }),
  { description: 'The words block by block.' },
)

export const RenderedContent = Type.Object(
  {
    html: Type.String({ description: 'Whole HTML document; email only.' }),
    title: Type.String({ description: 'Title of a push, inbox or chat message.' }),
    body: Type.String({ description: 'The short form: what an SMS or a push shows.' }),
    subject: Type.String({ description: 'Email subject.' }),
    text: Type.String({ description: 'Everything as text.' }),
    blocks: RenderedBlocks,
  },
  { title: 'RenderedContent', description: 'The words for one channel; parts it does not have are empty.' },
)
export type RenderedContent = Static<typeof RenderedContent>
