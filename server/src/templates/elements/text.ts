/** `text`: Markdown, or a list of `string`, `link` and `img` spans. */
import type { Mark } from '../dialect.ts'
import type { Op } from '../program.ts'
import { align, type Element, emit, type Fields, href, marked, stringOf, type Weave } from './element.ts'

const styles = {
  text: { size: '15px', weight: 'normal', color: '#292929' },
  subtext: { size: '12px', weight: 'normal', color: '#6b6b6b' },
  h1: { size: '26px', weight: 'bold', color: '#1a1a1a' },
  h2: { size: '20px', weight: 'bold', color: '#1a1a1a' },
} as const

export const styleOf = (value: unknown) => styles[value as keyof typeof styles] ?? styles.text

const flags: readonly (readonly [field: string, mark: Mark])[] = [
  ['strikethrough', 's'],
  ['underline', 'u'],
  ['italic', 'em'],
  ['bold', 'strong'],
]

const on = (value: unknown) => value === true || value === 'true'

function emphasised(fields: Fields, body: readonly Op[], weave: Weave): readonly Op[] {
  return flags.reduce<readonly Op[]>(
    (ops, [field, mark]) => (on(fields[field]) ? marked(mark, ops, weave.grammar) : ops),
    body,
  )
}

const spanTypes: ReadonlySet<unknown> = new Set(['string', 'link', 'img'])

/** Others are left out. */
export const isKnownSpan = ({ type }: Fields): boolean => spanTypes.has(type)

function span(fields: Fields, weave: Weave): readonly Op[] {
  const { grammar } = weave
  const label = weave.words(stringOf(fields.content ?? fields.alt_text))
  const source = stringOf(fields.src)
  if (fields.type === 'img') {
    if (grammar.dialect === 'html') return ['<img src="', href(weave.url(source), grammar), '" alt="', ...label, '">']
    return [{ op: 'link', url: weave.url(stringOf(fields.href) || source), body: label, join: grammar.link }]
  }
  const body = emphasised(fields, label, weave)
  if (fields.type !== 'link') return body
  return [{ op: 'link', url: weave.url(stringOf(fields.href)), body, join: grammar.link }]
}

const isHeading = (fields: Fields) => fields.text_style === 'h1' || fields.text_style === 'h2'

function content(fields: Fields, weave: Weave): readonly Op[] {
  const spans = fields.elements
  const ops = Array.isArray(spans)
    ? spans.filter(isKnownSpan).flatMap((item: Fields) => span(item, weave))
    : weave.markdown(stringOf(fields.content), on(fields.bold) || isHeading(fields))
  return emphasised(fields, ops, weave)
}

export const text: Element = {
  type: 'text',
  fields: {
    content: 'text',
    elements: 'spans',
    align: 'text',
    text_style: 'text',
    color: 'style',
    bold: 'flag',
    italic: 'flag',
    strikethrough: 'flag',
    underline: 'flag',
  },
  mjml: {
    text: '<mj-text align="[[align]]" color="[[color]]" font-size="[[size]]" font-weight="[[weight]]" line-height="1.5">[[content]]</mj-text>',
  },
  html({ fields }, weave) {
    const body = content(fields, weave)
    if (weave.inline) return [...body, '<br>']
    const style = styleOf(fields.text_style)
    return weave.row('text', {
      content: body,
      align: [align(fields.align, 'left')],
      color: weave.style(fields.color, style.color),
      size: [style.size],
      weight: [style.weight],
    })
  },
  text({ fields }, weave) {
    const body = content(fields, weave)
    const [open, close] = weave.grammar.heading
    return [emit('text', isHeading(fields) && !on(fields.bold) ? [open, ...body, close] : body)]
  },
}
