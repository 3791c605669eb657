/** Compiles checked nodes into programs: the text of one dialect, or the rows of a mail. */
import type { Dialect } from '../base/rendered-content.ts'
import { type DocumentWork, newDocument, takeElement } from './compile-bounds.ts'
import { rulesOf } from './dialect.ts'
import type { Compiler, Fields, Node } from './element.ts'
import { css } from './escape.ts'
import { fragmentOf } from './mail/fragments.ts'
import { htmlRules } from './mail/html-rules.ts'
import type { Direction, Theme } from './mail/look.ts'
import { themeOf } from './mail/theme.ts'
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

export function translated(node: Node, locale: string): Node {
  const translation = node.locales.get(locale)
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
  const found = value === 'start' || value === 'end' ? value : (ofBrand ?? otherwise)
  if (found !== 'start' && found !== 'end') return found
  return (found === 'start') === (direction === 'ltr') ? 'left' : 'right'
}
