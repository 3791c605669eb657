/** Every kind of element that a content may hold, by its type. */
import type { Mark } from './dialect.ts'
import { align, type Compiler, type Element, emit, type Fields, href, marked, type Node, stringOf } from './element.ts'
import { markup, textOfMarkup } from './markup.ts'
import type { Line, Native, Op } from './program.ts'

const textStyles = {
  text: { size: '15px', weight: 'normal', color: '#292929' },
  subtext: { size: '12px', weight: 'normal', color: '#6b6b6b' },
  h1: { size: '26px', weight: 'bold', color: '#1a1a1a' },
  h2: { size: '20px', weight: 'bold', color: '#1a1a1a' },
} as const

const styleOf = (value: unknown) => textStyles[value as keyof typeof textStyles] ?? textStyles.text

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
  return emphasized(fields, ops, compiler)
}

function nativeText(fields: Fields, plain: Compiler): Native {
  if (!isHeading(fields)) return { type: 'subtext' }
  return { type: 'heading', level: fields.text_style === 'h1' ? 1 : 2, plain: textContent(fields, plain) }
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
    text: '<mj-text align="[[align]]" color="[[color]]" font-size="[[size]]" font-weight="[[weight]]" line-height="1.5">[[content]]</mj-text>',
  },
  html({ fields }, compiler) {
    const body = textContent(fields, compiler)
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
    const body = textContent(fields, compiler)
    const [open, close] = compiler.rules.heading
    const options = {
      ...(isHeading(fields) && !isOn(fields.bold) && { shape: (inner: string) => `${open}${inner}${close}` }),
      native: (plain: Compiler) => nativeText(fields, plain),
    }
    return [emit('text', body, compiler, isHeading(fields) || fields.text_style === 'subtext' ? options : {})]
  },
}

const quoteContent = ({ fields }: Node, compiler: Compiler) => compiler.markdown(stringOf(fields.content))

/** `quote`: quoted text, set off by a line at its left. */
const quote: Element = {
  type: 'quote',
  fields: { content: 'text', align: 'text', border_color: 'style', text_style: 'text' },
  required: ['content'],
  mjml: {
    quote:
      '<mj-text align="[[align]]" color="[[color]]" font-size="[[size]]" font-weight="[[weight]]" line-height="1.5"><div style="border-left:4px solid [[border]];padding-left:16px">[[content]]</div></mj-text>',
  },
  html(node, compiler) {
    const { fields } = node
    if (compiler.inline) return [{ op: 'shape', body: quoteContent(node, compiler), shape: compiler.rules.quote }]
    const style = styleOf(fields.text_style)
    return compiler.row('quote', {
      content: quoteContent(node, compiler),
      align: [align(fields.align, 'left')],
      border: compiler.style(fields.border_color, '#d0d0d0'),
      color: [style.color],
      size: [style.size],
      weight: [style.weight],
    })
  },
  text(node, compiler) {
    const { quote: shape } = compiler.rules
    return [emit('quote', quoteContent(node, compiler), compiler, { shape, native: () => ({ type: 'quote' }) })]
  },
}

