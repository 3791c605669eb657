/** Compiles checked nodes into programs: the text of one dialect, or the rows of a mail. */
import { closestLocale } from '../base/locale.ts'
import type { Dialect } from '../base/rendered-content.ts'
import { type DocumentWork, newDocument, takeElement } from './compile-bounds.ts'
import { type DialectRules, rulesOf } from './dialect.ts'
import type { Compiler, Fields, Node } from './element.ts'
import { css, html } from './escape.ts'
import { fragments } from './mail/fragments.generated.ts'
import type { Direction, Theme } from './mail/look.ts'
import { themeOf, themeSlots } from './mail/theme.ts'
import { markdown } from './markdown.ts'
import type { Op, Program } from './program.ts'
import { withBrandSnippets } from './snippets.ts'
import type { Brand } from './template.ts'
import { authored, plainText, url } from './text.ts'

export interface Choice {
  dialect: Dialect
  locale: string
  mail: boolean
  brand?: Brand | undefined
  /** Absent: left to right. */
  direction?: Direction
  /** Absent: that of the brand. */
  theme?: Theme
  /** The rows of a mail, not only its text. */
  rows?: boolean
  /** Absent: a document of its own. */
  document?: DocumentWork
}

export function compilerOf(choice: Choice, inline = false, columns = 1): Compiler {
  const { dialect, locale, mail, brand, direction = 'ltr', rows = false, document = newDocument() } = choice
  const theme = choice.theme ?? themeOf(brand)
  const rules = dialect === 'html' ? htmlRules(theme, direction) : rulesOf(dialect)
  const compiler: Compiler = {
    rules,
    theme,
    direction,
    mail,
    inline,
    markdown: (text, bold) => markdown(text, rules, document, bold),
    plainText: (text) => plainText(text, rules.text),
    style: (value, otherwise) => (typeof value === 'string' && value !== '' ? authored(value, css) : [otherwise]),
    url,
    plain: () =>
      dialect === 'plain' ? compiler : compilerOf({ ...choice, dialect: 'plain', document }, inline, columns),
    align: (value, otherwise) => [alignment(value, otherwise, theme.align, direction)],
    row: (name, slots) => (rows ? filled(fragmentOf(name, theme, direction), slots) : Object.values(slots).flat()),
    columns,
    children: (nodes, within = inline, sideBySide = columns) => {
      const isSame = within === inline && sideBySide === columns
      const inner = isSame ? compiler : compilerOf({ ...choice, document }, within, sideBySide)
      return nodes.flatMap((written) => {
        const node = withBrandSnippets(translated(written, locale), brand)
        takeElement(document, node)
        return compileNode(node, inner)
      })
    },
  }
  return compiler
}

function compileNode(node: Node, compiler: Compiler): Op[] {
  const body = compiler.rules.dialect === 'html' ? node.element.html(node, compiler) : node.element.text(node, compiler)
  return underControl(node, body)
}

/** Adds the condition and the loop of the element, and its path for errors; fixed text needs neither. */
export function underControl({ control, at }: Node, ops: readonly Op[]): Op[] {
  const body = joined(ops)
  if (!control && body.every((op) => typeof op === 'string')) return [...body]
  return [{ op: 'element', at, body, ...(control && { control }) }]
}

/** In the closest locale that the element itself is translated into: others of the content may have closer ones. */
export function translated(node: Node, locale: string): Node {
  const closest = closestLocale(node.locales.keys(), locale)
  const translation = closest === undefined ? undefined : node.locales.get(closest)
  if (!translation) return node
  const fields: Fields = { ...node.fields, ...translation.fields }
  return { ...node, fields, children: translation.children ?? node.children }
}

/** Neighboring texts become one, so that a run has as few steps as there are slots. */
export function joined(ops: readonly Op[]): Program {
  const out: Op[] = []
  for (const op of ops) {
    const last = out.length - 1
    const before = out[last]
    if (typeof op === 'string' && typeof before === 'string') out[last] = before + op
    else if (op !== '') out.push(op)
  }
  return out
}

/** The slots filled; one without a value is empty. */
function filled(fragment: readonly string[], values: Readonly<Record<string, readonly Op[]>>): Op[] {
  return fragment.flatMap((piece, index): Op | readonly Op[] => (index % 2 === 0 ? piece : (values[piece] ?? [])))
}

