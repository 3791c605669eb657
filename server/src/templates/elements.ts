/** Every kind of element that a content may hold, by its type. */
import { nearestName } from '../base/quote.ts'
import type { Mark } from './dialect.ts'
import {
  type Compiler,
  type Element,
  emit,
  type Fields,
  finished,
  href,
  marked,
  type Node,
  stringOf,
  withOptionalAddresses,
} from './element.ts'
import { contrast, READABLE } from './mail/contrast.ts'
import { labelOn } from './mail/theme.ts'
import { markup } from './markup.ts'
import { textOfMarkup } from './markup-text.ts'
import type { Line, Native, Op } from './program.ts'
import { table, tableCell, tableRow } from './table-elements.ts'

/** `tone` names the color for dark screens. */
const textStyles = {
  text: { size: '16px', leading: '26px', weight: 'normal', color: 'text', tone: 'pr-text' },
  subtext: { size: '13px', leading: '20px', weight: 'normal', color: 'muted', tone: 'pr-mute' },
  h1: { size: '28px', leading: '36px', weight: 'bold', color: 'heading', tone: 'pr-head' },
  h2: { size: '20px', leading: '28px', weight: 'bold', color: 'heading', tone: 'pr-head' },
} as const

const styleOf = (value: unknown) => textStyles[value as keyof typeof textStyles] ?? textStyles.text

/** A row of text; a color of the author's stays on a dark card only where it can be read. */
function textRow(compiler: Compiler, content: readonly Op[], fields: Fields, ofText: unknown = 'text'): Op[] {
  const { theme } = compiler
  const { color, tone, size, leading, weight } = styleOf(ofText)
  const textColor = stringOf(fields.color)
  const stays = textColor !== '' && theme.dark !== undefined && (contrast(textColor, theme.dark.card) ?? 0) >= READABLE
  return compiler.row('text', {
    content,
    align: compiler.align(fields.align, 'start'),
    color: compiler.style(fields.color, theme.light[color]),
    size: [size],
    leading: [leading],
    weight: [weight],
    tone: [stays ? '' : tone],
  })
}

const emphasisFlags: readonly (readonly [field: string, mark: Mark])[] = [
  ['strikethrough', 's'],
  ['underline', 'u'],
  ['italic', 'em'],
  ['bold', 'strong'],
]

const isOn = (value: unknown) => value === true || value === 'true'

function emphasized(fields: Fields, body: readonly Op[], compiler: Compiler): readonly Op[] {
  return emphasisFlags.reduce<readonly Op[]>(
    (ops, [field, mark]) => (isOn(fields[field]) ? marked(mark, ops, compiler.rules) : ops),
    body,
  )
}

const spanTypes: ReadonlySet<string> = new Set(['string', 'link', 'img'])

/** Names that HTML, MJML and other services have for them. */
const otherSpanNames = new Map(
  Object.entries({
    text: 'string',
    span: 'string',
    image: 'img',
    picture: 'img',
    a: 'link',
    action: 'link',
    button: 'link',
  }),
)

/** The span that a misspelled or other name is likely to mean. */
export const suggestedSpan = (name: unknown): string | undefined => suggested(name, [...spanTypes], otherSpanNames)

function suggested(
  name: unknown,
  types: Iterable<string>,
  otherNames: ReadonlyMap<string, string>,
): string | undefined {
  if (typeof name !== 'string' || name === '') return undefined
  const nearest = otherNames.has(name.toLowerCase())
    ? name.toLowerCase()
    : nearestName(name, [...types, ...otherNames.keys()])
  return nearest === undefined ? undefined : (otherNames.get(nearest) ?? nearest)
}

/** Others are left out. */
export const isKnownSpan = ({ type }: Fields): boolean => typeof type === 'string' && spanTypes.has(type)

