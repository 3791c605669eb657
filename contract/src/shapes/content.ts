/** Content as authors write it (Elemental JSON) and as it is rendered for one channel. */
import { type Static, Type } from 'typebox'

/** Elements directly below a template's root; nested ones count towards `bodyBytesMax`. */
export const elementsMax = 1_000

/** The fields depend on the type; the template compiler validates them when content is stored. */
export const Element = Type.Unsafe<{ type: string; [field: string]: unknown }>({
  type: 'object',
  title: 'Element',
  description: 'A content element; its other fields depend on `type`.',
  required: ['type'],
  additionalProperties: true,
  properties: {
    type: { type: 'string', minLength: 1, description: '`text`, `meta`, `action`, `image`, `channel`, …' },
  },
})

export type Element = Static<typeof Element>

const elements = Type.Array(Element, { maxItems: elementsMax, description: 'The elements in order.' })
const version = Type.String({ maxLength: 32, description: 'Elemental version: `2022-01-01`.' })

export const NotificationContent = Type.Object(
  { version, elements },
  { title: 'NotificationContent', description: 'Content as Elemental JSON.' },
)
export type NotificationContent = Static<typeof NotificationContent>

/** Elemental, or a title and a body. */
export const ContentInput = Type.Union(
  [
    Type.Object({ version: Type.Optional(version), elements }),
    Type.Object({
      title: Type.Optional(Type.String({ description: 'Subject or title.' })),
      body: Type.String({ description: 'The text.' }),
    }),
  ],
  { title: 'ContentInput', description: 'Elemental JSON, or a title and a body. Variables have the form `{name}`.' },
)
export type ContentInput = Static<typeof ContentInput>

export const RenderedBlocks = Type.Array(
  Type.Object({
    type: Type.String({ description: 'Block type.' }),
    text: Type.String({ description: 'Text of the block.' }),
  }),
  { description: 'The rendered text by block.' },
)

export const SmsSegments = Type.Object(
  {
    encoding: Type.Enum(['GSM-7', 'UCS-2'], {
      description: '`UCS-2` as soon as one character is not in the alphabet of GSM-7.',
    }),
    segments: Type.Integer({
      minimum: 0,
      description:
        'Messages that carriers make of it, each usually paid for: up to 160 units of GSM-7 or 70 of UCS-2 in one, else 153 or 67 in each.',
    }),
    characters: Type.Integer({ minimum: 0, description: 'Unicode characters.' }),
    units: Type.Integer({
      minimum: 0,
      description: 'Septets of GSM-7, of which `€[]{}~^|\\` take two; 16-bit units of UCS-2, of which emoji take two.',
    }),
  },
  { title: 'SmsSegments', description: 'Encoding and length of the short form as an SMS.' },
)

export const RenderedContent = Type.Object(
  {
    html: Type.String({ description: 'Complete HTML document; email only.' }),
    title: Type.String({ description: 'Title of a push, inbox or chat message.' }),
    body: Type.String({ description: 'Short form, shown by SMS and push.' }),
    subject: Type.String({ description: 'Email subject.' }),
    text: Type.String({ description: 'The whole content as plain text.' }),
    blocks: RenderedBlocks,
    sms: Type.Optional(SmsSegments),
  },
  {
    title: 'RenderedContent',
    description:
      'The rendered content for one channel; parts that the channel does not have are empty, and `sms` is absent.',
  },
)
export type RenderedContent = Static<typeof RenderedContent>