/** `list` and `list-item`: one line each, with a sign or a number; lists may stand in items. */
const list: Element = {
  type: 'list',
  fields: { list_type: 'text', imgSrc: 'text', imgHref: 'text' },
  children: ['list-item'],
  mjml: {
    list: '<mj-text align="left" color="#292929" font-size="15px" line-height="1.5">[[content]]</mj-text>',
  },
  html({ fields, children }, compiler) {
    const tag = fields.list_type === 'ordered' ? 'ol' : 'ul'
    const content = [`<${tag} style="margin:0;padding-left:24px">`, ...compiler.children(children, true), `</${tag}>`]
    return compiler.inline ? content : compiler.row('list', { content })
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

const listItem: Element = {
  type: 'list-item',
  fields: { content: 'text', background_color: 'style' },
  children: 'any',
  parent: 'list',
  html({ fields, children }, compiler) {
    const style = fields.background_color ? compiler.style(fields.background_color, 'transparent') : undefined
    const open = style ? ['<li style="background-color:', ...style, '">'] : ['<li>']
    const own = typeof fields.content === 'string' ? compiler.markdown(fields.content) : []
    return [...open, ...own, ...compiler.children(children, true), '</li>']
  },
  text({ fields, children }, compiler) {
    const join = (lines: readonly Line[]) => lines.map(({ text }) => text).join('\n')
    const own = typeof fields.content === 'string' ? [emit('text', compiler.markdown(fields.content), compiler)] : []
    return [
      emit('list-item', [{ op: 'collect', body: [...own, ...compiler.children(children, true)], join }], compiler),
    ]
  },
}

/** `html`: the author's own markup, for mail. A value in it is escaped for its position. */
const html: Element = {
  type: 'html',
  fields: { content: 'text' },
  required: ['content'],
  mjml: {
    html: '<mj-text align="left" font-size="15px" line-height="1.5">[[content]]</mj-text>',
  },
  html({ fields }, compiler) {
    const content = markup(stringOf(fields.content))
    return compiler.inline ? content : compiler.row('html', { content })
  },
  text({ fields }, compiler) {
    return compiler.mail ? [emit('html', textOfMarkup(stringOf(fields.content), compiler.rules.text), compiler)] : []
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
      '<mj-button align="[[align]]" background-color="[[background]]" color="[[color]]" href="[[href]]" font-size="15px" border-radius="4px">[[content]]</mj-button>',
  },
  html({ fields }, compiler) {
    const url = compiler.url(stringOf(fields.href))
    const content = compiler.plainText(stringOf(fields.content))
    const link = [{ op: 'link' as const, url, body: content, join: compiler.rules.link }]
    if (compiler.inline) return [...link, '<br>']
    if (fields.style === 'link')
      return compiler.row('text', {
        content: link,
        align: [align(fields.align, 'center')],
        color: [compiler.colors.primary],
        size: ['15px'],
        weight: ['normal'],
      })
    return compiler.row('action', {
      content,
      href: [href(url, compiler.rules)],
      align: [align(fields.align, 'center')],
      background: compiler.style(fields.background_color, compiler.colors.primary),
      color: compiler.style(fields.color, '#ffffff'),
    })
  },
  text({ fields }, compiler) {
    const url = compiler.url(stringOf(fields.href))
    const content = stringOf(fields.content)
    const link: Op = { op: 'link', url, body: compiler.plainText(content), join: compiler.rules.link }
    const label = compiler.plain().plainText(content)
    const native = fields.style === 'link' ? {} : { native: (): Native => ({ type: 'button', url, plain: label }) }
    return [
      emit('action', [link], compiler, native),
      { op: 'act', content: label, url, style: fields.style === 'link' ? 'link' : 'button' },
    ]
  },
}

/** The width between the paddings of a 600 px mail. */
const WIDTH_MAX = 550

function pixels(value: unknown): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)(px|%)?$/.exec(String(value ?? '').trim()) ?? []
  if (!amount) return WIDTH_MAX
  const width = unit === '%' ? (Number(amount) / 100) * WIDTH_MAX : Number(amount)
  return Math.round(Math.min(Math.max(width, 1), WIDTH_MAX))
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
  return host === '' ? address.replace(/^(?:mailto|tel):/i, '').replace(/\?.*$/s, '') : host
}

/** `image`: a picture, whole as a link when it has one. */
const image: Element = {
  type: 'image',
  fields: { src: 'text', href: 'text', align: 'text', alt_text: 'text', width: 'size' },
  required: ['src'],
  // MJML computes with the width, so that it is a number here: 417 stands for it and appears nowhere else.
  mjml: {
    image: '<mj-image align="[[align]]" width="417px" src="[[src]]" alt="[[alt]]" />',
    'image-link': '<mj-image align="[[align]]" width="417px" src="[[src]]" href="[[href]]" alt="[[alt]]" />',
  },
  html({ fields }, compiler) {
    const source = href(compiler.url(stringOf(fields.src)), compiler.rules)
    const target = stringOf(fields.href)
    const alt = alternative(stringOf(fields.alt_text), compiler.inline ? '' : target, compiler)
    if (compiler.inline) return ['<img src="', source, '" alt="', ...alt, '" style="max-width:100%"><br>']
    return compiler.row(target ? 'image-link' : 'image', {
      src: [source],
      alt,
      href: [href(compiler.url(target), compiler.rules)],
      align: [align(fields.align, 'center')],
      width: [String(pixels(fields.width))],
    })
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
        ...compiler.children([child]),
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
    divider: '<mj-divider border-width="1px" border-color="[[color]]" />',
  },
  html({ fields }, compiler) {
    if (compiler.inline) return ['<hr>']
    return compiler.row('divider', { color: compiler.style(fields.color, '#d9d9d9') })
  },
  text: (_node, compiler) => {
    const { text, rule } = compiler.rules
    return [emit('divider', [text(rule)], compiler, { native: () => ({ type: 'divider' }) })]
  },
}

/** `meta`: the subject of a mail, the title of everything else. It shows nothing where it stands. */
const meta: Element = {
  type: 'meta',
  fields: { title: 'text' },
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
  [text, meta, channel, action, image, divider, group, quote, html, list, listItem, comment, columns, column].map(
    (element) => [element.type, element],
  ),
)