function span(fields: Fields, compiler: Compiler): readonly Op[] {
  const { rules } = compiler
  const label = compiler.plainText(stringOf(fields.content ?? fields.alt_text))
  const source = stringOf(fields.src)
  if (fields.type === 'img') {
    if (rules.dialect === 'html')
      return withOptionalAddresses(['<img src="', href(compiler.url(source), rules), '" alt="', ...label, '">'])
    return [{ op: 'link', url: compiler.url(stringOf(fields.href) || source), body: label, join: rules.link }]
  }
  const body = emphasized(fields, label, compiler)
  if (fields.type !== 'link') return body
  return [{ op: 'link', url: compiler.url(stringOf(fields.href)), body, join: rules.link }]
}

const isHeading = (fields: Fields) => fields.text_style === 'h1' || fields.text_style === 'h2'

function textContent(fields: Fields, compiler: Compiler): readonly Op[] {
  const spans = fields.elements
  const ops = Array.isArray(spans)
    ? spans.filter(isKnownSpan).flatMap((item: Fields) => span(item, compiler))
    : compiler.markdown(stringOf(fields.content), isOn(fields.bold) || isHeading(fields))
  return finished(emphasized(fields, ops, compiler), compiler.rules)
}

function nativeText(fields: Fields, plain: Compiler): Native {
  if (!isHeading(fields)) return { type: 'subtext' }
  return { type: 'heading', level: fields.text_style === 'h1' ? 1 : 2, plain: textContent(fields, plain) }
}

/** A heading for readers that jump from one to the next. */
function headed({ text_style: tag }: Fields, body: readonly Op[]): readonly Op[] {
  const { size, leading, weight } = styleOf(tag)
  return [
    `<${tag} style="margin:0;font-size:${size};line-height:${leading};font-weight:${weight}">`,
    ...body,
    `</${tag}>`,
  ]
}

/** `text`: Markdown, or a list of `string`, `link` and `img` spans. */
const text: Element = {
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
    text: '<mj-text css-class="[[tone]]" padding="8px" align="[[align]]" color="[[color]]" font-size="[[size]]" font-weight="[[weight]]" line-height="[[leading]]">[[content]]</mj-text>',
  },
  html({ fields }, compiler) {
    const body = textContent(fields, compiler)
    if (compiler.inline) return [...body, '<br>']
    return textRow(compiler, isHeading(fields) ? headed(fields, body) : body, fields, fields.text_style)
  },
  text({ fields }, compiler) {
    const body = textContent(fields, compiler)
    const [open, close] = compiler.rules.heading
    const options = {
      ...(isHeading(fields) && !isOn(fields.bold) && { shape: (inner: string) => `${open}${inner}${close}` }),
      native: (plain: Compiler) => nativeText(fields, plain),
    }
    return [emit('text', body, compiler, isHeading(fields) || fields.text_style === 'subtext' ? options : {})]
  },
}

/** `list` and `list-item`: one line each, with a sign or a number; lists may stand in items. */
const list: Element = {
  type: 'list',
  fields: { list_type: 'text', imgSrc: 'text', imgHref: 'text' },
  children: ['list-item'],
  html({ fields, children }, compiler) {
    const tag = fields.list_type === 'ordered' ? 'ol' : 'ul'
    const start = compiler.direction === 'rtl' ? 'right' : 'left'
    const content = [
      `<${tag} style="margin:0;padding-${start}:24px">`,
      ...compiler.children(children, true),
      `</${tag}>`,
    ]
    return compiler.inline ? content : textRow(compiler, content, {})
  },
  text({ fields, children }, compiler) {
    const { bullet, ordinal } = compiler.rules
    const ordered = fields.list_type === 'ordered'
    const join = (lines: readonly Line[]) =>
      lines
        .map(({ text }, index) => `${ordered ? ordinal(index + 1) : bullet}${text.replace(/\n/g, '\n  ')}`)
        .join('\n')
    const items: Op = { op: 'collect', body: compiler.children(children, true), join }
    return [emit('list', [items], compiler, { native: () => ({ type: 'list' }) })]
  },
}

const ITEM = '\n<li style="margin:0 0 6px">'

