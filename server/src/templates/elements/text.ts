/** `text`: Markdown, or a list of `string`, `link` and `img` spans. */
import type { Mark } from '../dialect.ts'
import type { Op } from '../program.ts'
import { align, type Compiler, type Element, emit, type Fields, href, marked, stringOf } from './element.ts'

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

function emphasised(fields: Fields, body: readonly Op[], compiler: Compiler): readonly Op[] {
  return flags.reduce<readonly Op[]>(
    (ops, [field, mark]) => (on(fields[field]) ? marked(mark, ops, compiler.rules) : ops),
    body,
  )
}

const spanTypes: ReadonlySet<unknown> = new Set(['string', 'link', 'img'])

/** Others are left out. */
export const isKnownSpan = ({ type }: Fields): boolean => spanTypes.has(type)

function span(fields: Fields, compiler: Compiler): readonly Op[] {
  const { rules } = compiler
  const label = compiler.plainText(stringOf(fields.content ?? fields.alt_text))
  const source = stringOf(fields.src)
  if (fields.type === 'img') {
    if (rules.dialect === 'html') return ['<img src="', href(compiler.url(source), rules), '" alt="', ...label, '">']
    return [{ op: 'link', url: compiler.url(stringOf(fields.href) || source), body: label, join: rules.link }]
  }
  const body = emphasised(fields, label, compiler)
  if (fields.type !== 'link') return body
  return [{ op: 'link', url: compiler.url(stringOf(fields.href)), body, join: rules.link }]
}

const isHeading = (fields: Fields) => fields.text_style === 'h1' || fields.text_style === 'h2'

function content(fields: Fields, compiler: Compiler): readonly Op[] {
  const spans = fields.elements
  const ops = Array.isArray(spans)
    ? spans.filter(isKnownSpan).flatMap((item: Fields) => span(item, compiler))
    : compiler.markdown(stringOf(fields.content), on(fields.bold) || isHeading(fields))
  return emphasised(fields, ops, compiler)
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
  html({ fields }, compiler) {
    const body = content(fields, compiler)
    if (compiler.inline) return [...body, '<br>']
    const style = styleOf(fields.text_style)
    return compiler.row('text', {
      content: body,
      align: [align(fields.align, 'left')],
      color: compiler.style(fields.color, style.color),
      size: [style.size],
      weight: [style.weight],
    })
  },
  text({ fields }, compiler) {
    const body = content(fields, compiler)
    const [open, close] = compiler.rules.heading
    return [emit('text', isHeading(fields) && !on(fields.bold) ? [open, ...body, close] : body)]
  },
}
