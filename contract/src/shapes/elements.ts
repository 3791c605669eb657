/** Every element of content with its fields, for the client's types and the compiler; the wire accepts any. */
import { type TObject, type TSchema, Type } from 'typebox'

const { Optional } = Type

const text = (description: string) => Type.String({ description })
const optional = (description: string) => Optional(text(description))
const color = (description: string) => Optional(text(`${description} A CSS color; variables are allowed.`))
const choice = (values: readonly string[], description: string) => Optional(Type.Enum([...values], { description }))
const align = choice(
  ['left', 'center', 'right', 'start', 'end', 'full'],
  'Alignment in an email. `start` and `end` follow the direction of the language. `full`: justified.',
)
const textStyle = choice(['text', 'subtext', 'h1', 'h2'], 'Text size. Default: `text`.')
const flag = (description: string) =>
  Optional(Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])], { description }))
const children = (of: string, description: string) =>
  Type.Unsafe<unknown[]>({ type: 'array', description, typescript: `Array<${of}>` })

const marks = {
  bold: flag('Bold text.'),
  italic: flag('Italic text.'),
  strikethrough: flag('Struck-through text.'),
  underline: flag('Underlined text.'),
}

const Span = Type.Object(
  {
    type: Type.Enum(['string', 'link', 'img'], { description: 'Kind of span.' }),
    content: optional('Text of the span.'),
    href: optional('Target URL of a link or image.'),
    src: optional('URL of an image.'),
    alt_text: optional('Alternative text of an image.'),
    ...marks,
  },
  { title: 'TextSpan', description: 'A span of text with its own formatting.' },
)

/** The fields of each type, besides those of every element. */
export const elementFields = {
  text: {
    content: optional('Text in Markdown.'),
    elements: Optional(Type.Array(Span, { description: 'Spans, instead of `content`.' })),
    align,
    text_style: textStyle,
    color: color('Text color.'),
    ...marks,
  },
  meta: {
    title: optional('Subject of an email; title on other channels.'),
    preheader: optional('Text that inboxes show after the subject of an email. It is not shown in the email.'),
  },
  channel: {
    channel: text('Channel or provider; `default` for all others.'),
    provider: optional('Provider to which the element is limited.'),
    elements: Optional(children('Element', 'Nested elements.')),
    raw: Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description:
          'Provider content instead of elements: `subject`, `title`, `html`, `text`; `slackBlocks` for Slack.',
      }),
    ),
  },
  action: {
    content: text('Label.'),
    href: text('Target URL.'),
    action_id: optional('Your own id of the action.'),
    style: choice(['button', 'link'], 'Appearance. Default: `button`.'),
    align,
    background_color: color('Background color of the button.'),
    color: color('Text color.'),
    disable_tracking: flag('The link is not tracked, whatever else is switched on.'),
  },
  image: {
    src: text('URL of the image.'),
    href: optional('Target URL.'),
    alt_text: optional('Alternative text.'),
    align,
    width: Optional(
      Type.Union([Type.String(), Type.Number()], { description: 'Width in pixels, or in percent: `50%`.' }),
    ),
  },
  divider: { color: color('Line color.') },
  group: { elements: Optional(children('Element', 'Nested elements.')) },
  quote: {
    content: text('Text in Markdown.'),
    align,
    border_color: color('Color of the line at the left.'),
    text_style: textStyle,
  },
  html: { content: text('HTML markup, for email only.') },
  list: {
    list_type: choice(['ordered', 'unordered'], 'Numbered or bulleted. Default: `unordered`.'),
    imgSrc: optional('Stored without effect; bullets are not replaced.'),
    imgHref: optional('Stored without effect; bullets are not replaced.'),
    elements: Optional(children('ListItemElement | CommentElement', 'List items.')),
  },
  'list-item': {
    content: optional('Text in Markdown.'),
    background_color: color('Background color.'),
    elements: Optional(children('Element', 'Nested elements.')),
  },
  table: { elements: Optional(children('TableRowElement | CommentElement', 'Rows.')) },
  'table-row': {
    header: flag('Row of column titles.'),
    elements: Optional(children('TableCellElement | CommentElement', 'Cells.')),
  },
  'table-cell': {
    content: optional('Text in Markdown.'),
    align,
    color: color('Text color.'),
    background_color: color('Background color.'),
    elements: Optional(children('Element', 'Nested elements.')),
  },
  comment: {},
  columns: { elements: Optional(children('ColumnElement | CommentElement', 'At most four columns.')) },
  column: {
    width: Optional(
      Type.Union([Type.String(), Type.Number()], { description: 'Width in pixels, or in percent: `50%`.' }),
    ),
    elements: Optional(children('Element', 'Nested elements.')),
  },
} as const satisfies Record<string, Record<string, TSchema>>

const descriptions: Record<keyof typeof elementFields, string> = {
  text: 'A block of text.',
  meta: 'The subject or title. Renders nothing in place.',
  channel: 'Content for one channel.',
  action: 'A button or a link.',
  image: 'An image.',
  divider: 'A horizontal line.',
  group: 'Elements that share a condition or loop.',
  quote: 'A quotation.',
  html: 'HTML markup.',
  list: 'A list.',
  'list-item': 'An item of a list.',
  table: 'A table; its columns stay side by side on narrow screens.',
  'table-row': 'A row of a table.',
  'table-cell': 'A cell of a row.',
  comment: 'A note for authors. Renders nothing.',
  columns: 'Columns, side by side in an email.',
  column: 'A column of `columns`.',
}

const control = {
  id: optional('Id of the element for translation and replacement.'),
  if: optional('Condition: an expression that must be true for the element to be rendered.'),
  loop: optional('Expression that returns a list; the element is rendered once for each item.'),
  ref: optional('Name for later conditions: `refs.<ref>.visible` is whether the element is rendered.'),
  channels: Optional(
    Type.Array(Type.String(), { description: 'Channels or providers to which the element is limited.' }),
  ),
}

const titleOf = (type: string) =>
  `${type.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Element`

/** One schema for each `type`. */
export const elementShapes: TObject[] = Object.entries(elementFields).map(([type, fields]) => {
  const title = titleOf(type)
  const note = type === 'comment' ? { comment: optional('Text of the note.') } : {}
  return Type.Object(
    {
      type: Type.Literal(type, { description: `Always \`${type}\`.` }),
      ...fields,
      ...note,
      ...control,
      locales: Optional(
        Type.Unsafe<unknown>({
          description: 'Translated fields by locale.',
          typescript: `InLocales<${title}>`,
        }),
      ),
    },
    { title, description: descriptions[type as keyof typeof elementFields] },
  )
})