const listItem: Element = {
  type: 'list-item',
  fields: { content: 'text', background_color: 'style' },
  children: 'any',
  parent: 'list',
  html({ fields, children }, compiler) {
    const background = stringOf(fields.background_color)
    const markdown = typeof fields.content === 'string' ? compiler.markdown(fields.content) : []
    const content = [...markdown, ...compiler.children(children, true)]
    if (background === '') return [ITEM, ...content, '</li>']
    // The text of the card may be light, on a dark screen.
    const color = labelOn(background, compiler.theme.light.text)
    const style = ['<div style="background-color:', ...compiler.style(background, ''), `;color:${color}">`]
    return [ITEM, ...style, ...content, '</div></li>']
  },
  text({ fields, children }, compiler) {
    const join = (lines: readonly Line[]) => lines.map(({ text }) => text).join('\n')
    const markdown =
      typeof fields.content === 'string' ? [emit('text', compiler.markdown(fields.content), compiler)] : []
    const lines: Op = { op: 'collect', body: [...markdown, ...compiler.children(children, true)], join }
    return [emit('list-item', [lines], compiler)]
  },
}

const quoteContent = ({ fields }: Node, compiler: Compiler) => compiler.markdown(stringOf(fields.content))

/** `quote`: quoted text, set off by a line at its left. */
const quote: Element = {
  type: 'quote',
  fields: { content: 'text', align: 'text', border_color: 'style', text_style: 'text' },
  required: ['content'],
  html(node, compiler) {
    const { fields } = node
    const body = quoteContent(node, compiler)
    const { border_color: border, align } = fields
    if (!border) {
      const quoted: Op = { op: 'shape', body, shape: compiler.rules.quote }
      return compiler.inline ? [quoted] : textRow(compiler, [quoted], { align }, fields.text_style)
    }
    const start = compiler.direction === 'rtl' ? 'right' : 'left'
    const open = [
      `<blockquote style="margin:0;padding-${start}:16px;border-${start}:3px solid `,
      ...compiler.style(border, ''),
      '">',
    ]
    const content = [...open, ...body, '</blockquote>']
    return compiler.inline ? content : textRow(compiler, content, { align }, fields.text_style)
  },
  text(node, compiler) {
    const { quote: shape } = compiler.rules
    return [emit('quote', quoteContent(node, compiler), compiler, { shape, native: () => ({ type: 'quote' }) })]
  },
}

const COLORED = /\b(?:color|background|bgcolor)\b/i

/** `html`: the author's own markup, for mail. A value in it is escaped for its position. */
const html: Element = {
  type: 'html',
  fields: { content: 'text' },
  required: ['content'],
  html({ fields }, compiler) {
    const source = stringOf(fields.content)
    const content = markup(source)
    if (compiler.inline) return content
    if (!COLORED.test(source) || !compiler.theme.dark) return textRow(compiler, content, {})
    // Markup with colors of its own was made for the light card.
    const { card, text: color } = compiler.theme.light
    return textRow(
      compiler,
      [`<div class="pr-light" style="background:${card};color:${color}">`, ...content, '</div>'],
      {},
    )
  },
  text({ fields }, compiler) {
    return compiler.mail ? [emit('html', textOfMarkup(stringOf(fields.content), compiler.rules), compiler)] : []
  },
}

/** `action`: a button or a link to follow. */
const action: Element = {
  type: 'action',
  fields: {
    content: 'text',
    href: 'text',
    action_id: 'text',
    align: 'text',
    background_color: 'style',
    color: 'style',
    style: 'text',
    disable_tracking: 'flag',
  },
  required: ['content', 'href'],
  mjml: {
    action:
      '<mj-button css-class="pr-action [[tone]]" padding="24px 8px" align="[[align]]" background-color="[[background]]" color="[[color]]" href="[[href]]" font-size="16px" font-weight="600" line-height="24px" inner-padding="10px 24px" border-radius="[[@radius]]">[[content]]</mj-button>',
  },
  html({ fields }, compiler) {
    const url = compiler.url(stringOf(fields.href))
    const content = compiler.plainText(stringOf(fields.content))
    const link = [{ op: 'link' as const, url, body: content, join: compiler.rules.link }]
    if (compiler.inline) return [...link, '<br>']
    const align = compiler.align(fields.align, 'center')
    if (fields.style === 'link') return textRow(compiler, link, { align: align[0] })
    const { button, label } = compiler.theme.light
    const color = stringOf(fields.background_color)
    const row = compiler.row('action', {
      content,
      href: [href(url, compiler.rules)],
      align,
      background: compiler.style(color, button),
      color: compiler.style(fields.color, color === '' ? label : labelOn(color)),
      tone: [color === '' && !fields.color ? 'pr-btn' : ''],
    })
    return withOptionalAddresses(row)
  },
  text({ fields }, compiler) {
    const url = compiler.url(stringOf(fields.href))
    const content = stringOf(fields.content)
    const link: Op = { op: 'link', url, body: compiler.plainText(content), join: compiler.rules.link }
    const label = compiler.plain().plainText(content)
    const native = fields.style === 'link' ? {} : { native: (): Native => ({ type: 'button', url, plain: label }) }
    return [
      emit('action', [link], compiler, native),
      {
        ...{ op: 'act', content: label, url, style: fields.style === 'link' ? 'link' : 'button' },
        ...(isOn(fields.disable_tracking) && { untracked: true }),
      },
    ]
  },
}