/** An element's own alignment, else that of the brand; `full` is the old name of justified text. */
function alignment(value: unknown, otherwise: string, ofBrand: string | undefined, direction: Direction): string {
  if (value === 'full') return 'justify'
  if (value === 'left' || value === 'center' || value === 'right') return value
  const side = value === 'start' || value === 'end' ? value : (ofBrand ?? otherwise)
  if (side !== 'start' && side !== 'end') return side
  return (side === 'start') === (direction === 'ltr') ? 'left' : 'right'
}

/** Texts and names of slots in turn. */
type Fragment = readonly string[]
interface Themed {
  slots: Readonly<Record<string, string>>
  fragments: Map<string, Fragment>
}

/** Most mails use a few kinds of rows: each is filled at its first use. */
const themed: Record<Direction, WeakMap<Theme, Themed>> = { ltr: new WeakMap(), rtl: new WeakMap() }

/** A piece of a mail in the look of a brand: slots for its theme are filled, those for content are left. */
function fragmentOf(name: string, theme: Theme, direction: Direction): Fragment {
  const kept = themed[direction].get(theme) ?? { slots: themeSlots(theme, direction), fragments: new Map() }
  if (kept.fragments.size === 0) themed[direction].set(theme, kept)
  const cachedFragment = kept.fragments.get(name)
  if (cachedFragment) return cachedFragment
  const fragment = fragments.get(name)
  if (!fragment) throw new Error(`There is no mail fragment ${name}`)
  const made = withTheme(fragment, kept.slots)
  kept.fragments.set(name, made)
  return made
}

function withTheme(fragment: Fragment, slots: Themed['slots']): Fragment {
  const out = [fragment[0] ?? '']
  for (let index = 1; index < fragment.length; index += 2) {
    const [name = '', text = ''] = [fragment[index], fragment[index + 1]]
    const value = slots[name]
    if (value === undefined) out.push(name, text)
    else out.push(`${out.pop()}${value}${text}`)
  }
  return out
}

const tag = (name: string) => [`<${name}>`, `</${name}>`] as const

/** Sizes of headings in Markdown: those of `text_style`, and the text's own in bold. */
const HEADINGS = ['28px;line-height:36px', '20px;line-height:28px', '16px;line-height:26px']
const monospace = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace"

const rulesByTheme: Record<Direction, WeakMap<Theme, DialectRules>> = { ltr: new WeakMap(), rtl: new WeakMap() }

/** How a mail writes emphasis, links, lists and paragraphs. */
export function htmlRules(theme: Theme, direction: Direction): DialectRules {
  const cachedRules = rulesByTheme[direction].get(theme)
  if (cachedRules) return cachedRules
  const rules = makeRules(theme, direction)
  rulesByTheme[direction].set(theme, rules)
  return rules
}

function makeRules({ light }: Theme, direction: Direction): DialectRules {
  const start = direction === 'rtl' ? 'right' : 'left'
  const above = (isFirst: boolean) => (isFirst ? 'margin:0' : 'margin:16px 0 0')
  return {
    dialect: 'html',
    text: html,
    code: html,
    marks: {
      strong: tag('strong'),
      em: tag('em'),
      s: tag('s'),
      u: tag('u'),
      code: [
        `<code class="pr-code" style="font-family:${monospace};font-size:90%;color:${light.heading};background:${light.surface};border-radius:4px;padding:2px 6px">`,
        '</code>',
      ],
    },
    link: (url, body, isEmpty) =>
      isEmpty
        ? body
        : `<a href="${html(url ?? '#')}" target="_blank" class="pr-link" style="color:${light.link}">${body}</a>`,
    line: '<br>',
    paragraph: '<br><br>',
    heading: ['<strong>', '</strong>'],
    rule: '<hr>',
    bullet: '<li>',
    ordinal: () => '<li>',
    quote: (text) =>
      `<blockquote class="pr-quote" style="margin:0;padding-${start}:16px;border-${start}:3px solid ${light.border}">${text}</blockquote>`,
    blocks: {
      paragraph: (isFirst) => `<p style="${above(isFirst)}">`,
      heading: (level, isFirst) =>
        `<h${level} class="pr-h" style="${above(isFirst)};color:${light.heading};font-size:${HEADINGS[level - 1] ?? HEADINGS[2]}">`,
      list: (name, isFirst) => `<${name} style="${above(isFirst)};padding-${start}:24px"`,
      code: [
        `<div class="pr-code" style="margin:12px 0 0;font-family:${monospace};font-size:14px;line-height:20px;color:${light.heading};background:${light.surface};border-radius:6px;padding:12px 16px;white-space:pre-wrap">`,
        '</div>',
      ],
    },
  }
}
