/** Every element that content may hold, with its fields. The wire takes any; the client's types and the compiler know these. */
import { type TObject, type TSchema, Type } from 'typebox'

const { Optional } = Type

const text = (description: string) => Type.String({ description })
const optional = (description: string) => Optional(text(description))
const color = (description: string) => Optional(text(`${description} A CSS color; it may hold variables.`))
const choice = (values: readonly string[], description: string) => Optional(Type.Enum([...values], { description }))
const align = choice(['left', 'center', 'right', 'full'], 'Where it stands in a mail. `full`: justified.')
const textStyle = choice(['text', 'subtext', 'h1', 'h2'], 'How large it is; `text` when left out.')
const flag = (description: string) =>
  Optional(Type.Union([Type.Boolean(), Type.Enum(['true', 'false'])], { description }))
const children = (of: string, description: string) =>
  Type.Unsafe<unknown[]>({ type: 'array', description, typescript: `Array<${of}>` })

const marks = {
  bold: flag('Bold.'),
  italic: flag('Italic.'),
  strikethrough: flag('Struck.'),
  underline: flag('Underlined.'),
}

const Span = Type.Object(
  {
    type: Type.Enum(['string', 'link', 'img'], { description: 'What it is.' }),
    content: optional('Its words.'),
    href: optional('Where a link or a picture leads.'),
    src: optional('The address of a picture.'),
    alt_text: optional('The words for a picture.'),
    ...marks,
  },
  { title: 'TextSpan', description: 'A part of a text.' },
)

/** The fields of each type, beside those that every element has. */
export const elementFields = {
  text: {
    content: optional('Markdown.'),
    elements: Optional(Type.Array(Span, { description: 'Parts in the place of `content`.' })),
    align,
    text_style: textStyle,
    color: color('Of the words.'),
    ...marks,
  },
  meta: { title: optional('The subject of a mail, the title elsewhere.') },
  channel: {
    channel: text('The channel, or a provider; `default` for all others.'),
    provider: optional('Only for this provider.'),
    elements: Optional(children('Element', 'What it shows.')),
    raw: Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'In the place of fields: `subject`, `title`, `html`, `text`; `slackBlocks` for Slack.',
      }),
    ),
  },
  action: {
    content: text('Its words.'),
    href: text('Where it leads.'),
    action_id: optional('A name of your own.'),
    style: choice(['button', 'link'], 'How it looks; `button` when left out.'),
    align,
    background_color: color('Of the button.'),
    color: color('Of the words.'),
    disable_tracking: flag('Kept; links are not tracked.'),
  },
  image: {
    src: text('Its address.'),
    href: optional('Where it leads.'),
    alt_text: optional('The words for it.'),
    align,
    width: Optional(Type.Union([Type.String(), Type.Number()], { description: 'Pixels, or per cent: `50%`.' })),
  },
  divider: { color: color('Of the line.') },
  group: { elements: Optional(children('Element', 'What it shows.')) },
  quote: {
    content: text('Markdown.'),
    align,
    border_color: color('Of the line at its left.'),
    text_style: textStyle,
  },
  html: { content: text('Markup of your own, for mail.') },
  list: {
    list_type: choice(['ordered', 'unordered'], 'With numbers or with signs; `unordered` when left out.'),
    imgSrc: optional('Kept; signs are not replaced.'),
    imgHref: optional('Kept; signs are not replaced.'),
    elements: Optional(children('ListItemElement | CommentElement', 'Its items.')),
  },
  'list-item': {
    content: optional('Markdown.'),
    background_color: color('Behind it.'),
    elements: Optional(children('Element', 'What stands in it.')),
  },
  comment: {},
  columns: { elements: Optional(children('ColumnElement | CommentElement', 'At most four columns.')) },
  column: {
    width: Optional(Type.Union([Type.String(), Type.Number()], { description: 'Pixels, or per cent: `50%`.' })),
    elements: Optional(children('Element', 'What stands in it.')),
  },
} as const satisfies Record<string, Record<string, TSchema>>

const descriptions: Record<keyof typeof elementFields, string> = {
  text: 'Words.',
  meta: 'The subject or title. It shows nothing where it stands.',
  channel: 'What one channel says instead of the others.',
  action: 'A button or a link.',
  image: 'A picture.',
  divider: 'A line across.',
  group: 'Several elements under one condition or loop.',
  quote: 'A quotation.',
  html: 'Markup of your own.',
  list: 'A list.',
  'list-item': 'An item of a list.',
  comment: 'A note between authors. It shows nothing.',
  columns: 'Columns, side by side in a mail.',
  column: 'One of the columns.',
}

const control = {
  id: optional('A name by which it is translated and replaced.'),
  if: optional('Shown only while this expression is true.'),
  loop: optional('Shown once for each item of the list that this expression gives.'),
  ref: optional('A name by which later elements ask whether it is shown: `refs.<ref>.visible`.'),
  channels: Optional(Type.Array(Type.String(), { description: 'Shown in these channels or providers only.' })),
}

const titleOf = (type: string) =>
  `${type.replaceAll(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}Element`

/** Each as one shape, told apart by `type`. */
export const elementShapes: TObject[] = Object.entries(elementFields).map(([type, fields]) => {
  const title = titleOf(type)
  const note = type === 'comment' ? { comment: optional('The note.') } : {}
  return Type.Object(
    {
      type: Type.Literal(type, { description: `Always \`${type}\`.` }),
      ...fields,
      ...note,
      ...control,
      locales: Optional(
        Type.Unsafe<unknown>({
          description: 'Its fields in other languages, by locale.',
          typescript: `InLocales<${title}>`,
        }),
      ),
    },
    { title, description: descriptions[type as keyof typeof elementFields] },
  )
})