/** The width between the paddings of a mail, or of a column. */
const widthOf = (columns: number) => Math.floor(534 / columns) - 16

function pixels(value: unknown, max: number): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(px|%)?$/.exec(String(value ?? '').trim()) ?? []
  if (!amount) return max
  const width = unit === '%' ? (Number(amount) / 100) * max : Number(amount)
  return Math.round(Math.min(Math.max(width, 1), max))
}

/** A link needs a text for readers who do not see the picture: where it leads, when its author gives none. */
function alternative(text: string, target: string, compiler: Compiler): readonly Op[] {
  if (text.trim() !== '' || target === '') return compiler.plainText(text)
  const join = (address: string | undefined) => compiler.rules.text(address === undefined ? '' : destination(address))
  return [{ op: 'link', url: compiler.url(target), body: [], join }]
}

/** `shop.example.com` of a web address, and the address itself of mail and telephone. */
function destination(address: string): string {
  const host = URL.canParse(address) ? new URL(address).hostname.replace(/^www\./, '') : ''
  return host === '' ? address.replace(/^(?:mailto|tel|sms):/i, '').replace(/\?.*$/s, '') : host
}

/** `image`: a picture, whole as a link when it has one. */
const image: Element = {
  type: 'image',
  fields: { src: 'text', href: 'text', align: 'text', alt_text: 'text', width: 'size' },
  required: ['src'],
  // MJML computes with the width, so that it is a number here: 417 stands for it and appears nowhere else.
  mjml: {
    image: '<mj-image padding="8px" align="[[align]]" width="417px" src="[[src]]" alt="[[alt]]" />',
    'image-link':
      '<mj-image padding="8px" align="[[align]]" width="417px" src="[[src]]" href="[[href]]" alt="[[alt]]" />',
  },
  html({ fields }, compiler) {
    const source = href(compiler.url(stringOf(fields.src)), compiler.rules)
    const target = stringOf(fields.href)
    const alt = alternative(stringOf(fields.alt_text), compiler.inline ? '' : target, compiler)
    if (compiler.inline)
      return withOptionalAddresses(['<img src="', source, '" alt="', ...alt, '" style="max-width:100%"><br>'])
    const row = compiler.row(target ? 'image-link' : 'image', {
      src: [source],
      alt,
      href: [href(compiler.url(target), compiler.rules)],
      align: compiler.align(fields.align, 'center'),
      width: [String(pixels(fields.width, widthOf(compiler.columns)))],
    })
    return withOptionalAddresses(row)
  },
  text({ fields }, compiler) {
    const [source, target, alt] = [stringOf(fields.src), stringOf(fields.href), stringOf(fields.alt_text)]
    const url = compiler.url(target || source)
    const native = (plain: Compiler): Native => ({
      type: 'image',
      url: compiler.url(source),
      plain: plain.plainText(alt),
      ...(target && { href: url }),
    })
    const link: Op = { op: 'link', url, body: compiler.plainText(alt), join: compiler.rules.link }
    return [emit('image', [link], compiler, { native })]
  },
}

/** The most that stay readable in 600 px. */
export const COLUMNS_MAX = 4

