/** Compiles checked nodes into programs: the text of one dialect, or the rows of a mail. */
import type { Dialect } from '../base/rendered-content.ts'
import { isColor } from './brand.ts'
import { type DocumentWork, newDocument, takeElement } from './compile-bounds.ts'
import { rulesOf } from './dialect.ts'
import type { Compiler, Fields, Node } from './element.ts'
import { css } from './escape.ts'
import { fragments } from './mail/fragments.generated.ts'
import { markdown } from './markdown.ts'
import type { Op, Program } from './program.ts'
import { withBrandSnippets } from './snippets.ts'
import type { Brand } from './template.ts'
import { authored, plainText, url } from './text.ts'

/** The colors of mails without a brand. */
export const defaultColors = { primary: '#2a5bd7', secondary: '#292929', tertiary: '#f4f4f4' }

export const colorOr = (value: string | undefined, otherwise: string) => (value && isColor(value) ? value : otherwise)

function colorsOf(brand: Brand | undefined): Compiler['colors'] {
  const { primary, secondary, tertiary } = brand?.colors ?? {}
  return {
    primary: colorOr(primary, defaultColors.primary),
    secondary: colorOr(secondary, defaultColors.secondary),
    tertiary: colorOr(tertiary, defaultColors.tertiary),
  }
}

export interface Choice {
  dialect: Dialect
  locale: string
  mail: boolean
  brand?: Brand | undefined
  /** The rows of a mail, not only its text. */
  rows?: boolean
  /** Absent: a document of its own. */
  document?: DocumentWork
}

export function compilerOf(choice: Choice, inline = false): Compiler {
  const { dialect, locale, mail, brand, rows = false, document = newDocument() } = choice
  const colors = colorsOf(brand)
  const rules = rulesOf(dialect, colors.primary)
  const compiler: Compiler = {
    rules,
    colors,
    mail,
    inline,
    markdown: (text, bold) => markdown(text, rules, document, bold),
    plainText: (text) => plainText(text, rules.text),
    style: (value, otherwise) => (typeof value === 'string' && value !== '' ? authored(value, css) : [otherwise]),
    url,
    plain: () => (dialect === 'plain' ? compiler : compilerOf({ ...choice, dialect: 'plain', document }, inline)),
    row: (name, slots) => (rows ? fillFragment(name, slots) : Object.values(slots).flat()),
    children: (nodes, within = inline) => {
      const inner = within === inline ? compiler : compilerOf({ ...choice, document }, within)
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
function fillFragment(name: string, values: Readonly<Record<string, readonly Op[]>>): Op[] {
  const fragment = fragments.get(name)
  if (!fragment) throw new Error(`There is no mail fragment ${name}`)
  return fragment.flatMap((piece, index): Op | readonly Op[] => (index % 2 === 0 ? piece : (values[piece] ?? [])))
}