/** `columns` and `column`: side by side in a mail, one after the other elsewhere and on a narrow screen. */
const columns: Element = {
  type: 'columns',
  fields: {},
  children: ['column'],
  html({ children }, compiler) {
    if (compiler.inline) return compiler.children(children, true)
    const count = Math.min(Math.max(children.length, 1), COLUMNS_MAX)
    const cells = children
      .slice(0, COLUMNS_MAX)
      .flatMap((child, index) => [
        ...(index === 0
          ? compiler.row(`columns-${count}-open`, {})
          : compiler.row(`columns-${count}-next-${index}`, {})),
        ...compiler.children([child], false, count),
      ])
    return [
      ...compiler.row('columns-1-close', {}),
      ...cells,
      ...compiler.row(`columns-${count}-close`, {}),
      ...compiler.row('columns-1-open', {}),
    ]
  },
  text: ({ children }, compiler) => compiler.children(children),
}

const column: Element = {
  type: 'column',
  fields: { width: 'size' },
  children: 'any',
  parent: 'columns',
  html: ({ children }, compiler) => compiler.children(children, compiler.inline),
  text: ({ children }, compiler) => compiler.children(children),
}

/** `group`: several elements under one condition or loop. */
const group: Element = {
  type: 'group',
  fields: {},
  children: 'any',
  html: ({ children }, compiler) => compiler.children(children),
  text: ({ children }, compiler) => compiler.children(children),
}

/** `channel`: content of one channel or provider instead of the others. `render` chooses; it shows its children. */
const channel: Element = {
  type: 'channel',
  fields: { channel: 'text', provider: 'text', raw: 'object' },
  required: ['channel'],
  children: 'any',
  parent: 'top',
  html: ({ children }, compiler) => compiler.children(children),
  text: ({ children }, compiler) => compiler.children(children),
}

/** `divider`: a line across. */
const divider: Element = {
  type: 'divider',
  fields: { color: 'style' },
  mjml: {
    divider: '<mj-divider css-class="[[tone]]" padding="24px 8px" border-width="1px" border-color="[[color]]" />',
  },
  html({ fields }, compiler) {
    if (compiler.inline) return ['<hr>']
    const color = compiler.style(fields.color, compiler.theme.light.border)
    return compiler.row('divider', { color, tone: [fields.color ? '' : 'pr-line'] })
  },
  text: (_node, compiler) => {
    const { text, rule } = compiler.rules
    return [emit('divider', [text(rule)], compiler, { native: () => ({ type: 'divider' }) })]
  },
}

/** `meta`: the subject of a mail, the title of everything else. It shows nothing where it stands. */
const meta: Element = {
  type: 'meta',
  fields: { title: 'text', preheader: 'text' },
  html: () => [],
  text: () => [],
}

/** `comment`: a note between authors. */
const comment: Element = {
  type: 'comment',
  fields: {},
  html: () => [],
  text: () => [],
}

export const elements: ReadonlyMap<string, Element> = new Map(
  [
    text,
    meta,
    channel,
    action,
    image,
    divider,
    group,
    quote,
    html,
    list,
    listItem,
    table,
    tableRow,
    tableCell,
    comment,
    columns,
    column,
  ].map((element) => [element.type, element]),
)

/** Names that HTML, MJML and other services have for them. */
const otherNames = new Map(
  Object.entries({
    button: 'action',
    link: 'action',
    a: 'action',
    cta: 'action',
    img: 'image',
    picture: 'image',
    p: 'text',
    paragraph: 'text',
    markdown: 'text',
    string: 'text',
    heading: 'text',
    header: 'text',
    h1: 'text',
    h2: 'text',
    title: 'meta',
    subject: 'meta',
    hr: 'divider',
    line: 'divider',
    separator: 'divider',
    blockquote: 'quote',
    ul: 'list',
    ol: 'list',
    li: 'list-item',
    item: 'list-item',
    tr: 'table-row',
    td: 'table-cell',
    section: 'group',
    container: 'group',
    col: 'column',
  }),
)

/** The element that a misspelled or other name is likely to mean. */
export const suggestedElement = (name: unknown): string | undefined => suggested(name, elements.keys(), otherNames)
